// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/pins.h"

namespace hem::built_in {
namespace {

constexpr int kSmoothings = 8;      // of pinned neighbours' weights
constexpr float kStiffness = 1000;  // per second squared: 5 Hz at a strength of one half

using Weights = std::map<uint16_t, float>;

// Each pinned vertex's weights, and its pinned neighbours', in equal shares.
std::vector<Weights> smoothed(const ClothMesh& mesh, const std::vector<Weights>& weights) {
    std::vector<Weights> sums = weights;
    for (const auto& [a, b] : mesh.edges) {
        if (mesh.pins[a] <= 0 || mesh.pins[b] <= 0) continue;
        for (const auto& [joint, w] : weights[b]) sums[a][joint] += w;
        for (const auto& [joint, w] : weights[a]) sums[b][joint] += w;
    }
    for (Weights& sum : sums) {
        float total = 0;
        for (const auto& entry : sum) total += entry.second;
        for (auto& entry : sum) entry.second /= total;
    }
    return sums;
}

}  // namespace

Pins::Pins(const ClothMesh& mesh, const Body& body) {
    BodySearch search(body);
    PosedSkin skin(body);
    const std::vector<Affine> rest(body.jointCount());
    skin.pose(rest);
    search.begin(rest, rest, rest);
    std::vector<std::map<uint16_t, float>> weights(mesh.size());
    for (uint32_t v = 0; v < mesh.size(); ++v)
        if (mesh.pins[v] > 0) weights[v] = body.weightsAt(search.nearest(mesh.rest[v], skin));
    for (int i = 0; i < kSmoothings; ++i) weights = smoothed(mesh, weights);
    for (uint32_t v = 0; v < mesh.size(); ++v) {
        if (mesh.pins[v] <= 0) continue;
        (mesh.pinned(v) ? firm_ : soft_)
            .push_back({v, mesh.pins[v], mesh.rest[v], Body::largest(weights[v])});
    }
}

Vec3 Pins::target(const Pin& pin, const std::vector<Affine>& matrices) {
    Vec3 sum{};
    for (size_t i = 0; i < pin.carried.weights.size() && pin.carried.weights[i] > 0; ++i)
        sum += transformPoint(matrices[pin.carried.joints[i]], pin.rest) * pin.carried.weights[i];
    return sum;
}

void Pins::place(Particles& x, const std::vector<Affine>& matrices) const {
    for (const Pin& pin : firm_) x[pin.vertex] = toFloat4(target(pin, matrices), 0);
}

void Pins::pull(Particles& x, const Particles& before, const std::vector<Affine>& matrices_before,
                const std::vector<Affine>& matrices, float dt) const {
    for (const Pin& pin : soft_) {
        const float k = kStiffness * pin.strength / (1 - pin.strength);
        const float damping = 2 * std::sqrt(k);
        const Vec3 p = toVec3(x[pin.vertex]), goal = target(pin, matrices);
        const Vec3 slip = (p - toVec3(before[pin.vertex])) - (goal - target(pin, matrices_before));
        const float spring = k * dt * dt, damper = damping * dt;
        const Vec3 moved = p + ((goal - p) * spring - slip * damper) / (1 + spring + damper);
        x[pin.vertex] = toFloat4(moved, x[pin.vertex][3]);
    }
}

}  // namespace hem::built_in
