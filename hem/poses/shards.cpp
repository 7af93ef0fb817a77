// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/shards.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/poses/make_pose_set.h"
#include "hem/recording/checksum.h"
#include "hem/recording/clip_writer.h"

namespace hem {
namespace {

// A file written piece by piece, hashed on the way, under another name until it is whole.
class GrowingFile {
public:
    explicit GrowingFile(std::string path)
        : path_(std::move(path)), file_(std::fopen((path_ + ".part").c_str(), "wb")) {}
    GrowingFile(const GrowingFile&) = delete;
    GrowingFile& operator=(const GrowingFile&) = delete;
    ~GrowingFile() {
        if (!file_) return;
        std::fclose(file_);
        std::remove((path_ + ".part").c_str());
    }

    void add(std::span<const std::byte> bytes) {
        hash_ = hashBytes(bytes.data(), bytes.size(), hash_);
        good_ = good_ && file_ && std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size();
    }
    // The checksum of the whole.
    Result<std::string> finish() {
        good_ = good_ && file_ && std::fflush(file_) == 0 && ::fsync(::fileno(file_)) == 0;
        if (good_) good_ = std::rename((path_ + ".part").c_str(), path_.c_str()) == 0;
        if (!good_) return errorf("%s: cannot write: %s", path_.c_str(), std::strerror(errno));
        std::fclose(file_);
        file_ = nullptr;
        return checksumText(hash_);
    }

private:
    std::string path_;
    std::FILE* file_;
    bool good_ = true;
    uint64_t hash_ = hashBytes(nullptr, 0);
};

}  // namespace

size_t offsetOf(PoseArray array, const PoseShape& shape) {
    size_t offset = 0;
    for (size_t i = 0; i < size_t(array); ++i) offset += numbersPerPose(PoseArray(i), shape);
    return offset;
}
size_t rowSize(const PoseShape& shape) { return offsetOf(PoseArray(kSimulatedArrays), shape); }

Shards::Shards(std::string folder, const PoseShape& shape)
    : folder_(std::move(folder)), shape_(shape) {}

size_t Shards::count() const { return (shape_.poses + kPosesPerShard - 1) / kPosesPerShard; }
size_t Shards::firstPose(size_t shard) const { return shard * kPosesPerShard; }
size_t Shards::poses(size_t shard) const {
    return std::min(kPosesPerShard, shape_.poses - firstPose(shard));
}
std::string Shards::path(size_t shard) const {
    return folder_ + format("/shards/%06zu.npy", shard);
}

bool Shards::has(size_t shard) const {
    const auto array = MappedNpy::open(path(shard));
    return array &&
           array->header() == NpyHeader{NpyType::kFloat32, {poses(shard), rowSize(shape_)}};
}

Status Shards::write(size_t shard, const std::vector<float>& rows) const {
    return saveNpy(path(shard), {NpyType::kFloat32, {poses(shard), rowSize(shape_)}},
                   std::as_bytes(std::span(rows)));
}

void Shards::remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(folder_ + "/shards", ignored);
}

Result<std::string> Shards::assemble(PoseArray array, const std::string& path) const {
    const NpyHeader header = headerOf(array, shape_);
    const size_t first = offsetOf(array, shape_), size = numbersPerPose(array, shape_);
    GrowingFile file(path);
    const std::string preamble = npyPreamble(header);
    file.add(std::as_bytes(std::span(preamble)));
    for (size_t shard = 0; shard < count(); ++shard) {
        const auto rows = MappedNpy::open(this->path(shard));
        if (!rows) return rows.error();
        for (size_t pose = 0; pose < poses(shard); ++pose) {
            const auto part = rows->floats().subspan(pose * rowSize(shape_) + first, size);
            if (header.type == NpyType::kFloat32) {
                file.add(std::as_bytes(part));
            } else {
                const std::vector<uint32_t> counts(part.begin(), part.end());
                file.add(std::as_bytes(std::span(counts)));
            }
        }
    }
    return file.finish();
}

}  // namespace hem
