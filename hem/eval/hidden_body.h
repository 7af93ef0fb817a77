// SPDX-License-Identifier: Apache-2.0
// Which triangles of the body a garment always hides: section 6.2 of the 2010 paper, its first step.
//
// Rays leave each triangle for everywhere that somebody could look from: above the floor, and at
// least a metre away, for nobody draws a body from under its own skirt. The triangle is hidden if in
// all of the frames the garment or another part of the body is in the way of every ray, and the
// garment in that of the ray straight out in most of them: what the body alone hides is kept. Other rays in other frames: a few in each add up to many.
// Rays start on the skin, and again a little below it, for cloth that lies on the skin may be a
// millimetre inside. Of what is found, the outermost triangles are left out: novel motions move
// the hem, too.
#pragma once

#include <cstdint>
#include <vector>

#include "hem/character/character.h"
#include "hem/pack/body_proxy.h"

namespace hem {

struct HiddenOptions {
    size_t frames = 100;   // that are looked at, evenly spread over those given
    int rays = 16;         // a triangle and frame
    float distance = 1;    // metres from which the body is looked at, at least
    float depth = 0.015f;  // metres below the skin at which rays start once more for the garment
    float grazing = 0.2f;  // cosine to the normal below which a triangle is seen edge on: no ray
    uint64_t seed = 1;
};

// A byte a triangle of the character's mesh, 1 for hidden. `frames`: recorded (bodyFrames()), their
// floor at y = 0; `garment`: its triangles. A second or so for a dress of 766 vertices on ten
// thousand triangles. The same bits on every machine and any number of threads.
std::vector<uint8_t> hiddenTriangles(const Character& character,
                                     const std::vector<Triangle>& garment,
                                     const std::vector<BodyFrame>& frames,
                                     const HiddenOptions& options = {});

}  // namespace hem
