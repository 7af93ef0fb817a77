// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/body_overlap.h"

#include <algorithm>

namespace hem {
namespace {

constexpr float kOuter = 0.5f;  // of a bone's length: from there on it is away from its joint
constexpr uint32_t kEvery = 3;  // vertex of a limb is looked at: one in 15 mm of the mannequin
constexpr uint8_t kNoSegment = 255;
constexpr int kRounds = 2;            // back to rest by the skinning of what is nearest there
constexpr float kFarOutside = 0.06f;  // metres that one segment's own turn may be off by

// Segments by their bones; the first that the body has carries the segment.
struct SegmentBones {
    std::vector<Bone> bones;
    int parent;  // of limbs
};
const std::vector<SegmentBones>& segmentBones() {
    using B = Bone;
    static const std::vector<SegmentBones> all = {
        {{B::kHips}, -1},
        {{B::kSpine, B::kLowerBack}, -1},
        {{B::kChest, B::kLeftShoulder, B::kRightShoulder}, -1},
        {{B::kHead, B::kNeck1, B::kNeck}, -1},
        {{B::kLeftArm}, 2},
        {{B::kRightArm}, 2},
        {{B::kLeftForeArm, B::kLeftHand}, 4},
        {{B::kRightForeArm, B::kRightHand}, 5},
        {{B::kLeftUpLeg}, 0},
        {{B::kRightUpLeg}, 0},
        {{B::kLeftLeg, B::kLeftFoot, B::kLeftToe}, 8},
        {{B::kRightLeg, B::kRightFoot, B::kRightToe}, 9}};
    return all;
}

// The segment of every joint: that of the nearest bone above it.
std::vector<uint8_t> segmentsOfJoints(const Skeleton& skeleton, const Humanoid& humanoid) {
    std::vector<uint8_t> result(skeleton.size(), kNoSegment);
    for (size_t s = 0; s < segmentBones().size(); ++s)
        for (Bone bone : segmentBones()[s].bones)
            if (humanoid.has(bone)) result[size_t(humanoid[bone])] = uint8_t(s);
    for (size_t j = 0; j < result.size(); ++j)
        if (result[j] == kNoSegment)
            result[j] = j == 0 ? 0 : result[size_t(skeleton.joints[j].parent)];
    return result;
}

uint8_t segmentOf(const Skin& skin, uint32_t vertex, const std::vector<uint8_t>& of_joints) {
    const size_t first = size_t(vertex) * size_t(skin.influences);
    const auto begin = skin.weights.begin() + ptrdiff_t(first);
    const auto largest = std::max_element(begin, begin + skin.influences);
    return of_joints[skin.joints[first + size_t(largest - begin)]];
}

// Those vertices' own influences.
Skin pickSkin(const Skin& skin, const std::vector<uint32_t>& vertices) {
    Skin picked{.influences = skin.influences,
                .joints = {},
                .weights = {},
                .joint_from_rest = skin.joint_from_rest};
    for (uint32_t v : vertices) {
        const size_t first = size_t(v) * size_t(skin.influences);
        for (size_t i = first; i < first + size_t(skin.influences); ++i) {
            picked.joints.push_back(skin.joints[i]);
            picked.weights.push_back(skin.weights[i]);
        }
    }
    return picked;
}

// How far along its bone a point is at rest: 0 at the segment's joint, 1 at the next one's.
float alongBone(Vec3 p, Bone bone, const Humanoid& humanoid, const std::vector<Transform>& rest) {
    const Bone end = Bone(int(bone) + 1);
    if (!humanoid.has(end)) return 1;
    const Vec3 from = rest[size_t(humanoid[bone])].translation;
    const Vec3 axis = rest[size_t(humanoid[end])].translation - from;
    return dot(p - from, axis) / std::max(lengthSquared(axis), 1e-12f);
}

}  // namespace

BodyOverlap::BodyOverlap(const Character& character, const Humanoid& humanoid)
    : tree_(character.mesh) {
    const std::vector<uint8_t> of_joints = segmentsOfJoints(character.skeleton, humanoid);
    const std::vector<Transform> rest =
        worldTransforms(character.skeleton, restPose(character.skeleton));
    const auto& positions = character.mesh.positions;
    std::vector<uint8_t> of_vertices(positions.size());
    for (uint32_t v = 0; v < positions.size(); ++v)
        of_vertices[v] = segmentOf(character.skin, v, of_joints);
    for (const Triangle& t : character.mesh.triangles)
        segment_of_triangle_.push_back(of_vertices[t[0]]);
    for (size_t s = 0; s < segmentBones().size(); ++s) {
        Segment segment{.joint = 0, .parent = segmentBones()[s].parent, .centre = {}};
        for (Bone bone : segmentBones()[s].bones)
            if (humanoid.has(bone) && segment.joint == 0) segment.joint = size_t(humanoid[bone]);
        Vec3 low{1e9f, 1e9f, 1e9f}, high = -low;
        for (uint32_t v = 0; v < positions.size(); ++v)
            if (of_vertices[v] == s) low = min(low, positions[v]), high = max(high, positions[v]);
        segment.centre = (low + high) * 0.5f;
        segment.radius = std::max(0.0f, length(high - low) / 2);
        segments_.push_back(segment);
    }
    std::vector<uint32_t> vertices;
    for (uint32_t v = 0; v < positions.size(); v += kEvery) {
        const uint8_t s = of_vertices[v];
        if (segments_[s].parent < 0) continue;
        const Bone bone = segmentBones()[s].bones[0];
        const bool outer = alongBone(positions[v], bone, humanoid, rest) > kOuter;
        const bool upper = segments_[size_t(segments_[s].parent)].parent < 0;
        if (upper && !outer) continue;
        samples_.push_back({v, s, outer});
        vertices.push_back(v);
        rest_.push_back(positions[v]);
    }
    skin_ = character.skin;
    sample_skin_ = pickSkin(character.skin, vertices);
}

bool BodyOverlap::mayMeet(const Sample& sample, size_t segment) const {
    if (sample.segment == segment || segments_[segment].radius == 0) return false;
    // what grows from the sample's own segment is looked at from there
    if (segments_[segment].parent == sample.segment) return false;
    const bool lower = segments_[size_t(segments_[sample.segment].parent)].parent >= 0;
    return !(lower && segments_[sample.segment].parent == int(segment)) || sample.outer;
}

Affine BodyOverlap::skinningAt(const SurfacePoint& point,
                               const std::vector<Affine>& matrices) const {
    Affine blend{{{0, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}}};
    const Triangle& corners = tree_.triangles()[point.triangle];
    const float shares[] = {point.weights.a, point.weights.b, point.weights.c};
    for (size_t k = 0; k < 3; ++k) {
        const size_t first = size_t(corners[k]) * size_t(skin_.influences);
        for (size_t i = first; i < first + size_t(skin_.influences); ++i) {
            const float weight = shares[k] * skin_.weights[i];
            if (weight == 0) continue;
            const Affine& m = matrices[skin_.joints[i]];
            for (int row = 0; row < 3; ++row)
                for (int column = 0; column < 4; ++column)
                    blend.m[row][column] += weight * m.m[row][column];
        }
    }
    return blend;
}

float BodyOverlap::distanceTo(const Sample& sample, Vec3 posed, Vec3 at_rest, float reach,
                              const std::vector<Affine>& matrices) const {
    SurfacePoint near;
    bool inside = false;
    for (int round = 0;; ++round) {
        near = tree_.nearest(at_rest);
        inside = dot(at_rest - near.position, tree_.normalAt(near)) < 0;
        if (!inside && near.distance > kFarOutside + reach) return reach;
        if (round == kRounds) break;
        at_rest = transformPoint(inverse(skinningAt(near, matrices)), posed);
    }
    if (!mayMeet(sample, segment_of_triangle_[near.triangle])) return reach;
    return inside ? -near.distance : near.distance;
}

float BodyOverlap::search(const std::vector<Affine>& matrices, float reach, float enough) const {
    std::vector<Vec3> posed(rest_.size());
    skinLinear(sample_skin_, rest_.data(), matrices.data(), posed.data());
    std::vector<Affine> rest_from_posed;
    for (const Segment& segment : segments_)
        rest_from_posed.push_back(inverse(matrices[segment.joint]));
    float least = reach;
    for (size_t i = 0; i < samples_.size(); ++i) {
        for (size_t s = 0; s < segments_.size(); ++s) {
            if (!mayMeet(samples_[i], s)) continue;
            const Vec3 p = transformPoint(rest_from_posed[s], posed[i]);
            const float ball = segments_[s].radius + reach;
            if (lengthSquared(p - segments_[s].centre) > ball * ball) continue;
            least = std::min(least, distanceTo(samples_[i], posed[i], p, reach, matrices));
            if (least < enough) return least;
        }
    }
    return least;
}

float BodyOverlap::clearance(const std::vector<Affine>& matrices, float reach) const {
    return search(matrices, reach, -1e30f);
}

bool BodyOverlap::closerThan(float least, const std::vector<Affine>& matrices) const {
    return search(matrices, std::max(least, 0.0f), least) < least;
}

}  // namespace hem
