// SPDX-License-Identifier: Apache-2.0
// Arm overlap: how deep a moving character's arms and hands are inside of its trunk and legs.
//
// Measured on the skinned surface, by linear blending. Arm: vertices that hang from the upper arm's
// joint alone (weight 0.99), from 0.45 of the upper arm's length down to the fingertips. Body: the
// rest of the surface, without what the arms carry along (weight 0.02) and without the rim of that;
// so that armpit and shoulder, which always touch, do not count. Depth: the distance from an arm's
// vertex to the nearest point of the triangles around the nearest vertex of the body, where the
// vertex is behind that point's triangle. Vertices deeper than 6 cm are found, but their depth is
// that to a near vertex and not always to the nearest.
#pragma once

#include "hem/character/character.h"
#include "hem/character/humanoid.h"

namespace hem {

struct ArmOverlap {
    float depth = 0;   // metres, of the deepest vertex in any frame; 0 where arms keep clear
    size_t frame = 0;  // of it
    int arm_joint = -1, body_joint = -1;  // that carry most of the two places
    size_t frames = 0;                    // of those looked at, deeper than 5 mm
};

// Looks at every `stride`-th frame. About 0.2 ms a frame on the mannequin.
ArmOverlap measureArmOverlap(const Motion& motion, const Humanoid& humanoid,
                             const Character& character, size_t stride = 4);

}  // namespace hem
