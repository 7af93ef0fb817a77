// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/geodesics.h"

#include <algorithm>

namespace hem::built_in {
namespace {

constexpr float kFar = 1e30f;

bool later(const Geodesics::Reached& a, const Geodesics::Reached& b) {
    return a.distance != b.distance ? a.distance > b.distance : a.vertex > b.vertex;
}

// The distance of c where a and b have distances da and db: the source unfolded to the other side
// of the edge ab.
float across(Vec3 a, Vec3 b, Vec3 c, float da, float db) {
    const float ab = distance(a, b);
    const float along = std::min(da + distance(a, c), db + distance(b, c));
    if (ab < 1e-9f) return along;
    const float sx = (da * da - db * db + ab * ab) / (2 * ab);
    const float sy2 = da * da - sx * sx;
    if (sy2 < 0) return along;
    const Vec3 axis = (b - a) / ab;
    const float cx = dot(c - a, axis), cy = length(c - a - axis * cx), sy = std::sqrt(sy2);
    // where the straight line to c crosses the edge
    const float crossing = sx + (cx - sx) * sy / std::max(sy + cy, 1e-12f);
    if (crossing < 0 || crossing > ab) return along;
    return std::sqrt((cx - sx) * (cx - sx) + (cy + sy) * (cy + sy));
}

}  // namespace

Geodesics::Geodesics(const ClothMesh& mesh)
    : mesh_(mesh), distance_(mesh.size(), kFar), settled_(mesh.size(), 0) {}

void Geodesics::relax(uint32_t vertex, float d) {
    if (settled_[vertex] || d >= distance_[vertex]) return;
    if (distance_[vertex] == kFar) touched_.push_back(vertex);
    distance_[vertex] = d;
    heap_.push_back({vertex, d});
    std::push_heap(heap_.begin(), heap_.end(), later);
}

void Geodesics::relaxAround(uint32_t vertex) {
    const Vec3 p = mesh_.rest[vertex];
    const float d = distance_[vertex];
    for (uint32_t i = mesh_.fan_begin[vertex]; i < mesh_.fan_begin[vertex + 1]; ++i) {
        for (const uint32_t b : mesh_.triangles[mesh_.fan[i]]) {
            if (b == vertex) continue;
            relax(b, d + distance(p, mesh_.rest[b]));
            for (const uint32_t c : mesh_.triangles[mesh_.fan[i]]) {
                if (c == vertex || c == b || distance_[b] == kFar) continue;
                relax(c, across(p, mesh_.rest[b], mesh_.rest[c], d, distance_[b]));
            }
        }
    }
}

std::span<const Geodesics::Reached> Geodesics::from(uint32_t source, float radius) {
    for (const uint32_t v : touched_) distance_[v] = kFar, settled_[v] = 0;
    touched_.clear();
    heap_.clear();
    reached_.clear();
    relax(source, 0);
    while (!heap_.empty()) {
        std::pop_heap(heap_.begin(), heap_.end(), later);
        const Reached next = heap_.back();
        heap_.pop_back();
        if (settled_[next.vertex]) continue;
        if (next.distance > radius) break;
        settled_[next.vertex] = 1;
        reached_.push_back(next);
        relaxAround(next.vertex);
    }
    return reached_;
}

}  // namespace hem::built_in
