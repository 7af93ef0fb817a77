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
        BendingBatch b{};
        b.index = batchIndices<4>(lanes, corners, mesh.size());
        b.compliance = rowOf(1);
        for (size_t lane = 0; lane < kLanes; ++lane) {
            if (lanes[lane] == kEmptyLane) continue;
            const Hinge& hinge = mesh.hinges[lanes[lane]];
            const HingeShape s = shapeOf(mesh, hinge);
            const Fabric& fabric = mesh.garments[hinge.garment].fabric;
            b.c0.of[lane] = s.c[0], b.c1.of[lane] = s.c[1], b.c2.of[lane] = s.c[2],
            b.c3.of[lane] = s.c[3];
            b.rest.of[lane] = s.rest;
            b.compliance.of[lane] = s.area / (3 * std::max(fabric.bend, 1e-12f));
            b.damping.of[lane] = fabric.bend_damping + kHysteresis;
        }
        batches_.push_back(b);
    }
}

void Bending::solve(Particles& x, const Particles& before, float dt) const {
    constraints().solveBending(batches_.data(), batches_.size(), x.data(), before.data(), dt);
}

double Bending::energy(const std::vector<Vec3>& x) const {
    double sum = 0;
    for (const BendingBatch& b : batches_) {
        for (size_t lane = 0; lane < kLanes; ++lane) {
            if (b.index.of[0][lane] >= x.size()) continue;
            const Vec3 h =
                x[b.index.of[0][lane]] * b.c0.of[lane] + x[b.index.of[1][lane]] * b.c1.of[lane] +
                x[b.index.of[2][lane]] * b.c2.of[lane] + x[b.index.of[3][lane]] * b.c3.of[lane];
            const double excess = double(length(h)) - double(b.rest.of[lane]);
            sum += excess * excess / (2 * double(b.compliance.of[lane]));
        }
    }
    return sum;
}

}  // namespace hem::built_in
