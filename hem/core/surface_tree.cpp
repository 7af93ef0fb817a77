// SPDX-License-Identifier: Apache-2.0
#include "hem/core/surface_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hem/core/check.h"
#include "hem/core/portable_math.h"

namespace hem {
namespace {

constexpr uint32_t kLeafSize = 4;
constexpr uint32_t kNone = UINT32_MAX;

float boxDistanceSquared(Vec3 p, Vec3 low, Vec3 high) {
    const Vec3 outside = max(max(low - p, p - high), Vec3{0, 0, 0});
    return lengthSquared(outside);
}

struct EdgeOfTriangle {
    uint32_t low, high, triangle;
    int opposite;  // corner that is not on the edge
};

// For each triangle and corner, the triangle across the edge opposite to the corner.
std::vector<std::array<uint32_t, 3>> neighboursOf(const std::vector<Triangle>& triangles) {
    std::vector<EdgeOfTriangle> edges;
    edges.reserve(triangles.size() * 3);
    for (uint32_t t = 0; t < triangles.size(); ++t) {
        for (int k = 0; k < 3; ++k) {
            const uint32_t i = triangles[t][size_t(k + 1) % 3], j = triangles[t][size_t(k + 2) % 3];
            edges.push_back({std::min(i, j), std::max(i, j), t, k});
        }
    }
    std::sort(edges.begin(), edges.end(), [](const auto& a, const auto& b) {
        return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
    });
    std::vector<std::array<uint32_t, 3>> result(triangles.size(), {kNone, kNone, kNone});
    for (size_t e = 0; e + 1 < edges.size(); ++e) {
        const EdgeOfTriangle &a = edges[e], &b = edges[e + 1];
        if (a.low != b.low || a.high != b.high) continue;
        result[a.triangle][size_t(a.opposite)] = b.triangle;
        result[b.triangle][size_t(b.opposite)] = a.triangle;
    }
    return result;
}

double angleAt(Vec3 corner, Vec3 next, Vec3 last) {
    const Vec3 u = next - corner, v = last - corner;
    return portable::atan2(double(length(cross(u, v))), double(dot(u, v)));
}

}  // namespace

// Moeller and Trumbore 1997.
bool segmentPierces(Vec3 a, Vec3 b, Vec3 p, Vec3 q, Vec3 r) {
    const Vec3 direction = b - a, u = q - p, v = r - p;
    const Vec3 h = cross(direction, v);
    const float det = dot(u, h);
    if (std::abs(det) < 1e-14f) return false;
    const Vec3 s = a - p, k = cross(s, u);
    const float x = dot(s, h) / det, y = dot(direction, k) / det, t = dot(v, k) / det;
    return x >= 0 && y >= 0 && x + y <= 1 && t > 0 && t < 1;
}

SurfaceTree::SurfaceTree(std::vector<Vec3> positions, std::vector<Triangle> triangles)
    : positions_(std::move(positions)), triangles_(std::move(triangles)) {
    for (const Triangle& t : triangles_) {
        for (const uint32_t v : t) CHECK(v < positions_.size());
    }
    const Weld weld = weldByPosition(positions_);
    corners_ = triangles_;
    for (Triangle& t : corners_) {
        for (uint32_t& v : t) v = weld.original_from_welded[weld.welded_from_original[v]];
    }
    neighbours_ = neighboursOf(corners_);
    build();
    updateNormals();
}

void SurfaceTree::build() {
    order_.resize(triangles_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    if (triangles_.empty()) return;
    std::vector<Vec3> centres;
    centres.reserve(triangles_.size());
    for (const Triangle& t : triangles_) {
        centres.push_back((positions_[t[0]] + positions_[t[1]] + positions_[t[2]]) / 3);
    }
    nodes_.reserve(triangles_.size());
    nodes_.emplace_back();
    split(0, 0, uint32_t(order_.size()), centres);
    for (size_t n = nodes_.size(); n-- > 0;) fit(nodes_[n]);
}

// Halves the triangles at the median of the longest side of the box of their centres.
void SurfaceTree::split(uint32_t node, uint32_t begin, uint32_t end, std::vector<Vec3>& centres) {
    if (end - begin <= kLeafSize) {
        std::sort(order_.begin() + begin, order_.begin() + end);
        nodes_[node].first = begin;
        nodes_[node].count = end - begin;
        return;
    }
    Vec3 low = centres[order_[begin]], high = low;
    for (uint32_t i = begin; i < end; ++i) {
        low = min(low, centres[order_[i]]);
        high = max(high, centres[order_[i]]);
    }
    const Vec3 size = high - low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const uint32_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](uint32_t a, uint32_t b) {
                         return std::pair(centres[a][axis], a) < std::pair(centres[b][axis], b);
                     });
    const auto first = uint32_t(nodes_.size());
    nodes_[node].first = first;
    nodes_.emplace_back();
    nodes_.emplace_back();
    split(first, begin, middle, centres);
    split(first + 1, middle, end, centres);
}

void SurfaceTree::fit(Node& node) const {
    if (node.count == 0) {
        const Node &a = nodes_[node.first], &b = nodes_[node.first + 1];
        node.low = min(a.low, b.low);
        node.high = max(a.high, b.high);
        return;
    }
    node.low = node.high = positions_[triangles_[order_[node.first]][0]];
    for (uint32_t i = node.first; i < node.first + node.count; ++i) {
        for (const uint32_t v : triangles_[order_[i]]) {
            node.low = min(node.low, positions_[v]);
            node.high = max(node.high, positions_[v]);
        }
    }
}

void SurfaceTree::refit(std::span<const Vec3> positions) {
    CHECK_EQ(positions.size(), positions_.size());
    std::copy(positions.begin(), positions.end(), positions_.begin());
    for (size_t n = nodes_.size(); n-- > 0;) fit(nodes_[n]);
    updateNormals();
}

void SurfaceTree::updateNormals() {
    face_normals_.resize(triangles_.size());
    corner_normals_.assign(positions_.size(), {0, 0, 0});
    for (size_t t = 0; t < triangles_.size(); ++t) {
        const auto [i, j, k] = corners_[t];
        const Vec3 a = positions_[i], b = positions_[j], c = positions_[k];
        face_normals_[t] = normalized(cross(b - a, c - a));
        corner_normals_[i] = corner_normals_[i] + face_normals_[t] * float(angleAt(a, b, c));
        corner_normals_[j] = corner_normals_[j] + face_normals_[t] * float(angleAt(b, c, a));
        corner_normals_[k] = corner_normals_[k] + face_normals_[t] * float(angleAt(c, a, b));
    }
    for (Vec3& n : corner_normals_) n = normalized(n, {0, 1, 0});
}

template <class Accept>
SurfacePoint SurfaceTree::search(Vec3 p, float reach, const Accept& accept) const {
    SurfacePoint best;
    if (nodes_.empty()) return best;
    float best_squared = reach < 1e18f ? reach * reach : 1e36f;
    struct Entry {
        uint32_t node;
        float squared;
    };
    Entry stack[64];
    int top = 0;
    stack[top++] = {0, boxDistanceSquared(p, nodes_[0].low, nodes_[0].high)};
    while (top > 0) {
        const Entry entry = stack[--top];
        if (entry.squared > best_squared) continue;
        const Node& node = nodes_[entry.node];
        if (node.count == 0) {
            Entry a{node.first, 0}, b{node.first + 1, 0};
            a.squared = boxDistanceSquared(p, nodes_[a.node].low, nodes_[a.node].high);
            b.squared = boxDistanceSquared(p, nodes_[b.node].low, nodes_[b.node].high);
            if (a.squared < b.squared) std::swap(a, b);
            stack[top++] = a;
            stack[top++] = b;
            continue;
        }
        for (uint32_t i = node.first; i < node.first + node.count; ++i) {
            const uint32_t t = order_[i];
            if (!accept(t)) continue;
            const auto [va, vb, vc] = triangles_[t];
            const Vec3 a = positions_[va], b = positions_[vb], c = positions_[vc];
            const Barycentric weights = nearestOnTriangle(p, a, b, c);
            const Vec3 at = weights.at(a, b, c);
            const float squared = lengthSquared(p - at);
            if (squared > best_squared || (squared == best_squared && t >= best.triangle)) continue;
            best_squared = squared;
            best = {t, weights, at, 0};
        }
    }
    best.distance = best ? std::sqrt(best_squared) : 0;
    return best;
}

SurfacePoint SurfaceTree::nearest(Vec3 p, float reach) const {
    return search(p, reach, [](uint32_t) { return true; });
}

SurfacePoint SurfaceTree::nearest(Vec3 p, float reach,
                                  const std::function<bool(uint32_t triangle)>& accept) const {
    return search(p, reach, accept);
}

void SurfaceTree::withinReach(Vec3 p, float reach, std::vector<uint32_t>& triangles) const {
    triangles.clear();
    if (nodes_.empty()) return;
    uint32_t stack[64];
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const Node& node = nodes_[stack[--top]];
        if (boxDistanceSquared(p, node.low, node.high) > reach * reach) continue;
        if (node.count == 0) {
            stack[top++] = node.first;
            stack[top++] = node.first + 1;
            continue;
        }
        for (uint32_t i = node.first; i < node.first + node.count; ++i) {
            const auto [a, b, c] = triangles_[order_[i]];
            const Vec3 low = min(min(positions_[a], positions_[b]), positions_[c]);
            const Vec3 high = max(max(positions_[a], positions_[b]), positions_[c]);
            if (boxDistanceSquared(p, low, high) <= reach * reach) triangles.push_back(order_[i]);
        }
    }
    std::sort(triangles.begin(), triangles.end());
}

Vec3 SurfaceTree::normalAt(const SurfacePoint& point) const {
    const float weights[3] = {point.weights.a, point.weights.b, point.weights.c};
    const uint32_t t = point.triangle;
    int zero = 0, zeros = 0;
    for (int k = 0; k < 3; ++k) {
        if (weights[k] == 1) return corner_normals_[corners_[t][size_t(k)]];
        if (weights[k] == 0) zero = k, ++zeros;
    }
    if (zeros == 0) return face_normals_[t];
    const uint32_t other = neighbours_[t][size_t(zero)];
    if (other == kNone) return face_normals_[t];
    return normalized(face_normals_[t] + face_normals_[other], face_normals_[t]);
}

float SurfaceTree::signedDistance(Vec3 p, float reach) const {
    const SurfacePoint point = nearest(p, reach);
    if (!point) return reach;
    return dot(p - point.position, normalAt(point)) < 0 ? -point.distance : point.distance;
}

// Van Oosterom and Strackee 1983: tan(solid angle / 2) of each triangle as seen from p.
double SurfaceTree::windingNumber(Vec3 p) const {
    double sum = 0;
    for (const Triangle& t : triangles_) {
        const Vec3 a = positions_[t[0]] - p, b = positions_[t[1]] - p, c = positions_[t[2]] - p;
        const double la = length(a), lb = length(b), lc = length(c);
        const double volume = dot(a, cross(b, c));
        const double rest = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
        sum += portable::atan2(volume, rest);
    }
    return sum / (2 * portable::kPi);
}

}  // namespace hem
