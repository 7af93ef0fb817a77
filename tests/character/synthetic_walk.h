// SPDX-License-Identifier: Apache-2.0
// A walk made for tests, with feet that stand exactly: ground truth for contacts and grounding.
#pragma once

#include <cmath>

#include "hem/character/motion.h"
#include "hem/character/retarget/leg_ik.h"
#include "hem/character/retarget/standing.h"

namespace hem {

struct SyntheticWalk {
    Motion motion;
    std::array<std::vector<uint8_t>, 2> stands;  // by FootSide, per frame: flat on the floor
};

// Steps of `step` metres, a foot in the air for `swing` of the cycle's 1.1 s, flat on the floor for
// the rest. The feet never turn. `floor` lifts everything.
inline SyntheticWalk syntheticWalk(const Skeleton& skeleton, double rate, double seconds,
                                   float floor = 0, float step = 0.36f, double swing = 0.4) {
    const Humanoid humanoid = *recognise(skeleton);
    const Standing standing = standingOf(skeleton, humanoid);
    constexpr double kCycle = 1.1;
    SyntheticWalk walk{{.name = "walk", .skeleton = skeleton, .rate = rate}, {}};
    for (size_t f = 0; double(f) <= seconds * rate; ++f) {
        const double time = double(f) / rate;
        Pose pose = standing.pose;
        const float travelled = float(2 * step * time / kCycle);
        pose.root_position += Vec3{0, floor - 0.05f * standing.leg_length, travelled};
        const std::vector<Transform> world = worldTransforms(skeleton, pose);
        for (FootSide side : kBothFeet) {
            const LegJoints joints = legOf(humanoid, side);
            const double phase = time / kCycle + (side == FootSide::kLeft ? 0 : 0.5);
            const double whole = std::floor(phase), part = (phase - whole - (1 - swing)) / swing;
            const bool stands = part < 0;
            const double s = stands ? 0 : part * part * (3 - 2 * part);
            const float offset = side == FootSide::kLeft ? 0 : -step;
            const float ahead = 2 * step * float(whole + s) + offset + float(1 - swing) * step;
            const float lift = stands ? 0 : 0.1f * float(std::sin(kPi * part));
            Vec3 ankle = standing.world[size_t(joints.ankle)].translation;
            ankle += Vec3{0, floor + lift, ahead};
            const auto at = [&](int joint) { return world[size_t(joint)].translation; };
            const LegTurn turn =
                reachFor({at(joints.hip), at(joints.knee), at(joints.ankle)}, ankle, {0, 0, 1});
            const Quat above = world[size_t(skeleton.joints[size_t(joints.hip)].parent)].rotation;
            const Quat thigh = turn.thigh * world[size_t(joints.hip)].rotation;
            const Quat shank = turn.shank * world[size_t(joints.knee)].rotation;
            pose.rotations[size_t(joints.hip)] = conjugate(above) * thigh;
            pose.rotations[size_t(joints.knee)] = conjugate(thigh) * shank;
            pose.rotations[size_t(joints.ankle)] =
                conjugate(shank) * world[size_t(joints.ankle)].rotation;
            walk.stands[size_t(side)].push_back(stands);
        }
        walk.motion.frames.push_back(pose);
    }
    return walk;
}

}  // namespace hem
