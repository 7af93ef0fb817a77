// SPDX-License-Identifier: Apache-2.0
// Two-bone inverse kinematics: puts an ankle where it is wanted by turning thigh and shank.
#pragma once

#include "hem/core/transform.h"

namespace hem {

struct Leg {
    Vec3 hip, knee, ankle;

    float thigh() const { return distance(hip, knee); }
    float shank() const { return distance(knee, ankle); }
    float reach() const { return distance(hip, ankle); }
};

// Rotations in the world's axes, to be applied before (to the left of) the bones' own.
struct LegTurn {
    Quat thigh, shank;
    Vec3 knee, ankle;  // where they come to stand
};

// The knee stays in the plane it bends in, which swings along with the ankle. A leg that is almost
// straight has no such plane: `knee_ahead`, the direction the knee points to, takes over smoothly.
// A target out of reach is approached along the line from the hip; `longest` is the greatest
// stretch as a share of the leg's length, below 1.
LegTurn reachFor(const Leg& leg, Vec3 ankle, Vec3 knee_ahead, float longest = 0.9998f);

// The same, but neither bone turns by more than `most` radians: the ankle comes as near to where it
// is wanted as that allows. The last quarter before `most` is soft, so that bones slow down before
// they stop.
LegTurn reachWithin(const Leg& leg, Vec3 ankle, Vec3 knee_ahead, float longest, float most);

}  // namespace hem
