// SPDX-License-Identifier: Apache-2.0
#include "hem/character/mannequin/mannequin_sizing.h"

#include <algorithm>

namespace hem::mannequin_parts {
namespace {

constexpr float kCell = 0.012f;

std::vector<Vec3> fieldNormals(const std::vector<Vec3>& points, const ScalarField& field) {
    constexpr float kStep = 2e-3f;
    std::vector<Vec3> normals;
    for (Vec3 p : points) {
        Vec3 g;
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 a = p, b = p;
            a[axis] -= kStep;
            b[axis] += kStep;
            g[axis] = float((field(b) - field(a)) / (2.0 * kStep));
        }
        normals.push_back(normalized(g, {0, 1, 0}));
    }
    return normals;
}

// The largest turn of the normal per metre along an edge at each vertex. Edges shorter than 3 mm
// say little.
std::vector<float> curvatures(const Mesh& mesh, const ScalarField& field) {
    const std::vector<Vec3> normals = fieldNormals(mesh.positions, field);
    std::vector<float> curvature(mesh.positions.size(), 0.0f);
    for (const auto& [a, b] : uniqueEdges(mesh.triangles)) {
        const float l = distance(mesh.positions[a], mesh.positions[b]);
        if (l < 0.003f) continue;
        const float turn = distance(normals[a], normals[b]) / l;
        curvature[a] = std::max(curvature[a], turn);
        curvature[b] = std::max(curvature[b], turn);
    }
    return curvature;
}

}  // namespace

Sizing::Sizing(const Mesh& fine, const ScalarField& field, const SizingOptions& options) {
    const Bounds bounds = boundsOf(fine.positions);
    low_ = bounds.low - Vec3{2, 2, 2} * kCell;
    for (int axis = 0; axis < 3; ++axis) n_[axis] = int(bounds.size()[axis] / kCell) + 5;
    lengths_.assign(size_t(n_[0]) * size_t(n_[1]) * size_t(n_[2]), 1.0f);
    const std::vector<float> curvature = curvatures(fine, field);
    for (size_t v = 0; v < curvature.size(); ++v) {
        const float radius = 1 / std::max(curvature[v], 0.1f);
        const float longest = options.longest(fine.positions[v]);
        const float wanted =
            std::clamp(std::sqrt(8 * radius * options.chord_error), options.shortest, longest);
        const Vec3 c = (fine.positions[v] - low_) / kCell;
        float& length = lengths_[index(int(c.x + 0.5f), int(c.y + 0.5f), int(c.z + 0.5f))];
        length = std::min(length, wanted);
    }
    spread(options.gradation);
}

size_t Sizing::index(int i, int j, int k) const {
    i = std::clamp(i, 0, n_[0] - 1);
    j = std::clamp(j, 0, n_[1] - 1);
    k = std::clamp(k, 0, n_[2] - 1);
    return (size_t(k) * size_t(n_[1]) + size_t(j)) * size_t(n_[0]) + size_t(i);
}

// Sweeps in both directions along each axis until no length exceeds a neighbour's by more than the
// gradation allows.
void Sizing::spread(float gradation) {
    const float step = gradation * kCell;
    const size_t stride[3] = {1, size_t(n_[0]), size_t(n_[0]) * size_t(n_[1])};
    for (int axis = 0; axis < 3; ++axis)
        for (size_t c = 0; c < lengths_.size(); ++c) {
            const size_t along = c / stride[axis] % size_t(n_[axis]);
            if (along > 0) lengths_[c] = std::min(lengths_[c], lengths_[c - stride[axis]] + step);
        }
    for (int axis = 0; axis < 3; ++axis)
        for (size_t c = lengths_.size(); c-- > 0;) {
            const size_t along = c / stride[axis] % size_t(n_[axis]);
            if (along + 1 < size_t(n_[axis]))
                lengths_[c] = std::min(lengths_[c], lengths_[c + stride[axis]] + step);
        }
}

float Sizing::operator()(Vec3 p) const {
    const Vec3 c = (p - low_) / kCell;
    const int i = int(c.x), j = int(c.y), k = int(c.z);
    const float u = c.x - float(i), v = c.y - float(j), w = c.z - float(k);
    float sum = 0;
    for (int corner = 0; corner < 8; ++corner) {
        const int di = corner & 1, dj = (corner >> 1) & 1, dk = corner >> 2;
        sum += lengths_[index(i + di, j + dj, k + dk)] * (di ? u : 1 - u) * (dj ? v : 1 - v) *
               (dk ? w : 1 - w);
    }
    return sum;
}

}  // namespace hem::mannequin_parts
