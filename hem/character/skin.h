// SPDX-License-Identifier: Apache-2.0
// Skin: how the joints carry the vertices of a mesh.
//
// Linear blend skinning, v = sum_j w_j M_j v_rest, which is linear in the joint matrices M (the
// body's PCA relies on that); and the exponential blend of transformations, v = exp(sum_j w_j log
// M_j) v_rest (Alexa 2002), which the 2005 paper uses in its place because it does not collapse at
// twisted joints.
#pragma once

#include <cstdint>
#include <vector>

#include "hem/character/skeleton.h"
#include "hem/core/mesh.h"

namespace hem {

struct Skin {
    static constexpr int kMaxInfluences = 8;

    // Influences per vertex, 1 to 8, the same for all; unused ones have weight nought.
    int influences = 4;
    std::vector<uint16_t> joints;         // vertices by influences
    std::vector<float> weights;           // vertices by influences; each vertex sums to 1
    std::vector<Affine> joint_from_rest;  // per joint: the inverse bind matrices

    size_t vertexCount() const { return influences ? joints.size() / size_t(influences) : 0; }
};

// Sizes agree with each other and with the mesh and skeleton, joints exist, weights are finite, not
// negative and sum to 1 within 1e-3.
Status validate(const Skin& skin, size_t vertices, size_t joints);

// One (joint, weight) list per vertex, any length: keeps the `max_influences` largest and rescales
// them.
struct Influence {
    int joint;
    float weight;
};
Skin makeSkin(const std::vector<std::vector<Influence>>& per_vertex,
              std::vector<Affine> joint_from_rest, int max_influences = 4);

// `matrices` from skinningMatrices(): one per joint. `rest` and `out` have skin.vertexCount()
// entries and must not overlap. Does not allocate.
void skinLinear(const Skin& skin, const Vec3* rest, const Affine* matrices, Vec3* out);
// The exponential blend. Matrices must be rigid. About twenty times the cost of skinLinear().
void skinExponential(const Skin& skin, const Vec3* rest, const Affine* matrices, Vec3* out);

// exp(sum_i w_i log M_i) for rigid M_i and weights that sum to 1; logs on the branch nearest to the
// first matrix's, so that a pair of opposite quaternions does not take the long way.
Affine exponentialBlend(const Affine* matrices, const float* weights, int count);

// Logarithm of a rigid motion as a screw (rotation vector, translation part), and back. The
// rotation's angle is below pi; at pi exactly the axis is one of the two.
struct Screw {
    Vec3 rotation, translation;
};
Screw logarithm(const Transform& t);
Transform exponential(const Screw& s);

}  // namespace hem
