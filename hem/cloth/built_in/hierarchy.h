// SPDX-License-Identifier: Apache-2.0
// The hierarchy: cloth does not stretch, whatever the resolution.
//
// One sweep of Gauss-Seidel a substep carries a load over one edge, so a column of n edges under
// its own weight would stay stretched by about 2 n g dt^2 / edge. After "Hierarchical
// Position-Based Dynamics" (Mueller 2008), the same column is also held by a few long links: level
// by level, a thinned set of vertices, each linked to those around it by a largest distance, which
// is their distance along the rest cloth. A link only pulls, so cloth folds freely. The levels are
// swept from the coarsest on, and what a level moves carries the vertices between along with it, by
// weights that sum to one. Levels double in spacing: all of them together cost about as much as a
// sweep over the edges.
//
// What lies on the body would be carried into it, found short enough there, and be pushed out again
// as stretched as before. So after every level what touches the body, of garments cut close to it
// or with sleeves, is put back along the normal of its touch. Not so loose cloth, which would slide
// about on it at the slightest difference: two almost equal starts would end far apart.
//
// The edges come last, in several sweeps where they are short: a load gets a few centimetres far in
// a substep.
//
// A link is slack up to kSlack beyond its length: within that the fabric's own moduli rule.
//
// Of uneven garments (GarmentRange::uneven) the levels begin at the finest edges, and all of it is
// swept once more after the membrane, which moves light vertices farthest.
#pragma once

#include "hem/cloth/built_in/body_contact.h"
#include "hem/cloth/built_in/cloth_mesh.h"
#include "hem/cloth/built_in/constraints.h"

namespace hem::built_in {

class Hierarchy {
public:
    static constexpr float kSlack = 0.003f;

    explicit Hierarchy(const ClothMesh& mesh);

    // From the coarsest level to the edges themselves. `touches`: where the body is.
    void solve(Particles& x, const std::vector<BodyContact::Touch>& touches);
    // Another time, of uneven garments alone.
    void solveUneven(Particles& x, const std::vector<BodyContact::Touch>& touches);

    size_t levels() const { return levels_.size(); }

private:
    struct Follower {  // a vertex of the next finer level, carried by vertices of this one
        uint32_t vertex;
        std::array<uint32_t, 4> leaders;
        std::array<float, 4> weights;
    };
    struct Level {
        std::vector<uint32_t> vertices;
        std::vector<LinkBatch> links;
        std::vector<Follower> followers;
        bool uneven = false;
    };
    static Level makeLevel(const ClothMesh& mesh, const std::vector<uint32_t>& finer,
                           float spacing);
    static std::vector<LinkBatch> linkEdges(const ClothMesh& mesh, bool uneven);
    static void sweep(const std::vector<LinkBatch>& links, Particles& x);
    void solve(const Level& level, Particles& x);
    void keepOut(Particles& x, const std::vector<BodyContact::Touch>& touches) const;

    std::vector<Level> levels_;  // garment by garment, the coarsest first
    std::vector<LinkBatch> edges_, uneven_edges_;
    int edge_sweeps_ = 1;
    Particles moved_;  // by the levels so far
};

}  // namespace hem::built_in
