// SPDX-License-Identifier: Apache-2.0
// Left and right exchanged.
//
// With S the reflection in x = 0, a joint's new world rotation is the reflection of its partner's
// turn from rest, S (G R^-1) S, applied to its own rest R: whatever local axes the two sides have.
// In quaternions S q S = (w, x, -y, -z).
#include <map>

#include "hem/character/humanoid.h"
#include "hem/character/joint_names.h"
#include "hem/character/motion.h"

namespace hem {
namespace {

constexpr float kSymmetryTolerance = 1e-3f;  // metres
constexpr const char* kSuffix = "_mirrored";

Vec3 reflected(Vec3 v) { return {-v.x, v.y, v.z}; }
Quat reflected(Quat q) { return {q.w, q.x, -q.y, -q.z}; }
Transform reflected(const Transform& t) {
    return {reflected(t.rotation), reflected(t.translation)};
}

// Pairs that would tear the tree are undone, and with them all that hangs below.
void keepTree(const Skeleton& skeleton, std::vector<int>& partners) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t j = 1; j < skeleton.size(); ++j) {
            const int p = partners[j];
            const int parent = skeleton.joints[j].parent;
            const int partner_parent = skeleton.joints[size_t(p)].parent;
            if (partners[size_t(parent)] == partner_parent) continue;
            if (p == int(j)) continue;  // a middle joint on a side: nothing to undo
            partners[j] = int(j);
            partners[size_t(p)] = p;
            changed = true;
        }
    }
}

// The largest distance of a rest offset, in the world's axes, from its partner's reflection.
float asymmetry(const Skeleton& skeleton, const std::vector<int>& partners) {
    const std::vector<Transform> rest = worldTransforms(skeleton, restPose(skeleton));
    float worst = 0;
    for (size_t j = 1; j < skeleton.size(); ++j) {
        const auto offset = [&](size_t joint) {
            return rest[joint].translation -
                   rest[size_t(skeleton.joints[joint].parent)].translation;
        };
        worst = std::max(worst, distance(offset(j), reflected(offset(size_t(partners[j])))));
    }
    return worst;
}

Skeleton mirroredSkeleton(const Skeleton& skeleton, const std::vector<int>& partners) {
    Skeleton result = skeleton;
    for (size_t j = 0; j < skeleton.size(); ++j)
        result.joints[j].parent_from_rest =
            reflected(skeleton.joints[size_t(partners[j])].parent_from_rest);
    return result;
}

std::string mirroredName(const std::string& name) {
    const size_t suffix = std::string(kSuffix).size();
    return name.ends_with(kSuffix) ? name.substr(0, name.size() - suffix) : name + kSuffix;
}

}  // namespace

std::vector<int> mirrorPartners(const Skeleton& skeleton) {
    std::map<std::string, std::pair<int, int>> sides;  // by pattern; left and right, -1 for none
    for (size_t j = 0; j < skeleton.size(); ++j) {
        const JointName parts = takeApart(skeleton.joints[j].name);
        if (parts.side == Side::kCentre) continue;
        auto& [left, right] = sides.try_emplace(parts.pattern, -1, -1).first->second;
        (parts.side == Side::kLeft ? left : right) = int(j);
    }
    std::vector<int> partners(skeleton.size());
    for (size_t j = 0; j < partners.size(); ++j) partners[j] = int(j);
    const auto pair = [&](int left, int right) {
        if (left < 0 || right < 0) return;
        partners[size_t(left)] = right;
        partners[size_t(right)] = left;
    };
    for (const auto& [pattern, both] : sides) pair(both.first, both.second);
    // bones that a convention numbers differently on the two sides
    if (const auto humanoid = recognise(skeleton))
        for (int b = int(Bone::kLeftShoulder); b < kBoneCount; ++b) {
            const int joint = (*humanoid)[Bone(b)], other = (*humanoid)[mirrored(Bone(b))];
            if (joint < 0 || other < 0 || partners[size_t(joint)] == other) continue;
            for (int j : {joint, other})
                partners[size_t(partners[size_t(j)])] = partners[size_t(j)];
            pair(joint, other);
        }
    keepTree(skeleton, partners);
    return partners;
}

Motion mirrored(const Motion& motion) {
    const Skeleton& skeleton = motion.skeleton;
    const std::vector<int> partners = mirrorPartners(skeleton);
    const bool symmetric = asymmetry(skeleton, partners) <= kSymmetryTolerance;
    Motion result{mirroredName(motion.name),
                  symmetric ? skeleton : mirroredSkeleton(skeleton, partners),
                  motion.rate,
                  {}};
    const std::vector<Transform> rest = worldTransforms(skeleton, restPose(skeleton));
    const std::vector<Transform> new_rest =
        worldTransforms(result.skeleton, restPose(result.skeleton));
    result.frames.reserve(motion.frames.size());
    std::vector<Quat> rotations(skeleton.size());  // world_from_joint
    for (const Pose& pose : motion.frames) {
        const std::vector<Transform> world = worldTransforms(skeleton, pose);
        for (size_t j = 0; j < skeleton.size(); ++j) {
            const size_t p = size_t(partners[j]);
            const Quat turn = world[p].rotation * conjugate(rest[p].rotation);
            rotations[j] = normalized(reflected(turn) * new_rest[j].rotation);
        }
        Pose mirrored_pose{reflected(pose.root_position), {}};
        for (size_t j = 0; j < skeleton.size(); ++j) {
            const int parent = skeleton.joints[j].parent;
            mirrored_pose.rotations.push_back(
                parent < 0 ? rotations[j]
                           : normalized(conjugate(rotations[size_t(parent)]) * rotations[j]));
        }
        result.frames.push_back(std::move(mirrored_pose));
    }
    return result;
}

}  // namespace hem
