// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/palms.h"

#include <algorithm>

#include "hem/character/retarget/smooth_path.h"

namespace hem {
namespace {

const float kMostBend = degreesToRadians(70);
constexpr int kSteps = 14;          // that bends are tried in
constexpr float kSmoothing = 0.1f;  // seconds

struct Palm {
    int wrist;
    Vec3 axis;                 // that it bends back about, in the wrist's frame
    std::vector<Vec3> points;  // in the wrist's frame, as at rest
};

Palm palmOf(const Standing& standing, const Skeleton& skeleton, int forearm, int wrist,
            Vec3 outwards, const std::vector<SolePoint>& points) {
    const Transform& rest = standing.world[size_t(wrist)];
    const Vec3 along = normalized(rest.translation - standing.world[size_t(forearm)].translation);
    const Vec3 up = Vec3{0, 1, 0} + 0.2f * outwards;
    const Vec3 back = normalized(up - along * dot(up, along), outwards);
    Palm palm{wrist, rotate(conjugate(rest.rotation), cross(along, back)), {}};
    for (const SolePoint& point : points)
        for (int j = point.joint; j >= 0; j = skeleton.joints[size_t(j)].parent)
            if (j == wrist)
                palm.points.push_back(transformPoint(
                    inverse(rest) * standing.world[size_t(point.joint)], point.in_joint));
    return palm;
}

float lowestOf(const Palm& palm, const Transform& wrist, float bend) {
    const Quat turned = wrist.rotation * fromAxisAngle(palm.axis, bend);
    float lowest = 1e9f;
    for (const Vec3& point : palm.points) lowest = std::min(lowest, rotate(turned, point).y);
    return wrist.translation.y + lowest;
}

// The smallest bend at which the hand is above the floor, or the one at which it is highest.
float bendOf(const Palm& palm, const Transform& wrist) {
    float best = 0, highest = lowestOf(palm, wrist, 0);
    for (int i = 1; i <= kSteps && highest < 0; ++i) {
        const float bend = kMostBend * float(i) / kSteps, lowest = lowestOf(palm, wrist, bend);
        if (lowest <= highest) continue;
        const float share = lowest > 0 ? highest / (highest - lowest) : 1;
        best += share * (bend - best);
        highest = lowest;
    }
    return best;
}

void lay(Motion& motion, const Palm& palm) {
    std::vector<float> bends;
    for (const Pose& pose : motion.frames)
        bends.push_back(bendOf(palm, worldTransforms(motion.skeleton, pose)[size_t(palm.wrist)]));
    bends = envelope(bends, size_t(std::lround(kSmoothing * motion.rate)));
    for (size_t f = 0; f < motion.frames.size(); ++f) {
        Quat& wrist = motion.frames[f].rotations[size_t(palm.wrist)];
        if (bends[f] > 0) wrist = normalized(wrist * fromAxisAngle(palm.axis, bends[f]));
    }
}

}  // namespace

void layPalms(Motion& motion, const Humanoid& humanoid, const std::vector<SolePoint>& points) {
    const Standing standing = standingOf(motion.skeleton, humanoid);
    for (const bool left : {true, false}) {
        const int forearm = humanoid[left ? Bone::kLeftForeArm : Bone::kRightForeArm];
        const int wrist = humanoid[left ? Bone::kLeftHand : Bone::kRightHand];
        if (wrist < 0) continue;
        const Vec3 outwards = left ? standing.left : -standing.left;
        const Palm palm = palmOf(standing, motion.skeleton, forearm, wrist, outwards, points);
        if (!palm.points.empty()) lay(motion, palm);
    }
}

}  // namespace hem
