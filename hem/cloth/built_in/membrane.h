// SPDX-License-Identifier: Apache-2.0
// The membrane: stretch along warp and weft, and shear, per triangle.
//
// With x_0, x_1, x_2 a triangle's corners, the images of the unit vectors along weft and warp are
// linear in them: f_u = sum_i u_i x_i and f_v = sum_i v_i x_i, where u_i and v_i are the gradients
// of the corners' hat functions on the rest triangle. The fabric's energy over the area A is
//     E = A/2 (k_u (|f_u| - 1)^2 + k_v (|f_v| - 1)^2 + k_s (f_u . f_v)^2),
// tension per width over strain and shear force per width over angle, which is how laboratories
// measure k. Extended position-based dynamics (Macklin, Mueller, Chentanez 2016) takes each square
// as a constraint C with compliance 1 / (k A): one step moves corner i by w_i grad_i C dl,
//     dl = -C / (sum_i w_i |grad_i C|^2 + 1 / (k A dt^2)).
// Cloth that is pressed together buckles below the size of a triangle, so against compression k is
// what buckled cloth has, which follows from its bending stiffness and is thousands of times less.
#pragma once

#include "hem/cloth/built_in/cloth_mesh.h"
#include "hem/cloth/built_in/constraints.h"

namespace hem::built_in {

class Membrane {
public:
    explicit Membrane(const ClothMesh& mesh);

    // One sweep over all triangles.
    void solve(Particles& x, float dt) const;
    // The fabric's inner friction: strain rates fade as a damper of k times stretch_damping makes
    // them, by one implicit sweep over velocities `v` at positions `x`.
    void damp(const Particles& x, Particles& v, float dt) const;

private:
    std::vector<MembraneBatch> batches_;
};

}  // namespace hem::built_in
