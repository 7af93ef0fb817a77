// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/let_out.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace hem {
namespace {

constexpr int kPasses = 6;
constexpr int kSmoothings = 4;      // of the directions
constexpr float kSlope = 0.1f;      // metres that the shift may fall off per metre of cloth
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

// A field of shifts along fixed directions, raised until nothing is too near.
class Shifts {
public:
    Shifts(Mesh& cloth, const SurfaceTree& skin, float ease)
        : cloth_(cloth),
          before_(cloth.positions),
          edges_(uniqueEdges(cloth.triangles)),
          skin_(skin),
          ease_(ease),
          shifts_(cloth.positions.size(), 0) {
        for (const Vec3 p : before_) directions_.push_back(look(p).away);
        for (int i = 0; i < kSmoothings; ++i) smoothDirections();
    }

    // Whether anything was too near.
    bool raise() {
        const std::vector<float> old = shifts_;
        const float nearest = forEachPoint([&](float d, std::span<const uint32_t> corners) {
            for (const uint32_t v : corners) shifts_[v] = std::max(shifts_[v], old[v] + ease_ - d);
        });
        if (nearest > ease_ - kEnough) return false;
        spread();
        for (size_t v = 0; v < shifts_.size(); ++v)
            cloth_.positions[v] = before_[v] + directions_[v] * shifts_[v];
        return true;
    }

    float nearest() const {
        return forEachPoint([](float, std::span<const uint32_t>) {});
    }

private:
    struct Look {
        float distance;  // negative inside
        Vec3 away;
    };
    Look look(Vec3 p) const {
        const SurfacePoint point = skin_.nearest(p);
        const Vec3 normal = skin_.normalAt(point);
        const bool inside = dot(p - point.position, normal) < 0;
        const Vec3 away = (p - point.position) * (inside ? -1.0f : 1.0f);
        return {inside ? -point.distance : point.distance,
                point.distance > kEnough ? normalized(away) : normal};
    }

    // Calls with the distance of every vertex, middle of an edge and centre of a triangle, and the
    // vertices that it is made of; the least distance comes back.
    template <class Take>
    float forEachPoint(const Take& take) const {
        const std::vector<Vec3>& p = cloth_.positions;
        float nearest = 1e9f;
        const auto visit = [&](Vec3 q, std::span<const uint32_t> corners) {
            const float d = look(q).distance;
            nearest = std::min(nearest, d);
            take(d, corners);
        };
        for (uint32_t v = 0; v < p.size(); ++v) visit(p[v], {&v, 1});
        for (const auto& edge : edges_) visit((p[edge[0]] + p[edge[1]]) / 2, edge);
        for (const Triangle& t : cloth_.triangles) visit((p[t[0]] + p[t[1]] + p[t[2]]) / 3, t);
        return nearest;
    }

    void smoothDirections() {
        std::vector<Vec3> sums = directions_;
        for (const auto& [a, b] : edges_) sums[a] += directions_[b], sums[b] += directions_[a];
        for (size_t v = 0; v < sums.size(); ++v) directions_[v] = normalized(sums[v]);
    }

    // The smallest field above this one that falls off no faster than kSlope.
    void spread() {
        for (bool changed = true; changed;) {
            changed = false;
            for (const auto& [a, b] : edges_) {
                const float fall = kSlope * distance(before_[a], before_[b]);
                for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
                    if (shifts_[to] >= shifts_[from] - fall - 1e-6f) continue;
                    shifts_[to] = shifts_[from] - fall;
                    changed = true;
                }
            }
        }
    }

    Mesh& cloth_;
    const std::vector<Vec3> before_;
    const Edges edges_;
    const SurfaceTree& skin_;
    const float ease_;
    std::vector<float> shifts_;
    std::vector<Vec3> directions_;
};

}  // namespace

LetOut letOut(Mesh& cloth, const SurfaceTree& skin, float ease) {
    const std::vector<Vec3> before = cloth.positions;
    const double area = areaOf(cloth);
    Shifts shifts(cloth, skin, ease);
    for (int i = 0; i < kPasses && shifts.raise(); ++i) continue;
    LetOut done{.nearest = shifts.nearest()};
    for (size_t v = 0; v < before.size(); ++v) {
        const float moved = distance(before[v], cloth.positions[v]);
        done.moved += moved > kMoved;
        done.farthest = std::max(done.farthest, moved);
    }
    done.area = float(areaOf(cloth) - area);
    return done;
}

}  // namespace hem
