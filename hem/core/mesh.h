// SPDX-License-Identifier: Apache-2.0
// Mesh: an indexed triangle mesh, and what can be asked of its shape and connectivity.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hem/core/result.h"
#include "hem/core/vec.h"

namespace hem {

using Triangle = std::array<uint32_t, 3>;  // counter-clockwise seen from outside

struct Mesh {
    std::vector<Vec3> positions;
    std::vector<Triangle> triangles;
    std::vector<Vec2> uvs;     // empty, or one per vertex
    std::vector<Vec3> colors;  // empty, or one per vertex; linear RGB, 0 to 1
};

// Area-weighted vertex normals, unit length; {0, 1, 0} for a vertex without area around it.
std::vector<Vec3> vertexNormals(const std::vector<Vec3>& positions,
                                const std::vector<Triangle>& triangles);

// What a mesh is, as a surface. Counted on the connectivity alone: weld() first where seams of
// texture or normals have split the vertices.
struct Topology {
    size_t edges = 0;
    size_t boundary_edges = 0;     // in one triangle
    size_t nonmanifold_edges = 0;  // in three or more, or in two that disagree on the orientation
    size_t degenerate_triangles = 0;  // with a repeated vertex
    size_t components = 0;            // of vertices that are in a triangle
    size_t unused_vertices = 0;
    long euler_characteristic = 0;  // used vertices - edges + triangles; 2 for a sphere
    bool watertight() const { return edges > 0 && boundary_edges == 0 && nonmanifold_edges == 0; }
};
Topology topologyOf(const Mesh& mesh);

// Signed volume in cubic metres; positive for a closed mesh whose triangles face outwards.
double signedVolume(const Mesh& mesh);

// For each vertex, the index of the first vertex within `tolerance` metres of it; then compacted so
// that the result indexes a shorter list. Cost: a hash of the positions.
struct Weld {
    std::vector<uint32_t> welded_from_original;  // per original vertex
    std::vector<uint32_t> original_from_welded;  // a representative per welded vertex
};
Weld weldByPosition(const std::vector<Vec3>& positions, float tolerance = 1e-6f);
// The mesh with vertices merged by `weld`; degenerate triangles dropped.
Mesh welded(const Mesh& mesh, const Weld& weld);

// Unique undirected edges, each with the smaller index first, sorted.
std::vector<std::array<uint32_t, 2>> uniqueEdges(const std::vector<Triangle>& triangles);

struct Bounds {
    Vec3 low, high;
    Vec3 size() const { return high - low; }
    Vec3 centre() const { return (low + high) / 2; }
};
Bounds boundsOf(const std::vector<Vec3>& positions);  // zero for no positions

// Wavefront OBJ: v, vt, f (polygons are fanned), negative indices, vertex colours after v. Groups
// and materials are ignored. Vertices keep the file's order and count; a vertex that is used with
// more than one vt keeps the first. Errors name the line.
Result<Mesh> loadObj(const std::string& path);
Result<Mesh> parseObj(std::string_view text, const std::string& name);
Status saveObj(const std::string& path, const Mesh& mesh);

}  // namespace hem
