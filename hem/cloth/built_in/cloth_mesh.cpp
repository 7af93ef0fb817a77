// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/cloth_mesh.h"

#include <algorithm>
#include <tuple>

#include "hem/core/check.h"

namespace hem::built_in {
namespace {

constexpr int kMassPasses = 8;

struct HalfEdge {
    uint32_t low, high, opposite, triangle;
};

std::vector<HalfEdge> sortedHalfEdges(const std::vector<Triangle>& triangles) {
    std::vector<HalfEdge> result;
    result.reserve(3 * triangles.size());
    for (uint32_t t = 0; t < triangles.size(); ++t) {
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t i = triangles[t][k], j = triangles[t][(k + 1) % 3];
            result.push_back({std::min(i, j), std::max(i, j), triangles[t][(k + 2) % 3], t});
        }
    }
    std::sort(result.begin(), result.end(), [](const HalfEdge& a, const HalfEdge& b) {
        return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
    });
    return result;
}

void findEdges(ClothMesh& mesh) {
    const std::vector<HalfEdge> halves = sortedHalfEdges(mesh.triangles);
    std::vector<double> sums(mesh.garments.size());
    std::vector<size_t> counts(mesh.garments.size());
    std::vector<std::vector<float>> lengths(mesh.garments.size());
    for (size_t h = 0; h < halves.size(); ++h) {
        const auto [low, high, opposite, triangle] = halves[h];
        const uint32_t garment = mesh.garment_of_triangle[triangle];
        mesh.edges.push_back({low, high});
        sums[garment] += distance(mesh.rest[low], mesh.rest[high]);
        lengths[garment].push_back(distance(mesh.rest[low], mesh.rest[high]));
        ++counts[garment];
        if (h + 1 < halves.size() && halves[h + 1].low == low && halves[h + 1].high == high)
            mesh.hinges.push_back({{low, high, opposite, halves[++h].opposite}, garment});
    }
    for (size_t g = 0; g < sums.size(); ++g) {
        if (counts[g] == 0) continue;
        mesh.garments[g].mean_edge = float(sums[g] / double(counts[g]));
        const auto tenth = lengths[g].begin() + long(lengths[g].size() / 10);
        std::nth_element(lengths[g].begin(), tenth, lengths[g].end());
        mesh.garments[g].fine_edge = *tenth;
    }
}

// Neighbours give each other of their mass, a share at a time; the sum stays.
void evenOutMasses(ClothMesh& mesh) {
    std::vector<float> neighbours(mesh.size(), 0);
    for (const auto& [a, b] : mesh.edges) ++neighbours[a], ++neighbours[b];
    for (int pass = 0; pass < kMassPasses; ++pass) {
        const std::vector<float> before = mesh.masses;
        for (const auto& [a, b] : mesh.edges) {
            if (!mesh.garments[mesh.garment_of_vertex[a]].uneven()) continue;
            const float share = 1 / (1 + std::max(neighbours[a], neighbours[b]));
            const float given = (before[a] - before[b]) * share;
            mesh.masses[a] -= given;
            mesh.masses[b] += given;
        }
    }
}

void findFans(ClothMesh& mesh) {
    mesh.fan_begin.assign(mesh.size() + 1, 0);
    for (const Triangle& t : mesh.triangles)
        for (const uint32_t v : t) ++mesh.fan_begin[v + 1];
    for (size_t v = 0; v < mesh.size(); ++v) mesh.fan_begin[v + 1] += mesh.fan_begin[v];
    mesh.fan.resize(mesh.triangles.size() * 3);
    std::vector<uint32_t> next(mesh.fan_begin.begin(), mesh.fan_begin.end() - 1);
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t)
        for (const uint32_t v : mesh.triangles[t]) mesh.fan[next[v]++] = t;
}

// The direction in the triangle in which v of the texture grows; {} where the texture has no area.
Vec3 textureUp(const std::array<Vec3, 3>& p, const Vec2* uv) {
    const float du1 = uv[1].x - uv[0].x, dv1 = uv[1].y - uv[0].y;
    const float du2 = uv[2].x - uv[0].x, dv2 = uv[2].y - uv[0].y;
    const float area = du1 * dv2 - du2 * dv1;
    if (std::abs(area) < 1e-12f) return {};
    return ((p[2] - p[0]) * du1 - (p[1] - p[0]) * du2) / area;
}

void addGrain(ClothMesh& mesh, const Garment& garment, size_t triangle) {
    const auto [i, j, k] = garment.mesh.triangles[triangle];
    const std::array<Vec3, 3> p{garment.mesh.positions[i], garment.mesh.positions[j],
                                garment.mesh.positions[k]};
    const Vec3 normal = normalized(cross(p[1] - p[0], p[2] - p[0]));
    Vec3 up{};
    if (!garment.corner_uvs.empty()) up = textureUp(p, &garment.corner_uvs[3 * triangle]);
    if (length(up) < 1e-6f) up = Vec3{0, 1, 0} - normal * normal.y;
    // a horizontal triangle without texture: any direction will do
    if (length(up) < 1e-3f) up = p[1] - p[0];
    up = normalized(up - normal * dot(up, normal));
    mesh.warp.push_back(up);
    mesh.weft.push_back(cross(up, normal));
}

void addGarment(ClothMesh& mesh, const Garment& garment) {
    const auto number = uint32_t(mesh.garments.size());
    const auto first = uint32_t(mesh.rest.size());
    mesh.garments.push_back({first, uint32_t(garment.mesh.positions.size()),
                             uint32_t(mesh.triangles.size()),
                             uint32_t(garment.mesh.triangles.size()), garment.fabric});
    for (size_t v = 0; v < garment.mesh.positions.size(); ++v) {
        mesh.rest.push_back(garment.mesh.positions[v]);
        mesh.pins.push_back(garment.pins.empty() ? 0 : garment.pins[v]);
        mesh.garment_of_vertex.push_back(number);
        mesh.masses.push_back(0);
    }
    for (size_t t = 0; t < garment.mesh.triangles.size(); ++t) {
        const auto [i, j, k] = garment.mesh.triangles[t];
        mesh.triangles.push_back({first + i, first + j, first + k});
        mesh.garment_of_triangle.push_back(number);
        addGrain(mesh, garment, t);
        const Vec3 a = garment.mesh.positions[i], b = garment.mesh.positions[j],
                   c = garment.mesh.positions[k];
        const float mass = garment.fabric.density * length(cross(b - a, c - a)) / 6;
        for (const uint32_t v : {i, j, k}) mesh.masses[first + v] += mass;
    }
}

void findLayers(ClothMesh& mesh) {
    constexpr uint32_t kNone = UINT32_MAX;
    mesh.layer_of_vertex.assign(mesh.size(), kNone);
    uint32_t layers = 0;
    std::vector<uint32_t> open;
    for (uint32_t seed = 0; seed < mesh.size(); ++seed) {
        if (mesh.layer_of_vertex[seed] != kNone) continue;
        open.assign(1, seed);
        mesh.layer_of_vertex[seed] = layers;
        while (!open.empty()) {
            const uint32_t v = open.back();
            open.pop_back();
            for (uint32_t f = mesh.fan_begin[v]; f < mesh.fan_begin[v + 1]; ++f) {
                for (const uint32_t w : mesh.triangles[mesh.fan[f]]) {
                    if (mesh.layer_of_vertex[w] != kNone) continue;
                    mesh.layer_of_vertex[w] = layers;
                    open.push_back(w);
                }
            }
        }
        ++layers;
    }
}

}  // namespace

ClothMesh makeClothMesh(const std::vector<Garment>& garments) {
    ClothMesh mesh;
    for (const Garment& garment : garments) addGarment(mesh, garment);
    findEdges(mesh);
    evenOutMasses(mesh);
    findFans(mesh);
    findLayers(mesh);
    return mesh;
}

}  // namespace hem::built_in
