// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/garment_parts.h"

#include <algorithm>
#include <cmath>

#include "hem/character/humanoid.h"
#include "hem/core/check.h"

namespace hem {
namespace {

// Per joint: whether it is one of an arm's, from the upper arm outwards.
std::vector<bool> armJoints(const Skeleton& skeleton, const Humanoid& human) {
    std::vector<bool> of_arm(skeleton.size());
    for (size_t j = 0; j < skeleton.size(); ++j) {
        const int parent = skeleton.joints[j].parent;
        of_arm[j] = int(j) == human[Bone::kLeftArm] || int(j) == human[Bone::kRightArm] ||
                    (parent != kNoParent && of_arm[size_t(parent)]);
    }
    return of_arm;
}

float armWeight(const Skin& skin, size_t vertex, const std::vector<bool>& of_arm) {
    const size_t n = size_t(skin.influences);
    float weight = 0;
    for (size_t i = vertex * n; i < (vertex + 1) * n; ++i)
        if (of_arm[skin.joints[i]]) weight += skin.weights[i];
    return weight;
}

}  // namespace

Result<std::vector<GarmentPart>> garmentParts(const PoseSet& set) {
    const Character& character = set.character();
    const auto human = recognise(character.skeleton);
    if (!human) return inContext(set.folder(), human.error());
    const std::vector<bool> of_arm = armJoints(character.skeleton, *human);
    const auto height = [&](Bone bone) {
        const auto joint = size_t((*human)[bone]);
        return inverse(character.skin.joint_from_rest[joint]).translation().y;
    };
    const float hips = std::min(height(Bone::kLeftUpLeg), height(Bone::kRightUpLeg));
    std::vector<GarmentPart> parts;
    for (size_t v = 0; v < set.vertices(); ++v)
        parts.push_back(armWeight(set.garmentSkin(), v, of_arm) > 0.5f ? GarmentPart::kSleeves
                        : set.garmentRest()[v].y < hips                ? GarmentPart::kTails
                                                                       : GarmentPart::kTrunk);
    return parts;
}

std::vector<PartError> errorsOfParts(std::span<const GarmentPart> parts,
                                     std::span<const float> vertex_square) {
    CHECK_EQ(parts.size(), vertex_square.size());
    double squares[kGarmentParts] = {}, sum = 0;
    std::vector<PartError> errors(kGarmentParts);
    for (size_t v = 0; v < parts.size(); ++v) {
        ++errors[size_t(parts[v])].vertices;
        squares[size_t(parts[v])] += double(vertex_square[v]);
        sum += double(vertex_square[v]);
    }
    for (size_t i = 0; i < errors.size(); ++i) {
        errors[i].share = sum > 0 ? squares[i] / sum : 0;
        if (errors[i].vertices > 0)
            errors[i].rms_cm = 100 * std::sqrt(squares[i] / double(errors[i].vertices));
    }
    return errors;
}

}  // namespace hem
