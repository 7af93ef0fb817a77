// SPDX-License-Identifier: Apache-2.0
// makeGarment(): the built-in garments, cut for the body that is to wear them.
//
// The body is measured (body_sizes.h) and the garment is made around it in its rest pose, with
// the ease that such a garment has. Same body, same options: the same bits on every machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hem/character/character.h"
#include "hem/garment/garment.h"

namespace hem {

struct GarmentKind {
    std::string name;         // "dress"
    std::string description;  // one line
    size_t vertices;          // where none are asked for: the count of the papers' tables
    std::string fabric;       // where none is asked for
};
// dress, skirt, long_skirt, oscar_dress (A-line), evening_dress (strapless), cocktail_dress (two
// layers), shirt, pants, jeans, cape, poncho, robe (hooded), coat, vest.
const std::vector<GarmentKind>& garmentKinds();

// The message that no garment has that name, with the names there are, the nearest first.
Error unknownGarment(const std::string& kind);

struct GarmentOptions {
    size_t vertices = 0;  // 0: the kind's own; met within 2 %
    std::string fabric;   // empty: the kind's own
};

// Fails on a name that is not in the list (with the nearest ones), on a body that is not a
// recognisable humanoid, and on a count too small to hold the garment's shape, naming the least.
// Takes seconds at tens of thousands of vertices.
Result<Garment> makeGarment(const Character& character, std::string_view kind,
                            const GarmentOptions& options = {});

}  // namespace hem
