// SPDX-License-Identifier: Apache-2.0
// The heading of a moving body about the vertical axis; hem/character/root.h explains the rules.
// One arithmetic for the player and for training. Plain data: a state can be copied and restored.
#pragma once

#include "hem/runtime/math.h"

namespace hem::runtime {

struct Quaternion {
    float w, x, y, z;
};

struct HeadingState {
    uint32_t started;  // 0 or 1
    uint32_t steep;    // 1: the hip line was steep at the last update
    float heading;     // radians, unwrapped
    float mismatch;    // heading less the unwrapped formula
};

namespace heading {
inline constexpr float kCosSteep = 0.5f;       // 60 degrees
inline constexpr float kTakeBackRate = 10.0f;  // radians a second

inline float twist(Quaternion q) {
    return absolute(q.w) + absolute(q.y) < 1e-6f ? 0 : wrapAngle(2 * arcTangent2(q.y, q.w));
}

// The vertical part of the rotation vector that takes `from` to `to`.
inline float turnAboutY(Quaternion to, Quaternion from) {
    const float sign = to.w * from.w + to.x * from.x + to.y * from.y + to.z * from.z < 0 ? -1 : 1;
    const float w = sign * (to.w * from.w + to.x * from.x + to.y * from.y + to.z * from.z);
    const float x = sign * (-to.w * from.x + to.x * from.w - to.y * from.z + to.z * from.y);
    const float y = sign * (-to.w * from.y + to.x * from.z + to.y * from.w - to.z * from.x);
    const float z = sign * (-to.w * from.z - to.x * from.y + to.y * from.x + to.z * from.w);
    const float s = squareRoot(x * x + y * y + z * z);
    // angle / sin(angle / 2) tends to 2 as the angle goes to nought
    return s < 1e-6f ? 2 * y : y * (2 * arcTangent2(s, w) / s);
}

// The y of the pelvis's own up.
inline float uprightness(Quaternion q) { return 1 - 2 * (q.x * q.x + q.z * q.z); }
}  // namespace heading

// The pelvis at this update and at the last, world_from_pelvis relative to the rest pose, unit.
struct PelvisTurn {
    Quaternion now, last;
};

// `hip`: from the right hip joint to the left one, in the world. `pelvis()` gives the PelvisTurn;
// it is asked for only where the hip line alone does not tell. `seconds` since the last update; of
// no account on the first. Finite numbers give a finite heading.
template <class Pelvis>
float updateHeading(HeadingState& state, const float hip[3], float seconds, const Pelvis& pelvis) {
    const float level = hip[0] * hip[0] + hip[2] * hip[2], length = level + hip[1] * hip[1];
    const float formula = arcTangent2(-hip[2], hip[0]);
    const bool steep =
        !(level >= heading::kCosSteep * heading::kCosSteep * length && length > 1e-30f);
    if (!state.started) {
        state.heading = level > 0.01f * length ? formula : heading::twist(pelvis().now);
        state.mismatch = 0;
    } else if (steep) {
        const PelvisTurn turn = pelvis();
        state.heading += heading::turnAboutY(turn.now, turn.last);
    } else {
        // the formula's unwrapped value of the frame before; after a steep spell, the nearest one
        const float before = state.steep ? state.heading : state.heading - state.mismatch;
        const float now = before + wrapAngle(formula - before);
        if (state.steep) state.mismatch = state.heading - now;
        if (state.mismatch != 0 && heading::uprightness(pelvis().now) > heading::kCosSteep) {
            const float most = heading::kTakeBackRate * seconds, mismatch = state.mismatch;
            state.mismatch -= mismatch > most ? most : mismatch < -most ? -most : mismatch;
        }
        state.heading = now + state.mismatch;
    }
    state.started = 1;
    state.steep = steep;
    return state.heading;
}

}  // namespace hem::runtime
