// SPDX-License-Identifier: Apache-2.0
// Range keeper: sees to it that hips and ankles of a made motion stay within human ranges.
//
// It measures the angles of a motion as made (as joint_ranges.h does, in double) and writes
// corrections into the step plan, after which pelvis and feet must be made again. A few rounds
// settle it. What a person does is what it does: where the ankle would bend up too far the heel
// comes off the floor, where the thigh would have to reach back too far the pelvis tips forwards.
// All corrections are smooth, and what a planted foot turns about stays in place.
#pragma once

#include "hem/character/motions/foot_motion.h"
#include "hem/character/motions/leg_solver.h"

namespace hem {

// The leg of one side in a frame: the knee points between where the pelvis and where the foot does;
// up, where the leg is raised.
LegSolution solveLeg(BodySide side, int frame, const PelvisMotion& pelvis, const FootMotion& foot,
                     const StepPlan& steps, const BodyMeasures& body);

// Lets heels rise earlier and higher in stances that would bend the ankle up far. False where
// nothing was changed.
bool raiseHeels(StepPlan& steps, const PelvisMotion& pelvis, const std::array<FootMotion, 2>& feet,
                const BodyMeasures& body);

// Adds to steps.corrections what is missing to the ranges. False where all is well.
bool keepWithinRanges(StepPlan& steps, const PelvisMotion& pelvis,
                      const std::array<FootMotion, 2>& feet, const BodyMeasures& body);

}  // namespace hem
