// SPDX-License-Identifier: Apache-2.0
// How a planted foot rolls: heel strike, flat, heel rise over the ball.
//
// Toes up, the foot turns about the lower edge of the heel; heel up, about the ball (the toe
// joint), with the toes flat on the floor. Whatever it turns about stays exactly where it is.
#pragma once

#include "hem/character/motions/step_plan.h"

namespace hem {

struct FootPose {
    precise::Vec ankle;
    double yaw = 0;    // radians
    double pitch = 0;  // heel up positive
    precise::Rotation turn() const { return precise::aboutY(yaw) * precise::aboutX(pitch); }
};

// Foot pitch by the stance's roll; goes on smoothly a few frames beyond contact and lift-off.
double rollPitch(const Stance& stance, double frame);
FootPose plantedFoot(const LegMeasures& leg, const Stance& stance, double frame);

// Points of the sole relative to the ankle at rest: back of the heel, ball, tip of the toes.
struct SolePoints {
    precise::Vec heel, ball, tip;
};
SolePoints solePoints(const LegMeasures& leg);

}  // namespace hem
