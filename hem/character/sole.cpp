// SPDX-License-Identifier: Apache-2.0
#include "hem/character/sole.h"

#include <algorithm>

namespace hem {
namespace {

constexpr float kSoleThickness = 0.03f;  // metres above the lowest vertex

// True for the joint and all below it.
std::vector<uint8_t> subtree(const Skeleton& skeleton, int root) {
    std::vector<uint8_t> inside(skeleton.size(), 0);
    if (root < 0) return inside;
    inside[size_t(root)] = 1;
    for (size_t j = size_t(root) + 1; j < skeleton.size(); ++j)
        inside[j] = skeleton.joints[j].parent >= 0 && inside[size_t(skeleton.joints[j].parent)];
    return inside;
}

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

}  // namespace

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
        for (size_t v : vertices) {
            if (height(v) > lowest + kSoleThickness) continue;
            const int joint = weightOf(character.skin, v, toes) > 0.5f ? leg.toe : leg.ankle;
            sole.points.push_back(
                {joint, transformPoint(inverse(rest[size_t(joint)]), character.mesh.positions[v])});
        }
        soles[size_t(side)] = std::move(sole);
    }
    return soles;
}

float lowestHeight(const Sole& sole, const std::vector<Transform>& world) {
    float lowest = 1e9f;
    for (const SolePoint& point : sole.points)
        lowest = std::min(lowest, transformPoint(world[size_t(point.joint)], point.in_joint).y);
    return lowest;
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
