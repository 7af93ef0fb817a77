// SPDX-License-Identifier: Apache-2.0
#include "hem/models/neural/rotation_inputs.h"

#include "hem/core/check.h"
#include "hem/runtime/rotations.h"

namespace hem {

std::vector<JointRotation> jointRotations(const Character& character, std::span<const int> joints) {
    const auto restRotation = [&](int joint) {
        return toTransform(inverse(character.skin.joint_from_rest[size_t(joint)])).rotation;
    };
    std::vector<JointRotation> rotations;
    for (const int joint : joints) {
        const int parent = character.skeleton.joints[size_t(joint)].parent;
        const Quat left = parent == kNoParent ? Quat{} : conjugate(restRotation(parent));
        rotations.push_back({joint, parent, left, restRotation(joint)});
    }
    return rotations;
}

void readRotations(std::span<const JointRotation> rotations, RotationNumbers numbers,
                   std::span<const Affine> canonical, float* to) {
    for (const JointRotation& r : rotations) {
        const float turns[8] = {r.left.w,  r.left.x,  r.left.y,  r.left.z,
                                r.right.w, r.right.x, r.right.y, r.right.z};
        const float* parent =
            r.parent == kNoParent ? nullptr : &canonical[size_t(r.parent)].m[0][0];
        const runtime::RotationToRead one{&canonical[size_t(r.joint)].m[0][0], parent, turns};
        runtime::readRotations(&one, 1, uint32_t(numbers), to);
        to += int(numbers);
    }
}

CanonicalPose canonicalPose(const Character& character, const HipJoints& hips,
                            std::span<const Affine> matrices) {
    CHECK_EQ(matrices.size(), character.skeleton.size());
    const auto place = [&](int joint) {
        const size_t j = size_t(joint);
        return transformPoint(matrices[j],
                              inverse(character.skin.joint_from_rest[j]).translation());
    };
    CanonicalPose pose;
    HeadingTracker tracker;
    pose.root = {place(0), tracker.update(toTransform(matrices[0]).rotation,
                                          place(hips.left) - place(hips.right), 0)};
    const Affine turn = canonicalFromWorld(pose.root);
    for (const Affine& m : matrices) pose.matrices.push_back(turn * m);
    return pose;
}

}  // namespace hem
