// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/body_search.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>

namespace hem::built_in {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kClusterSize = 96;  // triangles, at most
constexpr float kLongestReach = 0.4f;
constexpr float kRounding = 2e-5f;  // metres: more than what computed distances are off
constexpr float kFar = 1e15f;       // metres, where empty lanes are

Float4 absOf(Float4 a) { return maxOf(a, -a); }

// A vector's lanes are x, y, z and 0; a matrix's columns likewise.
struct Columns {
    Float4 x, y, z, t;
};
Columns columnsOf(const Affine& matrix) {
    const auto& m = matrix.m;
    const auto column = [&](int k) { return Float4{m[0][k], m[1][k], m[2][k], 0}; };
    return {column(0), column(1), column(2), column(3)};
}
Float4 transformed(const Columns& m, Vec3 p) {
    return m.x * splat(p.x) + m.y * splat(p.y) + m.z * splat(p.z) + m.t;
}
// Half the sides of the box around a transformed box with half sides h.
Float4 halfSides(const Columns& m, Vec3 h) {
    return absOf(m.x) * splat(h.x) + absOf(m.y) * splat(h.y) + absOf(m.z) * splat(h.z);
}

Affine combined(const Affine& a, float wa, const Affine& b, float wb) {
    Affine sum;
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 4; ++k) sum.m[i][k] = a.m[i][k] * wa + b.m[i][k] * wb;
    return sum;
}

// Squared distances of a point, its coordinates splat, from four boxes.
template <class Boxes>
[[gnu::always_inline]] inline Float4 squaredDistances(const Float4 (&p)[3], const Boxes& boxes) {
    Float4 sum{};
    for (int k = 0; k < 3; ++k) {
        const Float4 outside = maxOf(maxOf(boxes.low[k] - p[k], p[k] - boxes.high[k]), splat(0));
        sum += outside * outside;
    }
    return sum;
}

// Of equally near triangles, the one with the smaller number.
bool nearer(const BodyPoint& a, const BodyPoint& b) {
    return a.squared < b.squared || (a.squared == b.squared && a.triangle < b.triangle);
}

template <class Boxes>
void setLane(Boxes& boxes, int lane, Float4 low, Float4 high) {
    for (int k = 0; k < 3; ++k) boxes.low[k][lane] = low[k], boxes.high[k][lane] = high[k];
}

}  // namespace

BodySearch::BodySearch(const Body& body)
    : body_(body), cluster_of_triangle_(body.triangles().size()) {
    for (uint32_t part = 0; part < body.parts(); ++part) {
        const auto first = uint32_t(order_.size());
        for (uint32_t t = 0; t < body.triangles().size(); ++t)
            if (body.partOf(t) == part) order_.push_back(t);
        Part next;
        next.first_cluster = uint32_t(clusters_.size());
        next.first_four = uint32_t(fours_.size());
        split(first, uint32_t(order_.size()));
        next.end_cluster = uint32_t(clusters_.size());
        for (uint32_t c = next.first_cluster; c < next.end_cluster; ++c)
            four_of_cluster_.push_back(4 * next.first_four + (c - next.first_cluster));
        fours_.resize(next.first_four + (next.end_cluster - next.first_cluster + 3) / 4);
        next.end_four = uint32_t(fours_.size());
        parts_.push_back(next);
    }
    candidates_.reserve(clusters_.size());
}

// Parts the triangles at the median along the longest side of their box, in the rest pose.
uint32_t BodySearch::halve(uint32_t begin, uint32_t end) {
    const auto centre = [&](uint32_t t) {
        const auto [i, j, k] = body_.triangles()[t];
        return body_.rest()[i] + body_.rest()[j] + body_.rest()[k];
    };
    Vec3 low = centre(order_[begin]), high = low;
    for (uint32_t i = begin; i < end; ++i) {
        low = min(low, centre(order_[i]));
        high = max(high, centre(order_[i]));
    }
    const Vec3 size = high - low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const uint32_t middle = begin + (end - begin) / 2;
    std::nth_element(order_.begin() + begin, order_.begin() + middle, order_.begin() + end,
                     [&](uint32_t a, uint32_t b) {
                         return std::pair(centre(a)[axis], a) < std::pair(centre(b)[axis], b);
                     });
    return middle;
}

void BodySearch::split(uint32_t begin, uint32_t end) {
    if (end - begin <= kClusterSize) return addCluster(begin, end);
    const uint32_t middle = halve(begin, end);
    split(begin, middle);
    split(middle, end);
}

void BodySearch::addCluster(uint32_t begin, uint32_t end) {
    Cluster cluster;
    addMoved(cluster, begin, end);
    uint32_t* leaves = cluster.triangles;
    leaves[0] = begin, leaves[kLeaves] = end;
    for (int step = kLeaves; step > 1; step /= 2)
        for (int i = 0; i < kLeaves; i += step)
            leaves[i + step / 2] = leaves[i + step] - leaves[i] < 2
                                       ? leaves[i + step]
                                       : halve(leaves[i], leaves[i + step]);
    for (int i = 0; i < kLeaves; ++i) {
        setLane(cluster.leaves[i / 4], i % 4, splat(kFar), splat(kFar));
        cluster.vertices[i] = uint32_t(vertices_.size());
        for (uint32_t k = leaves[i]; k < leaves[i + 1]; ++k)
            for (const uint32_t v : body_.triangles()[order_[k]]) vertices_.push_back(v);
        const auto first = vertices_.begin() + cluster.vertices[i];
        std::sort(first, vertices_.end());
        vertices_.erase(std::unique(first, vertices_.end()), vertices_.end());
    }
    cluster.vertices[kLeaves] = uint32_t(vertices_.size());
    clusters_.push_back(cluster);
}

void BodySearch::addMoved(Cluster& cluster, uint32_t begin, uint32_t end) {
    struct Sum {
        float weight = 0, most = 0;
        Vec3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};
    };
    std::map<uint16_t, Sum> sums;
    float total = 0;
    for (uint32_t i = begin; i < end; ++i) {
        cluster_of_triangle_[order_[i]] = uint32_t(clusters_.size());
        for (const uint32_t v : body_.triangles()[order_[i]]) {
            for (size_t k = 0; k < body_.influences(); ++k) {
                const float weight = body_.weightsOf(v)[k];
                if (weight == 0) continue;
                Sum& sum = sums[body_.jointsOf(v)[k]];
                sum.weight += weight, total += weight;
                sum.most = std::max(sum.most, weight);
                sum.low = min(sum.low, body_.rest()[v]);
                sum.high = max(sum.high, body_.rest()[v]);
            }
        }
    }
    cluster.first_moved = uint32_t(moved_.size());
    for (const auto& [joint, sum] : sums)
        moved_.push_back({joint, sum.weight / total, sum.most, (sum.low + sum.high) / 2,
                          (sum.high - sum.low) / 2});
    cluster.end_moved = uint32_t(moved_.size());
}

// The box of all places that the cluster's vertices can be in at the frame's start.
BodySearch::Box BodySearch::placed(const Cluster& cluster) const {
    Box box{toFloat4({1e30f, 1e30f, 1e30f}, 0), toFloat4({-1e30f, -1e30f, -1e30f}, 0)};
    for (uint32_t i = cluster.first_moved; i < cluster.end_moved; ++i) {
        const Columns m = columnsOf(start_[moved_[i].joint]);
        const Float4 centre = transformed(m, moved_[i].centre);
        const Float4 half = halfSides(m, moved_[i].half);
        box.low = minOf(box.low, centre - half);
        box.high = maxOf(box.high, centre + half);
    }
    return box;
}

// Where the box of the last frame's start has got to by its end.
BodySearch::Box BodySearch::carried(const Cluster& cluster) const {
    const float spread = cluster.shift.spread + kRounding;
    const Float4 mean = toFloat4(cluster.shift.mean, 0);
    const Float4 around = toFloat4({spread, spread, spread}, 0);
    return {cluster.box.low + mean - around, cluster.box.high + mean + around};
}

// Two bounds hold for a weighted mean: the largest of what is averaged, and the sum of each by its
// largest weight.
BodySearch::Shift BodySearch::shiftOf(const Cluster& cluster) const {
    Shift shift;
    for (uint32_t i = cluster.first_moved; i < cluster.end_moved; ++i)
        shift.mean += transformPoint(displacement_[moved_[i].joint], moved_[i].centre) *
                      moved_[i].mean_weight;
    float largest = 0, sum = 0, largest_bow = 0, sum_bow = 0;
    for (uint32_t i = cluster.first_moved; i < cluster.end_moved; ++i) {
        const Moved& moved = moved_[i];
        const Columns d = columnsOf(displacement_[moved.joint]), b = columnsOf(bow_[moved.joint]);
        const Vec3 from_mean = toVec3(transformed(d, moved.centre)) - shift.mean;
        const float spread = length(from_mean) + length(toVec3(halfSides(d, moved.half)));
        const float bow =
            length(toVec3(transformed(b, moved.centre))) + length(toVec3(halfSides(b, moved.half)));
        largest = std::max(largest, spread);
        sum += moved.most_weight * spread;
        largest_bow = std::max(largest_bow, bow);
        sum_bow += moved.most_weight * bow;
    }
    shift.spread = std::min(largest, sum);
    shift.bow = std::min(largest_bow, sum_bow);
    return shift;
}

void BodySearch::begin(const std::vector<Affine>& start, const std::vector<Affine>& middle,
                       const std::vector<Affine>& end) {
    const bool goes_on = sameBits(start, end_);
    start_ = start;
    end_ = end;
    displacement_.resize(start.size());
    bow_.resize(start.size());
    for (size_t j = 0; j < start.size(); ++j) {
        displacement_[j] = combined(end[j], 1, start[j], -1);
        bow_[j] = combined(middle[j], 1, combined(start[j], 0.5f, end[j], 0.5f), -1);
    }
    for (Cluster& cluster : clusters_) {
        Box box = placed(cluster);
        if (goes_on) {
            const Box before = carried(cluster);
            box = {maxOf(box.low, before.low), minOf(box.high, before.high)};
        }
        cluster.box = box;
        cluster.shift = shiftOf(cluster);
    }
    for (Part& part : parts_) gatherFours(part);
    // where the last frame ended and this one starts, leaves are the same
    if (goes_on && time_ == 1) {
        time_ = 0;
        for (uint32_t c = 0; c < clusters_.size(); ++c)
            if (clusters_[c].time == time_number_) tighten(c);
    } else {
        setTime(0);
    }
}

void BodySearch::gatherFours(Part& part) {
    for (uint32_t f = part.first_four; f < part.end_four; ++f)
        for (int lane = 0; lane < 4; ++lane)
            setLane(fours_[f].boxes, lane, splat(kFar), splat(kFar));
    part.most = 0;
    part.box = clusters_[part.first_cluster].box;
    for (uint32_t c = part.first_cluster; c < part.end_cluster; ++c) {
        const auto& [mean, spread, bow] = clusters_[c].shift;
        const Box& box = clusters_[c].box;
        part.box.low = minOf(part.box.low, box.low);
        part.box.high = maxOf(part.box.high, box.high);
        // from the start to now, and from now to the end: each may bow
        part.most = std::max(part.most, length(mean) + spread + 2 * bow + kRounding);
        Four& four = fours_[four_of_cluster_[c] / 4];
        const int lane = int(four_of_cluster_[c] % 4);
        setLane(four.boxes, lane, box.low, box.high);
        for (int k = 0; k < 3; ++k) four.mean[k][lane] = mean[k];
        four.spread[lane] = spread;
        four.bow[lane] = bow;
    }
}

void BodySearch::setTime(float time) {
    time_ = time;
    if (++time_number_ != 0) return;
    for (Cluster& cluster : clusters_) cluster.time = 0;  // the count has gone round
    time_number_ = 1;
}

// The box that follows from the joints is wide; that of the leaves, once known, is tight.
void BodySearch::tighten(uint32_t c) {
    clusters_[c].box = clusters_[c].all_leaves;
    setLane(fours_[four_of_cluster_[c] / 4].boxes, int(four_of_cluster_[c] % 4),
            clusters_[c].box.low, clusters_[c].box.high);
}

void BodySearch::refit(Cluster& cluster, PosedSkin& skin) {
    cluster.time = time_number_;
    const Float4 far = toFloat4({kFar, kFar, kFar}, 0);
    cluster.all_leaves = {far, -far};
    for (int leaf = 0; leaf < kLeaves; ++leaf) {
        if (cluster.vertices[leaf] == cluster.vertices[leaf + 1]) continue;
        Float4 low = far, high = -far;
        for (uint32_t i = cluster.vertices[leaf]; i < cluster.vertices[leaf + 1]; ++i) {
            const Float4 corner = skin.lanes(vertices_[i]);
            low = minOf(low, corner);
            high = maxOf(high, corner);
        }
        setLane(cluster.leaves[leaf / 4], leaf % 4, low, high);
        cluster.all_leaves.low = minOf(cluster.all_leaves.low, low);
        cluster.all_leaves.high = maxOf(cluster.all_leaves.high, high);
    }
}

float BodySearch::motionTowards(const Shift& shift, Vec3 motion) const {
    const float rest = 1 - time_;
    return length(motion - shift.mean * rest) + shift.spread * rest + shift.bow;
}

// The clusters of a part that can have what is looked for, by distance, into candidates_. Their
// boxes are those of the frame's start: they are met there.
void BodySearch::lookForClusters(const Part& part, const Query& query) {
    candidates_.clear();
    const float rest = 1 - time_;
    const Float4 longest = splat(kLongestReach), margin = splat(query.margin);
    for (uint32_t f = part.first_four; f < part.end_four; ++f) {
        const Four& four = fours_[f];
        Float4 then[3], towards{};
        for (int k = 0; k < 3; ++k) {
            const Float4 relative = splat(query.motion[k]) - four.mean[k] * splat(rest);
            towards += relative * relative;
            then[k] = splat(query.position[k]) - four.mean[k] * splat(time_);
        }
        const Float4 motion = rootOf(towards) + four.spread * splat(rest) + four.bow;
        const Float4 reach = minOf(margin + motion, longest);
        const Float4 moved =
            (time_ > 0 ? four.spread * splat(time_) + four.bow : Float4{}) + splat(kRounding);
        const Float4 squared = squaredDistances(then, four.boxes);
        for (unsigned bits = bitsOf(squared < (reach + moved) * (reach + moved)); bits != 0;
             bits &= bits - 1) {
            const int lane = std::countr_zero(bits);
            const uint32_t cluster =
                part.first_cluster + 4 * (f - part.first_four) + uint32_t(lane);
            candidates_.push_back({cluster, squared[lane], reach[lane], motion[lane], moved[lane]});
        }
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.squared < b.squared; });
}

// Sets `best` to the cluster's nearest point where that is nearer, and than `reach`.
bool BodySearch::searchCluster(uint32_t c, Vec3 p, float reach, PosedSkin& skin, BodyPoint& best) {
    Cluster& cluster = clusters_[c];
    if (cluster.time != time_number_) {
        refit(cluster, skin);
        if (time_ == 0) tighten(c);
    }
    const Float4 p3[3] = {splat(p.x), splat(p.y), splat(p.z)};
    const auto bound = [&] {
        const float within = std::min(reach, std::sqrt(best.squared)) + kRounding;
        return within * within;
    };
    float squared[kLeaves], limit = bound();
    uint64_t open = 0;
    for (int four = 0; four < kLeaves / 4; ++four) {
        const Float4 distances = squaredDistances(p3, cluster.leaves[four]);
        std::memcpy(squared + 4 * four, &distances, sizeof distances);
        open |= uint64_t(bitsOf(distances < splat(limit))) << (4 * four);
    }
    bool found = false;
    while (open != 0) {
        int leaf = std::countr_zero(open);
        for (uint64_t bits = open & (open - 1); bits != 0; bits &= bits - 1)
            if (squared[std::countr_zero(bits)] < squared[leaf]) leaf = std::countr_zero(bits);
        if (squared[leaf] >= limit) break;
        open &= ~(uint64_t(1) << leaf);
        for (uint32_t i = cluster.triangles[leaf]; i < cluster.triangles[leaf + 1]; ++i) {
            const BodyPoint point = body_.onTriangle(p, order_[i], skin);
            if (point.squared >= reach * reach || !nearer(point, best)) continue;
            best = point;
            found = true;
            limit = bound();
        }
    }
    return found;
}

BodySearch::Found BodySearch::nearest(size_t part, const Query& query, const BodyPoint& hint,
                                      PosedSkin& skin) {
    Found found;
    found.point.squared = kFar;
    if (hint.triangle != kNone) {
        const Found by_hint = followed(query, hint);
        const float reach = std::min(query.margin + by_hint.motion, kLongestReach);
        if (hint.squared < reach * reach) found = by_hint;
    }
    lookForClusters(parts_[part], query);
    for (const Candidate& candidate : candidates_) {
        const float within = std::sqrt(found.point.squared) + candidate.moved;
        if (candidate.squared >= within * within) continue;
        if (searchCluster(candidate.cluster, query.position, candidate.reach, skin, found.point))
            found.motion = candidate.motion;
    }
    return found;
}

BodySearch::Found BodySearch::followed(const Query& query, const BodyPoint& point) const {
    return {point,
            motionTowards(clusters_[cluster_of_triangle_[point.triangle]].shift, query.motion)};
}

bool BodySearch::mayReach(size_t part_number, const Query& query, float length) const {
    const Part& part = parts_[part_number];
    const Float4 p = toFloat4(query.position, 0);
    const Float4 outside = maxOf(maxOf(part.box.low - p, p - part.box.high), splat(0));
    const float reach = query.margin + length + part.most;
    return lengthSquared(toVec3(outside)) < reach * reach;
}

BodyPoint BodySearch::nearest(Vec3 p, PosedSkin& skin) {
    BodyPoint best;
    best.squared = kFar;
    for (uint32_t c = 0; c < clusters_.size(); ++c) searchCluster(c, p, kFar, skin, best);
    return best;
}

}  // namespace hem::built_in
