// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/clip_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "hem/core/files.h"
#include "hem/recording/checksum.h"
#include "hem/recording/recording_meta.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = ".part";

Error systemFault(const std::string& path, const char* doing) {
    return errorf("%s: cannot %s: %s", path.c_str(), doing, std::strerror(errno));
}

// A file that grows, and the checksum of what is in it.
struct GrowingFile {
    std::string path;
    int fd = -1;
    uint64_t hash = hashBytes(nullptr, 0);

    GrowingFile() = default;
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;
    ~GrowingFile() {
        if (fd >= 0) ::close(fd);
    }

    Status create(const std::string& at, std::string_view preamble) {
        path = at;
        fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0) return systemFault(path, "create");
        return append(std::as_bytes(std::span(preamble)));
    }
    Status append(std::span<const std::byte> bytes) {
        hash = hashBytes(bytes.data(), bytes.size(), hash);
        while (!bytes.empty()) {
            const ssize_t put = ::write(fd, bytes.data(), bytes.size());
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) return systemFault(path, "write");
            bytes = bytes.subspan(size_t(put));
        }
        return Done{};
    }
    Status flush() const {
        if (::fsync(fd) != 0 && errno != EINVAL) return systemFault(path, "flush");
        return Done{};
    }
};

template <class Item>
std::span<const std::byte> bytesOf(const Item& item) {
    return std::as_bytes(std::span(&item, 1));
}

}  // namespace

struct ClipWriter::Files {
    std::string clips, name;  // clips/ of the set, and the clip's
    ClipMetaFile file;
    std::shared_ptr<const ClothScene> scene;
    std::array<GrowingFile, kClipArrays> arrays;
    size_t frames = 0;  // of the cloth
    bool finished = false;

    std::string temporary() const { return clips + "/." + name + kUnfinished; }
    std::string target() const { return clips + "/" + name; }
    GrowingFile& at(ClipArray array) { return arrays[size_t(array)]; }

    ~Files() {
        std::error_code ignored;
        if (!finished) fs::remove_all(temporary(), ignored);
    }

    Status createArrays() {
        std::error_code fault;
        fs::remove_all(temporary(), fault);
        if (const Status made = makeFolders(temporary()); !made) return made;
        for (size_t i = 0; i < kClipArrays; ++i) {
            const std::string path = temporary() + "/" + kClipArrayNames[i];
            const NpyHeader header = headerOf(ClipArray(i), file.shape);
            if (const Status made = arrays[i].create(path, npyPreamble(header)); !made) return made;
        }
        return Done{};
    }

    Status writePose(const Pose& pose, const Root& root) {
        const Character& body = scene->character;
        std::vector<Affine> matrices(body.skeleton.size());
        skinningMatrices(body.skeleton, pose, body.skin.joint_from_rest.data(), matrices.data());
        Status status = at(ClipArray::kJoints).append(std::as_bytes(std::span(matrices)));
        // the pose's own position: what is read back continues bit for bit
        const float numbers[4] = {pose.root_position.x, pose.root_position.y, pose.root_position.z,
                                  root.heading};
        if (status) status = at(ClipArray::kRoot).append(bytesOf(numbers));
        if (status)
            status = at(ClipArray::kRotations).append(std::as_bytes(std::span(pose.rotations)));
        return status;
    }

    Status writeMeta() {
        for (size_t i = 0; i < kClipArrays; ++i) file.checksums[i] = checksumText(arrays[i].hash);
        GrowingFile meta;
        Status status = meta.create(temporary() + "/meta.json", metaText(file));
        return status ? meta.flush() : status;
    }

    // An older clip of the name steps aside first: a folder cannot be renamed over a full one.
    Status rename() {
        std::error_code fault;
        const std::string old = clips + "/." + name + ".old" + kUnfinished;
        fs::remove_all(old, fault);
        if (fs::exists(target())) fs::rename(target(), old, fault);
        if (!fault) fs::rename(temporary(), target(), fault);
        if (fault)
            return errorf("%s: cannot rename the finished clip: %s", target().c_str(),
                          fault.message().c_str());
        finished = true;
        fs::remove_all(old, fault);
        return syncFolder(clips);
    }
};

bool isUnfinishedClip(const std::string& name) {
    return name.starts_with(".") && name.ends_with(kUnfinished);
}

Status syncFolder(const std::string& folder) {
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) return systemFault(folder, "open");
    const bool flushed = ::fsync(fd) == 0 || errno == EINVAL;
    const Status status = flushed ? Status(Done{}) : Status(systemFault(folder, "flush"));
    ::close(fd);
    return status;
}

ClipWriter::ClipWriter(std::unique_ptr<Files> files) : files_(std::move(files)) {}
ClipWriter::~ClipWriter() = default;
ClipWriter::ClipWriter(ClipWriter&&) noexcept = default;
ClipWriter& ClipWriter::operator=(ClipWriter&&) noexcept = default;

Result<ClipWriter> ClipWriter::start(const RecordingSet& set, const RecordingMeta& meta,
                                     std::span<const Pose> poses, std::span<const Root> roots) {
    CHECK_EQ(poses.size(), roots.size());
    if (!isClipName(meta.name))
        return errorf("%s: a clip's name has letters, digits and _ - + . only",
                      quoteForMessage(meta.name).c_str());
    if (poses.empty()) return errorf("%s: a clip without frames", meta.name.c_str());
    const ClothScene& scene = set.scene();
    auto files = std::make_unique<Files>();
    files->clips = set.folder() + "/clips";
    files->name = meta.name;
    files->scene = set.sharedScene();
    files->file.meta = meta;
    files->file.meta.rate = scene.rate;
    files->file.meta.motion_hash = motionHash(poses);
    files->file.shape = {poses.size(), vertexCount(scene.garments),
                         scene.character.skeleton.size()};
    if (const Status made = files->createArrays(); !made) return made.error();
    for (size_t i = 0; i < poses.size(); ++i) {
        CHECK_EQ(poses[i].rotations.size(), scene.character.skeleton.size());
        if (const Status written = files->writePose(poses[i], roots[i]); !written)
            return written.error();
    }
    return ClipWriter(std::move(files));
}

Status ClipWriter::append(const ClothState& state) {
    Files& f = *files_;
    CHECK_LT(f.frames, f.file.shape.frames);
    if (state.positions.size() != f.file.shape.vertices ||
        state.velocities.size() != f.file.shape.vertices)
        return errorf("%s, frame %zu: %zu positions and %zu velocities came for %zu vertices",
                      f.name.c_str(), f.frames, state.positions.size(), state.velocities.size(),
                      f.file.shape.vertices);
    for (size_t i = 0; i < state.positions.size(); ++i)
        if (!isFinite(state.positions[i]) || !isFinite(state.velocities[i]))
            return errorf("%s, frame %zu: vertex %zu is not finite; the simulation blew up",
                          f.name.c_str(), f.frames, i);
    ++f.frames;
    Status status = f.at(ClipArray::kPositions).append(std::as_bytes(std::span(state.positions)));
    if (status)
        status = f.at(ClipArray::kVelocities).append(std::as_bytes(std::span(state.velocities)));
    if (status) status = f.at(ClipArray::kTimes).append(bytesOf(state.time));
    return status;
}

size_t ClipWriter::frames() const { return files_->frames; }

Status ClipWriter::finish() {
    CHECK_EQ(files_->frames, files_->file.shape.frames);
    for (GrowingFile& array : files_->arrays)
        if (const Status flushed = array.flush(); !flushed) return flushed;
    if (const Status written = files_->writeMeta(); !written) return written;
    if (const Status synced = syncFolder(files_->temporary()); !synced) return synced;
    return files_->rename();
}

}  // namespace hem
