// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/air.h"

#include "hem/core/portable_math.h"
#include "hem/core/random.h"

namespace hem::built_in {
namespace {

constexpr int kGusts = 5;

Float4 absolute(Float4 a) { return select(a < splat(0), -a, a); }

}  // namespace

Air::Air(const ClothMesh& mesh, const Wind& wind) : wind_(wind) {
    std::vector<uint32_t> corners;
    for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
    for (const auto& lanes : makeBatches(corners, 3)) {
        Batch b{batchIndices<3>(lanes, corners, mesh.size()), splat(0), splat(1)};
        for (int lane = 0; lane < 4; ++lane) {
            if (lanes[size_t(lane)] == kEmptyLane) continue;
            const Fabric& f = mesh.garments[mesh.garment_of_triangle[lanes[size_t(lane)]]].fabric;
            b.drag[lane] = f.air_drag;
            b.density[lane] = f.density;
        }
        batches_.push_back(b);
    }
    Random random(wind.seed, "gusts");
    for (int i = 0; i < kGusts; ++i) {
        const double frequency =
            0.1 * portable::exp(2.7 * i / (kGusts - 1.0)) * double(random.uniform(0.85f, 1.15f));
        gusts_.push_back({frequency, double(random.uniform(0, 2 * kPi)), 1.0 / kGusts});
    }
}

Vec3 Air::windAt(double seconds) const {
    if (wind_.gusts == 0) return wind_.velocity;
    double sum = 0;
    for (const Gust& g : gusts_)
        sum += g.amplitude * portable::sin(2 * portable::kPi * g.frequency * seconds + g.phase);
    return wind_.velocity * float(1 + double(wind_.gusts) * sum);
}

void Air::apply(const Particles& x, Particles& v, Vec3 wind, float dt) const {
    const Lanes3 air{splat(wind.x), splat(wind.y), splat(wind.z)};
    const Float4 third = splat(1.0f / 3), step = splat(dt);
    for (const Batch& b : batches_) {
        const Lanes p0 = load(x.data(), &b.index[0]), p1 = load(x.data(), &b.index[4]),
                    p2 = load(x.data(), &b.index[8]);
        Lanes v0 = load(v.data(), &b.index[0]), v1 = load(v.data(), &b.index[4]),
              v2 = load(v.data(), &b.index[8]);
        const Lanes3 across = cross(p1.p - p0.p, p2.p - p0.p);
        const Float4 twice_area = sqrtOf(dot(across, across)) + splat(1e-20f);
        const Lanes3 n = across * (splat(1) / twice_area);
        const Lanes3 u = air - (v0.p + v1.p + v2.p) * third;
        const Float4 un = dot(u, n);
        const Lanes3 ut = u - n * un;
        // pressure per velocity; the divisor makes the step implicit
        const Float4 c = splat(kDensity / 2) * b.drag;
        const Float4 cn = c * (absolute(un) + splat(kEddies));
        const Float4 ct = c * splat(kTangential) * (sqrtOf(dot(ut, ut)) + splat(kEddies));
        const Lanes3 pressure = n * (un * cn / (splat(1) + step * cn / b.density)) +
                                ut * (ct / (splat(1) + step * ct / b.density));
        const Lanes3 impulse = pressure * (twice_area * splat(0.5f) * third * step);
        v0.p = v0.p + impulse * v0.w;
        v1.p = v1.p + impulse * v1.w;
        v2.p = v2.p + impulse * v2.w;
        store(v.data(), &b.index[0], v0);
        store(v.data(), &b.index[4], v1);
        store(v.data(), &b.index[8], v2);
    }
}

}  // namespace hem::built_in
