// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/membrane.h"

namespace hem::built_in {
namespace {

// Cloth that buckles in waves of a length h carries Euler's load, pi^2 B / h^2 per width, however
// far it is pressed together; taken as a modulus.
constexpr float kBuckling = 10;

struct Gradients {
    float u1, u2, v1, v2, area;
};

// Of the hat functions of corners 1 and 2 along weft (u) and warp (v).
Gradients gradientsOf(const ClothMesh& mesh, uint32_t triangle) {
    const auto [i, j, k] = mesh.triangles[triangle];
    const Vec3 e1 = mesh.rest[j] - mesh.rest[i], e2 = mesh.rest[k] - mesh.rest[i];
    const Vec3 weft = mesh.weft[triangle], warp = mesh.warp[triangle];
    const float a1 = dot(e1, weft), b1 = dot(e1, warp), a2 = dot(e2, weft), b2 = dot(e2, warp);
    const float det = a1 * b2 - a2 * b1;
    return {b2 / det, -b1 / det, -a2 / det, a1 / det, std::abs(det) / 2};
}

}  // namespace

Membrane::Membrane(const ClothMesh& mesh) {
    std::vector<uint32_t> corners;
    for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
    for (const auto& lanes : makeBatches(corners, 3)) {
        MembraneBatch b{};
        b.index = batchIndices<3>(lanes, corners, mesh.size());
        b.compliance_u = b.compliance_v = b.compliance_shear = b.pressed_u = b.pressed_v = rowOf(1);
        for (size_t lane = 0; lane < kLanes; ++lane) {
            const uint32_t t = lanes[lane];
            if (t == kEmptyLane) continue;
            const Gradients g = gradientsOf(mesh, t);
            const Fabric& fabric = mesh.garments[mesh.garment_of_triangle[t]].fabric;
            b.u1.of[lane] = g.u1, b.u2.of[lane] = g.u2, b.v1.of[lane] = g.v1, b.v2.of[lane] = g.v2;
            b.compliance_u.of[lane] = 1 / (fabric.stretch_weft * g.area);
            b.compliance_v.of[lane] = 1 / (fabric.stretch_warp * g.area);
            b.compliance_shear.of[lane] = 1 / (fabric.shear * g.area);
            const float pressed = kBuckling * fabric.bend / (2 * g.area);
            b.pressed_u.of[lane] = 1 / (std::min(pressed, fabric.stretch_weft) * g.area);
            b.pressed_v.of[lane] = 1 / (std::min(pressed, fabric.stretch_warp) * g.area);
            b.damping.of[lane] = fabric.stretch_damping;
        }
        batches_.push_back(b);
    }
}

void Membrane::solve(Particles& x, float dt) const {
    constraints().solveMembrane(batches_.data(), batches_.size(), x.data(), dt);
}

void Membrane::damp(const Particles& x, Particles& v, float dt) const {
    constraints().dampMembrane(batches_.data(), batches_.size(), x.data(), v.data(), dt);
}

}  // namespace hem::built_in
