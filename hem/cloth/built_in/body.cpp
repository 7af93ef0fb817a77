// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/body.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "hem/character/humanoid.h"
#include "hem/core/surface_tree.h"

namespace hem::built_in {
namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr uint32_t kLeafSize = 2;
constexpr int kLongestWalk = 12;

[[gnu::always_inline]] inline float boxDistanceSquared(Float4 p, Float4 low, Float4 high) {
    const Float4 outside = maxOf(maxOf(low - p, p - high), splat(0));
    const Float4 squared = outside * outside;
    return squared[0] + squared[1] + squared[2];
}

constexpr uint8_t kFirstArm = 2, kLastArm = 5;

// Which part each joint belongs to, numbered from 0.
std::vector<uint8_t> partsOfJoints(const Skeleton& skeleton) {
    std::vector<uint8_t> part(skeleton.size());
    const Result<Humanoid> humanoid = recognise(skeleton);
    if (!humanoid) {
        for (size_t j = 0; j < part.size(); ++j) part[j] = uint8_t(std::min<size_t>(j, 63));
        return part;
    }
    // the bone at which each part begins; joints below follow
    const std::pair<Bone, uint8_t> starts[] = {{Bone::kNeck1, 1},      {Bone::kHead, 1},
                                               {Bone::kLeftArm, 2},    {Bone::kLeftForeArm, 3},
                                               {Bone::kRightArm, 4},   {Bone::kRightForeArm, 5},
                                               {Bone::kLeftUpLeg, 6},  {Bone::kLeftLeg, 7},
                                               {Bone::kRightUpLeg, 8}, {Bone::kRightLeg, 9}};
    for (size_t j = 0; j < part.size(); ++j) {
        const int parent = skeleton.joints[j].parent;
        part[j] = parent < 0 ? uint8_t(0) : part[size_t(parent)];
        for (const auto& [bone, number] : starts)
            if ((*humanoid)[bone] == int(j)) part[j] = number;
    }
    return part;
}

}  // namespace

Body::Body(const Character& character) {
    const Weld weld = weldByPosition(character.mesh.positions);
    const Mesh mesh = welded(character.mesh, weld);
    rest_ = mesh.positions;
    triangles_ = mesh.triangles;
    influences_ = size_t(character.skin.influences);
    for (const uint32_t v : weld.original_from_welded) {
        for (size_t i = 0; i < influences_; ++i) {
            joints_.push_back(character.skin.joints[v * influences_ + i]);
            weights_.push_back(character.skin.weights[v * influences_ + i]);
        }
    }
    connect();
    measureCurvature();
    cutIntoParts(character);
}

void Body::connect() {
    struct Half {
        uint32_t low, high, triangle, opposite;
    };
    std::vector<Half> halves;
    fan_begin_.assign(rest_.size() + 1, 0);
    for (uint32_t t = 0; t < triangles_.size(); ++t) {
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t i = triangles_[t][(k + 1) % 3], j = triangles_[t][(k + 2) % 3];
            halves.push_back({std::min(i, j), std::max(i, j), t, k});
            ++fan_begin_[triangles_[t][k] + 1];
        }
    }
    std::sort(halves.begin(), halves.end(), [](const Half& a, const Half& b) {
        return std::tie(a.low, a.high, a.triangle) < std::tie(b.low, b.high, b.triangle);
    });
    neighbours_.assign(triangles_.size(), {kNone, kNone, kNone});
    for (size_t h = 0; h + 1 < halves.size(); ++h) {
        const Half &a = halves[h], &b = halves[h + 1];
        if (a.low != b.low || a.high != b.high) continue;
        neighbours_[a.triangle][a.opposite] = b.triangle;
        neighbours_[b.triangle][b.opposite] = a.triangle;
    }
    std::partial_sum(fan_begin_.begin(), fan_begin_.end(), fan_begin_.begin());
    fan_.resize(3 * triangles_.size());
    std::vector<uint32_t> next(fan_begin_.begin(), fan_begin_.end() - 1);
    for (uint32_t t = 0; t < triangles_.size(); ++t)
        for (const uint32_t v : triangles_[t]) fan_[next[v]++] = t;
}

// Along an edge from p to q the surface falls away from p's tangent plane by |pq|^2 / 2r.
void Body::measureCurvature() {
    const std::vector<Vec3> normals = vertexNormals(rest_, triangles_);
    std::vector<float> bulge(rest_.size(), 0);
    for (const auto& [i, j] : uniqueEdges(triangles_)) {
        const Vec3 edge = rest_[j] - rest_[i];
        const float squared = std::max(lengthSquared(edge), 1e-12f);
        bulge[i] = std::max(bulge[i], -2 * dot(normals[i], edge) / squared);
        bulge[j] = std::max(bulge[j], 2 * dot(normals[j], edge) / squared);
    }
    curvature_.resize(rest_.size());
    for (uint32_t v = 0; v < rest_.size(); ++v) {
        float sum = bulge[v], count = 1;
        for (uint32_t i = fan_begin_[v]; i < fan_begin_[v + 1]; ++i)
            for (const uint32_t w : triangles_[fan_[i]]) sum += bulge[w], ++count;
        curvature_[v] = sum / count;
    }
}

float Body::curvatureAt(const BodyPoint& point) const {
    const auto [i, j, k] = triangles_[point.triangle];
    return curvature_[i] * point.a + curvature_[j] * point.b + curvature_[k] * point.c;
}

void Body::cutIntoParts(const Character& character) {
    const std::vector<uint8_t> part_of_joint = partsOfJoints(character.skeleton);
    const auto part_of_vertex = [&](uint32_t v) {
        float sums[64] = {};
        for (size_t i = v * influences_; i < (v + 1) * influences_; ++i)
            sums[part_of_joint[joints_[i]]] += weights_[i];
        return uint8_t(std::max_element(sums, sums + 64) - sums);
    };
    std::map<uint8_t, uint8_t> numbers;  // parts that have no triangle get none
    part_of_triangle_.resize(triangles_.size());
    for (size_t t = 0; t < triangles_.size(); ++t) {
        const auto [i, j, k] = triangles_[t];
        const uint8_t a = part_of_vertex(i), b = part_of_vertex(j), c = part_of_vertex(k);
        const uint8_t majority = b == c ? b : a;
        const auto number = numbers.try_emplace(majority, uint8_t(numbers.size())).first->second;
        part_of_triangle_[t] = number;
    }
    parts_.resize(numbers.size());
    const bool humanoid = bool(recognise(character.skeleton));
    for (const auto& [part, number] : numbers)
        parts_[number].arm = humanoid && part >= kFirstArm && part <= kLastArm;
    for (uint32_t t = 0; t < triangles_.size(); ++t) {
        Part& part = parts_[part_of_triangle_[t]];
        part.order.push_back(t);
        part.vertices.insert(part.vertices.end(), triangles_[t].begin(), triangles_[t].end());
    }
    for (Part& part : parts_) {
        std::sort(part.vertices.begin(), part.vertices.end());
        part.vertices.erase(std::unique(part.vertices.begin(), part.vertices.end()),
                            part.vertices.end());
        part.nodes.emplace_back();
        buildTree(part, 0, 0, uint32_t(part.order.size()));
    }
}

// Halves the triangles at the median along the longest side of their box, in the rest pose.
void Body::buildTree(Part& part, uint32_t node, uint32_t begin, uint32_t end) {
    if (end - begin <= kLeafSize) {
        part.nodes[node].first = begin;
        part.nodes[node].count = end - begin;
        return;
    }
    const auto centre = [&](uint32_t t) {
        return rest_[triangles_[t][0]] + rest_[triangles_[t][1]] + rest_[triangles_[t][2]];
    };
    Vec3 low = centre(part.order[begin]), high = low;
    for (uint32_t i = begin; i < end; ++i) {
        low = min(low, centre(part.order[i]));
        high = max(high, centre(part.order[i]));
    }
    const Vec3 size = high - low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const uint32_t middle = begin + (end - begin) / 2;
    std::nth_element(part.order.begin() + begin, part.order.begin() + middle,
                     part.order.begin() + end, [&](uint32_t a, uint32_t b) {
                         return std::pair(centre(a)[axis], a) < std::pair(centre(b)[axis], b);
                     });
    const auto first = uint32_t(part.nodes.size());
    part.nodes[node].first = first;
    part.nodes.emplace_back();
    part.nodes.emplace_back();
    buildTree(part, first, begin, middle);
    buildTree(part, first + 1, middle, end);
}

void Body::skinVertex(uint32_t v, const std::vector<Affine>& matrices, Vec3& out) const {
    using Row = float __attribute__((vector_size(16)));
    Row row0{}, row1{}, row2{};
    for (size_t i = v * influences_; i < (v + 1) * influences_; ++i) {
        if (weights_[i] == 0) continue;
        const auto* m = reinterpret_cast<const Row*>(matrices[joints_[i]].m);
        row0 += weights_[i] * m[0];
        row1 += weights_[i] * m[1];
        row2 += weights_[i] * m[2];
    }
    const Row p{rest_[v].x, rest_[v].y, rest_[v].z, 1};
    row0 *= p;
    row1 *= p;
    row2 *= p;
    const Row pair = __builtin_shufflevector(row0, row1, 0, 4, 1, 5) +
                     __builtin_shufflevector(row0, row1, 2, 6, 3, 7);
    const Row xy = pair + __builtin_shufflevector(pair, pair, 2, 3, 0, 1);
    const Row half = row2 + __builtin_shufflevector(row2, row2, 2, 3, 0, 1);
    out = {xy[0], xy[1], half[0] + half[1]};
}

void Body::skin(const std::vector<Affine>& matrices, std::vector<Vec3>& out) const {
    out.resize(rest_.size());
    for (uint32_t v = 0; v < rest_.size(); ++v) skinVertex(v, matrices, out[v]);
}

void Body::skinPart(size_t part, const std::vector<Affine>& matrices,
                    std::vector<Vec3>& out) const {
    for (const uint32_t v : parts_[part].vertices) skinVertex(v, matrices, out[v]);
}

Body::Shift Body::shiftOf(size_t part, const std::vector<Vec3>& from,
                          const std::vector<Vec3>& to) const {
    Shift shift;
    const auto& vertices = parts_[part].vertices;
    for (const uint32_t v : vertices) shift.mean += to[v] - from[v];
    shift.mean = shift.mean / float(vertices.size());
    float squared = 0;
    for (const uint32_t v : vertices)
        squared = std::max(squared, lengthSquared(to[v] - from[v] - shift.mean));
    shift.spread = std::sqrt(squared);
    return shift;
}

void Body::refit(const std::vector<Vec3>& positions) {
    for (Part& part : parts_) {
        for (size_t n = part.nodes.size(); n-- > 0;) {
            Node& node = part.nodes[n];
            if (node.count == 0) {
                const Node &a = part.nodes[node.first], &b = part.nodes[node.first + 1];
                node.low = minOf(a.low, b.low);
                node.high = maxOf(a.high, b.high);
                continue;
            }
            node.low = node.high = toFloat4(positions[triangles_[part.order[node.first]][0]], 0);
            for (uint32_t i = node.first; i < node.first + node.count; ++i) {
                for (const uint32_t v : triangles_[part.order[i]]) {
                    node.low = minOf(node.low, toFloat4(positions[v], 0));
                    node.high = maxOf(node.high, toFloat4(positions[v], 0));
                }
            }
        }
    }
}

BodyPoint Body::onTriangle(Vec3 p, uint32_t triangle, const std::vector<Vec3>& positions) const {
    const auto [i, j, k] = triangles_[triangle];
    const Barycentric w = nearestOnTriangle(p, positions[i], positions[j], positions[k]);
    const Vec3 at = w.at(positions[i], positions[j], positions[k]);
    return {triangle, w.a, w.b, w.c, at, lengthSquared(p - at)};
}

BodyPoint Body::nearest(size_t part_number, Vec3 p, float reach, uint32_t hint,
                        const std::vector<Vec3>& positions) const {
    const Part& part = parts_[part_number];
    BodyPoint best;
    best.squared = reach * reach;
    if (hint != kNone) {
        const BodyPoint first = onTriangle(p, hint, positions);
        if (first.squared < best.squared) best = first;
    }
    struct Entry {
        uint32_t node;
        float squared;
    };
    Entry stack[64];
    int top = 0;
    const Float4 p4 = toFloat4(p, 0);
    stack[top++] = {0, boxDistanceSquared(p4, part.nodes[0].low, part.nodes[0].high)};
    while (top > 0) {
        const Entry entry = stack[--top];
        if (entry.squared >= best.squared) continue;
        const Node& node = part.nodes[entry.node];
        if (node.count == 0) {
            const Node &na = part.nodes[node.first], &nb = part.nodes[node.first + 1];
            Entry a{node.first, boxDistanceSquared(p4, na.low, na.high)};
            Entry b{node.first + 1, boxDistanceSquared(p4, nb.low, nb.high)};
            if (a.squared < b.squared) std::swap(a, b);
            if (a.squared < best.squared) stack[top++] = a;
            if (b.squared < best.squared) stack[top++] = b;
            continue;
        }
        for (uint32_t i = node.first; i < node.first + node.count; ++i) {
            const BodyPoint point = onTriangle(p, part.order[i], positions);
            if (point.squared < best.squared) best = point;
        }
    }
    return best;
}

BodyPoint Body::walk(Vec3 p, uint32_t triangle, const std::vector<uint8_t>& active,
                     const std::vector<Vec3>& positions) const {
    BodyPoint here = onTriangle(p, triangle, positions);
    for (int step = 0; step < kLongestWalk; ++step) {
        const float weights[3] = {here.a, here.b, here.c};
        int zeros = 0, zero = 0, corner = 0;
        for (int k = 0; k < 3; ++k) {
            if (weights[k] == 0) ++zeros, zero = k;
            if (weights[k] == 1) corner = k;
        }
        if (zeros == 0) break;
        BodyPoint best = here;
        const auto consider = [&](uint32_t t) {
            if (t == kNone || t == here.triangle || !active[part_of_triangle_[t]]) return;
            const BodyPoint point = onTriangle(p, t, positions);
            if (point.squared < best.squared) best = point;
        };
        if (zeros == 1) {
            consider(neighbours_[here.triangle][size_t(zero)]);
        } else {
            const uint32_t v = triangles_[here.triangle][size_t(corner)];
            for (uint32_t i = fan_begin_[v]; i < fan_begin_[v + 1]; ++i) consider(fan_[i]);
        }
        // nearer by more than rounding, or the walk could go round in circles
        if (best.triangle == here.triangle || best.squared > here.squared * (1 - 1e-6f)) break;
        here = best;
    }
    return here;
}

Vec3 Body::faceNormal(uint32_t triangle, const std::vector<Vec3>& positions) const {
    const auto [i, j, k] = triangles_[triangle];
    return cross(positions[j] - positions[i], positions[k] - positions[i]);
}

Vec3 Body::outwards(const BodyPoint& point, const std::vector<Vec3>& positions) const {
    const float weights[3] = {point.a, point.b, point.c};
    int zeros = 0, zero = 0, corner = 0;
    for (int k = 0; k < 3; ++k) {
        if (weights[k] == 0) ++zeros, zero = k;
        if (weights[k] == 1) corner = k;
    }
    Vec3 normal = faceNormal(point.triangle, positions);
    if (zeros == 1) {
        const uint32_t other = neighbours_[point.triangle][size_t(zero)];
        if (other != kNone) normal = normalized(normal) + normalized(faceNormal(other, positions));
    } else if (zeros == 2) {
        normal = {};
        const uint32_t v = triangles_[point.triangle][size_t(corner)];
        for (uint32_t i = fan_begin_[v]; i < fan_begin_[v + 1]; ++i)
            normal += normalized(faceNormal(fan_[i], positions));
    }
    return normal;
}

std::map<uint16_t, float> Body::weightsAt(const BodyPoint& point) const {
    std::map<uint16_t, float> sums;
    const float corner_weights[3] = {point.a, point.b, point.c};
    for (size_t k = 0; k < 3; ++k) {
        const size_t v = triangles_[point.triangle][k];
        for (size_t i = v * influences_; i < (v + 1) * influences_; ++i)
            sums[joints_[i]] += corner_weights[k] * weights_[i];
    }
    return sums;
}

Body::Carried Body::largest(const std::map<uint16_t, float>& weights) {
    std::vector<std::pair<uint16_t, float>> sorted(weights.begin(), weights.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    if (sorted.size() > Skin::kMaxInfluences) sorted.resize(Skin::kMaxInfluences);
    float total = 0;
    for (const auto& entry : sorted) total += entry.second;
    Carried carried;
    for (size_t i = 0; i < sorted.size(); ++i) {
        carried.joints[i] = sorted[i].first;
        carried.weights[i] = sorted[i].second / total;
    }
    return carried;
}

}  // namespace hem::built_in
