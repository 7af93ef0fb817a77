// SPDX-License-Identifier: Apache-2.0
// letOut(): gives a garment ease, where it was modelled too near to the skin or into it.
#pragma once

#include "hem/core/mesh.h"
#include "hem/core/surface_tree.h"

namespace hem {

struct LetOut {
    size_t moved = 0;    // vertices, by more than 0.1 mm
    float farthest = 0;  // metres that a vertex was moved
    float area = 0;      // square metres of cloth more than before
    float nearest = 0;   // metres from the skin now, over the points looked at; negative inside
};

// Moves the cloth off the skin until its vertices, the middles of its edges and its triangles'
// centres are `ease` metres away, as far as there is room (between thighs there may be none).
// Cloth around is taken along, the less the farther it is, so that hems and pockets, which are
// several layers of one sheet, stay layers. The mesh keeps its vertices and triangles.
//
// This is how a cutter gives ease: 5 mm around an arm of 10 cm is 10 % more girth. Cloth that
// starts at the skin itself must stretch at the first movement, for it has nothing to give. About a
// microsecond a point and pass, six passes at most.
LetOut letOut(Mesh& cloth, const SurfaceTree& skin, float ease);

}  // namespace hem
