// SPDX-License-Identifier: Apache-2.0
// ClothMesh: all garments of a scene as one set of particles and triangles, in their rest shape.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hem/garment/garment.h"

namespace hem::built_in {

struct GarmentRange {
    uint32_t first_vertex = 0, vertices = 0;
    uint32_t first_triangle = 0, triangles = 0;
    Fabric fabric;
    float mean_edge = 0;  // metres
    float fine_edge = 0;  // metres; one edge in ten is shorter
    // Modelled by hand, with small triangles beside large ones (buttons, hems, pockets): a load
    // that hangs on the small ones is much heavier than they are, which one sweep does not carry.
    bool uneven() const { return fine_edge < kUneven * mean_edge; }
    static constexpr float kUneven = 0.7f;
};

// Two triangles that share an edge: the edge's ends, then the corner opposite in each.
struct Hinge {
    std::array<uint32_t, 4> corners;
    uint32_t garment;
};

struct ClothMesh {
    std::vector<GarmentRange> garments;
    std::vector<Vec3> rest;
    std::vector<Triangle> triangles;
    // Pieces of cloth that do not hang together, numbered from the innermost: garments in their
    // order, and within one in the order of their first vertices (an overskirt after its dress).
    std::vector<uint32_t> layer_of_vertex;
    std::vector<uint32_t> garment_of_vertex, garment_of_triangle;
    // Kilograms; a third of each triangle around. Evened out over the neighbours in uneven
    // garments.
    std::vector<float> masses;
    std::vector<float> pins;
    // Unit vectors in each triangle's plane: along the warp, and across it.
    std::vector<Vec3> warp, weft;
    std::vector<Hinge> hinges;
    std::vector<std::array<uint32_t, 2>> edges;
    // The triangles around each vertex: fan[fan_begin[v]] to fan[fan_begin[v + 1]].
    std::vector<uint32_t> fan_begin, fan;

    size_t size() const { return rest.size(); }
    bool pinned(uint32_t vertex) const { return pins[vertex] >= 1; }
};

// The garments are valid.
ClothMesh makeClothMesh(const std::vector<Garment>& garments);

}  // namespace hem::built_in
