// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/body_search.h"

#include <algorithm>
#include <map>

namespace hem::built_in {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kLeafSize = 2, kClusterSize = 48;  // triangles, at most
constexpr float kLongestReach = 0.4f;

// The squares whose sum is the squared distance of the box.
[[gnu::always_inline]] inline Float4 outsideSquared(Float4 p, Float4 low, Float4 high) {
    const Float4 outside = maxOf(maxOf(low - p, p - high), splat(0));
    return outside * outside;
}
[[gnu::always_inline]] inline float boxDistanceSquared(Float4 p, Float4 low, Float4 high) {
    const Float4 squared = outsideSquared(p, low, high);
    return squared[0] + squared[1] + squared[2];
}

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

}  // namespace

BodySearch::BodySearch(const Body& body)
    : body_(body), cluster_of_triangle_(body.triangles().size()) {
    for (uint32_t part = 0; part < body.parts(); ++part) {
        const auto first = uint32_t(order_.size());
        for (uint32_t t = 0; t < body.triangles().size(); ++t)
            if (body.partOf(t) == part) order_.push_back(t);
        Part next;
        next.first_node = uint32_t(upper_.size());
        next.first_cluster = uint32_t(clusters_.size());
        upper_.emplace_back();
        addUpper(next.first_node, first, uint32_t(order_.size()));
        next.end_node = uint32_t(upper_.size());
        next.end_cluster = uint32_t(clusters_.size());
        parts_.push_back(next);
    }
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

void BodySearch::addUpper(uint32_t node, uint32_t begin, uint32_t end) {
    const auto first = uint32_t(upper_.size());
    if (end - begin <= kClusterSize) {
        upper_[node].first = addCluster(begin, end);
        upper_[node].count = 1;
        clusters_.back().leaf = node;
        return;
    }
    upper_[node].first = first;
    upper_.resize(first + 2);
    upper_[first].parent = upper_[first + 1].parent = node;
    const uint32_t middle = halve(begin, end);
    addUpper(first, begin, middle);
    addUpper(first + 1, middle, end);
}

void BodySearch::addLower(uint32_t node, uint32_t begin, uint32_t end) {
    const auto first = uint32_t(lower_.size());
    lower_[node].first = begin;
    lower_[node].count = end - begin;
    if (end - begin <= kLeafSize) return;
    lower_[node].first = first;
    lower_[node].count = 0;
    lower_.resize(first + 2);
    const uint32_t middle = halve(begin, end);
    addLower(first, begin, middle);
    addLower(first + 1, middle, end);
}

uint32_t BodySearch::addCluster(uint32_t begin, uint32_t end) {
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
    Cluster cluster;
    cluster.first_moved = uint32_t(moved_.size());
    for (const auto& [joint, sum] : sums)
        moved_.push_back({joint, sum.weight / total, sum.most, (sum.low + sum.high) / 2,
                          (sum.high - sum.low) / 2});
    cluster.end_moved = uint32_t(moved_.size());
    cluster.first_node = uint32_t(lower_.size());
    lower_.emplace_back();
    addLower(cluster.first_node, begin, end);
    cluster.end_node = uint32_t(lower_.size());
    clusters_.push_back(cluster);
    return uint32_t(clusters_.size() - 1);
}

// The box of all places that the cluster's vertices can be in at the frame's start.
void BodySearch::placeCluster(const Cluster& cluster, Node& box) const {
    box.low = toFloat4({1e30f, 1e30f, 1e30f}, 0);
    box.high = -box.low;
    for (uint32_t i = cluster.first_moved; i < cluster.end_moved; ++i) {
        const Columns m = columnsOf(start_[moved_[i].joint]);
        const Float4 centre = transformed(m, moved_[i].centre);
        const Float4 half = halfSides(m, moved_[i].half);
        box.low = minOf(box.low, centre - half);
        box.high = maxOf(box.high, centre + half);
    }
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

BodySearch::Shift BodySearch::shiftOf(const Part& part) const {
    Shift shift;
    for (uint32_t c = part.first_cluster; c < part.end_cluster; ++c)
        shift.mean += clusters_[c].shift.mean;
    shift.mean = shift.mean / float(part.end_cluster - part.first_cluster);
    for (uint32_t c = part.first_cluster; c < part.end_cluster; ++c) {
        const Shift& own = clusters_[c].shift;
        shift.spread = std::max(shift.spread, distance(own.mean, shift.mean) + own.spread);
        shift.bow = std::max(shift.bow, own.bow);
    }
    return shift;
}

void BodySearch::begin(const std::vector<Affine>& start, const std::vector<Affine>& middle,
                       const std::vector<Affine>& end) {
    start_ = start;
    displacement_.resize(start.size());
    bow_.resize(start.size());
    for (size_t j = 0; j < start.size(); ++j) {
        displacement_[j] = combined(end[j], 1, start[j], -1);
        bow_[j] = combined(middle[j], 1, combined(start[j], 0.5f, end[j], 0.5f), -1);
    }
    for (Cluster& cluster : clusters_) cluster.shift = shiftOf(cluster);
    for (Part& part : parts_) {
        part.shift = shiftOf(part);
        part.most = length(part.shift.mean) + part.shift.spread + part.shift.bow;
        for (uint32_t n = part.end_node; n-- > part.first_node;) {
            Node& node = upper_[n];
            if (node.count > 0) {
                placeCluster(clusters_[node.first], node);
                continue;
            }
            const Node &a = upper_[node.first], &b = upper_[node.first + 1];
            node.low = minOf(a.low, b.low);
            node.high = maxOf(a.high, b.high);
        }
    }
    setTime(0);
}

void BodySearch::setTime(float time) {
    time_ = time;
    if (++time_number_ != 0) return;
    for (Cluster& cluster : clusters_) cluster.time = 0;  // the count has gone round
    time_number_ = 1;
}

// The boxes that follow from the joints are wide; a cluster's own, once known, makes those above it
// tighter.
void BodySearch::tighten(const Cluster& cluster) {
    Node& leaf = upper_[cluster.leaf];
    leaf.low = lower_[cluster.first_node].low;
    leaf.high = lower_[cluster.first_node].high;
    for (uint32_t n = leaf.parent; n != kNone; n = upper_[n].parent) {
        const Node &a = upper_[upper_[n].first], &b = upper_[upper_[n].first + 1];
        upper_[n].low = minOf(a.low, b.low);
        upper_[n].high = maxOf(a.high, b.high);
    }
}

void BodySearch::refit(Cluster& cluster, PosedSkin& skin) {
    cluster.time = time_number_;
    for (uint32_t n = cluster.end_node; n-- > cluster.first_node;) {
        Node& node = lower_[n];
        if (node.count == 0) {
            const Node &a = lower_[node.first], &b = lower_[node.first + 1];
            node.low = minOf(a.low, b.low);
            node.high = maxOf(a.high, b.high);
            continue;
        }
        Float4 low = skin.lanes(body_.triangles()[order_[node.first]][0]), high = low;
        for (uint32_t i = node.first; i < node.first + node.count; ++i) {
            for (const uint32_t v : body_.triangles()[order_[i]]) {
                const Float4 corner = skin.lanes(v);
                low = minOf(low, corner);
                high = maxOf(high, corner);
            }
        }
        node.low = low;
        node.high = high;
    }
}

float BodySearch::motionTowards(const Shift& shift, Vec3 motion) const {
    const float rest = 1 - time_;
    return length(motion - shift.mean * rest) + shift.spread * rest + shift.bow;
}

void BodySearch::push(const std::vector<Node>& nodes, uint32_t n, Float4 p, float bound,
                      Stack& stack) {
    const float squared = boxDistanceSquared(p, nodes[n].low, nodes[n].high);
    if (squared < bound) stack.entries[stack.size++] = {n, squared};
}

// The nearer child last, as it is the next to be looked at.
void BodySearch::pushChildren(const std::vector<Node>& nodes, uint32_t first, Float4 p, float bound,
                              Stack& stack) {
    const Float4 a = outsideSquared(p, nodes[first].low, nodes[first].high);
    const Float4 b = outsideSquared(p, nodes[first + 1].low, nodes[first + 1].high);
    const Float4 xy = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Float4 z = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Float4 squared = xy + __builtin_shufflevector(xy, xy, 2, 3, 2, 3) + z;
    Entry near{first + 1, squared[1]}, far{first, squared[0]};
    if (far.squared < near.squared) std::swap(near, far);
    if (near.squared >= bound) return;
    if (far.squared < bound) stack.entries[stack.size++] = far;
    stack.entries[stack.size++] = near;
}

// The nearest point of the cluster, where it is nearer than `bound`, squared metres.
BodyPoint BodySearch::searchCluster(Cluster& cluster, Vec3 p, float bound, PosedSkin& skin) {
    if (cluster.time != time_number_) {
        refit(cluster, skin);
        if (time_ == 0) tighten(cluster);
    }
    BodyPoint best;
    best.squared = bound;
    Stack stack;
    const Float4 p4 = toFloat4(p, 0);
    push(lower_, cluster.first_node, p4, bound, stack);
    while (stack.size > 0) {
        const Entry entry = stack.entries[--stack.size];
        if (entry.squared >= best.squared) continue;
        const Node& node = lower_[entry.node];
        if (node.count == 0) {
            pushChildren(lower_, node.first, p4, best.squared, stack);
            continue;
        }
        for (uint32_t i = node.first; i < node.first + node.count; ++i) {
            const BodyPoint point = body_.onTriangle(p, order_[i], skin);
            if (point.squared < best.squared) best = point;
        }
    }
    return best;
}

// Metres, squared, within which the query looks for triangles that move like that.
float BodySearch::reachSquared(const Query& query, const Shift& shift) const {
    const float reach = std::min(query.margin + motionTowards(shift, query.motion), kLongestReach);
    return reach * reach;
}

BodySearch::Found BodySearch::nearest(size_t part_number, const Query& query, const BodyPoint& hint,
                                      PosedSkin& skin) {
    const Part& part = parts_[part_number];
    const Vec3 p = query.position;
    // The boxes above the clusters are those of the frame's start: they are met there.
    const float inflated = time_ > 0 ? part.shift.spread * time_ + part.shift.bow : 0;
    const Float4 p4 = toFloat4(p - part.shift.mean * time_, 0);
    const auto inflate = [&](float squared) {
        return inflated == 0 ? squared
                             : (std::sqrt(squared) + inflated) * (std::sqrt(squared) + inflated);
    };
    Found found;
    found.point.squared = reachSquared(query, part.shift);
    if (hint.triangle != kNone && hint.squared < found.point.squared) {
        const Shift& shift = clusters_[cluster_of_triangle_[hint.triangle]].shift;
        if (hint.squared < reachSquared(query, shift)) found = followed(query, hint);
    }
    float bound = inflate(found.point.squared);
    Stack stack;
    push(upper_, part.first_node, p4, bound, stack);
    while (stack.size > 0) {
        const Entry entry = stack.entries[--stack.size];
        if (entry.squared >= bound) continue;
        const Node& node = upper_[entry.node];
        if (node.count == 0) {
            pushChildren(upper_, node.first, p4, bound, stack);
            continue;
        }
        Cluster& cluster = clusters_[node.first];
        const float within = std::min(found.point.squared, reachSquared(query, cluster.shift));
        if (entry.squared >= inflate(within)) continue;
        const BodyPoint point = searchCluster(cluster, p, within, skin);
        if (point.triangle == kNone) continue;
        found = {point, motionTowards(cluster.shift, query.motion)};
        bound = inflate(point.squared);
    }
    return found;
}

BodySearch::Found BodySearch::followed(const Query& query, const BodyPoint& point) const {
    return {point,
            motionTowards(clusters_[cluster_of_triangle_[point.triangle]].shift, query.motion)};
}

bool BodySearch::mayReach(size_t part_number, const Query& query, float length) const {
    const Part& part = parts_[part_number];
    const Node& root = upper_[part.first_node];
    const float reach = query.margin + length + part.most;
    return boxDistanceSquared(toFloat4(query.position, 0), root.low, root.high) < reach * reach;
}

BodyPoint BodySearch::nearest(Vec3 p, PosedSkin& skin) {
    BodyPoint best;
    best.squared = 1e30f;
    for (Cluster& cluster : clusters_) {
        const BodyPoint point = searchCluster(cluster, p, best.squared, skin);
        if (point.triangle != kNone) best = point;
    }
    return best;
}

}  // namespace hem::built_in
