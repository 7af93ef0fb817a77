// SPDX-License-Identifier: Apache-2.0
// Humanoid: which joint of a skeleton is which bone of a human, by name or by a mapping file.
//
// Known conventions: CMU / MotionBuilder (and MakeHuman's cmu_mb), Mixamo, VRM, MakeHuman's default
// rig, Rigify and its metarigs, Blender-style .L/.R suffixes, 3ds Max Biped. Others: a mapping
// file, a JSON object from the bone names below to the file's joint names, {"LeftUpLeg":
// "thigh_01_L", ...}.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "hem/character/skeleton.h"

namespace hem {

// The bones that motion is carried over between. Parents stand before children.
enum class Bone {
    kHips,
    kLowerBack,
    kSpine,
    kChest,
    kNeck,
    kNeck1,
    kHead,
    kLeftShoulder,
    kLeftArm,
    kLeftForeArm,
    kLeftHand,
    kRightShoulder,
    kRightArm,
    kRightForeArm,
    kRightHand,
    kLeftUpLeg,
    kLeftLeg,
    kLeftFoot,
    kLeftToe,
    kRightUpLeg,
    kRightLeg,
    kRightFoot,
    kRightToe,
    kCount
};
inline constexpr int kBoneCount = int(Bone::kCount);

// "Hips", "LeftUpLeg", ...: the name in mapping files and messages (CMU's, with "Chest" for
// Spine1).
const char* nameOf(Bone bone);

struct Humanoid {
    std::string convention;              // "CMU", "Mixamo", ..., or "mapping file"
    std::array<int, kBoneCount> joints;  // -1 where the skeleton has no such joint

    int operator[](Bone bone) const { return joints[size_t(bone)]; }
};

// Needs at least hips, upper and lower legs, feet, upper and lower arms; the message lists what is
// missing and says how to write a mapping file.
Result<Humanoid> recognise(const Skeleton& skeleton);
Result<Humanoid> loadMapping(const std::string& path, const Skeleton& skeleton);

// The index of each joint's partner on the other side (by name: Left/Right, L/R prefixes and
// suffixes in any of the conventions above), or its own.
std::vector<int> mirrorPartners(const Skeleton& skeleton);

}  // namespace hem
