// SPDX-License-Identifier: Apache-2.0
#include "hem/character/root.h"

#include "hem/character/humanoid.h"

namespace hem {

float HeadingTracker::update(Quat world_from_pelvis, Vec3 hip_line, float seconds) {
    const float hip[3] = {hip_line.x, hip_line.y, hip_line.z};
    const Quat &now = world_from_pelvis, &last = last_pelvis_;
    const float heading = runtime::updateHeading(state_, hip, seconds, [&] {
        return runtime::PelvisTurn{{now.w, now.x, now.y, now.z}, {last.w, last.x, last.y, last.z}};
    });
    last_pelvis_ = world_from_pelvis;
    return heading;
}

Result<HipJoints> findHipJoints(const Skeleton& skeleton) {
    const auto humanoid = recognise(skeleton);
    if (!humanoid) return humanoid.error();
    return HipJoints{(*humanoid)[Bone::kLeftUpLeg], (*humanoid)[Bone::kRightUpLeg]};
}

std::vector<Root> rootsOf(const Motion& motion, const HipJoints& hips) {
    const Quat rest_from_pelvis = conjugate(motion.skeleton.joints[0].parent_from_rest.rotation);
    HeadingTracker tracker;
    std::vector<Affine> world(motion.skeleton.size());
    std::vector<Root> roots;
    roots.reserve(motion.frames.size());
    for (const Pose& pose : motion.frames) {
        worldFromJoints(motion.skeleton, pose, world.data());
        const Vec3 hip_line =
            world[size_t(hips.left)].translation() - world[size_t(hips.right)].translation();
        const float heading =
            tracker.update(pose.rotations[0] * rest_from_pelvis, hip_line, float(1 / motion.rate));
        roots.push_back({pose.root_position, heading});
    }
    return roots;
}

Affine canonicalFromWorld(const Root& root) {
    const Mat3 turn = toMatrix(fromAxisAngle({0, 1, 0}, -root.heading));
    return Affine::from(turn, -(turn * root.position));
}

Affine worldFromCanonical(const Root& root) {
    return Affine::from(toMatrix(fromAxisAngle({0, 1, 0}, root.heading)), root.position);
}

}  // namespace hem
