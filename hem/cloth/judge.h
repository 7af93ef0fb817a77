// SPDX-License-Identifier: Apache-2.0
// ClothJudge: is this cloth? Stretch, penetration and self-penetration of simulated frames,
// whatever simulator they came from.
//
//     ClothJudge judge(scene);
//     for (...) judge.add(pose, state.positions);
//     const Verdict verdict = judge.verdict();
#pragma once

#include <span>
#include <vector>

#include "hem/cloth/simulator.h"
#include "hem/core/surface_tree.h"

namespace hem {

struct Verdict {
    size_t frames = 0;
    bool finite = true;  // where false, the frames at fault are left out of all that follows
    // Edges, over all frames: length over undeformed length, less 1.
    double stretch_p99 = 0, stretch_max = 0;
    // Vertices deeper than 3 mm inside the body, as a share of all vertices of all frames, and the
    // deepest, in millimetres. Vertices in a fold of the body are left out: see inFold(); so are
    // those in an arm that the scene lets pass through them.
    double penetration_rate_3mm = 0, penetration_max_mm = 0;
    // The share of vertices of all frames that are deeper than 3 mm but in a fold, and the deepest.
    double fold_rate_3mm = 0, fold_max_mm = 0;
    // The share of triangles whose middle is over 1 mm inside the body, folds left out: skin shows
    // through between vertices that are outside. Over the frames that self-contact is looked at.
    double skin_shows_rate = 0;
    // The share of edges that pass through a triangle of the same or another garment, over the
    // frames looked at (JudgeOptions::self_contact_every).
    double self_penetration_rate = 0;
    // Where the worst are, for pictures and messages: frame as counted by add(), garment vertex.
    size_t stretch_frame = 0, penetration_frame = 0;
    uint32_t penetration_vertex = 0;
};

struct JudgeOptions {
    int self_contact_every = 10;  // frames; for this and for skin that shows: looking is dear
};

class ClothJudge {
public:
    // The scene must outlive the judge.
    explicit ClothJudge(const ClothScene& scene, const JudgeOptions& options = {});

    // One frame. About 2 ms at 766 vertices and 10,000 triangles of body. Does not allocate once
    // warm, except where self-contact is looked at.
    void add(const Pose& pose, std::span<const Vec3> positions);
    // Takes in what another judge of the same scene saw, its frames after this one's.
    void add(const ClothJudge& later);

    Verdict verdict() const;
    // Depth in metres of every vertex of the last frame; not positive outside the body.
    const std::vector<float>& depths() const { return depths_; }
    // Vertices of the last frame deeper than so many metres, and those of them that are in a fold
    // of the body. A tenth of a millisecond each.
    struct Deep {
        size_t all = 0, in_folds = 0;
    };
    Deep deeperThan(float depth) const;

private:
    bool passes(const SurfacePoint& skin, uint32_t vertex) const;
    bool inFold(const SurfacePoint& skin) const;
    void measureStretch(std::span<const Vec3> positions);
    void measurePenetration(std::span<const Vec3> positions);
    void measureSelfContact(std::span<const Vec3> positions);
    void measureShownSkin(std::span<const Vec3> positions);

    const ClothScene& scene_;
    JudgeOptions options_;
    std::vector<std::array<uint32_t, 2>> edges_;
    std::vector<float> rest_lengths_;
    std::vector<Triangle> triangles_;  // of all garments
    SurfaceTree body_;
    // Where arms pass: per vertex of the body, whether it is an arm's, and of cloth, whether it is
    // worn on one. Else empty.
    std::vector<uint8_t> skin_of_arms_, worn_on_arms_;
    std::vector<Affine> matrices_;
    std::vector<Vec3> skin_;
    std::vector<float> depths_;
    std::vector<SurfacePoint> nearest_;  // skin, of every vertex

    size_t frames_ = 0, judged_ = 0, bad_frames_ = 0;
    std::vector<uint64_t> strain_histogram_;
    float strain_max_ = -1;
    size_t deep_ = 0, folded_ = 0;
    float depth_max_ = 0, fold_depth_max_ = 0;
    size_t stretch_frame_ = 0, penetration_frame_ = 0;
    uint32_t penetration_vertex_ = 0;
    uint64_t edges_looked_at_ = 0, edges_through_ = 0;
    uint64_t triangles_looked_at_ = 0, triangles_inside_ = 0;
};

// Mass of every vertex, kilograms: a third of each triangle around it.
std::vector<float> vertexMasses(const std::vector<Garment>& garments);
// Joules per kilogram of cloth.
double kineticEnergyPerKilogram(const std::vector<float>& masses, std::span<const Vec3> velocities);

// How many edges of the mesh pass through a triangle that has no corner in common with them.
size_t countPiercingEdges(std::span<const Vec3> positions, const std::vector<Triangle>& triangles,
                          const std::vector<std::array<uint32_t, 2>>& edges);

}  // namespace hem
