// SPDX-License-Identifier: Apache-2.0
// Humanoid: which joint of a skeleton is which bone of a human, by name or by a mapping file.
//
// Known conventions: CMU / MotionBuilder (and MakeHuman's cmu_mb), Mixamo, VRM (VRoid's J_Bip names
// and the humanoid names themselves), MakeHuman's default rig, Rigify and its metarigs, Unreal,
// 3ds Max Biped, Poser / DAZ, the Khronos sample figures, and plain English words with .L/.R or
// Left/Right. Letter case, separators, namespaces and rig prefixes are of no account
// (joint_names.h). Others: a mapping file, a JSON object from the bone names below to the file's
// joint names, {"LeftUpLeg": "thigh_01_L", ...}; bones that the skeleton lacks are left out.
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

// "Hips", "LeftUpLeg", ...: the name in mapping files and messages (CMU's, with "Chest" for Spine1
// and "LeftToe" for LeftToeBase).
const char* nameOf(Bone bone);
// The same bone on the other side; the bone itself in the middle.
Bone mirrored(Bone bone);

// Trunk joints: a spine of three or more joints has LowerBack at its first, Chest at its last and
// Spine at the middle one; of two, Spine and Chest; of one, Chest. A neck of two or more has Neck
// at its first and Neck1 at its last. Shoulder is the collar bone, Foot the ankle, Hand the wrist.
// With twist bones (upperleg01, upperleg02) the bone is the one at its joint.
struct Humanoid {
    std::string convention;              // "CMU", "Mixamo", ..., or "mapping file"
    std::array<int, kBoneCount> joints;  // -1 where the skeleton has no such joint

    int operator[](Bone bone) const { return joints[size_t(bone)]; }
    bool has(Bone bone) const { return (*this)[bone] >= 0; }
};

// At least hips, upper and lower legs, feet, upper and lower arms are there, each below the one
// before it in the tree.
Status validate(const Humanoid& humanoid, const Skeleton& skeleton);

// The result is valid. The message lists what is missing and says how to write a mapping file.
Result<Humanoid> recognise(const Skeleton& skeleton);
// Errors name the file, the key and the joint, and suggest the names nearest to a wrong one.
Result<Humanoid> loadMapping(const std::string& path, const Skeleton& skeleton);
Result<Humanoid> parseMapping(std::string_view json, const std::string& name,
                              const Skeleton& skeleton);

// The index of each joint's partner on the other side (by name: Left/Right, L/R prefixes and
// suffixes in any of the conventions above), or its own. An involution that keeps the tree: the
// parent of a joint's partner is the partner of its parent.
std::vector<int> mirrorPartners(const Skeleton& skeleton);

}  // namespace hem
