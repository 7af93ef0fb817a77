// SPDX-License-Identifier: Apache-2.0
// What a tape and an inspector would find on a body's mesh: girths, self-intersections, angles.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "hem/core/mesh.h"

namespace hem {

// The length of a tape pulled tight around the section of the mesh by the plane through `point`
// across `normal`: the convex hull of those section points that `counts` accepts. 0 where there are
// none.
double girth(const Mesh& mesh, Vec3 point, Vec3 normal, const std::function<bool(Vec3)>& counts);

// Pairs of triangles that pass through each other, of those without a common vertex.
std::vector<std::pair<uint32_t, uint32_t>> selfIntersections(const Mesh& mesh);

// The smallest angle of any triangle, degrees.
double smallestAngle(const Mesh& mesh);

}  // namespace hem
