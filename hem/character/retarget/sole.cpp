// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/sole.h"

#include <algorithm>

namespace hem {
namespace {

float weightOf(const Skin& skin, size_t vertex, const std::vector<uint8_t>& joints) {
    float weight = 0;
    for (size_t i = vertex * size_t(skin.influences); i < (vertex + 1) * size_t(skin.influences);
         ++i)
        if (joints[skin.joints[i]]) weight += skin.weights[i];
    return weight;
}

std::vector<size_t> footVertices(const Character& character, int ankle) {
    const std::vector<uint8_t> foot = subtree(character.skeleton, ankle);
    std::vector<size_t> vertices;
    for (size_t v = 0; v < character.mesh.positions.size(); ++v)
        if (weightOf(character.skin, v, foot) > 0.5f) vertices.push_back(v);
    return vertices;
}

Sole soleOfSkeleton(const Standing& standing, const LegJoints& leg, FootSide side) {
    const Vec3 ahead = standing.foot_ahead[size_t(side)];
    const Vec3 across = cross(Vec3{0, 1, 0}, ahead);
    const Transform& ankle = standing.world[size_t(leg.ankle)];
    const Vec3 ball = transformPoint(ankle, standing.ball_in_ankle[size_t(side)]);
    const float reach = std::max(dot(ball - ankle.translation, ahead), 0.05f * standing.leg_length);
    const int toe = leg.toe >= 0 ? leg.toe : leg.ankle;
    Sole sole{{}, standing.floor};
    const auto add = [&](int joint, Vec3 above) {
        for (float sideways : {-0.15f, 0.15f}) {
            const Vec3 at = above + across * (sideways * reach);
            const Vec3 on_floor{at.x, standing.floor, at.z};
            sole.points.push_back(
                {joint, transformPoint(inverse(standing.world[size_t(joint)]), on_floor)});
        }
    };
    add(leg.ankle, ankle.translation - ahead * (0.35f * reach));
    add(leg.ankle, ball);
    add(toe, ball);
    add(toe, ball + ahead * (0.5f * reach));
    return sole;
}

// Directions spread evenly from straight down up to those whose y is `highest_y` (1: the whole
// sphere), by the golden angle.
std::vector<Vec3> directionsBelow(float highest_y, int count) {
    std::vector<Vec3> directions;
    for (int i = 0; i < count; ++i) {
        const float y = -1 + (highest_y + 1) * (float(i) + 0.5f) / float(count);
        const float around = 2.39996323f * float(i), level = std::sqrt(1 - y * y);
        directions.push_back({level * std::cos(around), y, level * std::sin(around)});
    }
    return directions;
}

// Of points that follow one joint, those that are furthest in some direction. `rest` is the joint's
// in the rest pose.
void addOutermost(const std::vector<Vec3>& points, const std::vector<Vec3>& directions, int joint,
                  const Transform& rest, std::vector<SolePoint>& out) {
    if (points.empty()) return;
    std::vector<uint8_t> keep(points.size(), 0);
    for (const Vec3& direction : directions) {
        const auto further = [&](const Vec3& a, const Vec3& b) {
            return dot(a, direction) < dot(b, direction);
        };
        keep[size_t(std::max_element(points.begin(), points.end(), further) - points.begin())] = 1;
    }
    for (size_t i = 0; i < points.size(); ++i)
        if (keep[i]) out.push_back({joint, transformPoint(inverse(rest), points[i])});
}

int strongestJoint(const Skin& skin, size_t vertex) {
    const size_t first = vertex * size_t(skin.influences);
    size_t best = first;
    for (size_t i = first; i < first + size_t(skin.influences); ++i)
        if (skin.weights[i] > skin.weights[best]) best = i;
    return skin.joints[best];
}

// 1 for the ankles and all below them.
std::vector<uint8_t> feetOf(const Skeleton& skeleton, const Humanoid& humanoid) {
    std::vector<uint8_t> feet(skeleton.size(), 0);
    for (FootSide side : kBothFeet) {
        const std::vector<uint8_t> foot = subtree(skeleton, legOf(humanoid, side).ankle);
        for (size_t j = 0; j < feet.size(); ++j) feet[j] |= foot[j];
    }
    return feet;
}

}  // namespace

std::vector<uint8_t> subtree(const Skeleton& skeleton, int root) {
    std::vector<uint8_t> inside(skeleton.size(), 0);
    if (root < 0) return inside;
    inside[size_t(root)] = 1;
    for (size_t j = size_t(root) + 1; j < skeleton.size(); ++j)
        inside[j] = skeleton.joints[j].parent >= 0 && inside[size_t(skeleton.joints[j].parent)];
    return inside;
}

std::array<Sole, 2> solesOf(const Skeleton& skeleton, const Humanoid& humanoid) {
    const Standing standing = standingOf(skeleton, humanoid);
    std::array<Sole, 2> soles;
    for (FootSide side : kBothFeet)
        soles[size_t(side)] = soleOfSkeleton(standing, legOf(humanoid, side), side);
    return soles;
}

std::array<Sole, 2> solesOf(const Character& character, const Humanoid& humanoid) {
    std::array<Sole, 2> soles = solesOf(character.skeleton, humanoid);
    const std::vector<Transform> rest =
        worldTransforms(character.skeleton, restPose(character.skeleton));
    for (FootSide side : kBothFeet) {
        const LegJoints leg = legOf(humanoid, side);
        const std::vector<size_t> vertices = footVertices(character, leg.ankle);
        if (vertices.empty()) continue;  // a foot without a mesh keeps the skeleton's guess
        const auto height = [&](size_t v) { return character.mesh.positions[v].y; };
        const float lowest =
            height(*std::min_element(vertices.begin(), vertices.end(),
                                     [&](size_t a, size_t b) { return height(a) < height(b); }));
        const std::vector<uint8_t> toes = subtree(character.skeleton, leg.toe);
        Sole sole{{}, lowest};
        std::vector<Vec3> foot_points, toe_points;
        for (size_t v : vertices) {
            const bool on_toe = weightOf(character.skin, v, toes) > 0.5f;
            (on_toe ? toe_points : foot_points).push_back(character.mesh.positions[v]);
        }
        const std::vector<Vec3> tilts = directionsBelow(0, 160);
        addOutermost(foot_points, tilts, leg.ankle, rest[size_t(leg.ankle)], sole.points);
        if (leg.toe >= 0)
            addOutermost(toe_points, tilts, leg.toe, rest[size_t(leg.toe)], sole.points);
        soles[size_t(side)] = std::move(sole);
    }
    return soles;
}

float lowestHeight(const std::vector<SolePoint>& points, const std::vector<Transform>& world) {
    float lowest = 1e9f;
    for (const SolePoint& point : points)
        lowest = std::min(lowest, transformPoint(world[size_t(point.joint)], point.in_joint).y);
    return lowest;
}

float lowestHeight(const Sole& sole, const std::vector<Transform>& world) {
    return lowestHeight(sole.points, world);
}

std::vector<SolePoint> bodyPointsOf(const Character& character, const Humanoid& humanoid) {
    const Skeleton& skeleton = character.skeleton;
    const std::vector<uint8_t> feet = feetOf(skeleton, humanoid);
    std::vector<std::vector<Vec3>> by_joint(skeleton.size());
    for (size_t v = 0; v < character.mesh.positions.size(); ++v) {
        const size_t joint = size_t(strongestJoint(character.skin, v));
        if (!feet[joint]) by_joint[joint].push_back(character.mesh.positions[v]);
    }
    const std::vector<Transform> rest = worldTransforms(skeleton, restPose(skeleton));
    const std::vector<Vec3> directions = directionsBelow(1, 80);
    std::vector<SolePoint> points;
    for (size_t j = 0; j < skeleton.size(); ++j)
        addOutermost(by_joint[j], directions, int(j), rest[j], points);
    return points;
}

std::vector<SolePoint> bodyPointsOf(const Skeleton& skeleton, const Humanoid& humanoid) {
    constexpr float kRadius = 0.03f, kHandLength = 0.15f;
    const std::vector<uint8_t> feet = feetOf(skeleton, humanoid);
    const std::vector<Transform> rest = worldTransforms(skeleton, restPose(skeleton));
    std::vector<SolePoint> points;
    const auto addBall = [&](size_t joint, Vec3 centre) {
        for (const Vec3& direction : directionsBelow(1, 12))
            points.push_back(
                {int(joint), transformPoint(inverse(rest[joint]), centre + kRadius * direction)});
    };
    for (size_t j = 0; j < skeleton.size(); ++j)
        if (!feet[j]) addBall(j, rest[j].translation);
    for (const auto& [hand, forearm] :
         {std::pair{Bone::kLeftHand, Bone::kLeftForeArm}, {Bone::kRightHand, Bone::kRightForeArm}})
        if (humanoid.has(hand)) {
            const Vec3 wrist = rest[size_t(humanoid[hand])].translation;
            const Vec3 along = normalized(wrist - rest[size_t(humanoid[forearm])].translation);
            addBall(size_t(humanoid[hand]), wrist + kHandLength * along);
        }
    return points;
}

std::array<FootMesh, 2> footMeshesOf(const Character& character, const Humanoid& humanoid) {
    std::array<FootMesh, 2> meshes;
    const Skin& skin = character.skin;
    for (FootSide side : kBothFeet) {
        FootMesh& foot = meshes[size_t(side)];
        foot.skin.influences = skin.influences;
        for (size_t v : footVertices(character, legOf(humanoid, side).ankle)) {
            foot.rest.push_back(character.mesh.positions[v]);
            const long first = long(v) * skin.influences, last = first + skin.influences;
            foot.skin.joints.insert(foot.skin.joints.end(), skin.joints.begin() + first,
                                    skin.joints.begin() + last);
            foot.skin.weights.insert(foot.skin.weights.end(), skin.weights.begin() + first,
                                     skin.weights.begin() + last);
        }
    }
    return meshes;
}

float lowestHeight(const FootMesh& foot, const Affine* skinning_matrices) {
    std::vector<Vec3> posed(foot.rest.size());
    skinLinear(foot.skin, foot.rest.data(), skinning_matrices, posed.data());
    float lowest = 1e9f;
    for (const Vec3& p : posed) lowest = std::min(lowest, p.y);
    return lowest;
}

}  // namespace hem
