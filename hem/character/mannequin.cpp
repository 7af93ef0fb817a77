// SPDX-License-Identifier: Apache-2.0
// Builds the mannequin: the left half of the field's surface, even triangles, weights, mirror image.
#include "hem/character/mannequin.h"

#include <algorithm>

#include "hem/character/mannequin_field.h"
#include "hem/character/mannequin_weights.h"
#include "hem/core/isosurface.h"
#include "hem/core/remesh.h"

namespace hem {
namespace {

using mannequin_parts::BodyField;
using HalfWeights = std::vector<std::vector<Influence>>;

// `a` below `from`, `b` above `to`.
float ramp(float x, float from, float to, float a, float b) {
    return std::lerp(a, b, std::clamp((x - from) / (to - from), 0.0f, 1.0f));
}

// How long an edge should be: about a third of the body's radius at that place, less on the face. In the
// measures of the female; `size` is the body's size relative to hers.
float edgeLengthAt(Vec3 p, float size) {
    const Vec3 q = p / size;
    float wanted = ramp(q.y, 0.30f, 0.68f, ramp(q.y, 0.05f, 0.30f, 0.0145f, 0.0225f), 0.0290f);
    wanted = std::min(wanted, ramp(q.y, 1.32f, 1.43f, 0.0290f, 0.0145f));
    if (q.y > 1.38f) wanted = std::min(wanted, ramp(q.z, 0.015f, 0.065f, 0.0145f, 0.0092f));
    if (q.y > 0.60f) wanted = std::min(wanted, ramp(q.x, 0.15f, 0.22f, 0.0290f, 0.0205f));
    if (q.y > 0.60f) wanted = std::min(wanted, ramp(q.x, 0.36f, 0.50f, 0.0205f, 0.0098f));
    return 1.02f * wanted * size;
}

Mesh leftHalf(const BodyField& field, float size) {
    constexpr float kCell = 0.0075f;
    Grid grid{{0, -0.05f, -0.20f}, kCell * size, {}};
    const Vec3 extent{0.70f, 1.74f, 0.44f};
    for (int axis = 0; axis < 3; ++axis) grid.cells[axis] = int(extent[axis] / kCell);
    const Mesh rough = isosurface([&](Vec3 p) { return field(p); }, grid, {0, 1.0f * size, 0});
    return remeshed(
        rough,
        {.edge_length = [&](Vec3 p) { return edgeLengthAt(p, size); },
         .project = [&](Vec3 p, bool on_boundary) { return field.project(p, on_boundary); }});
}

// The right half's vertices come after the left half's and in the same order, without those on the
// middle, which both share.
Character mirroredWhole(const Mesh& half, const HalfWeights& half_weights,
                        const Skeleton& skeleton) {
    const std::vector<int> joint_partners = mannequin_parts::partnersByName(skeleton);
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
