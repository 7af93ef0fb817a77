// SPDX-License-Identifier: Apache-2.0
// GarmentReport: what can be said of a garment on a body before it is simulated.
#pragma once

#include "hem/character/character.h"
#include "hem/garment/garment.h"

namespace hem {

struct GarmentReport {
    size_t vertices = 0, triangles = 0;
    size_t components = 0;                                      // layers, where each is one piece
    size_t boundary_loops = 0;                                  // hems, necklines, armholes, cuffs
    double area = 0;                                            // square metres
    double mass = 0;                                            // kilograms, without seams
    double mean_edge = 0, shortest_edge = 0, longest_edge = 0;  // metres
    double smallest_angle = 0;                                  // degrees
    // 4 sqrt(3) area / sum of squared edges: 1 for an equilateral triangle
    double mean_quality = 0;
    // Metres from the skin, negative inside, over vertices, middles of edges and centroids.
    double nearest_to_skin = 0;
    size_t inside_skin = 0;         // of those points
    size_t self_intersections = 0;  // pairs of triangles
    size_t pinned = 0;              // vertices held at all
    double pinned_share = 0;        // mean pin
    // Mean over triangles of the larger singular value of cloth from texture or its inverse; 1:
    // texture coordinates are true lengths; 0: there are none.
    double uv_stretch = 0;
};

GarmentReport reportOn(const Garment& garment, const Character& character);

// What a simulation of the garment may suffer from, a sentence each with the cure: nothing holds
// it, it reaches into the skin, or it has slivers.
std::vector<std::string> remarksOn(const GarmentReport& report);

}  // namespace hem
