// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/hierarchy.h"

#include <algorithm>

#include "hem/cloth/built_in/geodesics.h"

namespace hem::built_in {
namespace {

constexpr float kLinkReach = 1.75f;  // links join vertices up to this many spacings apart
constexpr float kCarryReach = 1.5f;  // and carry those up to this far
constexpr float kLoadReach = 0.07f;  // metres that a load gets along edges in a substep
constexpr int kMostEdgeSweeps = 8;
constexpr size_t kFewest = 12;  // vertices of the coarsest level, about

struct Near {
    uint32_t vertex;
    float distance;
};

// Vertices of `finer` at least `spacing` apart along the cloth, pinned ones first: they hold the
// rest. `around` gets, for each, the finer vertices within reach.
std::vector<uint32_t> thinOut(const ClothMesh& mesh, const std::vector<uint32_t>& finer,
                              float spacing, std::vector<std::vector<Near>>& around) {
    std::vector<uint8_t> in_finer(mesh.size(), 0), covered(mesh.size(), 0);
    for (const uint32_t v : finer) in_finer[v] = 1;
    Geodesics geodesics(mesh);
    std::vector<uint32_t> chosen;
    for (const bool pinned : {true, false}) {
        for (const uint32_t v : finer) {
            if (covered[v] || mesh.pinned(v) != pinned) continue;
            chosen.push_back(v);
            around.emplace_back();
            for (const auto& [w, d] : geodesics.from(v, kLinkReach * spacing)) {
                if (d < spacing) covered[w] = 1;
                if (in_finer[w]) around.back().push_back({w, d});
            }
        }
    }
    return chosen;
}

}  // namespace

Hierarchy::Level Hierarchy::makeLevel(const ClothMesh& mesh, const std::vector<uint32_t>& finer,
                                      float spacing) {
    Level level;
    std::vector<std::vector<Near>> around;
    level.vertices = thinOut(mesh, finer, spacing, around);
    std::vector<uint8_t> chosen(mesh.size(), 0);
    for (const uint32_t v : level.vertices) chosen[v] = 1;
    std::vector<uint32_t> ends;
    std::vector<float> lengths;
    std::vector<std::vector<Near>> leaders(mesh.size());
    for (size_t i = 0; i < level.vertices.size(); ++i) {
        const uint32_t v = level.vertices[i];
        for (const auto& [w, d] : around[i]) {
            if (chosen[w]) {
                if (w <= v || (mesh.pinned(v) && mesh.pinned(w))) continue;
                ends.insert(ends.end(), {v, w});
                lengths.push_back(d * (1 + kSlack));
            } else if (d < kCarryReach * spacing && !mesh.pinned(w)) {
                leaders[w].push_back({v, d});
            }
        }
    }
    for (const auto& lanes : makeBatches(ends, 2)) {
        LinkBatch links{batchIndices<2>(lanes, ends, mesh.size()), rowOf(1)};
        for (size_t lane = 0; lane < kLanes; ++lane)
            if (lanes[lane] != kEmptyLane) links.length.of[lane] = lengths[lanes[lane]];
        level.links.push_back(links);
    }
    for (const uint32_t v : finer) {
        if (leaders[v].empty()) continue;
        std::stable_sort(leaders[v].begin(), leaders[v].end(),
                         [](Near a, Near b) { return a.distance < b.distance; });
        Follower f{v, {v, v, v, v}, {0, 0, 0, 0}};
        float sum = 0;
        for (size_t k = 0; k < std::min<size_t>(4, leaders[v].size()); ++k) {
            const float left = 1 - leaders[v][k].distance / (kCarryReach * spacing);
            f.leaders[k] = leaders[v][k].vertex;
            sum += f.weights[k] = left * left;
        }
        for (float& w : f.weights) w /= sum;
        level.followers.push_back(f);
    }
    return level;
}

Hierarchy::Hierarchy(const ClothMesh& mesh) : moved_(mesh.size() + kDummies) {
    for (size_t g = 0; g < mesh.garments.size(); ++g) {
        const GarmentRange& range = mesh.garments[g];
        std::vector<uint32_t> finer(range.vertices);
        for (uint32_t i = 0; i < range.vertices; ++i) finer[i] = range.first_vertex + i;
        std::vector<Level> levels;
        const float finest = range.uneven() ? range.fine_edge : range.mean_edge;
        for (float spacing = 2 * finest; finer.size() > 2 * kFewest; spacing *= 2) {
            Level level = makeLevel(mesh, finer, spacing);
            if (level.vertices.size() == finer.size()) break;
            level.uneven = range.uneven();
            finer = level.vertices;
            levels.push_back(std::move(level));
        }
        levels_.insert(levels_.end(), std::make_move_iterator(levels.rbegin()),
                       std::make_move_iterator(levels.rend()));
    }
    float finest = kLoadReach;
    for (const GarmentRange& range : mesh.garments) finest = std::min(finest, range.mean_edge);
    edge_sweeps_ = std::clamp(int(kLoadReach / std::max(finest, 1e-6f)), 1, kMostEdgeSweeps);
    edges_ = linkEdges(mesh, false);
    uneven_edges_ = linkEdges(mesh, true);
}

std::vector<LinkBatch> Hierarchy::linkEdges(const ClothMesh& mesh, bool uneven) {
    std::vector<uint32_t> ends;
    for (const auto& [a, b] : mesh.edges)
        if (mesh.garments[mesh.garment_of_vertex[a]].uneven() == uneven)
            ends.insert(ends.end(), {a, b});
    std::vector<LinkBatch> result;
    for (const auto& lanes : makeBatches(ends, 2)) {
        LinkBatch links{batchIndices<2>(lanes, ends, mesh.size()), rowOf(1)};
        for (size_t lane = 0; lane < kLanes; ++lane) {
            if (lanes[lane] == kEmptyLane) continue;
            const size_t at = 2 * lanes[lane];
            links.length.of[lane] =
                distance(mesh.rest[ends[at]], mesh.rest[ends[at + 1]]) * (1 + kSlack);
        }
        result.push_back(links);
    }
    return result;
}

void Hierarchy::sweep(const std::vector<LinkBatch>& links, Particles& x) {
    constraints().sweepLinks(links.data(), links.size(), x.data());
}

void Hierarchy::keepOut(Particles& x, const std::vector<BodyContact::Touch>& touches) const {
    for (const BodyContact::Touch& touch : touches) {
        if (!touch.close) continue;
        const Float4 moved = x[touch.vertex] - moved_[touch.vertex];
        const float inwards = dot(toVec3(moved), touch.normal);
        if (inwards < 0) x[touch.vertex] -= toFloat4(touch.normal * inwards, 0);
    }
}

void Hierarchy::solve(const Level& level, Particles& x) {
    sweep(level.links, x);
    for (const Follower& f : level.followers) {
        Float4 sum = splat(0);
        for (size_t k = 0; k < 4; ++k)
            sum += (x[f.leaders[k]] - moved_[f.leaders[k]]) * splat(f.weights[k]);
        x[f.vertex] += sum;
    }
}

void Hierarchy::solve(Particles& x, const std::vector<BodyContact::Touch>& touches) {
    std::copy(x.begin(), x.end(), moved_.begin());
    for (const Level& level : levels_) {
        solve(level, x);
        keepOut(x, touches);
    }
    for (int i = 0; i < edge_sweeps_; ++i) {
        sweep(edges_, x);
        sweep(uneven_edges_, x);
        keepOut(x, touches);
    }
}

void Hierarchy::solveUneven(Particles& x, const std::vector<BodyContact::Touch>& touches) {
    if (uneven_edges_.empty()) return;
    std::copy(x.begin(), x.end(), moved_.begin());
    for (const Level& level : levels_) {
        if (!level.uneven) continue;
        solve(level, x);
        keepOut(x, touches);
    }
    sweep(uneven_edges_, x);
    keepOut(x, touches);
}

}  // namespace hem::built_in
