// SPDX-License-Identifier: Apache-2.0
// The root of a moving body: its position, and its heading about the vertical axis.
//
// The heading r is the angle about +Y that turns the x axis onto the horizontal part of the hip
// line (from the right hip joint to the left one): r = atan2(-h.z, h.x). The canonical space of the
// 2010 paper, section 4, is the world turned by -r about the root, so that the hips lie along x. In
// the rest pose r is 0; it grows when the body turns left. Over a clip it is unwrapped: a full turn
// adds 2 pi.
//
// No formula in the pose alone can be continuous for every pose of a tumbling body (a cartwheel
// takes the hip line through the vertical and out on the other side), so the heading has a memory:
// - While the hip line is within 60 degrees of level, the heading follows the formula's changes.
// - While it is steeper (lying on a side, the sides of a cartwheel), the heading moves on by the
//   vertical part of the pelvis's turning since the frame before.
// - What heading and formula then differ by is taken back once the pelvis is upright again (within
//   60 degrees), the short way round, at no more than 10 rad/s.
// A body that stands, walks, bends, jumps or turns a somersault meets only the first rule. The
// first frame of a clip uses the formula; where the hip line is vertical in it, the pelvis's twist
// about Y.
//
// The arithmetic is the player's own (hem/runtime/heading.h).
#pragma once

#include <vector>

#include "hem/character/motion.h"
#include "hem/runtime/heading.h"

namespace hem {

struct Root {
    Vec3 position;      // of joint 0, in the world
    float heading = 0;  // radians, unwrapped
};

class HeadingTracker {
public:
    // `world_from_pelvis` relative to the rest pose (identity when the pelvis stands as at rest);
    // `hip_line` from the right hip joint to the left one, in the world. `seconds` since the last
    // update; of no account on the first.
    float update(Quat world_from_pelvis, Vec3 hip_line, float seconds);

private:
    runtime::HeadingState state_{};
    Quat last_pelvis_;
};

// The joints that the hip line runs between. Fails, naming what was looked for, on a skeleton
// without recognisable upper legs (humanoid.h).
struct HipJoints {
    int left, right;
};
Result<HipJoints> findHipJoints(const Skeleton& skeleton);

// Per frame of the motion.
std::vector<Root> rootsOf(const Motion& motion, const HipJoints& hips);

// The canonical frame of a root, and back: x_canonical = R_y(-r) (x_world - p).
Affine canonicalFromWorld(const Root& root);
Affine worldFromCanonical(const Root& root);

}  // namespace hem
