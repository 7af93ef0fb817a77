// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/self_contact.h"

#include <algorithm>
#include <cmath>

#include "hem/core/surface_tree.h"

namespace hem::built_in {
namespace {

constexpr float kAir = 0.0015f;  // metres between cloth and cloth, beside the thickness
constexpr float kLeastReach = 0.006f;
constexpr float kMostReach = 0.015f;
constexpr float kThrough = 0.02f;   // farther on the wrong side than this is another layer
constexpr float kLayerSag = 0.04f;  // of an edge's length
constexpr float kAlike = 0.5f;      // cosine of normals, up to which two garments lie as worn
constexpr float kRim = 0.25f;       // weights that far below nought still count as above

uint32_t hashCell(int x, int y, int z, uint32_t mask) {
    return (uint32_t(x) * 73856093u ^ uint32_t(y) * 19349663u ^ uint32_t(z) * 83492791u) & mask;
}

// Rounds down, without a call; good to a hundred kilometres.
int cellOf(float coordinate, float cell) {
    return int(double(coordinate) / double(cell) + 1e7) - 10000000;
}

}  // namespace

SelfContact::SelfContact(const ClothMesh& mesh) : mesh_(mesh), reach_(mesh.size()) {
    for (const GarmentRange& g : mesh.garments) cell_ = std::max(cell_, g.mean_edge);
    cell_ += kLeastReach;
    size_t buckets = 64;
    while (buckets < 2 * mesh.size()) buckets *= 2;
    cell_begin_.resize(buckets + 1);
    cells_.resize(mesh.size());
    cell_of_.resize(mesh.size());
    for (const auto& [i, j, k] : mesh.triangles)
        rest_centres_.push_back((mesh.rest[i] + mesh.rest[j] + mesh.rest[k]) / 3);
}

void SelfContact::sortIntoCells(const Particles& x) {
    const auto mask = uint32_t(cell_begin_.size() - 2);
    for (size_t v = 0; v < mesh_.size(); ++v)
        cell_of_[v] = {cellOf(x[v][0], cell_), cellOf(x[v][1], cell_), cellOf(x[v][2], cell_)};
    const auto bucket = [&](uint32_t v) {
        return hashCell(cell_of_[v][0], cell_of_[v][1], cell_of_[v][2], mask);
    };
    std::fill(cell_begin_.begin(), cell_begin_.end(), 0);
    for (uint32_t v = 0; v < mesh_.size(); ++v) ++cell_begin_[bucket(v)];
    uint32_t sum = 0;
    for (uint32_t& begin : cell_begin_) begin = sum += begin;
    for (uint32_t v = uint32_t(mesh_.size()); v-- > 0;) cells_[--cell_begin_[bucket(v)]] = v;
}

void SelfContact::begin(const Particles& x, const Particles& v, float seconds) {
    sortIntoCells(x);
    Float4 mean = splat(0);
    for (size_t i = 0; i < mesh_.size(); ++i) mean += v[i];
    mean *= splat(1 / float(mesh_.size()));
    longest_reach_ = 0;
    for (size_t i = 0; i < mesh_.size(); ++i) {
        const float edge = mesh_.garments[mesh_.garment_of_vertex[i]].mean_edge;
        const float motion = length(toVec3(v[i] - mean)) * seconds / 2;
        reach_[i] = std::min(kLeastReach + motion, std::min(kMostReach, kLeastReach + edge / 2));
        longest_reach_ = std::max(longest_reach_, reach_[i]);
    }
    findNormals(x);
    pairs_.clear();
    for (uint32_t t = 0; t < mesh_.triangles.size(); ++t) lookAround(t, x);
    leaveTangles(x);
}

// Not of unit length: areas weigh.
void SelfContact::findNormals(const Particles& x) {
    normals_.assign(mesh_.size(), {});
    for (const auto& [i, j, k] : mesh_.triangles) {
        const Vec3 a = toVec3(x[i]);
        const Vec3 normal = cross(toVec3(x[j]) - a, toVec3(x[k]) - a);
        for (const uint32_t v : {i, j, k}) normals_[v] += normal;
    }
}

void SelfContact::leaveTangles(const Particles& x) {
    tangled_.assign(mesh_.size(), 0);
    for (const Pair& pair : pairs_)
        if (!pair.worn) markPiercing(pair.vertex, pair.triangle, x);
    std::erase_if(pairs_, [&](const Pair& pair) {
        const auto [i, j, k] = mesh_.triangles[pair.triangle];
        return !pair.worn && (tangled_[pair.vertex] | tangled_[i] | tangled_[j] | tangled_[k]) != 0;
    });
}

// Marks what hangs together in a crossing of the vertex's edges with the triangle.
void SelfContact::markPiercing(uint32_t vertex, uint32_t triangle, const Particles& x) {
    const auto [i, j, k] = mesh_.triangles[triangle];
    const Vec3 a = toVec3(x[i]), b = toVec3(x[j]), c = toVec3(x[k]), p = toVec3(x[vertex]);
    for (uint32_t f = mesh_.fan_begin[vertex]; f < mesh_.fan_begin[vertex + 1]; ++f) {
        for (const uint32_t w : mesh_.triangles[mesh_.fan[f]]) {
            if (w == vertex || w == i || w == j || w == k) continue;
            if (!segmentPierces(p, toVec3(x[w]), a, b, c)) continue;
            for (const uint32_t v : {vertex, w, i, j, k}) tangled_[v] = 1;
        }
    }
}

void SelfContact::lookAround(uint32_t triangle, const Particles& x) {
    const auto [i, j, k] = mesh_.triangles[triangle];
    const Float4 margin = splat(longest_reach_);
    const Float4 low = minOf(minOf(x[i], x[j]), x[k]) - margin;
    const Float4 high = maxOf(maxOf(x[i], x[j]), x[k]) + margin;
    const auto mask = uint32_t(cell_begin_.size() - 2);
    const int x_begin = cellOf(low[0], cell_), x_end = cellOf(high[0], cell_) + 1;
    const int y_begin = cellOf(low[1], cell_), y_end = cellOf(high[1], cell_) + 1;
    const int z_begin = cellOf(low[2], cell_), z_end = cellOf(high[2], cell_) + 1;
    for (int cz = z_begin; cz < z_end; ++cz) {
        for (int cy = y_begin; cy < y_end; ++cy) {
            for (int cx = x_begin; cx < x_end; ++cx) {
                const uint32_t bucket = hashCell(cx, cy, cz, mask);
                for (uint32_t e = cell_begin_[bucket]; e < cell_begin_[bucket + 1]; ++e) {
                    const uint32_t v = cells_[e];
                    if (anyOfThree((x[v] < low) | (x[v] > high))) continue;
                    // another cell may have the same hash
                    const auto& [x0, y0, z0] = cell_of_[v];
                    if (((x0 ^ cx) | (y0 ^ cy) | (z0 ^ cz)) != 0) continue;
                    if (!neighbours(v, triangle)) consider(v, triangle, x);
                }
            }
        }
    }
}

// Near in the cloth itself, so near anyway. The distance through the air at rest stands in for that
// along the cloth.
bool SelfContact::neighbours(uint32_t vertex, uint32_t triangle) const {
    const uint32_t own = mesh_.garment_of_vertex[vertex];
    if (mesh_.layer_of_vertex[vertex] != mesh_.layer_of_vertex[mesh_.triangles[triangle][0]])
        return false;
    const float near = 2 * reach_[vertex] + mesh_.garments[own].mean_edge / 2;
    return lengthSquared(mesh_.rest[vertex] - rest_centres_[triangle]) < near * near;
}

void SelfContact::consider(uint32_t vertex, uint32_t triangle, const Particles& x) {
    const auto [i, j, k] = mesh_.triangles[triangle];
    if (vertex == i || vertex == j || vertex == k) return;
    if (x[vertex][3] + x[i][3] + x[j][3] + x[k][3] == 0) return;
    const Vec3 p = toVec3(x[vertex]), a = toVec3(x[i]), b = toVec3(x[j]), c = toVec3(x[k]);
    const Vec3 nearest = nearestOnTriangle(p, a, b, c).at(a, b, c);
    const float reach = reach_[vertex];
    if (lengthSquared(p - nearest) > reach * reach) return;
    const uint32_t own = mesh_.garment_of_vertex[vertex],
                   other = mesh_.garment_of_triangle[triangle];
    const Fabric &mine = mesh_.garments[own].fabric, &theirs = mesh_.garments[other].fabric;
    Pair pair{vertex,
              triangle,
              1,
              kAir + (mine.thickness + theirs.thickness) / 2,
              (mine.friction + theirs.friction) / 2,
              false};
    const Vec3 facing = cross(b - a, c - a);
    pair.side = dot(p - a, facing) < 0 ? -1.0f : 1.0f;
    const uint32_t layer = mesh_.layer_of_vertex[vertex], beside = mesh_.layer_of_vertex[i];
    if (layer != beside) {
        const float agree = dot(normals_[vertex], facing);
        pair.worn = agree > kAlike * length(normals_[vertex]) * length(facing);
        if (pair.worn) pair.side = layer > beside ? 1.0f : -1.0f;
        // edges of two coarse layers cross between the vertices
        pair.distance +=
            kLayerSag * std::max(mesh_.garments[own].mean_edge, mesh_.garments[other].mean_edge);
    }
    pairs_.push_back(pair);
}

void SelfContact::solve(Particles& x, const Particles& before) {
    touches_.clear();
    for (const Pair& pair : pairs_) {
        const auto [i, j, k] = mesh_.triangles[pair.triangle];
        const Vec3 p = toVec3(x[pair.vertex]), a = toVec3(x[i]);
        const Vec3 e1 = toVec3(x[j]) - a, e2 = toVec3(x[k]) - a, r = p - a;
        const Vec3 normal = cross(e1, e2);
        const float squared = lengthSquared(normal);
        if (squared < 1e-16f) continue;
        const float size = std::sqrt(squared);
        const float s = pair.side * dot(r, normal) / size;
        if (s >= pair.distance || s < -kThrough) continue;
        const float bk = dot(cross(e1, r), normal) / squared;
        const float bj = dot(cross(r, e2), normal) / squared;
        const float bi = 1 - bj - bk;
        if (bi < -kRim || bj < -kRim || bk < -kRim) continue;
        const float w = x[pair.vertex][3], wi = x[i][3], wj = x[j][3], wk = x[k][3];
        const float weight = w + wi * bi * bi + wj * bj * bj + wk * bk * bk;
        if (weight < 1e-12f) continue;
        const float depth = pair.distance - s;
        const auto slide = [&](uint32_t v) { return toVec3(x[v]) - toVec3(before[v]); };
        Vec3 slip = slide(pair.vertex) - slide(i) * bi - slide(j) * bj - slide(k) * bk;
        const Vec3 n = normal / size;
        slip -= n * dot(slip, n);
        const float most = pair.friction * depth, sliding = length(slip);
        if (sliding > most) slip *= most / sliding;
        const Float4 step = toFloat4((n * (pair.side * depth) - slip) / weight, 0);
        x[pair.vertex] += step * splat(w);
        x[i] -= step * splat(wi * bi);
        x[j] -= step * splat(wj * bj);
        x[k] -= step * splat(wk * bk);
        touches_.push_back({pair.vertex, {i, j, k}, {bi, bj, bk}, n * pair.side, weight});
    }
}

void SelfContact::settle(Particles& v) const {
    for (const Touch& touch : touches_) {
        const auto [i, j, k] = touch.corners;
        const auto [bi, bj, bk] = touch.weights;
        const Vec3 below = toVec3(v[i]) * bi + toVec3(v[j]) * bj + toVec3(v[k]) * bk;
        const float apart = dot(toVec3(v[touch.vertex]) - below, touch.normal);
        if (apart <= 0) continue;
        const Float4 step = toFloat4(touch.normal * (apart / touch.mobility), 0);
        v[touch.vertex] -= step * splat(v[touch.vertex][3]);
        v[i] += step * splat(v[i][3] * bi);
        v[j] += step * splat(v[j][3] * bj);
        v[k] += step * splat(v[k][3] * bk);
    }
}

}  // namespace hem::built_in
