// SPDX-License-Identifier: Apache-2.0
#include "hem/character/arms.h"

#include <algorithm>

#include "hem/character/humanoid.h"
#include "hem/core/surface_tree.h"

namespace hem {
namespace {

std::vector<uint8_t> jointsOfArms(const Skeleton& skeleton) {
    std::vector<uint8_t> of_arm(skeleton.size(), 0);
    const Result<Humanoid> human = recognise(skeleton);
    if (!human) return of_arm;
    for (size_t j = 0; j < of_arm.size(); ++j) {
        const int parent = skeleton.joints[j].parent;
        const bool starts =
            int(j) == (*human)[Bone::kLeftArm] || int(j) == (*human)[Bone::kRightArm];
        of_arm[j] = starts || (parent >= 0 && of_arm[size_t(parent)]);
    }
    return of_arm;
}

}  // namespace

std::vector<uint8_t> skinOfArms(const Character& character) {
    const std::vector<uint8_t> of_arm = jointsOfArms(character.skeleton);
    const Skin& skin = character.skin;
    const auto influences = size_t(skin.influences);
    std::vector<uint8_t> arms;
    for (size_t v = 0; v < character.mesh.positions.size(); ++v) {
        float by_arms = 0, by_others = 0;
        for (size_t i = v * influences; i < (v + 1) * influences; ++i)
            (of_arm[skin.joints[i]] ? by_arms : by_others) += skin.weights[i];
        arms.push_back(by_arms > by_others);
    }
    return arms;
}

std::vector<uint8_t> wornOnArms(const Character& character, std::span<const Vec3> rest_points) {
    const std::vector<uint8_t> arms = skinOfArms(character);
    const SurfaceTree body(character.mesh);
    std::vector<uint8_t> worn;
    for (const Vec3 p : rest_points) {
        const SurfacePoint skin = body.nearest(p);
        const auto [i, j, k] = character.mesh.triangles[skin.triangle];
        worn.push_back(arms[i] + arms[j] + arms[k] >= 2);
    }
    return worn;
}

}  // namespace hem
