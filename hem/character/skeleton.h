// SPDX-License-Identifier: Apache-2.0
// Skeleton and Pose: a tree of joints, and where they are at one moment.
//
// Bones do not stretch: a joint's offset from its parent is the skeleton's, a pose gives every
// joint a rotation and the root a position. Importers fold whatever stands above the root (armature
// nodes, unit and axis changes) into it, so joint 0 is always the root, and for a humanoid the
// pelvis.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hem/core/result.h"
#include "hem/core/transform.h"

namespace hem {

inline constexpr int kNoParent = -1;

struct Joint {
    std::string name;
    int parent = kNoParent;      // less than the joint's own index
    Transform parent_from_rest;  // where the joint stands in its parent in the rest (bind) pose;
                                 // for the root: in the world
};

struct Skeleton {
    std::vector<Joint> joints;

    size_t size() const { return joints.size(); }
    // -1 where no joint has that name.
    int find(std::string_view name) const;
    friend bool operator==(const Skeleton& a, const Skeleton& b);
};

// Names unique and not empty, joint 0 the only root, parents before children, all numbers finite.
// Everything below takes valid skeletons; importers call this on what they read.
Status validate(const Skeleton& skeleton);

struct Pose {
    Vec3 root_position;           // of joint 0, in the world, metres
    std::vector<Quat> rotations;  // parent_from_joint, per joint; the root's is world_from_joint
};

Pose restPose(const Skeleton& skeleton);
// Root position and rotations interpolated, the latter by slerp.
Pose interpolate(const Pose& a, const Pose& b, float t);

// world_from_joint for every joint, written to `out` (skeleton.size() of them). Does not allocate.
void worldFromJoints(const Skeleton& skeleton, const Pose& pose, Affine* out);
std::vector<Affine> worldFromJoints(const Skeleton& skeleton, const Pose& pose);
// The same as rotations and positions, for code that edits poses.
std::vector<Transform> worldTransforms(const Skeleton& skeleton, const Pose& pose);
// joint_from_rest-world: the inverses of the rest pose's world_from_joint.
std::vector<Affine> inverseRestMatrices(const Skeleton& skeleton);

// The matrices that move the rest mesh: world_from_joint * joint_from_rest, per joint. This is the
// player's `joints` array. `inverse_rest` from inverseRestMatrices(), or a skin's own.
void skinningMatrices(const Skeleton& skeleton, const Pose& pose, const Affine* inverse_rest,
                      Affine* out);

}  // namespace hem
