// SPDX-License-Identifier: Apache-2.0
// Which skin is an arm's, for scenes that let arms pass through the cloth that is not worn on them
// (ClothScene::arms_pass).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hem/character/character.h"

namespace hem {

// Per vertex of the character: whether upper arm, forearm and hand carry most of it. Nowhere on a
// skeleton that is not recognised as human.
std::vector<uint8_t> skinOfArms(const Character& character);

// Per point, of a garment at rest: whether it is worn on an arm, that is, whether an arm's skin is
// the nearest to it.
std::vector<uint8_t> wornOnArms(const Character& character, std::span<const Vec3> rest_points);

}  // namespace hem
