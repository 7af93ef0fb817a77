// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/joints_that_matter.h"

#include <algorithm>

#include "hem/character/humanoid.h"
#include "hem/core/surface_tree.h"

namespace hem {
namespace {

void addWeights(const Skin& skin, uint32_t vertex, float weight, std::vector<double>& carried) {
    for (int k = 0; k < skin.influences; ++k) {
        const size_t at = size_t(vertex) * size_t(skin.influences) + size_t(k);
        carried[skin.joints[at]] += double(weight * skin.weights[at]);
    }
}

}  // namespace

std::vector<uint16_t> jointsThatMatter(const Character& character, const Mesh& garment,
                                       double share) {
    const SurfaceTree body(character.mesh);
    std::vector<double> carried(character.skeleton.size());
    for (const Vec3 p : garment.positions) {
        const SurfacePoint at = body.nearest(p);
        const Triangle corners = character.mesh.triangles[at.triangle];
        addWeights(character.skin, corners[0], at.weights.a, carried);
        addWeights(character.skin, corners[1], at.weights.b, carried);
        addWeights(character.skin, corners[2], at.weights.c, carried);
    }
    std::vector<bool> matters(carried.size());
    matters[0] = true;
    for (size_t j = 0; j < carried.size(); ++j)
        if (carried[j] >= share * double(garment.positions.size()))
            for (int up = int(j); up != kNoParent;
                 up = character.skeleton.joints[size_t(up)].parent)
                matters[size_t(up)] = true;
    std::vector<uint16_t> joints;
    for (size_t j = 0; j < matters.size(); ++j)
        if (matters[j]) joints.push_back(uint16_t(j));
    return joints;
}

std::vector<BodyPoint> boneEnds(const Character& character,
                                const std::vector<uint16_t>& joints_that_matter) {
    const Skeleton& skeleton = character.skeleton;
    const std::vector<Transform> rest = worldTransforms(skeleton, restPose(skeleton));
    std::vector<BodyPoint> ends;
    for (size_t j = 0; j < skeleton.size(); ++j) {
        const int parent = skeleton.joints[j].parent;
        if (parent > 0 && std::binary_search(joints_that_matter.begin(), joints_that_matter.end(),
                                             uint16_t(parent)))
            ends.push_back({uint16_t(parent), rest[j].translation});
    }
    return ends;
}

std::vector<BodyPoint> brushingPoints(const Character& character,
                                      const std::vector<uint16_t>& joints_that_matter) {
    const auto human = recognise(character.skeleton);
    if (!human) return {};
    const std::vector<Transform> rest =
        worldTransforms(character.skeleton, restPose(character.skeleton));
    std::vector<BodyPoint> points;
    for (const Bone bone :
         {Bone::kLeftForeArm, Bone::kLeftHand, Bone::kRightForeArm, Bone::kRightHand}) {
        if (!human->has(bone)) continue;
        const auto joint = uint16_t((*human)[bone]);
        if (std::find(joints_that_matter.begin(), joints_that_matter.end(), joint) ==
            joints_that_matter.end())
            points.push_back({joint, rest[joint].translation});
    }
    return points;
}

}  // namespace hem
