// SPDX-License-Identifier: Apache-2.0
// Grounding: puts the feet of a carried-over motion on the floor. The second half of retargeting.
//
// Given when each foot stood on the source (contacts.h):
// 1. While heel and ball both stand, the foot is level and keeps one heading, that phase's mean.
//    While only the ball stands, the toes bend to stay level.
// 2. A standing foot turns about its standing point, which stays at one place of the floor: the mean
//    of where the carried-over motion has it during that phase. Its lowest point is on the floor.
//    A foot in the air moves by what its last and next stance were moved by, faded over at most
//    0.25 s each, and never dips below the floor.
// 3. The pelvis moves along, by the smoothest path that asks the least turning of the legs: moving an
//    ankle along an almost straight leg bends the knee by a lot, moving it across turns it little,
//    so the wishes along the legs weigh most. Where a leg still cannot reach, the pelvis sinks.
// 4. Thigh and shank reach for the ankle (leg_ik.h).
#pragma once

#include "hem/character/contacts.h"
#include "hem/character/sole.h"

namespace hem {

struct GroundingOptions {
    float fade = 0.25f;      // seconds, longest
    float roll_fade = 0.1f;  // seconds over which a foot levels before and after its flat phase
    // The price of the pelvis's acceleration: radians^2 of leg turning per (m/s^2)^2.
    double bending = 1e-5;
};

// The floor becomes y = 0. `motion` has as many frames as `contacts`. The soles belong to its
// skeleton.
void ground(Motion& motion, const Humanoid& humanoid, const Contacts& contacts,
            const std::array<Sole, 2>& soles, const GroundingOptions& options = {});

}  // namespace hem
