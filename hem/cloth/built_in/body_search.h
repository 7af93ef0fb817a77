// SPDX-License-Identifier: Apache-2.0
// BodySearch: the nearest points of the body's parts, and how they move in a frame.
//
// Each part's triangles are halved into clusters of some dozens, and these into leaves of a few.
// What a cluster does in a frame follows from the joints alone: a skinned vertex is a mean, weighted
// by its w_j >= 0 that sum to 1, of the places M_j p to which its joints take it, so with the rest
// box of the vertices that joint j moves, of centre c and half sides h, it lies within the boxes of
// centres M_j c and half sides |M_j| h, and its displacement within those of D_j c and |D_j| h,
// D_j = M_j' - M_j. Only clusters that a search comes to are skinned: a finer body, or a head that
// no cloth is near, costs next to nothing. A box once found goes on from frame to frame with what
// its cluster can have moved.
//
// What is found does not depend on the way to it: of equally near triangles it is the one with the
// smaller number, and boxes are left out only where they are farther by more than rounding. So a
// simulation that starts from a saved state, with no boxes carried, finds the same.
#pragma once

#include "hem/cloth/built_in/body.h"

namespace hem::built_in {

class BodySearch {
public:
    explicit BodySearch(const Body& body);

    // The joints' matrices at a frame's start, middle and end. Allocates the first time.
    void begin(const std::vector<Affine>& start, const std::vector<Affine>& middle,
               const std::vector<Affine>& end);
    // The body is at `time` of the frame from now on, 0 to 1; `skin` has that pose.
    void setTime(float time);

    struct Query {
        Vec3 position;
        Vec3 motion;   // of the cloth in the rest of the frame
        float margin;  // metres: how near the two have to come, by their motions, to be found
    };
    struct Found {
        BodyPoint point;  // triangle UINT32_MAX for none
        // Metres that cloth and body move towards each other in the rest of the frame, at most.
        float motion = 0;
    };
    // Whether nearest() can find anything: a quick test that rules out most parts. `length` is that
    // of the query's motion.
    bool mayReach(size_t part, const Query& query, float length) const;
    // The nearest point of a part among those that come within the query's margin in the rest of
    // the frame. `hint`: a point of that part that is likely near, or one with triangle UINT32_MAX.
    Found nearest(size_t part, const Query& query, const BodyPoint& hint, PosedSkin& skin);
    // A point that is known to be the nearest, with its motion.
    Found followed(const Query& query, const BodyPoint& point) const;
    // The nearest point of all.
    BodyPoint nearest(Vec3 p, PosedSkin& skin);

private:
    static constexpr int kLeaves = 32;
    struct Box {
        Float4 low, high;  // the fourth lane is nought
    };
    struct Boxes {  // four, a lane each
        Float4 low[3], high[3];
    };
    struct Moved {  // the vertices of a cluster that a joint moves
        uint16_t joint;
        float mean_weight, most_weight;
        Vec3 centre, half;  // of their rest box
    };
    struct Shift {  // displacement in the frame
        Vec3 mean;
        float spread = 0;  // the most that a vertex differs from it
        float bow = 0;     // the most that a vertex leaves the line from start to end
    };
    struct Cluster {
        uint32_t first_moved, end_moved;
        uint32_t triangles[kLeaves + 1];  // in order_, leaf by leaf
        uint32_t vertices[kLeaves + 1];   // in vertices_, leaf by leaf
        uint32_t time = 0;                // number of the time for which `leaves` are
        Boxes leaves[kLeaves / 4];
        Box all_leaves;
        Shift shift;
        Box box;  // at the frame's start, or a wider one
    };
    struct Four {  // of a part's clusters, a lane each
        Boxes boxes;
        Float4 mean[3], spread, bow;
    };
    struct Part {
        uint32_t first_cluster, end_cluster, first_four, end_four;
        Box box;         // at the frame's start
        float most = 0;  // metres that any vertex moves, at most, by way of any place between
    };
    struct Candidate {
        uint32_t cluster;
        float squared;  // distance of its box
        float reach;    // metres, within which it is looked at
        float motion;
        float moved;  // metres by which the box may be off
    };
    void split(uint32_t begin, uint32_t end);
    void addCluster(uint32_t begin, uint32_t end);
    uint32_t halve(uint32_t begin, uint32_t end);
    void addMoved(Cluster& cluster, uint32_t begin, uint32_t end);
    Box placed(const Cluster& cluster) const;
    Box carried(const Cluster& cluster) const;
    Shift shiftOf(const Cluster& cluster) const;
    void gatherFours(Part& part);
    void refit(Cluster& cluster, PosedSkin& skin);
    void tighten(uint32_t cluster);
    float motionTowards(const Shift& shift, Vec3 motion) const;
    void lookForClusters(const Part& part, const Query& query);
    bool searchCluster(uint32_t cluster, Vec3 p, float reach, PosedSkin& skin, BodyPoint& best);

    const Body& body_;
    std::vector<Part> parts_;
    std::vector<Cluster> clusters_;
    std::vector<Four> fours_;
    std::vector<uint32_t> cluster_of_triangle_;
    std::vector<uint32_t> four_of_cluster_;  // times four, and the lane
    std::vector<Moved> moved_;
    std::vector<uint32_t> order_;     // triangles, leaf by leaf
    std::vector<uint32_t> vertices_;  // of the leaves, each once a leaf
    std::vector<Affine> start_, end_, displacement_,
        bow_;  // per joint; bow: middle less mean of the ends
    std::vector<Candidate> candidates_;
    float time_ = 0;
    uint32_t time_number_ = 0;
};

}  // namespace hem::built_in
