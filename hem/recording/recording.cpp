// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/recording.h"

#include "hem/core/files.h"
#include "hem/recording/checksum.h"
#include "hem/recording/recording_meta.h"

namespace hem {

struct Recording::Data {
    std::string folder;
    ClipMetaFile file;
    std::array<MappedNpy, kClipArrays> arrays;

    // The items of a frame, `count` of them.
    template <class Item>
    std::span<const Item> at(ClipArray array, size_t frame, size_t count) const {
        CHECK_LT(frame, file.shape.frames);
        const auto* items = reinterpret_cast<const Item*>(arrays[size_t(array)].data().data());
        return {items + frame * count, count};
    }
};

Result<Recording> Recording::open(const std::string& folder) {
    const std::string meta_path = folder + "/meta.json";
    const auto text = readTextFile(meta_path);
    if (!text)
        return errorf("%s (is %s the folder of a clip?)", text.error().message.c_str(),
                      folder.c_str());
    auto file = parseMeta(*text, meta_path);
    if (!file) return file.error();
    auto data = std::make_shared<Data>();
    data->folder = folder;
    data->file = std::move(*file);
    for (size_t i = 0; i < kClipArrays; ++i) {
        const std::string path = folder + "/" + kClipArrayNames[i];
        auto array = MappedNpy::open(path);
        if (!array) return array.error();
        const NpyHeader expected = headerOf(ClipArray(i), data->file.shape);
        if (array->header() != expected)
            return errorf("%s: holds %s, but meta.json says %s", path.c_str(),
                          describe(array->header()).c_str(), describe(expected).c_str());
        data->arrays[i] = std::move(*array);
    }
    Recording recording;
    recording.data_ = std::move(data);
    return recording;
}

const RecordingMeta& Recording::meta() const { return data_->file.meta; }
size_t Recording::frames() const { return data_->file.shape.frames; }
size_t Recording::vertices() const { return data_->file.shape.vertices; }
size_t Recording::joints() const { return data_->file.shape.joints; }

std::span<const Vec3> Recording::positions(size_t frame) const {
    return data_->at<Vec3>(ClipArray::kPositions, frame, vertices());
}

std::span<const Vec3> Recording::velocities(size_t frame) const {
    return data_->at<Vec3>(ClipArray::kVelocities, frame, vertices());
}

std::span<const Affine> Recording::jointMatrices(size_t frame) const {
    return data_->at<Affine>(ClipArray::kJoints, frame, joints());
}

Root Recording::root(size_t frame) const {
    const auto r = data_->at<float>(ClipArray::kRoot, frame, 4);
    return {{r[0], r[1], r[2]}, r[3]};
}

Pose Recording::pose(size_t frame) const {
    const auto rotations = data_->at<Quat>(ClipArray::kRotations, frame, joints());
    return {root(frame).position, {rotations.begin(), rotations.end()}};
}

ClothState Recording::state(size_t frame) const {
    const auto x = positions(frame), v = velocities(frame);
    return {{x.begin(), x.end()},
            {v.begin(), v.end()},
            data_->at<double>(ClipArray::kTimes, frame, 1)[0]};
}

Status Recording::verify() const {
    for (size_t i = 0; i < kClipArrays; ++i)
        if (checksumOf(data_->arrays[i].file()) != data_->file.checksums[i])
            return errorf(
                "%s/%s: does not have the checksum that meta.json says; the file is damaged: "
                "remove the clip's folder and record it again",
                data_->folder.c_str(), kClipArrayNames[i]);
    return Done{};
}

}  // namespace hem
