// SPDX-License-Identifier: Apache-2.0
// The network's inputs: the rotations of some joints in their parents, as the player takes them out
// of the engine's matrices (hem/runtime/rotations.h), by the same arithmetic and to the same bits.
#pragma once

#include <span>
#include <vector>

#include "hem/character/character.h"
#include "hem/character/root.h"
#include "hem/core/matrix.h"

namespace hem {

// How a rotation is told: 4 numbers, a quaternion w x y z with w >= 0, or 6, the first two columns
// of its matrix (Zhou et al., "On the continuity of rotation representations in neural networks",
// 2019).
enum class RotationNumbers { kQuaternion = 4, kTwoColumns = 6 };

struct JointRotation {
    int joint, parent;  // of the skeleton; kNoParent: the root, whose rotation is the canonical one
    Quat left, right;   // rotation in the parent = left * (parent's^T own) * right, of skinning's
};

// Of the named joints, in their order.
std::vector<JointRotation> jointRotations(const Character& character, std::span<const int> joints);

// The inputs of one pose. `canonical`: the skinning matrices in the canonical frame, all joints of
// the skeleton. `to`: as many numbers for each rotation.
void readRotations(std::span<const JointRotation> rotations, RotationNumbers numbers,
                   std::span<const Affine> canonical, float* to);

// Skinning matrices of one pose in its canonical frame, and the root, whose heading is the formula's
// of root.h.
struct CanonicalPose {
    Root root;
    std::vector<Affine> matrices;
};
CanonicalPose canonicalPose(const Character& character, const HipJoints& hips,
                            std::span<const Affine> matrices);

}  // namespace hem
