// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/judge.h"

#include <algorithm>
#include <cmath>

#include "hem/character/arms.h"

namespace hem {
namespace {

constexpr float kDeep = 0.003f;
constexpr float kShows = 0.001f;  // metres inside, at which skin shows through a triangle
// Where the skin has less room than this above it, cloth cannot lie on it: two layers of cloth with
// their contact distances.
constexpr float kRoomForCloth = 0.008f;

// Strain of -1 to +3 in steps of 1/4096: what a percentile needs, in 64 KB.
constexpr int kBinsPerUnit = 4096, kBins = 4 * kBinsPerUnit;
size_t binOf(float strain) {
    return size_t(std::clamp(int((strain + 1) * kBinsPerUnit), 0, kBins - 1));
}
double strainOf(size_t bin) { return double(bin + 1) / kBinsPerUnit - 1; }

std::vector<float> lengthsOf(const std::vector<std::array<uint32_t, 2>>& edges,
                             const std::vector<Vec3>& positions) {
    std::vector<float> lengths;
    lengths.reserve(edges.size());
    for (const auto& [i, j] : edges) lengths.push_back(distance(positions[i], positions[j]));
    return lengths;
}

bool allFinite(std::span<const Vec3> positions) {
    return std::all_of(positions.begin(), positions.end(), [](Vec3 p) { return isFinite(p); });
}

}  // namespace

ClothJudge::ClothJudge(const ClothScene& scene, const JudgeOptions& options)
    : scene_(scene),
      options_(options),
      body_(scene.character.mesh),
      matrices_(scene.character.skeleton.size()),
      skin_(scene.character.mesh.positions.size()),
      depths_(vertexCount(scene.garments)),
      nearest_(depths_.size()),
      strain_histogram_(size_t(kBins)) {
    const Mesh joined = joinedMesh(scene.garments);
    triangles_ = joined.triangles;
    edges_ = uniqueEdges(triangles_);
    rest_lengths_ = lengthsOf(edges_, joined.positions);
    if (!scene.arms_pass) return;
    skin_of_arms_ = skinOfArms(scene.character);
    worn_on_arms_ = wornOnArms(scene.character, joined.positions);
}

void ClothJudge::add(const Pose& pose, std::span<const Vec3> positions) {
    CHECK_EQ(positions.size(), depths_.size());
    const size_t frame = frames_++;
    if (!allFinite(positions)) {
        ++bad_frames_;
        return;
    }
    const Character& character = scene_.character;
    skinningMatrices(character.skeleton, pose, character.skin.joint_from_rest.data(),
                     matrices_.data());
    skinLinear(character.skin, character.mesh.positions.data(), matrices_.data(), skin_.data());
    body_.refit(skin_);
    ++judged_;
    measureStretch(positions);
    measurePenetration(positions);
    if (frame % size_t(options_.self_contact_every) != 0) return;
    measureSelfContact(positions);
    measureShownSkin(positions);
}

void ClothJudge::measureStretch(std::span<const Vec3> positions) {
    for (size_t e = 0; e < edges_.size(); ++e) {
        const auto [i, j] = edges_[e];
        const float strain = distance(positions[i], positions[j]) / rest_lengths_[e] - 1;
        ++strain_histogram_[binOf(strain)];
        if (strain > strain_max_) {
            strain_max_ = strain;
            stretch_frame_ = frames_ - 1;
        }
    }
}

// Whether this is an arm that the scene lets pass through the vertex.
bool ClothJudge::passes(const SurfacePoint& skin, uint32_t vertex) const {
    if (worn_on_arms_.empty() || worn_on_arms_[vertex] || !skin) return false;
    const auto [i, j, k] = scene_.character.mesh.triangles[skin.triangle];
    return skin_of_arms_[i] + skin_of_arms_[j] + skin_of_arms_[k] >= 2;
}

// Where a body folds onto itself (an armpit, a knee bent double, thighs that touch, a wrist on the
// hip) skinning lets its skin pass through itself, and no cloth can be outside everywhere. The
// test: the place where cloth would lie, just above the nearest skin, is itself inside the body.
bool ClothJudge::inFold(const SurfacePoint& skin) const {
    const Vec3 above = skin.position + body_.normalAt(skin) * kRoomForCloth;
    return body_.windingNumber(above) > 0.5;
}

ClothJudge::Deep ClothJudge::deeperThan(float depth) const {
    Deep deep;
    for (size_t v = 0; v < depths_.size(); ++v) {
        if (!(depths_[v] > depth)) continue;
        ++deep.all;
        deep.in_folds += inFold(nearest_[v]);
    }
    return deep;
}

void ClothJudge::measurePenetration(std::span<const Vec3> positions) {
    for (uint32_t v = 0; v < positions.size(); ++v) {
        const SurfacePoint skin = nearest_[v] = body_.nearest(positions[v]);
        const bool inside = skin && !passes(skin, v) &&
                            dot(positions[v] - skin.position, body_.normalAt(skin)) < 0;
        const float depth = inside ? skin.distance : -skin.distance;
        depths_[v] = depth;
        if (depth <= 0 || (depth <= kDeep && depth <= depth_max_)) continue;
        if (inFold(skin)) {
            folded_ += depth > kDeep;
            fold_depth_max_ = std::max(fold_depth_max_, depth);
            continue;
        }
        deep_ += depth > kDeep;
        if (depth > depth_max_) {
            depth_max_ = depth;
            penetration_frame_ = frames_ - 1;
            penetration_vertex_ = v;
        }
    }
}

void ClothJudge::measureSelfContact(std::span<const Vec3> positions) {
    edges_looked_at_ += edges_.size();
    edges_through_ += countPiercingEdges(positions, triangles_, edges_);
}

void ClothJudge::measureShownSkin(std::span<const Vec3> positions) {
    triangles_looked_at_ += triangles_.size();
    for (const auto& [i, j, k] : triangles_) {
        const Vec3 middle = (positions[i] + positions[j] + positions[k]) / 3;
        const SurfacePoint skin = body_.nearest(middle);
        if (!skin || skin.distance <= kShows || passes(skin, i)) continue;
        const bool inside = dot(middle - skin.position, body_.normalAt(skin)) < 0;
        triangles_inside_ += inside && !inFold(skin);
    }
}

void ClothJudge::add(const ClothJudge& later) {
    CHECK_EQ(edges_.size(), later.edges_.size());
    if (later.strain_max_ > strain_max_) {
        strain_max_ = later.strain_max_;
        stretch_frame_ = frames_ + later.stretch_frame_;
    }
    if (later.depth_max_ > depth_max_) {
        depth_max_ = later.depth_max_;
        penetration_frame_ = frames_ + later.penetration_frame_;
        penetration_vertex_ = later.penetration_vertex_;
    }
    for (size_t i = 0; i < strain_histogram_.size(); ++i) {
        strain_histogram_[i] += later.strain_histogram_[i];
    }
    fold_depth_max_ = std::max(fold_depth_max_, later.fold_depth_max_);
    frames_ += later.frames_;
    judged_ += later.judged_;
    bad_frames_ += later.bad_frames_;
    deep_ += later.deep_;
    folded_ += later.folded_;
    edges_looked_at_ += later.edges_looked_at_;
    edges_through_ += later.edges_through_;
    triangles_looked_at_ += later.triangles_looked_at_;
    triangles_inside_ += later.triangles_inside_;
}

Verdict ClothJudge::verdict() const {
    Verdict v;
    v.frames = frames_;
    v.finite = bad_frames_ == 0;
    if (judged_ == 0) return v;
    const uint64_t total = uint64_t(edges_.size()) * judged_;
    uint64_t below = 0;
    for (size_t bin = 0; bin < strain_histogram_.size(); ++bin) {
        below += strain_histogram_[bin];
        if (double(below) < 0.99 * double(total)) continue;
        v.stretch_p99 = strainOf(bin);
        break;
    }
    v.stretch_max = double(strain_max_);
    const double vertex_frames = double(depths_.size()) * double(judged_);
    v.penetration_rate_3mm = double(deep_) / vertex_frames;
    v.penetration_max_mm = double(depth_max_) * 1000;
    v.fold_rate_3mm = double(folded_) / vertex_frames;
    v.fold_max_mm = double(fold_depth_max_) * 1000;
    if (edges_looked_at_) {
        v.self_penetration_rate = double(edges_through_) / double(edges_looked_at_);
    }
    if (triangles_looked_at_) {
        v.skin_shows_rate = double(triangles_inside_) / double(triangles_looked_at_);
    }
    v.stretch_frame = stretch_frame_;
    v.penetration_frame = penetration_frame_;
    v.penetration_vertex = penetration_vertex_;
    return v;
}

std::vector<float> vertexMasses(const std::vector<Garment>& garments) {
    std::vector<float> masses;
    for (const Garment& garment : garments) {
        const size_t first = masses.size();
        masses.resize(first + garment.mesh.positions.size(), 0);
        for (const auto& [i, j, k] : garment.mesh.triangles) {
            const auto& p = garment.mesh.positions;
            const float area = length(cross(p[j] - p[i], p[k] - p[i])) / 2;
            for (const uint32_t v : {i, j, k})
                masses[first + v] += garment.fabric.density * area / 3;
        }
    }
    return masses;
}

double kineticEnergyPerKilogram(const std::vector<float>& masses,
                                std::span<const Vec3> velocities) {
    CHECK_EQ(masses.size(), velocities.size());
    double energy = 0, mass = 0;
    for (size_t v = 0; v < masses.size(); ++v) {
        energy += 0.5 * double(masses[v]) * double(lengthSquared(velocities[v]));
        mass += double(masses[v]);
    }
    return mass > 0 ? energy / mass : 0;
}

size_t countPiercingEdges(std::span<const Vec3> positions, const std::vector<Triangle>& triangles,
                          const std::vector<std::array<uint32_t, 2>>& edges) {
    const SurfaceTree cloth({positions.begin(), positions.end()}, triangles);
    std::vector<uint32_t> near;
    size_t count = 0;
    for (const auto& [i, j] : edges) {
        const Vec3 a = positions[i], b = positions[j];
        cloth.withinReach((a + b) / 2, distance(a, b) / 2, near);
        count += std::any_of(near.begin(), near.end(), [&, i = i, j = j](uint32_t t) {
            const auto [p, q, r] = triangles[t];
            if (i == p || i == q || i == r || j == p || j == q || j == r) return false;
            return segmentPierces(a, b, positions[p], positions[q], positions[r]);
        });
    }
    return count;
}

}  // namespace hem
