// SPDX-License-Identifier: Apache-2.0
// attachToSkin(): how the body carries the points of a garment that are pinned to it.
#pragma once

#include <span>

#include "hem/character/character.h"

namespace hem {

// Weights for points that stand near the character's rest mesh: each gets those of the nearest
// point of the skin, so that skinLinear() moves it along with what lies under it. About a
// microsecond a point.
Skin attachToSkin(const Character& character, std::span<const Vec3> rest_points);

}  // namespace hem
