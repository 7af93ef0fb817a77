// SPDX-License-Identifier: Apache-2.0
#include "hem/character/skeleton.h"

#include <algorithm>
#include <unordered_set>

#include "hem/core/text.h"

namespace hem {

int Skeleton::find(std::string_view name) const {
    for (size_t j = 0; j < joints.size(); ++j)
        if (joints[j].name == name) return int(j);
    return -1;
}

bool operator==(const Skeleton& a, const Skeleton& b) {
    return std::equal(a.joints.begin(), a.joints.end(), b.joints.begin(), b.joints.end(),
                      [](const Joint& x, const Joint& y) {
                          return x.name == y.name && x.parent == y.parent &&
                                 x.parent_from_rest == y.parent_from_rest;
                      });
}

Status validate(const Skeleton& skeleton) {
    if (skeleton.joints.empty()) return errorf("the skeleton has no joints");
    std::unordered_set<std::string_view> names;
    for (size_t j = 0; j < skeleton.size(); ++j) {
        const Joint& joint = skeleton.joints[j];
        const std::string quoted = quoteForMessage(joint.name);
        if (joint.name.empty()) return errorf("joint %zu has no name", j);
        if (!names.insert(joint.name).second)
            return errorf("two joints are called %s; rename one", quoted.c_str());
        if (j == 0 && joint.parent != kNoParent)
            return errorf("the first joint, %s, has a parent", quoted.c_str());
        if (j > 0 && (joint.parent < 0 || size_t(joint.parent) >= j))
            return errorf("joint %s does not stand after its parent", quoted.c_str());
        const Quat q = joint.parent_from_rest.rotation;
        if (!isFinite(joint.parent_from_rest.translation) || !(std::abs(dot(q, q) - 1) < 1e-3f))
            return errorf("joint %s has an offset or a rotation that is not finite",
                          quoted.c_str());
    }
    return Done{};
}

Pose restPose(const Skeleton& skeleton) {
    Pose pose;
    pose.root_position = skeleton.joints[0].parent_from_rest.translation;
    for (const Joint& joint : skeleton.joints)
        pose.rotations.push_back(joint.parent_from_rest.rotation);
    return pose;
}

Pose interpolate(const Pose& a, const Pose& b, float t) {
    CHECK_EQ(a.rotations.size(), b.rotations.size());
    Pose pose{lerp(a.root_position, b.root_position, t), {}};
    pose.rotations.reserve(a.rotations.size());
    for (size_t j = 0; j < a.rotations.size(); ++j)
        pose.rotations.push_back(slerp(a.rotations[j], b.rotations[j], t));
    return pose;
}

void worldFromJoints(const Skeleton& skeleton, const Pose& pose, Affine* out) {
    CHECK_EQ(pose.rotations.size(), skeleton.size());
    out[0] = Affine::from(toMatrix(pose.rotations[0]), pose.root_position);
    for (size_t j = 1; j < skeleton.size(); ++j) {
        const Joint& joint = skeleton.joints[j];
        out[j] = out[joint.parent] *
                 Affine::from(toMatrix(pose.rotations[j]), joint.parent_from_rest.translation);
    }
}

std::vector<Affine> worldFromJoints(const Skeleton& skeleton, const Pose& pose) {
    std::vector<Affine> matrices(skeleton.size());
    worldFromJoints(skeleton, pose, matrices.data());
    return matrices;
}

std::vector<Transform> worldTransforms(const Skeleton& skeleton, const Pose& pose) {
    CHECK_EQ(pose.rotations.size(), skeleton.size());
    std::vector<Transform> world(skeleton.size());
    world[0] = {pose.rotations[0], pose.root_position};
    for (size_t j = 1; j < skeleton.size(); ++j) {
        const Joint& joint = skeleton.joints[j];
        world[j] = world[size_t(joint.parent)] *
                   Transform{pose.rotations[j], joint.parent_from_rest.translation};
        world[j].rotation = normalized(world[j].rotation);
    }
    return world;
}

std::vector<Affine> inverseRestMatrices(const Skeleton& skeleton) {
    std::vector<Affine> matrices = worldFromJoints(skeleton, restPose(skeleton));
    for (Affine& m : matrices) m = inverse(m);
    return matrices;
}

void skinningMatrices(const Skeleton& skeleton, const Pose& pose, const Affine* inverse_rest,
                      Affine* out) {
    worldFromJoints(skeleton, pose, out);
    for (size_t j = 0; j < skeleton.size(); ++j) out[j] = out[j] * inverse_rest[j];
}

}  // namespace hem
