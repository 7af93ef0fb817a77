// SPDX-License-Identifier: Apache-2.0
// PelvisPath: how a pelvis moves so that both legs reach their footprints. A part of grounding
// (grounding.h has the rules).
//
// The path x costs what the legs turn by and what it bends by itself (smooth_path.h), and must keep
//   - what each standing foot is asked for within what its leg can do by turning its bones within
//     their bound: shift - x in R, the set that FootPlan::reach() projects onto,
//   - feet in the air, lifted as far as their legs can, above the floor,
//   - the rest of the body above it.
// Solved by the alternating direction method of multipliers (Boyd et al. 2011): smoothPath() and
// the projections in turn, while multipliers build up where they disagree. A standing foot's pull
// downwards is limited: where legs contradict each other, one floats rather than the other sinks.
#pragma once

#include "hem/character/retarget/foot_plan.h"
#include "hem/character/retarget/smooth_path.h"

namespace hem {

struct PelvisTask {
    const std::vector<FootPlan>& feet;
    // What each ankle is to move by, per foot and frame. A foot in the air goes along with the
    // pelvis: its shift counts against the path `made_for`.
    const std::array<std::vector<Vec3>, 2>& shifts;
    const std::vector<Vec3>& made_for;
    // The least that the pelvis may rise by, per frame, for the rest of the body (may be negative).
    const std::vector<float>& least_rise;
    double rate = 30;
};

// What the pelvis moves by, per frame. Constraints that contradict each other, or that only a
// violent path would meet, are met in part. Costs 21 smoothPath()s, linear in the frames.
std::vector<Vec3> pelvisPath(const PelvisTask& task, const PathPrice& price);

}  // namespace hem
