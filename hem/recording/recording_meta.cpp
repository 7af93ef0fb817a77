// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/recording_meta.h"

#include <charconv>

#include "hem/recording/checksum.h"
#include "hem/recording/json_fields.h"
#include "hem/recording/set_files.h"

namespace hem {
namespace {

constexpr const char* kClipFormat = "hemline recording";
constexpr size_t kMost = size_t(1) << 32;

std::optional<uint64_t> parseHash(const std::string& text) {
    constexpr std::string_view kPrefix = "fnv1a64:";
    if (!text.starts_with(kPrefix) || text.size() != kPrefix.size() + 16) return {};
    uint64_t hash = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data() + kPrefix.size(), end, hash, 16);
    if (read.ec != std::errc{} || read.ptr != end) return {};
    return hash;
}

}  // namespace

uint64_t motionHash(std::span<const Pose> poses) {
    uint64_t hash = hashBytes(nullptr, 0);
    for (const Pose& pose : poses) {
        hash = hashBytes(&pose.root_position, sizeof(Vec3), hash);
        hash = hashBytes(pose.rotations.data(), pose.rotations.size() * sizeof(Quat), hash);
    }
    return hash;
}

bool isClipName(const std::string& name) {
    constexpr std::string_view kAllowed =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.";
    return !name.empty() && name.size() <= 200 && name[0] != '.' &&
           name.find_first_not_of(kAllowed) == name.npos;
}

std::string stopName(const std::string& clip, int number) {
    return clip + ".stop" + std::to_string(number);
}

NpyHeader headerOf(ClipArray array, const ClipShape& s) {
    constexpr NpyType kFloat = NpyType::kFloat32;
    switch (array) {
        case ClipArray::kPositions:
        case ClipArray::kVelocities:
            return {kFloat, {s.frames, s.vertices, 3}};
        case ClipArray::kJoints:
            return {kFloat, {s.frames, s.joints, 3, 4}};
        case ClipArray::kRoot:
            return {kFloat, {s.frames, 4}};
        case ClipArray::kRotations:
            return {kFloat, {s.frames, s.joints, 4}};
        case ClipArray::kTimes:
            return {NpyType::kFloat64, {s.frames}};
    }
    CHECK(false);
    return {};
}

std::string metaText(const ClipMetaFile& file) {
    const RecordingMeta& meta = file.meta;
    Json document{{"format", kClipFormat},       {"version", kRecordingVersion},
                  {"name", meta.name},           {"motion", meta.motion},
                  {"simulator", meta.simulator}, {"rate", meta.rate},
                  {"frames", file.shape.frames}, {"vertices", file.shape.vertices},
                  {"joints", file.shape.joints}};
    if (meta.is_stop) document["stop"] = {{"of", meta.stop.of}, {"frame", meta.stop.frame}};
    document["motion_checksum"] = checksumText(meta.motion_hash);
    Json checksums = Json::object();
    for (size_t i = 0; i < kClipArrays; ++i) checksums[kClipArrayNames[i]] = file.checksums[i];
    document["files"] = checksums;
    return jsonText(document);
}

Result<ClipMetaFile> parseMeta(std::string_view text, const std::string& name) {
    const auto document = parseJson(text, name);
    if (!document) return document.error();
    JsonFields fields(*document, name + ": ");
    if (fields.text("format") != kClipFormat || fields.fault())
        return errorf("%s: is not of a recording of hemline's", name.c_str());
    if (fields.count("version") != kRecordingVersion)
        return errorf(
            "%s: is of another version of the format (this hemline reads version %d); "
            "record it again",
            name.c_str(), kRecordingVersion);
    ClipMetaFile file;
    file.meta = {.name = fields.text("name"),
                 .motion = fields.text("motion"),
                 .simulator = fields.text("simulator"),
                 .rate = fields.number("rate", 1, 10000)};
    file.shape = {fields.count("frames", kMost), fields.count("vertices", kMost),
                  fields.count("joints", kMost)};
    file.meta.is_stop = fields.has("stop");
    if (file.meta.is_stop) {
        JsonFields stop(fields.object("stop"), name + ": stop.");
        file.meta.stop = {stop.text("of"), stop.count("frame", kMost)};
        if (stop.fault()) return *stop.fault();
    }
    const auto hash = parseHash(fields.text("motion_checksum"));
    JsonFields files(fields.object("files"), name + ": files.");
    for (size_t i = 0; i < kClipArrays; ++i) file.checksums[i] = files.text(kClipArrayNames[i]);
    if (fields.fault()) return *fields.fault();
    if (files.fault()) return *files.fault();
    if (!hash) return errorf("%s: motion_checksum: a checksum was expected", name.c_str());
    file.meta.motion_hash = *hash;
    if (file.shape.frames == 0)
        return errorf("%s: frames: at least one was expected", name.c_str());
    return file;
}

}  // namespace hem
