// SPDX-License-Identifier: Apache-2.0
// BodySearch: the nearest points of the body's parts, and how they move in a frame.
//
// Each part's triangles are halved into a tree; subtrees of a few dozen triangles are clusters.
// What a cluster does in a frame follows from the joints alone: a skinned vertex is a mean,
// weighted by its w_j >= 0 that sum to 1, of the places M_j p to which its joints take it, so with
// the rest box of the vertices that joint j moves, of centre c and half sides h, it lies within the
// boxes of centres M_j c and half sides |M_j| h, and its displacement within those of D_j c and
// |D_j| h, D_j = M_j' - M_j. Only clusters that a search comes to are skinned: a finer body, or a
// head that no cloth is near, costs next to nothing.
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
    struct Node {
        Float4 low, high;               // of its box; the fourth lane is nought
        uint32_t first = 0, count = 0;  // children, or triangles of a leaf, or a cluster
        uint32_t parent = UINT32_MAX;
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
        uint32_t first_node, end_node;  // its tree; children behind parents
        uint32_t leaf;                  // of the tree above
        uint32_t time = 0;              // number of the time for which its boxes are
        Shift shift;
    };
    struct Part {
        uint32_t first_node, end_node;  // of the tree above its clusters
        uint32_t first_cluster, end_cluster;
        Shift shift;     // of all clusters
        float most = 0;  // metres that any vertex moves, at most
    };
    struct Entry {
        uint32_t node;
        float squared;  // distance
    };
    struct Stack {
        int size = 0;
        Entry entries[64];
    };
    static void push(const std::vector<Node>& nodes, uint32_t n, Float4 p, float bound,
                     Stack& stack);
    static void pushChildren(const std::vector<Node>& nodes, uint32_t first, Float4 p, float bound,
                             Stack& stack);
    void addUpper(uint32_t node, uint32_t begin, uint32_t end);
    void addLower(uint32_t node, uint32_t begin, uint32_t end);
    uint32_t addCluster(uint32_t begin, uint32_t end);
    uint32_t halve(uint32_t begin, uint32_t end);
    void placeCluster(const Cluster& cluster, Node& box) const;
    Shift shiftOf(const Cluster& cluster) const;
    Shift shiftOf(const Part& part) const;
    void refit(Cluster& cluster, PosedSkin& skin);
    void tighten(const Cluster& cluster);
    float motionTowards(const Shift& shift, Vec3 motion) const;
    float reachSquared(const Query& query, const Shift& shift) const;
    BodyPoint searchCluster(Cluster& cluster, Vec3 p, float bound, PosedSkin& skin);

    const Body& body_;
    std::vector<Part> parts_;
    std::vector<Cluster> clusters_;
    std::vector<uint32_t> cluster_of_triangle_;
    std::vector<Moved> moved_;
    std::vector<uint32_t> order_;      // triangles, leaf by leaf
    std::vector<Node> upper_, lower_;  // parents before children
    std::vector<Affine> start_, displacement_,
        bow_;  // per joint; bow: middle less mean of the ends
    float time_ = 0;
    uint32_t time_number_ = 0;
};

}  // namespace hem::built_in
