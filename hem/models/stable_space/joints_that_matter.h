// SPDX-License-Identifier: Apache-2.0
// Which joints a garment's motion depends on. The others are noise to a model that is trained on
// few clips: arms, for a skirt.
#pragma once

#include <cstdint>
#include <vector>

#include "hem/character/character.h"
#include "hem/models/stable_space/model.h"

namespace hem {

// The joints that carry the body under the garment: those with at least `share` of the skin weights
// at the body points nearest to its rest vertices, their ancestors up to the root, and the root.
// In increasing order. Hands, feet and the head count only where the garment covers them.
std::vector<uint16_t> jointsThatMatter(const Character& character, const Mesh& garment,
                                       double share = 0.01);

// Where the bones of the joints that matter end: the joints that these carry, which need not matter
// themselves. Knees, for a skirt. Not those that the root carries, which move as it turns.
std::vector<BodyPoint> boneEnds(const Character& character,
                                const std::vector<uint16_t>& joints_that_matter);

// What may brush the garment without carrying it: elbows and wrists, where these joints are not
// among those that matter. None for a skeleton that is not recognised as human.
std::vector<BodyPoint> brushingPoints(const Character& character,
                                      const std::vector<uint16_t>& joints_that_matter);

}  // namespace hem
