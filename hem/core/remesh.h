// SPDX-License-Identifier: Apache-2.0
// remesh: an even triangulation of a surface, with edges as long as asked for at each place.
//
// Splits long edges, collapses short ones, flips edges towards valence six, moves vertices within
// the surface towards the middle of their neighbours, and puts them back on it (Botsch and Kobbelt,
// "A Remeshing Approach to Multiresolution Modeling", 2004, section 4).
#pragma once

#include <functional>

#include "hem/core/mesh.h"

namespace hem {

struct RemeshOptions {
    // Wanted edge length in metres at a point. Should change slowly: by less than a third of the
    // distance gone.
    std::function<float(Vec3)> edge_length;
    // The nearest point of the true surface. For a vertex on the mesh's boundary: of the boundary
    // curve.
    std::function<Vec3(Vec3, bool on_boundary)> project;
    int iterations = 10;
    // Vertices that stay where they are: the corners of the boundary.
    std::vector<uint32_t> fixed;
};

// The mesh must be a manifold, with or without boundary; the result has the same topology.
// Deterministic: edges are visited in the order of their vertices.
Mesh remeshed(const Mesh& mesh, const RemeshOptions& options);

}  // namespace hem
