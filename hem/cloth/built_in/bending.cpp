// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/bending.h"

namespace hem::built_in {
namespace {

// Seconds. Woven cloth bends against the friction of its threads: on the Kawabata tester the moment
// that friction holds is that of a curvature of 0.3 to 0.8 per centimetre (2HB over B), which is
// all that most folds of a garment ever have. A state would have to be kept to model it as it is;
// a damper takes as much from folds that come and go about once a second.
constexpr float kHysteresis = 0.35f;

struct HingeShape {
    float c[4];
    float area;  // of both triangles
    float rest;  // |h|
};

float cotangent(Vec3 corner, Vec3 a, Vec3 b) {
    const Vec3 u = a - corner, v = b - corner;
    return dot(u, v) / std::max(length(cross(u, v)), 1e-12f);
}

HingeShape shapeOf(const ClothMesh& mesh, const Hinge& hinge) {
    const Vec3 x0 = mesh.rest[hinge.corners[0]], x1 = mesh.rest[hinge.corners[1]];
    const Vec3 x2 = mesh.rest[hinge.corners[2]], x3 = mesh.rest[hinge.corners[3]];
    const float a0 = cotangent(x0, x1, x2), b0 = cotangent(x0, x1, x3);
    const float a1 = cotangent(x1, x0, x2), b1 = cotangent(x1, x0, x3);
    HingeShape s{{a1 + b1, a0 + b0, -a0 - a1, -b0 - b1}, 0, 0};
    s.area = (length(cross(x1 - x0, x2 - x0)) + length(cross(x1 - x0, x3 - x0))) / 2;
    s.rest = length(x0 * s.c[0] + x1 * s.c[1] + x2 * s.c[2] + x3 * s.c[3]);
    return s;
}

}  // namespace

Bending::Bending(const ClothMesh& mesh) {
    std::vector<uint32_t> corners;
    for (const Hinge& h : mesh.hinges)
        corners.insert(corners.end(), h.corners.begin(), h.corners.end());
    for (const auto& lanes : makeBatches(corners, 4)) {
        Batch b{};
        b.index = batchIndices<4>(lanes, corners, mesh.size());
        b.compliance = splat(1);
        for (int lane = 0; lane < 4; ++lane) {
            if (lanes[size_t(lane)] == kEmptyLane) continue;
            const Hinge& hinge = mesh.hinges[lanes[size_t(lane)]];
            const HingeShape s = shapeOf(mesh, hinge);
            const Fabric& fabric = mesh.garments[hinge.garment].fabric;
            b.c0[lane] = s.c[0], b.c1[lane] = s.c[1], b.c2[lane] = s.c[2], b.c3[lane] = s.c[3];
            b.rest[lane] = s.rest;
            b.compliance[lane] = s.area / (3 * std::max(fabric.bend, 1e-12f));
            b.damping[lane] = fabric.bend_damping + kHysteresis;
        }
        batches_.push_back(b);
    }
}

void Bending::solve(Particles& x, const Particles& before, float dt) const {
    const Float4 inverse_dt = splat(1 / dt), inverse_dt2 = splat(1 / (dt * dt));
    for (const Batch& b : batches_) {
        Lanes p0 = load(x.data(), &b.index[0]), p1 = load(x.data(), &b.index[4]),
              p2 = load(x.data(), &b.index[8]), p3 = load(x.data(), &b.index[12]);
        const Lanes q0 = load(before.data(), &b.index[0]), q1 = load(before.data(), &b.index[4]),
                    q2 = load(before.data(), &b.index[8]), q3 = load(before.data(), &b.index[12]);
        const Lanes3 h = p0.p * b.c0 + p1.p * b.c1 + p2.p * b.c2 + p3.p * b.c3;
        const Lanes3 h_before = q0.p * b.c0 + q1.p * b.c1 + q2.p * b.c2 + q3.p * b.c3;
        const Float4 length = sqrtOf(dot(h, h)) + splat(1e-12f);
        // towards the rest length along h; never past it through nought
        const Float4 excess = (length - b.rest) / length;
        const Float4 share = maxOf(excess, splat(-1));
        const Float4 g = b.damping * inverse_dt;
        const Float4 weight =
            p0.w * b.c0 * b.c0 + p1.w * b.c1 * b.c1 + p2.w * b.c2 * b.c2 + p3.w * b.c3 * b.c3;
        const Float4 divisor = (splat(1) + g) * weight + b.compliance * inverse_dt2;
        const Lanes3 step = (h * share + (h - h_before) * g) * (splat(-1) / divisor);
        p0.p = p0.p + step * (p0.w * b.c0);
        p1.p = p1.p + step * (p1.w * b.c1);
        p2.p = p2.p + step * (p2.w * b.c2);
        p3.p = p3.p + step * (p3.w * b.c3);
        store(x.data(), &b.index[0], p0);
        store(x.data(), &b.index[4], p1);
        store(x.data(), &b.index[8], p2);
        store(x.data(), &b.index[12], p3);
    }
}

double Bending::energy(const std::vector<Vec3>& x) const {
    double sum = 0;
    for (const Batch& b : batches_) {
        for (size_t lane = 0; lane < 4; ++lane) {
            if (b.index[lane] >= x.size()) continue;
            const Vec3 h =
                x[b.index[lane]] * b.c0[int(lane)] + x[b.index[4 + lane]] * b.c1[int(lane)] +
                x[b.index[8 + lane]] * b.c2[int(lane)] + x[b.index[12 + lane]] * b.c3[int(lane)];
            const double excess = double(length(h)) - double(b.rest[int(lane)]);
            sum += excess * excess / (2 * double(b.compliance[int(lane)]));
        }
    }
    return sum;
}

}  // namespace hem::built_in
