// SPDX-License-Identifier: Apache-2.0
// loadGarment(): a garment of the user's own, as OBJ or glTF, modelled on the character in its rest
// pose.
#pragma once

#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/garment/garment.h"

namespace hem {

// Where the body holds the garment. Rules add up: a vertex has the largest of what they give it.
struct PinRules {
    // Groups of an OBJ (g, o) or names of glTF meshes: their vertices are pinned.
    std::vector<std::string> groups;
    // Red of the vertex colour is the pin's strength.
    bool by_color = false;
    // Vertices within `near_distance` metres of skin that these joints carry for the most part.
    std::vector<std::string> near_joints;
    float near_distance = 0.02f;
    float strength = 1;  // of pins by group and by nearness
};

// Vertices that only texture seams split are merged, so that the cloth hangs together. The message
// names the file and what is wrong with it: not a manifold, nothing pinned by a rule (with the
// groups or joints there are), a garment that is nowhere near the body (wrong unit or pose, with
// both sizes).
Result<Garment> loadGarment(const std::string& path, const Character& character,
                            const Fabric& fabric, const PinRules& pins);

}  // namespace hem
