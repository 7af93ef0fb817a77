// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/recording/clip_writer.h"
#include "hem/recording/recording.h"
#include "hem/recording/set_files.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

// Half-written files and clips of a process that was killed. The folder is locked, so nobody is
// at work on them.
void removeLeftovers(const std::string& folder) {
    std::error_code ignored;
    for (const char* part : {"", "body", "garment"})
        for (const auto& entry : fs::directory_iterator(folder + "/" + part, ignored))
            if (entry.path().extension() == ".part" && entry.is_regular_file(ignored))
                fs::remove(entry.path(), ignored);
    for (const auto& entry : fs::directory_iterator(folder + "/clips", ignored))
        if (isUnfinishedClip(entry.path().filename().string()))
            fs::remove_all(entry.path(), ignored);
}

Status writeScene(const std::string& folder, const std::vector<SetFilePart>& files) {
    for (const SetFilePart& part : files)
        if (const Status written = writeFile(folder + "/" + part.name, part.bytes); !written)
            return written;
    for (const char* part : {"body", "garment", "."})
        if (const Status synced = syncFolder(folder + "/" + part); !synced) return synced;
    return Done{};
}

Status checkSame(const std::string& folder, const std::vector<SetFilePart>& files) {
    const auto difference = sceneDifference(folder, files);
    if (!difference) return difference.error();
    if (difference->empty()) return Done{};
    return errorf(
        "%s: holds recordings of another scene: %s. Choose another folder, or remove this one",
        folder.c_str(), difference->c_str());
}

// What hemline poses keeps in a folder that has a set.json, too (hem/poses/pose_files.h).
Status checkNoPoses(const std::string& folder) {
    if (!fs::exists(folder + "/poses.json") && !fs::exists(folder + "/shards/plan.json"))
        return Done{};
    return errorf("%s: holds poses (hemline poses), not recordings; name another folder",
                  folder.c_str());
}

// A folder without set.json may hold what a set that was killed while it was made has, no more.
Status checkFree(const std::string& folder) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name != "body" && name != "garment" && name != "clips" && name != ".work" &&
            !name.ends_with(".part"))
            return errorf(
                "%s: is not empty and no set of recordings (it has %s, but no set.json); choose "
                "another folder",
                folder.c_str(), quoteForMessage(name).c_str());
    }
    return Done{};
}

Status updateText(const std::string& folder, const std::string& text) {
    const std::string path = folder + "/scene.toml";
    if (text.empty()) return Done{};
    const auto there = readTextFile(path);
    return there && *there == text ? Status(Done{}) : writeFile(path, text);
}

// "walk.stop12" is {"walk", 12}; a clip that is no stop has 0.
std::pair<std::string, long> orderOf(const std::string& name) {
    constexpr std::string_view kMark = ".stop";
    const size_t at = name.rfind(kMark);
    const auto number = at == name.npos
                            ? std::nullopt
                            : parseInteger(std::string_view(name).substr(at + kMark.size()));
    return number ? std::pair(name.substr(0, at), *number) : std::pair(name, 0L);
}

}  // namespace

struct RecordingSet::Lock {
    int fd = -1;

    Lock() = default;
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    ~Lock() {
        if (fd >= 0) ::close(fd);
    }
    static Result<std::shared_ptr<const Lock>> take(const std::string& folder) {
        auto lock = std::make_shared<Lock>();
        lock->fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        if (lock->fd < 0)
            return errorf("%s: cannot open: %s", folder.c_str(), std::strerror(errno));
        if (::flock(lock->fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            return errorf(
                "%s: another process is recording into it; wait for it, or choose another "
                "folder",
                folder.c_str());
        return std::shared_ptr<const Lock>(std::move(lock));
    }
};

Result<RecordingSet> RecordingSet::open(const std::string& folder) {
    if (!fs::exists(folder + "/set.json"))
        return errorf(
            "%s: is no set of recordings: it has no set.json (hemline simulate makes one)",
            folder.c_str());
    if (const Status good = checkNoPoses(folder); !good) return good.error();
    return openScene(folder);
}

Result<RecordingSet> RecordingSet::openScene(const std::string& folder) {
    auto scene = loadSceneFiles(folder);
    if (!scene) return scene.error();
    RecordingSet set;
    set.folder_ = folder;
    set.scene_ = std::make_shared<const ClothScene>(std::move(*scene));
    return set;
}

Status RecordingSet::check(const std::string& folder, const ClothScene& scene) {
    if (const Status good = checkNoPoses(folder); !good) return good;
    return checkScene(folder, scene);
}

Status RecordingSet::checkScene(const std::string& folder, const ClothScene& scene) {
    if (const Status valid = validate(scene); !valid) return valid;
    if (const auto hips = findHipJoints(scene.character.skeleton); !hips) return hips.error();
    return fs::exists(folder + "/set.json") ? checkSame(folder, filesOf(scene)) : checkFree(folder);
}

Result<RecordingSet> RecordingSet::create(const std::string& folder, const ClothScene& scene,
                                          const std::string& scene_text) {
    if (const Status good = checkScene(folder, scene); !good) return good.error();
    for (const char* part : {"/body", "/garment", "/clips"})
        if (const Status made = makeFolders(folder + part); !made) return made.error();
    auto lock = Lock::take(folder);
    if (!lock) return lock.error();
    removeLeftovers(folder);
    const bool there = fs::exists(folder + "/set.json");
    // once more, now that nobody else can make it
    Status status = there ? checkSame(folder, filesOf(scene)) : writeScene(folder, filesOf(scene));
    if (status) status = updateText(folder, scene_text);
    if (!status) return status.error();
    auto set = openScene(folder);
    if (set) set->lock_ = std::move(*lock);
    return set;
}

std::vector<std::string> RecordingSet::clipNames() const {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_ + "/clips", ignored)) {
        const std::string name = entry.path().filename().string();
        if (isClipName(name) && has(name)) names.push_back(name);
    }
    std::sort(names.begin(), names.end(),
              [](const std::string& a, const std::string& b) { return orderOf(a) < orderOf(b); });
    return names;
}

std::vector<std::string> RecordingSet::brokenClips() const {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_ + "/clips", ignored)) {
        const std::string name = entry.path().filename().string();
        if (entry.is_directory(ignored) && !name.starts_with('.') && !has(name))
            names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

bool RecordingSet::has(const std::string& clip) const {
    return fs::exists(clipFolder(clip) + "/meta.json");
}

Result<Recording> RecordingSet::clip(const std::string& name) const {
    if (!has(name) && fs::is_directory(clipFolder(name)))
        return errorf(
            "%s: has no meta.json, so it is no whole clip: remove the folder and record it again",
            clipFolder(name).c_str());
    if (!has(name))
        return errorf("%s: has no clip %s", folder_.c_str(), quoteForMessage(name).c_str());
    auto recording = Recording::open(clipFolder(name));
    if (!recording) return recording.error();
    if (recording->meta().name != name)
        return errorf(
            "%s: its meta.json says that it is the clip %s: clips cannot be renamed; give the "
            "folder its name back",
            clipFolder(name).c_str(), quoteForMessage(recording->meta().name).c_str());
    const size_t vertices = vertexCount(scene_->garments),
                 joints = scene_->character.skeleton.size();
    if (recording->vertices() != vertices || recording->joints() != joints ||
        recording->meta().rate != scene_->rate)
        return errorf(
            "%s: has %zu vertices and %zu joints at %g Hz, but the set has %zu and %zu at %g Hz: "
            "the clip is of another set",
            clipFolder(name).c_str(), recording->vertices(), recording->joints(),
            recording->meta().rate, vertices, joints, scene_->rate);
    return recording;
}

Status RecordingSet::add(const RecordedClip& clip) const {
    CHECK(lock_ != nullptr);  // open() gives sets to read
    CHECK_EQ(clip.poses.size(), clip.states.size());
    const auto hips = findHipJoints(scene_->character.skeleton);
    if (!hips) return hips.error();
    const Motion motion{.name = clip.meta.name,
                        .skeleton = scene_->character.skeleton,
                        .rate = scene_->rate,
                        .frames = clip.poses};
    auto writer = ClipWriter::start(*this, clip.meta, clip.poses, rootsOf(motion, *hips));
    if (!writer) return writer.error();
    for (const ClothState& state : clip.states)
        if (const Status added = writer->append(state); !added) return added;
    return writer->finish();
}

std::string setFolderOf(const std::string& clip_folder) {
    std::string folder = (fs::path(clip_folder) / ".." / "..").lexically_normal().string();
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    return folder;
}

std::string clipNameOf(const std::string& clip_folder) {
    return fs::absolute(clip_folder + "/.").lexically_normal().parent_path().filename().string();
}

}  // namespace hem
