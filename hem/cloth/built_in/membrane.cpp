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

void addTo(Lanes& corner, Lanes3 direction, Float4 amount) {
    corner.p = corner.p + direction * (amount * corner.w);
}

}  // namespace

Membrane::Membrane(const ClothMesh& mesh) {
    std::vector<uint32_t> corners;
    for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
    for (const auto& lanes : makeBatches(corners, 3)) {
        Batch b{};
        b.index = batchIndices<3>(lanes, corners, mesh.size());
        b.compliance_u = b.compliance_v = b.compliance_shear = b.pressed_u = b.pressed_v = splat(1);
        for (int lane = 0; lane < 4; ++lane) {
            const uint32_t t = lanes[size_t(lane)];
            if (t == kEmptyLane) continue;
            const Gradients g = gradientsOf(mesh, t);
            const Fabric& fabric = mesh.garments[mesh.garment_of_triangle[t]].fabric;
            b.u1[lane] = g.u1, b.u2[lane] = g.u2, b.v1[lane] = g.v1, b.v2[lane] = g.v2;
            b.compliance_u[lane] = 1 / (fabric.stretch_weft * g.area);
            b.compliance_v[lane] = 1 / (fabric.stretch_warp * g.area);
            b.compliance_shear[lane] = 1 / (fabric.shear * g.area);
            const float pressed = kBuckling * fabric.bend / (2 * g.area);
            b.pressed_u[lane] = 1 / (std::min(pressed, fabric.stretch_weft) * g.area);
            b.pressed_v[lane] = 1 / (std::min(pressed, fabric.stretch_warp) * g.area);
            b.damping[lane] = fabric.stretch_damping;
        }
        batches_.push_back(b);
    }
}

void Membrane::solveBatch(const Batch& b, Particles& x, Float4 inverse_dt2) {
    Lanes p0 = load(x.data(), &b.index[0]), p1 = load(x.data(), &b.index[4]),
          p2 = load(x.data(), &b.index[8]);
    const Float4 u0 = -b.u1 - b.u2, v0 = -b.v1 - b.v2;
    const auto stretch = [&](Float4 g0, Float4 g1, Float4 g2, Float4 compliance, Float4 pressed) {
        const Lanes3 f = (p1.p - p0.p) * g1 + (p2.p - p0.p) * g2;
        const Float4 length = sqrtOf(dot(f, f)) + splat(1e-12f);
        const Float4 c = length - splat(1);
        const Float4 weight = p0.w * g0 * g0 + p1.w * g1 * g1 + p2.w * g2 * g2;
        const Float4 soft = select(c < splat(0), pressed, compliance) * inverse_dt2;
        const Float4 step = -c / ((weight + soft) * length);
        addTo(p0, f, step * g0), addTo(p1, f, step * g1), addTo(p2, f, step * g2);
    };
    stretch(u0, b.u1, b.u2, b.compliance_u, b.pressed_u);
    stretch(v0, b.v1, b.v2, b.compliance_v, b.pressed_v);
    const Lanes3 e1 = p1.p - p0.p, e2 = p2.p - p0.p;
    const Lanes3 fu = e1 * b.u1 + e2 * b.u2, fv = e1 * b.v1 + e2 * b.v2;
    const Lanes3 g1 = fv * b.u1 + fu * b.v1, g2 = fv * b.u2 + fu * b.v2;
    const Lanes3 g0 = (g1 + g2) * splat(-1);
    const Float4 weight = p0.w * dot(g0, g0) + p1.w * dot(g1, g1) + p2.w * dot(g2, g2);
    const Float4 step = -dot(fu, fv) / (weight + b.compliance_shear * inverse_dt2);
    addTo(p0, g0, step), addTo(p1, g1, step), addTo(p2, g2, step);
    store(x.data(), &b.index[0], p0);
    store(x.data(), &b.index[4], p1);
    store(x.data(), &b.index[8], p2);
}

void Membrane::solve(Particles& x, float dt) const {
    const Float4 inverse_dt2 = splat(1 / (dt * dt));
    for (const Batch& b : batches_) solveBatch(b, x, inverse_dt2);
}

// A damper of k A tau on C: with the rate r = grad C . v, one implicit step changes v by
// -w grad C  r / (sum w |grad C|^2 + 1 / (k A tau dt)).
void Membrane::dampBatch(const Batch& b, const Particles& x, Particles& v, Float4 dt) {
    const Lanes p0 = load(x.data(), &b.index[0]), p1 = load(x.data(), &b.index[4]),
                p2 = load(x.data(), &b.index[8]);
    Lanes v0 = load(v.data(), &b.index[0]), v1 = load(v.data(), &b.index[4]),
          v2 = load(v.data(), &b.index[8]);
    const Lanes3 e1 = p1.p - p0.p, e2 = p2.p - p0.p;
    const Lanes3 fu = e1 * b.u1 + e2 * b.u2, fv = e1 * b.v1 + e2 * b.v2;
    const Float4 scale = splat(1) / (b.damping * dt + splat(1e-12f));
    const auto damp = [&](Lanes3 g1, Lanes3 g2, Float4 compliance) {
        const Lanes3 g0 = (g1 + g2) * splat(-1);
        const Float4 rate = dot(g0, v0.p) + dot(g1, v1.p) + dot(g2, v2.p);
        const Float4 weight = v0.w * dot(g0, g0) + v1.w * dot(g1, g1) + v2.w * dot(g2, g2);
        const Float4 step = -rate / (weight + compliance * scale);
        addTo(v0, g0, step), addTo(v1, g1, step), addTo(v2, g2, step);
    };
    const Lanes3 nu = fu * (splat(1) / (sqrtOf(dot(fu, fu)) + splat(1e-12f)));
    const Lanes3 nv = fv * (splat(1) / (sqrtOf(dot(fv, fv)) + splat(1e-12f)));
    damp(nu * b.u1, nu * b.u2, b.compliance_u);
    damp(nv * b.v1, nv * b.v2, b.compliance_v);
    damp(fv * b.u1 + fu * b.v1, fv * b.u2 + fu * b.v2, b.compliance_shear);
    store(v.data(), &b.index[0], v0);
    store(v.data(), &b.index[4], v1);
    store(v.data(), &b.index[8], v2);
}

void Membrane::damp(const Particles& x, Particles& v, float dt) const {
    for (const Batch& b : batches_) dampBatch(b, x, v, splat(dt));
}

}  // namespace hem::built_in
