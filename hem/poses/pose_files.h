// SPDX-License-Identifier: Apache-2.0
// poses.json of a set of poses, and the names and shapes of its arrays.
#pragma once

#include <array>
#include <string>

#include "hem/core/npy.h"
#include "hem/poses/pose_set.h"
#include "hem/recording/json_fields.h"

namespace hem {

inline constexpr int kPoseSetVersion = 1;

// The arrays in the order in which they are kept; the first kSimulatedArrays are what simulation
// gives, the others follow from them.
enum class PoseArray {
    kRotations,
    kRoot,
    kMatrices,
    kSkinned,
    kRestCloth,
    kDistances,
    kEnergies,
    kFrames,
    kRejected,
    kKept,
    kSplit,
    kCount
};
inline constexpr size_t kPoseArrays = size_t(PoseArray::kCount), kSimulatedArrays = 9;
inline constexpr std::array<const char*, kPoseArrays> kPoseArrayNames = {
    "rotations.npy", "root.npy",   "matrices.npy", "skinned.npy", "rest_cloth.npy", "distances.npy",
    "energies.npy",  "frames.npy", "rejected.npy", "kept.npy",    "split.npy"};

struct PoseShape {
    size_t poses = 0, joints = 0, vertices = 0;
};
NpyHeader headerOf(PoseArray array, const PoseShape& shape);
// Numbers of one pose in an array.
size_t numbersPerPose(PoseArray array, const PoseShape& shape);

// How the garment is skinned, beside the garment's other files.
inline constexpr const char* kSkinJointsFile = "garment/skin_joints.npy";
inline constexpr const char* kSkinWeightsFile = "garment/skin_weights.npy";

struct PoseSetFile {
    PoseSetMeta meta;
    PoseShape shape;
    std::array<std::string, kPoseArrays> checksums;
    std::string skin_joints_checksum, skin_weights_checksum;
};
std::string poseSetText(const PoseSetFile& file);
// `name` stands for the file in messages. Safe on untrusted text.
Result<PoseSetFile> parsePoseSet(std::string_view text, const std::string& name);

// What decides a set's bytes, but for the scene and the outliers: {"seed": 1, ...}.
Json planJson(const PoseSetMeta& meta);

}  // namespace hem
