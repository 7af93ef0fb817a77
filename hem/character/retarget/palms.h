// SPDX-License-Identifier: Apache-2.0
// Palms: hands that would go through the floor bend back at the wrist, as palms on a floor do. A
// part of grounding (grounding.h).
//
// Capture data mostly has no wrists: hands point along the forearm, and a cartwheel stands on its
// finger tips. Bending spares the body from being raised by a hand's length.
#pragma once

#include "hem/character/motion.h"
#include "hem/character/retarget/sole.h"

namespace hem {

// Turns wrists alone, by 70 degrees at most and smoothly in time; the floor is y = 0. `points` of
// the body as in sole.h; those below a wrist are taken. The back of a hand is guessed from the
// standing pose: it faces up where arms are held out, outwards where they hang.
void layPalms(Motion& motion, const Humanoid& humanoid, const std::vector<SolePoint>& points);

}  // namespace hem
