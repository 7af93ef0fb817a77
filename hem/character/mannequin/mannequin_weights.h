// SPDX-License-Identifier: Apache-2.0
// Skinning weights of the mannequin. Not for users of the library: mannequin.h is.
#pragma once

#include <vector>

#include "hem/character/mannequin/mannequin_field.h"
#include "hem/character/skin.h"

namespace hem::mannequin_parts {

// One list per vertex of the left half (x >= 0; on x = 0 both sides alike). Each joint takes over
// from its parent across a band around the joint's centre, wide at hip and shoulder and narrow at
// wrist and toes; the arm's part is told from the trunk's by whose field is nearer, so that nothing
// bleeds through the air; then the weights are smoothed along the surface, and those below one in a
// hundred fade out. No vertex with x > 0 follows a joint of the right side.
std::vector<std::vector<Influence>> halfWeights(const Mesh& half, const BodyField& field,
                                                const Skeleton& skeleton);

// The body's height relative to the female's, by the height of its head joint.
float relativeSize(const Skeleton& skeleton);

}  // namespace hem::mannequin_parts
