// SPDX-License-Identifier: Apache-2.0
// Bending: the isometric model, a quadratic energy per inner edge.
//
// Bergou, Wardetzky, Harmon, Zorin and Grinspun, "A Quadratic Bending Model for Inextensible
// Surfaces", 2006. For cloth that hardly stretches, the mean-curvature vector integrated around an
// inner edge is linear in the four corners of its two triangles, h = sum_i c_i x_i, with the c_i
// made of cotangents of the rest triangles; the energy is E = B/2 * 3/(A_0 + A_1) |h|^2 over all
// edges. On even triangles that is three times B/2 times the integral of the squared curvature, in
// any direction: the paper spreads h over three edges of a triangle, but where cloth is rolled it
// gathers in those that cross the roll. A garment that is cut to a shape is at rest in that shape:
// |h| is drawn to the length that it has there, not to nought.
//
// As a vector constraint h - h_0 with compliance (A_0 + A_1) / (3 B) and Kelvin-Voigt damping over
// tau seconds, g = tau / dt:
//     dl = -(h - h_0 + g sum_i c_i (x_i - x_i_before))
//          / ((1 + g) sum_i w_i c_i^2 + compliance / dt^2)
#pragma once

#include "hem/cloth/built_in/cloth_mesh.h"
#include "hem/cloth/built_in/constraints.h"

namespace hem::built_in {

class Bending {
public:
    explicit Bending(const ClothMesh& mesh);

    // One sweep over all inner edges. `before`: positions at the start of the substep.
    void solve(Particles& x, const Particles& before, float dt) const;
    // Joules, of the positions given.
    double energy(const std::vector<Vec3>& x) const;

private:
    std::vector<BendingBatch> batches_;
};

}  // namespace hem::built_in
