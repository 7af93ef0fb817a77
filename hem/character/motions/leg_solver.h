// SPDX-License-Identifier: Apache-2.0
// Two-bone inverse kinematics of a leg: where the knee is when hip and ankle are given.
//
// The knee lies on a circle about the line from hip to ankle; the pole direction says where on it.
// With thigh a, shank b and the distance d, the law of cosines places it (a^2 - b^2 + d^2) / 2d
// along that line: closed form, square roots only. Thigh and shank turn about one hinge axis, so
// that the knee bends as a hinge and twist is the hip's.
#pragma once

#include "hem/character/motions/body_measures.h"

namespace hem {

struct LegSolution {
    // World rotations relative to the rest pose: world_from_joint = turn * rest world_from_joint.
    precise::Rotation thigh, shank;
    precise::Vec knee, ankle;  // ankle: the target, or the nearest point in reach
};

// `pole` points where the knee should, not along the leg. A target farther than 0.9995 of the leg's
// length, or nearer than the knee can fold (155 degrees), is drawn to the nearest distance allowed.
LegSolution solveLeg(const LegMeasures& leg, precise::Vec hip, precise::Vec ankle,
                     precise::Vec pole);

// Distance from hip to ankle for a knee flexion in radians (0 is straight), and back.
double legLength(const LegMeasures& leg, double knee_flexion);
double kneeFlexion(const LegMeasures& leg, double distance);

}  // namespace hem
