// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/pose_set.h"

#include <filesystem>

#include "hem/core/files.h"
#include "hem/core/npy.h"
#include "hem/poses/pose_files.h"
#include "hem/recording/checksum.h"
#include "hem/recording/set_files.h"

namespace hem {

struct PoseSet::Data {
    std::string folder;
    PoseSetFile file;
    ClothScene scene;
    Mesh garment;  // of all garments
    Skin skin;
    std::vector<int> input_joints;
    std::vector<MappedNpy> arrays;  // by PoseArray

    const MappedNpy& array(PoseArray which) const { return arrays[size_t(which)]; }
    // The numbers of one pose, as Items.
    template <class Item>
    std::span<const Item> row(PoseArray which, size_t pose) const {
        const size_t count = numbersPerPose(which, file.shape) * sizeof(float) / sizeof(Item);
        CHECK_LT(pose, file.shape.poses);
        return {reinterpret_cast<const Item*>(array(which).data().data()) + pose * count, count};
    }
};

namespace {

std::string asArray(const std::string& folder, PoseArray array) {
    return folder + "/" + kPoseArrayNames[size_t(array)];
}

Error damaged(const std::string& path) {
    return errorf(
        "%s: does not have the checksum that poses.json says; the file is damaged or was edited: "
        "make the set again",
        path.c_str());
}

Result<MappedNpy> mapAs(const std::string& path, const NpyHeader& expected) {
    auto array = MappedNpy::open(path);
    if (!array) return array.error();
    if (array->header() != expected)
        return errorf(
            "%s: holds %s, but poses.json and the other files ask for %s; make the set "
            "again",
            path.c_str(), describe(array->header()).c_str(), describe(expected).c_str());
    return array;
}

Result<Skin> readSkin(const std::string& folder, const PoseSetFile& file, const Character& body) {
    const std::string joints_path = folder + "/" + kSkinJointsFile,
                      weights_path = folder + "/" + kSkinWeightsFile;
    const auto joints = MappedNpy::open(joints_path);
    if (!joints) return joints.error();
    if (checksumOf(joints->file()) != file.skin_joints_checksum) return damaged(joints_path);
    const size_t influences = joints->shape().size() == 2 ? joints->shape()[1] : 0;
    if (joints->header() != NpyHeader{NpyType::kUint32, {file.shape.vertices, influences}} ||
        influences < 1 || influences > size_t(Skin::kMaxInfluences))
        return errorf("%s: holds %s; uint32, %zu vertices by at most %d, was expected",
                      joints_path.c_str(), describe(joints->header()).c_str(), file.shape.vertices,
                      Skin::kMaxInfluences);
    const auto weights =
        mapAs(weights_path, {NpyType::kFloat32, {file.shape.vertices, influences}});
    if (!weights) return weights.error();
    if (checksumOf(weights->file()) != file.skin_weights_checksum) return damaged(weights_path);
    Skin skin{.influences = int(influences),
              .joints = {},
              .weights = {weights->floats().begin(), weights->floats().end()},
              .joint_from_rest = body.skin.joint_from_rest};
    for (uint32_t joint : joints->integers()) {
        if (joint >= file.shape.joints)
            return errorf("%s: joint %u does not exist", joints_path.c_str(), joint);
        skin.joints.push_back(uint16_t(joint));
    }
    if (const Status valid = validate(skin, file.shape.vertices, file.shape.joints); !valid)
        return inContext(folder + "/garment", valid.error());
    return skin;
}

// The parts that split.npy has must be those that poses.json counts, and of poses that are kept.
Status checkSplit(const std::string& folder, const PoseSetMeta& meta, std::span<const uint8_t> kept,
                  std::span<const uint8_t> split, std::span<const uint32_t> frames) {
    size_t counts[4] = {}, failed = 0;
    for (size_t i = 0; i < split.size(); ++i) {
        if (split[i] > 3 || kept[i] != (split[i] != 3) || (kept[i] && frames[i] == 0))
            return errorf(
                "%s: pose %zu is of part %u, kept %u, with %u frames, which do not go "
                "together; make the set again",
                asArray(folder, PoseArray::kSplit).c_str(), i, split[i], kept[i], frames[i]);
        ++counts[split[i]];
        failed += frames[i] == 0;
    }
    if (counts[0] != meta.training || counts[1] != meta.validation || counts[2] != meta.test ||
        counts[3] != meta.failed + meta.outliers || failed != meta.failed)
        return errorf(
            "%s: has other numbers of training, validation and test poses than poses.json says; "
            "run hemline poses into the folder again",
            asArray(folder, PoseArray::kSplit).c_str());
    return Done{};
}

Result<std::vector<int>> findJoints(const std::string& path, const std::vector<std::string>& names,
                                    const Skeleton& skeleton) {
    std::vector<int> joints;
    for (const std::string& name : names) {
        joints.push_back(skeleton.find(name));
        if (joints.back() < 0 || (joints.size() > 1 && joints.back() <= joints[joints.size() - 2]))
            return errorf("%s: plan.joints: %s is not a joint of the body, or out of order",
                          path.c_str(), name.c_str());
    }
    if (joints.empty()) return errorf("%s: plan.joints: names no joints", path.c_str());
    return joints;
}

}  // namespace

bool isPoseSet(const std::string& folder) {
    return std::filesystem::exists(folder + "/poses.json") ||
           std::filesystem::exists(folder + "/shards/plan.json");
}

Result<PoseSet> PoseSet::open(const std::string& folder) {
    const std::string path = folder + "/poses.json";
    if (!std::filesystem::exists(path))
        return errorf("%s: %s", folder.c_str(),
                      isPoseSet(folder)
                          ? "is a set of poses that is not whole: run hemline poses again as it "
                            "was, to go on"
                          : "is no set of poses: it has no poses.json (hemline poses makes one)");
    const auto text = readTextFile(path);
    if (!text) return text.error();
    auto data = std::make_shared<Data>();
    auto file = parsePoseSet(*text, path);
    if (!file) return file.error();
    auto scene = loadSceneFiles(folder);
    if (!scene) return scene.error();
    data->folder = folder;
    data->file = std::move(*file);
    data->scene = std::move(*scene);
    data->garment = joinedMesh(data->scene.garments);
    const PoseShape& shape = data->file.shape;
    const Character& body = data->scene.character;
    if (shape.vertices != data->garment.positions.size() || shape.joints != body.skeleton.size())
        return errorf(
            "%s: is for %zu vertices and %zu joints, but garment/ and body/ have %zu "
            "and %zu",
            path.c_str(), shape.vertices, shape.joints, data->garment.positions.size(),
            body.skeleton.size());
    auto joints = findJoints(path, data->file.meta.joints, body.skeleton);
    if (!joints) return joints.error();
    data->input_joints = std::move(*joints);
    auto skin = readSkin(folder, data->file, body);
    if (!skin) return skin.error();
    data->skin = std::move(*skin);
    for (size_t i = 0; i < kPoseArrays; ++i) {
        auto array = mapAs(asArray(folder, PoseArray(i)), headerOf(PoseArray(i), shape));
        if (!array) return array.error();
        data->arrays.push_back(std::move(*array));
    }
    const Status good = checkSplit(folder, data->file.meta, data->array(PoseArray::kKept).bytes(),
                                   data->array(PoseArray::kSplit).bytes(),
                                   data->array(PoseArray::kFrames).integers());
    if (!good) return good.error();
    PoseSet set;
    set.data_ = std::move(data);
    return set;
}

Status PoseSet::verify() const {
    for (size_t i = 0; i < kPoseArrays; ++i)
        if (checksumOf(data_->arrays[i].file()) != data_->file.checksums[i])
            return damaged(asArray(folder(), PoseArray(i)));
    return Done{};
}

const std::string& PoseSet::folder() const { return data_->folder; }
const PoseSetMeta& PoseSet::meta() const { return data_->file.meta; }
const ClothScene& PoseSet::scene() const { return data_->scene; }
const Skin& PoseSet::garmentSkin() const { return data_->skin; }
const std::vector<Vec3>& PoseSet::garmentRest() const { return data_->garment.positions; }
const std::vector<Triangle>& PoseSet::garmentTriangles() const { return data_->garment.triangles; }
const std::vector<int>& PoseSet::inputJoints() const { return data_->input_joints; }

std::span<const Quat> PoseSet::rotations(size_t pose) const {
    return data_->row<Quat>(PoseArray::kRotations, pose);
}
std::span<const Affine> PoseSet::matrices(size_t pose) const {
    return data_->row<Affine>(PoseArray::kMatrices, pose);
}
std::span<const Vec3> PoseSet::skinned(size_t pose) const {
    return data_->row<Vec3>(PoseArray::kSkinned, pose);
}
std::span<const Vec3> PoseSet::restCloth(size_t pose) const {
    return data_->row<Vec3>(PoseArray::kRestCloth, pose);
}
Pose PoseSet::pose(size_t pose) const {
    const auto turns = rotations(pose);
    return {data_->row<Vec3>(PoseArray::kRoot, pose)[0], {turns.begin(), turns.end()}};
}
float PoseSet::distance(size_t pose) const {
    return data_->row<float>(PoseArray::kDistances, pose)[0];
}
float PoseSet::energy(size_t pose) const {
    return data_->row<float>(PoseArray::kEnergies, pose)[0];
}
uint32_t PoseSet::frames(size_t pose) const {
    return data_->row<uint32_t>(PoseArray::kFrames, pose)[0];
}
uint32_t PoseSet::rejected(size_t pose) const {
    return data_->row<uint32_t>(PoseArray::kRejected, pose)[0];
}
PoseSplit PoseSet::split(size_t pose) const {
    CHECK_LT(pose, count());
    return PoseSplit(data_->array(PoseArray::kSplit).bytes()[pose]);
}

std::vector<uint32_t> PoseSet::members(PoseSplit part) const {
    std::vector<uint32_t> poses;
    for (size_t i = 0; i < count(); ++i)
        if (split(i) == part) poses.push_back(uint32_t(i));
    return poses;
}

}  // namespace hem
