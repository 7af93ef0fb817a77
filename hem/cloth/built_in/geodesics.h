// SPDX-License-Identifier: Apache-2.0
// Distances along the cloth from one vertex, as far as asked for.
//
// Dijkstra's order, with distances carried across triangles: where two corners of a triangle have
// distances, the source is unfolded into the triangle's plane and seen from the third (Novotni and
// Klein 2002). Exact on flat cloth of well-shaped triangles; never shorter than the straight line.
#pragma once

#include <span>

#include "hem/cloth/built_in/cloth_mesh.h"

namespace hem::built_in {

class Geodesics {
public:
    explicit Geodesics(const ClothMesh& mesh);

    struct Reached {
        uint32_t vertex;
        float distance;
    };
    // The vertices within `radius` metres of `source`, nearest first, the source included. The span
    // holds until the next call. Cost: in proportion to what is reached.
    std::span<const Reached> from(uint32_t source, float radius);

private:
    void relax(uint32_t vertex, float distance);
    void relaxAround(uint32_t vertex);

    const ClothMesh& mesh_;
    std::vector<float> distance_;
    std::vector<uint8_t> settled_;
    std::vector<uint32_t> touched_;
    std::vector<Reached> heap_, reached_;
};

}  // namespace hem::built_in
