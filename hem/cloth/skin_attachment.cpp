// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/skin_attachment.h"

#include "hem/core/surface_tree.h"

namespace hem {
namespace {

// Adds `share` of the influences of the skin's vertex `v`.
void addInfluences(const Skin& skin, uint32_t v, float share, std::vector<Influence>& sum) {
    for (int i = 0; i < skin.influences; ++i) {
        const size_t at = size_t(v) * size_t(skin.influences) + size_t(i);
        const float weight = share * skin.weights[at];
        if (weight <= 0) continue;
        const int joint = skin.joints[at];
        const auto same = [&](const Influence& a) { return a.joint == joint; };
        const auto found = std::find_if(sum.begin(), sum.end(), same);
        if (found != sum.end())
            found->weight += weight;
        else
            sum.push_back({joint, weight});
    }
}

}  // namespace

Skin attachToSkin(const Character& character, std::span<const Vec3> rest_points) {
    const SurfaceTree tree(character.mesh);
    std::vector<std::vector<Influence>> per_point;
    per_point.reserve(rest_points.size());
    for (Vec3 p : rest_points) {
        const SurfacePoint at = tree.nearest(p);
        const auto& [a, b, c] = character.mesh.triangles[at.triangle];
        std::vector<Influence>& sum = per_point.emplace_back();
        addInfluences(character.skin, a, at.weights.a, sum);
        addInfluences(character.skin, b, at.weights.b, sum);
        addInfluences(character.skin, c, at.weights.c, sum);
    }
    return makeSkin(per_point, character.skin.joint_from_rest, Skin::kMaxInfluences);
}

}  // namespace hem
