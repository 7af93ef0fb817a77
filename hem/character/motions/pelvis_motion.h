// SPDX-License-Identifier: Apache-2.0
// PelvisMotion: how the pelvis rides on the steps.
//
// Along the floor it follows the root's path, sways over the standing foot and leans into
// accelerations. In height it hangs from the legs: on the floor it is as high as the more extended
// leg allows at its due knee angle; in flight it falls freely, and a quintic joins flight and floor
// with position, velocity and acceleration. Its turns follow the phase of the steps.
#pragma once

#include "hem/character/motions/foot_roll.h"
#include "hem/character/motions/step_plan.h"

namespace hem {

struct PelvisMotion {
    Channel x, y, z;          // of joint 0
    Channel yaw, list, tilt;  // radians; yaw with the heading, list left side up, tilt forwards
    Channel phase;     // of the stride: 0 where the left foot lands, pi where the right one does
    Channel crouch;    // how much lower than upright, by intent; metres
    Channel airborne;  // 0 or 1
    std::vector<SwingFigures> swing;  // per frame, with the style's factors in

    precise::Vec position(int frame) const {
        return {x[size_t(frame)], y[size_t(frame)], z[size_t(frame)]};
    }
    // Smoothly by at least `drop` metres in each frame.
    void lower(const Channel& drop);
    precise::Rotation turn(int frame) const;  // world, relative to rest
    precise::Vec hip(int frame, const LegMeasures& leg) const;
};

PelvisMotion makePelvisMotion(const MotionScript& script, const RootPath& path,
                              const StepPlan& steps, const BodyMeasures& body);

// Of a gesture: 0 outside, 1 in its middle part.
double envelope(const Gesture& gesture, double seconds);

}  // namespace hem
