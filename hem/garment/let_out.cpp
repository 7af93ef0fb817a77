// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/let_out.h"

#include <algorithm>
#include <cmath>

namespace hem {
namespace {

constexpr int kPasses = 8;
constexpr int kSmoothings = 4;      // of the directions
constexpr float kSlope = 0.15f;     // metres that the shift may fall off per metre of cloth
constexpr float kEnough = 0.0001f;  // metres
constexpr float kMoved = 0.0001f;

using Edges = std::vector<std::array<uint32_t, 2>>;

double areaOf(const Mesh& mesh) {
    double area = 0;
    for (const auto& [i, j, k] : mesh.triangles)
        area += double(length(cross(mesh.positions[j] - mesh.positions[i],
                                    mesh.positions[k] - mesh.positions[i]))) /
                2;
    return area;
}

class Pass {
public:
    Pass(Mesh& cloth, const Edges& edges, const SurfaceTree& skin, float ease)
        : cloth_(cloth), edges_(edges), skin_(skin), ease_(ease) {}

    // Whether anything was too near.
    bool run() {
        measure();
        if (*std::max_element(shifts_.begin(), shifts_.end()) < kEnough) return false;
        for (int i = 0; i < kSmoothings; ++i) smoothDirections();
        spread();
        for (size_t v = 0; v < shifts_.size(); ++v)
            cloth_.positions[v] += normalized(directions_[v]) * shifts_[v];
        return true;
    }

    float nearest() {
        measure();
        return nearest_;
    }

private:
    // How far every vertex must go, for the points that it is a corner of, and whereto.
    void measure() {
        const std::vector<Vec3>& p = cloth_.positions;
        shifts_.assign(p.size(), 0);
        directions_.assign(p.size(), {});
        nearest_ = 1e9f;
        for (uint32_t v = 0; v < p.size(); ++v) directions_[v] = ask(p[v], {&v, 1});
        for (const auto& edge : edges_) ask((p[edge[0]] + p[edge[1]]) / 2, edge);
        for (const Triangle& t : cloth_.triangles) ask((p[t[0]] + p[t[1]] + p[t[2]]) / 3, t);
    }

    // Away from the skin at q.
    Vec3 ask(Vec3 q, std::span<const uint32_t> corners) {
        const SurfacePoint point = skin_.nearest(q);
        const Vec3 normal = skin_.normalAt(point);
        const bool inside = dot(q - point.position, normal) < 0;
        const float d = inside ? -point.distance : point.distance;
        nearest_ = std::min(nearest_, d);
        for (const uint32_t v : corners) shifts_[v] = std::max(shifts_[v], ease_ - d);
        const Vec3 away = (q - point.position) * (inside ? -1.0f : 1.0f);
        return point.distance > kEnough ? normalized(away) : normal;
    }

    void smoothDirections() {
        std::vector<Vec3> sums = directions_;
        for (const auto& [a, b] : edges_) sums[a] += directions_[b], sums[b] += directions_[a];
        for (size_t v = 0; v < sums.size(); ++v) directions_[v] = normalized(sums[v]);
    }

    // The smallest field above what is asked for that falls off no faster than kSlope.
    void spread() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto& [a, b] : edges_) {
                const float fall = kSlope * distance(cloth_.positions[a], cloth_.positions[b]);
                for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
                    if (shifts_[to] >= shifts_[from] - fall - 1e-6f) continue;
                    shifts_[to] = shifts_[from] - fall;
                    changed = true;
                }
            }
        }
    }

    Mesh& cloth_;
    const Edges& edges_;
    const SurfaceTree& skin_;
    float ease_;
    std::vector<float> shifts_;
    std::vector<Vec3> directions_;
    float nearest_ = 0;
};

}  // namespace

LetOut letOut(Mesh& cloth, const SurfaceTree& skin, float ease) {
    const Edges edges = uniqueEdges(cloth.triangles);
    const std::vector<Vec3> before = cloth.positions;
    const double area = areaOf(cloth);
    Pass pass(cloth, edges, skin, ease);
    for (int i = 0; i < kPasses && pass.run(); ++i) continue;
    LetOut done{.nearest = pass.nearest()};
    for (size_t v = 0; v < before.size(); ++v) {
        const float moved = distance(before[v], cloth.positions[v]);
        done.moved += moved > kMoved;
        done.farthest = std::max(done.farthest, moved);
    }
    done.area = float(areaOf(cloth) - area);
    return done;
}

}  // namespace hem
