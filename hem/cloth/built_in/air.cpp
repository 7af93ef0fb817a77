// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/air.h"

#include "hem/core/portable_math.h"
#include "hem/core/random.h"

namespace hem::built_in {
namespace {

constexpr int kGusts = 5;

}  // namespace

Air::Air(const ClothMesh& mesh, const Wind& wind) : wind_(wind) {
    std::vector<uint32_t> corners;
    for (const Triangle& t : mesh.triangles) corners.insert(corners.end(), t.begin(), t.end());
    for (const auto& lanes : makeBatches(corners, 3)) {
        AirBatch b{batchIndices<3>(lanes, corners, mesh.size()), rowOf(0), rowOf(1)};
        for (size_t lane = 0; lane < kLanes; ++lane) {
            if (lanes[lane] == kEmptyLane) continue;
            const Fabric& f = mesh.garments[mesh.garment_of_triangle[lanes[lane]]].fabric;
            b.drag.of[lane] = f.air_drag;
            b.density.of[lane] = f.density;
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
    constraints().applyAir(batches_.data(), batches_.size(), x.data(), v.data(), wind, dt);
}

}  // namespace hem::built_in
