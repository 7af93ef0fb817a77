// SPDX-License-Identifier: Apache-2.0
// Variations of a motion: the same movement as somebody else might have made it on another day,
// for learning from. Faster or slower, with longer or shorter strides, leaning elsewhere, along
// another path. Cloth answers to any movement, so a simulator makes as much true data of a few
// clips as one has time for.
//
// What is changed, each by chance and within the bounds of human movement as a rule, not by force:
//   speed      of the whole clip, and slowly wavering; a factor of about 0.7 to 1.4
//   amplitude  joints' turns from their mean in the clip; a factor of about 0.75 to 1.3
//   posture    every joint turned by a few degrees for good, and by a few that waver
//   path       the root's way longer or shorter, and bent to the left and right
// Feet are not kept on the floor: they slide and sink in by centimetres. A variation is for cloth
// that does not touch the floor, not for looking at.
#pragma once

#include "hem/character/motion.h"

namespace hem {

struct VariationOptions {
    uint64_t seed = 1;   // another, another variation
    float strength = 1;  // of all changes; at 0 the motion stays as it is
};

// The same skeleton, rate and name, another number of frames. The same bits for the same motion,
// its name included, and options.
Motion varied(const Motion& motion, const VariationOptions& options = {});

}  // namespace hem
