// SPDX-License-Identifier: Apache-2.0
// Builds the mannequin: the left half of the field's surface, even triangles, weights, mirror
// image.
#include "hem/character/mannequin/mannequin.h"

#include <algorithm>

#include "hem/character/humanoid.h"
#include "hem/character/mannequin/mannequin_field.h"
#include "hem/character/mannequin/mannequin_sizing.h"
#include "hem/character/mannequin/mannequin_weights.h"
#include "hem/core/isosurface.h"
#include "hem/core/remesh.h"

namespace hem {
namespace {

using mannequin_parts::BodyField;
using HalfWeights = std::vector<std::vector<Influence>>;

Mesh leftHalf(const BodyField& field, float size) {
    constexpr float kCell = 0.0075f;
    Grid grid{{0, -0.05f, -0.20f}, kCell * size, {}};
    const Vec3 extent{0.70f, 1.74f, 0.44f};
    for (int axis = 0; axis < 3; ++axis) grid.cells[axis] = int(extent[axis] / kCell);
    const ScalarField body = [&](Vec3 p) { return field(p); };
    const Mesh rough = isosurface(body, grid, {0, 1.0f * size, 0});
    // the head is looked at from nearer than the rest, hips and calves against the light
    auto longest = [&](Vec3 p) {
        const float y = p.y / size;
        return (y > 1.40f ? 0.0155f : y > 0.95f ? 0.0300f : 0.0230f) * size;
    };
    const mannequin_parts::Sizing sizing(
        rough, body,
        {.chord_error = 0.00114f * size, .shortest = 0.0076f * size, .longest = longest});
    return remeshed(rough, {.edge_length = sizing, .project = [&](Vec3 p, bool on_boundary) {
                                return field.project(p, on_boundary);
                            }});
}

// The right half's vertices come after the left half's and in the same order, without those on the
// middle, which both share.
Character mirroredWhole(const Mesh& half, const HalfWeights& half_weights,
                        const Skeleton& skeleton) {
    const std::vector<int> joint_partners = mirrorPartners(skeleton);
    Character body{.skeleton = skeleton, .mesh = half};
    HalfWeights weights = half_weights;
    std::vector<uint32_t> partners(half.positions.size());
    for (uint32_t v = 0; v < partners.size(); ++v) {
        const Vec3 p = half.positions[v];
        partners[v] = p.x == 0 ? v : uint32_t(body.mesh.positions.size());
        if (p.x == 0) continue;
        body.mesh.positions.push_back({-p.x, p.y, p.z});
        weights.push_back(half_weights[v]);
        for (Influence& i : weights.back()) i.joint = joint_partners[size_t(i.joint)];
    }
    for (const auto& [a, b, c] : half.triangles)
        body.mesh.triangles.push_back({partners[a], partners[c], partners[b]});
    body.skin = makeSkin(weights, inverseRestMatrices(skeleton));
    return body;
}

Character build(Sex sex) {
    const BodyField field(sex);
    const Skeleton skeleton = mannequinSkeleton(sex);
    const Mesh half = leftHalf(field, mannequin_parts::relativeSize(skeleton));
    Character body =
        mirroredWhole(half, mannequin_parts::halfWeights(half, field, skeleton), skeleton);
    body.name = std::string("mannequin_") + nameOf(sex);
    return body;
}

}  // namespace

Character mannequin(Sex sex) {
    if (sex == Sex::kFemale) {
        static const Character female = build(Sex::kFemale);
        return female;
    }
    static const Character male = build(Sex::kMale);
    return male;
}

}  // namespace hem
