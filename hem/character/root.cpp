// SPDX-License-Identifier: Apache-2.0
#include "hem/character/root.h"

#include <algorithm>
#include <cmath>

#include "hem/character/humanoid.h"

namespace hem {
namespace {

constexpr float kCosSteep = 0.5f;       // 60 degrees
constexpr float kTakeBackRate = 10.0f;  // radians a second

// To -pi..pi.
float wrapped(float angle) { return std::remainder(angle, 2 * kPi); }

float twistHeading(Quat q) {
    return std::abs(q.w) + std::abs(q.y) < 1e-6f ? 0 : wrapped(2 * std::atan2(q.y, q.w));
}

}  // namespace

float HeadingTracker::update(Quat world_from_pelvis, Vec3 hip_line, float seconds) {
    const Vec3 h = normalized(hip_line);
    const float level = std::sqrt(h.x * h.x + h.z * h.z);
    const float formula = std::atan2(-h.z, h.x);
    const bool steep = level < kCosSteep;
    if (!started_) {
        heading_ = level > 0.1f ? formula : twistHeading(world_from_pelvis);
    } else if (steep) {
        heading_ += logarithm(world_from_pelvis * conjugate(last_pelvis_)).y;
    } else {
        // the formula's unwrapped value of the frame before; after a steep spell, the
        // nearest one
        const float before = steep_ ? heading_ : heading_ - mismatch_;
        const float now = before + wrapped(formula - before);
        if (steep_) mismatch_ = heading_ - now;
        const bool upright = rotate(world_from_pelvis, {0, 1, 0}).y > kCosSteep;
        const float taken_back = upright ? kTakeBackRate * seconds : 0;
        mismatch_ -= std::clamp(mismatch_, -taken_back, taken_back);
        heading_ = now + mismatch_;
    }
    started_ = true;
    steep_ = steep;
    last_pelvis_ = world_from_pelvis;
    return heading_;
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
