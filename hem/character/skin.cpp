// SPDX-License-Identifier: Apache-2.0
#include "hem/character/skin.h"

#include <algorithm>

namespace hem {

Status validate(const Skin& skin, size_t vertices, size_t joints) {
    if (skin.influences < 1 || skin.influences > Skin::kMaxInfluences)
        return errorf("%d influences a vertex; 1 to %d are possible", skin.influences,
                      Skin::kMaxInfluences);
    const size_t entries = vertices * size_t(skin.influences);
    if (skin.joints.size() != entries || skin.weights.size() != entries)
        return errorf("the skin covers %zu vertices, the mesh has %zu", skin.vertexCount(),
                      vertices);
    if (skin.joint_from_rest.size() != joints)
        return errorf("%zu inverse bind matrices for %zu joints", skin.joint_from_rest.size(),
                      joints);
    for (const Affine& m : skin.joint_from_rest)
        if (!isFinite(m)) return errorf("an inverse bind matrix is not finite");
    for (size_t v = 0; v < vertices; ++v) {
        float sum = 0;
        for (size_t i = v * size_t(skin.influences); i < (v + 1) * size_t(skin.influences); ++i) {
            if (skin.joints[i] >= joints)
                return errorf("vertex %zu follows joint %d of %zu", v, skin.joints[i], joints);
            if (!(skin.weights[i] >= 0))
                return errorf("vertex %zu has a weight that is negative or not a number", v);
            sum += skin.weights[i];
        }
        if (!(std::abs(sum - 1) < 1e-3f))
            return errorf("the weights of vertex %zu sum to %g", v, double(sum));
    }
    return Done{};
}

Skin makeSkin(const std::vector<std::vector<Influence>>& per_vertex,
              std::vector<Affine> joint_from_rest, int max_influences) {
    CHECK(max_influences >= 1 && max_influences <= Skin::kMaxInfluences);
    Skin skin{.influences = max_influences, .joint_from_rest = std::move(joint_from_rest)};
    skin.joints.resize(per_vertex.size() * size_t(max_influences));
    skin.weights.resize(per_vertex.size() * size_t(max_influences));
    for (size_t v = 0; v < per_vertex.size(); ++v) {
        std::vector<Influence> list = per_vertex[v];
        std::stable_sort(list.begin(), list.end(),
                         [](auto a, auto b) { return a.weight > b.weight; });
        if (list.size() > size_t(max_influences)) list.resize(size_t(max_influences));
        float sum = 0;
        for (const Influence& i : list) sum += i.weight;
        CHECK_GT(sum, 0);
        for (size_t i = 0; i < list.size(); ++i) {
            skin.joints[v * size_t(max_influences) + i] = uint16_t(list[i].joint);
            skin.weights[v * size_t(max_influences) + i] = list[i].weight / sum;
        }
    }
    return skin;
}

namespace {

// One matrix row in a register; g++ and clang make SSE, NEON or WebAssembly of it.
using Float4 = float __attribute__((vector_size(16)));

template <int kInfluences>
void skinLinearFixed(const Skin& skin, const Vec3* rest, const Affine* matrices, Vec3* out) {
    const size_t count = skin.vertexCount();
    const uint16_t* joint = skin.joints.data();
    const float* weight = skin.weights.data();
    for (size_t v = 0; v < count; ++v, joint += kInfluences, weight += kInfluences) {
        Float4 row0{}, row1{}, row2{};
        for (int i = 0; i < kInfluences; ++i) {
            const auto* m = reinterpret_cast<const Float4*>(matrices[joint[i]].m);
            row0 += weight[i] * m[0];
            row1 += weight[i] * m[1];
            row2 += weight[i] * m[2];
        }
        const Float4 p{rest[v].x, rest[v].y, rest[v].z, 1};
        row0 *= p;
        row1 *= p;
        row2 *= p;
        // each row summed to one number: two rows side by side, then the third
        const Float4 pair = __builtin_shufflevector(row0, row1, 0, 4, 1, 5) +
                            __builtin_shufflevector(row0, row1, 2, 6, 3, 7);
        const Float4 xy = pair + __builtin_shufflevector(pair, pair, 2, 3, 0, 1);
        const Float4 half = row2 + __builtin_shufflevector(row2, row2, 2, 3, 0, 1);
        out[v] = {xy[0], xy[1], half[0] + half[1]};
    }
}

}  // namespace

void skinLinear(const Skin& skin, const Vec3* rest, const Affine* matrices, Vec3* out) {
    switch (skin.influences) {
        case 1:
            return skinLinearFixed<1>(skin, rest, matrices, out);
        case 2:
            return skinLinearFixed<2>(skin, rest, matrices, out);
        case 3:
            return skinLinearFixed<3>(skin, rest, matrices, out);
        case 4:
            return skinLinearFixed<4>(skin, rest, matrices, out);
        case 5:
            return skinLinearFixed<5>(skin, rest, matrices, out);
        case 6:
            return skinLinearFixed<6>(skin, rest, matrices, out);
        case 7:
            return skinLinearFixed<7>(skin, rest, matrices, out);
        default:
            return skinLinearFixed<8>(skin, rest, matrices, out);
    }
}

namespace {

// V(w) of the rigid exponential, x -> V u: I + b [w]x + c [w]x^2, with b = (1 - cos a) / a^2 and
// c = (a - sin a) / a^3.
Vec3 applyV(Vec3 w, Vec3 u) {
    const double a2 = dot(w, w), a = std::sqrt(a2);
    const double b = a2 < 1e-6 ? 0.5 - a2 / 24 : (1 - std::cos(a)) / a2;
    const double c = a2 < 1e-6 ? 1.0 / 6 - a2 / 120 : (a - std::sin(a)) / (a2 * a);
    const Vec3 wu = cross(w, u);
    return u + float(b) * wu + float(c) * cross(w, wu);
}

Vec3 applyInverseV(Vec3 w, Vec3 t) {
    const double a2 = dot(w, w), a = std::sqrt(a2);
    // 1/a^2 - (1 + cos a) / (2 a sin a), written with the half angle so that it holds up to pi
    const double d =
        a2 < 1e-6 ? 1.0 / 12 + a2 / 720 : (1 - (a / 2) * std::cos(a / 2) / std::sin(a / 2)) / a2;
    const Vec3 wt = cross(w, t);
    return t - 0.5f * wt + float(d) * cross(w, wt);
}

}  // namespace

Screw logarithm(const Transform& t) {
    const Vec3 w = logarithm(t.rotation);
    return {w, applyInverseV(w, t.translation)};
}

Transform exponential(const Screw& s) {
    return {exponential(s.rotation), applyV(s.rotation, s.translation)};
}

Affine exponentialBlend(const Affine* matrices, const float* weights, int count) {
    // relative to the first: logs of small motions, away from the cut at pi
    const Transform first = toTransform(matrices[0]);
    const Transform first_inverse = inverse(first);
    Screw sum{};
    for (int i = 1; i < count; ++i) {
        if (weights[i] == 0) continue;
        const Screw s = logarithm(first_inverse * toTransform(matrices[i]));
        sum.rotation += weights[i] * s.rotation;
        sum.translation += weights[i] * s.translation;
    }
    return toAffine(first * exponential(sum));
}

void skinExponential(const Skin& skin, const Vec3* rest, const Affine* matrices, Vec3* out) {
    Affine gathered[Skin::kMaxInfluences];
    for (size_t v = 0; v < skin.vertexCount(); ++v) {
        const size_t base = v * size_t(skin.influences);
        for (int i = 0; i < skin.influences; ++i)
            gathered[i] = matrices[skin.joints[base + size_t(i)]];
        out[v] = transformPoint(exponentialBlend(gathered, &skin.weights[base], skin.influences),
                                rest[v]);
    }
}

}  // namespace hem
