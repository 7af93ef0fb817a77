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
constexpr int kLongestWalk = 12;

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
    joint_count_ = character.skeleton.size();
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
    part_is_arm_.resize(numbers.size());
    const bool humanoid = bool(recognise(character.skeleton));
    for (const auto& [part, number] : numbers)
        part_is_arm_[number] = humanoid && part >= kFirstArm && part <= kLastArm;
}

bool sameBits(const std::vector<Affine>& a, const std::vector<Affine>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Affine)) == 0;
}

PosedSkin::PosedSkin(const Body& body) : body_(&body), entries_(body.vertexCount()) {}

void PosedSkin::pose(const std::vector<Affine>& matrices) {
    if (sameBits(matrices, matrices_)) return;
    matrices_ = matrices;
    if (++pose_ != 0) return;
    for (Entry& entry : entries_) entry.pose = 0;  // the count has gone round
    pose_ = 1;
}

void PosedSkin::skinVertex(uint32_t vertex, Entry& entry) const {
    using Row = float __attribute__((vector_size(16)));
    const uint16_t* joints = body_->jointsOf(vertex);
    const float* weights = body_->weightsOf(vertex);
    Row row0{}, row1{}, row2{};
    for (size_t i = 0; i < body_->influences(); ++i) {
        if (weights[i] == 0) continue;
        const auto* m = reinterpret_cast<const Row*>(matrices_[joints[i]].m);
        row0 += weights[i] * m[0];
        row1 += weights[i] * m[1];
        row2 += weights[i] * m[2];
    }
    const Vec3 rest = body_->rest()[vertex];
    const Row p{rest.x, rest.y, rest.z, 1};
    row0 *= p;
    row1 *= p;
    row2 *= p;
    const Row pair = __builtin_shufflevector(row0, row1, 0, 4, 1, 5) +
                     __builtin_shufflevector(row0, row1, 2, 6, 3, 7);
    const Row xy = pair + __builtin_shufflevector(pair, pair, 2, 3, 0, 1);
    const Row half = row2 + __builtin_shufflevector(row2, row2, 2, 3, 0, 1);
    entry = {{xy[0], xy[1], half[0] + half[1]}, pose_};
}

BodyPoint Body::onTriangle(Vec3 p, uint32_t triangle, PosedSkin& skin) const {
    const auto [i, j, k] = triangles_[triangle];
    const Vec3 a = skin[i], b = skin[j], c = skin[k];
    const Barycentric w = nearestOnTriangle(p, a, b, c);
    const Vec3 at = w.at(a, b, c);
    return {triangle, w.a, w.b, w.c, at, lengthSquared(p - at)};
}

BodyPoint Body::walk(Vec3 p, uint32_t triangle, PosedSkin& skin) const {
    BodyPoint here = onTriangle(p, triangle, skin);
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
            if (t == kNone || t == here.triangle) return;
            const BodyPoint point = onTriangle(p, t, skin);
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

Vec3 Body::faceNormal(uint32_t triangle, PosedSkin& skin) const {
    const auto [i, j, k] = triangles_[triangle];
    const Vec3 a = skin[i];
    return cross(skin[j] - a, skin[k] - a);
}

Vec3 Body::outwards(const BodyPoint& point, PosedSkin& skin) const {
    const float weights[3] = {point.a, point.b, point.c};
    int zeros = 0, zero = 0, corner = 0;
    for (int k = 0; k < 3; ++k) {
        if (weights[k] == 0) ++zeros, zero = k;
        if (weights[k] == 1) corner = k;
    }
    Vec3 normal = faceNormal(point.triangle, skin);
    if (zeros == 1) {
        const uint32_t other = neighbours_[point.triangle][size_t(zero)];
        if (other != kNone) normal = normalized(normal) + normalized(faceNormal(other, skin));
    } else if (zeros == 2) {
        normal = {};
        const uint32_t v = triangles_[point.triangle][size_t(corner)];
        for (uint32_t i = fan_begin_[v]; i < fan_begin_[v + 1]; ++i)
            normal += normalized(faceNormal(fan_[i], skin));
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
