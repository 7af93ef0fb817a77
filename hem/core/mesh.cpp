// SPDX-License-Identifier: Apache-2.0
#include "hem/core/mesh.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

namespace hem {

std::vector<Vec3> vertexNormals(const std::vector<Vec3>& positions,
                                const std::vector<Triangle>& triangles) {
    std::vector<Vec3> normals(positions.size());
    for (const auto& [a, b, c] : triangles) {
        const Vec3 n = cross(positions[b] - positions[a], positions[c] - positions[a]);
        normals[a] += n;
        normals[b] += n;
        normals[c] += n;
    }
    for (Vec3& n : normals) n = normalized(n, {0, 1, 0});
    return normals;
}

namespace {

// Disjoint sets of vertices, for counting components.
struct UnionFind {
    std::vector<uint32_t> parent;
    explicit UnionFind(size_t count) : parent(count) {
        std::iota(parent.begin(), parent.end(), 0u);
    }
    uint32_t find(uint32_t i) {
        while (parent[i] != i) i = parent[i] = parent[parent[i]];
        return i;
    }
    void join(uint32_t a, uint32_t b) { parent[find(a)] = find(b); }
};

struct HalfEdge {
    uint32_t low, high;
    bool forward;  // runs from low to high
    bool sameEdge(const HalfEdge& o) const { return low == o.low && high == o.high; }
    friend auto operator<=>(const HalfEdge&, const HalfEdge&) = default;
};

std::vector<HalfEdge> sortedHalfEdges(const std::vector<Triangle>& triangles) {
    std::vector<HalfEdge> edges;
    edges.reserve(triangles.size() * 3);
    for (const Triangle& t : triangles)
        for (int k = 0; k < 3; ++k) {
            const uint32_t a = t[k], b = t[(k + 1) % 3];
            if (a != b) edges.push_back({std::min(a, b), std::max(a, b), a < b});
        }
    std::sort(edges.begin(), edges.end());
    return edges;
}

bool isDegenerate(const Triangle& t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

}  // namespace

Topology topologyOf(const Mesh& mesh) {
    Topology topology;
    UnionFind sets(mesh.positions.size());
    std::vector<bool> used(mesh.positions.size(), false);
    size_t faces = 0;
    for (const Triangle& t : mesh.triangles) {
        if (isDegenerate(t)) {
            ++topology.degenerate_triangles;
            continue;
        }
        ++faces;
        for (uint32_t v : t) used[v] = true;
        sets.join(t[0], t[1]);
        sets.join(t[1], t[2]);
    }
    const std::vector<HalfEdge> edges = sortedHalfEdges(mesh.triangles);
    for (size_t i = 0, end = 0; i < edges.size(); i = end) {
        size_t forward = 0;
        for (end = i; end < edges.size() && edges[end].sameEdge(edges[i]); ++end)
            forward += edges[end].forward;
        const size_t count = end - i;
        ++topology.edges;
        if (count == 1) ++topology.boundary_edges;
        if (count > 2 || (count == 2 && forward != 1)) ++topology.nonmanifold_edges;
    }
    size_t vertices = 0;
    for (uint32_t v = 0; v < used.size(); ++v) {
        vertices += used[v];
        topology.components += used[v] && sets.find(v) == v;
    }
    topology.unused_vertices = used.size() - vertices;
    topology.euler_characteristic = long(vertices) - long(topology.edges) + long(faces);
    return topology;
}

double signedVolume(const Mesh& mesh) {
    double six_volumes = 0;
    for (const auto& [a, b, c] : mesh.triangles)
        six_volumes += dot(mesh.positions[a], cross(mesh.positions[b], mesh.positions[c]));
    return six_volumes / 6;
}

Weld weldByPosition(const std::vector<Vec3>& positions, float tolerance) {
    // a grid of cells as wide as the tolerance: a twin is in the same cell or in one beside it
    using Cell = std::array<int64_t, 3>;
    auto cellOf = [&](Vec3 p) {
        return Cell{int64_t(std::floor(p.x / tolerance)), int64_t(std::floor(p.y / tolerance)),
                    int64_t(std::floor(p.z / tolerance))};
    };
    std::map<Cell, std::vector<uint32_t>> cells;  // welded indices in each cell
    Weld weld;
    weld.welded_from_original.reserve(positions.size());
    auto findTwin = [&](Vec3 p) -> int64_t {
        const Cell c = cellOf(p);
        for (int64_t i = -1; i <= 1; ++i)
            for (int64_t j = -1; j <= 1; ++j)
                for (int64_t k = -1; k <= 1; ++k)
                    if (auto it = cells.find({c[0] + i, c[1] + j, c[2] + k}); it != cells.end())
                        for (uint32_t w : it->second)
                            if (distance(positions[weld.original_from_welded[w]], p) <= tolerance)
                                return w;
        return -1;
    };
    for (uint32_t v = 0; v < positions.size(); ++v) {
        int64_t twin = findTwin(positions[v]);
        if (twin < 0) {
            twin = int64_t(weld.original_from_welded.size());
            weld.original_from_welded.push_back(v);
            cells[cellOf(positions[v])].push_back(uint32_t(twin));
        }
        weld.welded_from_original.push_back(uint32_t(twin));
    }
    return weld;
}

Mesh welded(const Mesh& mesh, const Weld& weld) {
    Mesh result;
    for (uint32_t v : weld.original_from_welded) {
        result.positions.push_back(mesh.positions[v]);
        if (!mesh.uvs.empty()) result.uvs.push_back(mesh.uvs[v]);
        if (!mesh.colors.empty()) result.colors.push_back(mesh.colors[v]);
    }
    for (Triangle t : mesh.triangles) {
        for (uint32_t& v : t) v = weld.welded_from_original[v];
        if (!isDegenerate(t)) result.triangles.push_back(t);
    }
    return result;
}

std::vector<std::array<uint32_t, 2>> uniqueEdges(const std::vector<Triangle>& triangles) {
    std::vector<std::array<uint32_t, 2>> edges;
    for (const HalfEdge& e : sortedHalfEdges(triangles))
        if (edges.empty() || edges.back() != std::array{e.low, e.high})
            edges.push_back({e.low, e.high});
    return edges;
}

Bounds boundsOf(const std::vector<Vec3>& positions) {
    if (positions.empty()) return {};
    Bounds b{positions[0], positions[0]};
    for (Vec3 p : positions) {
        b.low = min(b.low, p);
        b.high = max(b.high, p);
    }
    return b;
}

}  // namespace hem
