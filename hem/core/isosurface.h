// SPDX-License-Identifier: Apache-2.0
// isosurface: triangles for the zero set of a scalar field, by marching tetrahedra.
//
// Each cube of a grid is cut into the six tetrahedra around its main diagonal (Kuhn's subdivision),
// so neighbouring cubes agree on their common face and the result is always a manifold: no table of
// cases and no ambiguous ones. Triangles are uneven, as with all methods of this kind: remesh.h
// evens them.
#pragma once

#include <functional>

#include "hem/core/mesh.h"

namespace hem {

// Negative inside, positive outside.
using ScalarField = std::function<double(Vec3)>;

struct Grid {
    Vec3 low;        // the first corner; vertices on a face of the grid have its exact coordinate
    float cell = 0;  // metres
    int cells[3] = {};  // along x, y, z
};

// The part of the zero set that hangs together with the first crossing met going from `inside`,
// where the field must be negative, along +x. Where the surface leaves the grid it ends in a
// boundary. Triangles face outwards. Only cubes that the surface passes through are looked at;
// memory is one double and one byte per grid point. The order of vertices depends on field and grid
// alone.
Mesh isosurface(const ScalarField& field, const Grid& grid, Vec3 inside);

}  // namespace hem
