// SPDX-License-Identifier: Apache-2.0
// perform(): a script on a skeleton gives a motion. docs/motions.md has the whole story.
//
// root_path (where the body goes) -> step_plan (which foot, when, where) -> pelvis_motion ->
// foot_motion -> leg_solver, and upper_body on top. Every stage sees the whole clip, so that all
// filters are without delay; every number is made with portable arithmetic, so that the same script
// on the same skeleton gives the same bits on every machine.
#pragma once

#include "hem/character/motion.h"
#include "hem/character/motions/motion_script.h"

namespace hem {

// 120 Hz. The skeleton must be a humanoid with toe joints that stands on y = 0 facing +Z in its
// rest pose (any rest rotations, T or A pose). Cost: about ten milliseconds for a second of motion.
Result<Motion> perform(const MotionScript& script, const Skeleton& skeleton);

}  // namespace hem
