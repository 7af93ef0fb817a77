// SPDX-License-Identifier: Apache-2.0
// loadGarment(): a garment of the user's own, as OBJ or glTF, modelled on the character in its rest
// pose.
#pragma once

#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/garment/garment.h"
#include "hem/garment/let_out.h"

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
    // Openings, rings of vertices at which the cloth ends: "top" is the one that lies highest (a
    // waistband, a neckline), "bottom" the lowest.
    std::vector<std::string> openings;
    float strength = 1;  // of all pins but those by colour
};

inline constexpr float kUsualEase = 0.005f;  // metres; what made-to-measure garments have

// What was done to a file's mesh to make it a garment.
struct ImportNotes {
    size_t merged = 0;  // vertices that stood in one place with another
    size_t split = 0;   // vertices at which sheets touched
    LetOut let_out;
};

// Vertices that only texture seams split are merged, so that the cloth hangs together, and cloth
// nearer to the skin than `ease` metres is let out (hem/garment/let_out.h; an ease of 0 leaves it
// where it is): what comes back is the undeformed shape. The message
// names the file and what is wrong with it: not a manifold, nothing pinned by a rule (with the
// groups or joints there are), a garment that is nowhere near the body (wrong unit or pose, with
// both sizes).
Result<Garment> loadGarment(const std::string& path, const Character& character,
                            const Fabric& fabric, const PinRules& pins, float ease = kUsualEase,
                            ImportNotes* notes = nullptr);

}  // namespace hem
