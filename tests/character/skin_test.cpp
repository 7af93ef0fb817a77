// SPDX-License-Identifier: Apache-2.0
#include "hem/character/skin.h"

#include <gtest/gtest.h>

#include "hem/core/random.h"

namespace hem {
namespace {

Quat randomRotation(Random& random) {
    return normalized(Quat{random.normal(), random.normal(), random.normal(), random.normal()});
}
Vec3 randomVector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

Skin randomSkin(Random& random, size_t vertices, int joints, int influences) {
    std::vector<std::vector<Influence>> lists(vertices);
    for (auto& list : lists)
        for (int i = 0; i < influences; ++i)
            list.push_back({random.integer(0, joints - 1), random.uniform(0.05f, 1)});
    return makeSkin(lists, std::vector<Affine>(size_t(joints)), influences);
}

std::vector<Affine> randomMatrices(Random& random, size_t count) {
    std::vector<Affine> matrices;
    for (size_t i = 0; i < count; ++i)
        matrices.push_back(toAffine({randomRotation(random), randomVector(random)}));
    return matrices;
}

std::vector<Vec3> randomPoints(Random& random, size_t count) {
    std::vector<Vec3> points;
    for (size_t i = 0; i < count; ++i) points.push_back(randomVector(random));
    return points;
}

// Straight from the formula, in double.
Vec3 skinnedByDefinition(const Skin& skin, size_t vertex, Vec3 p,
                         const std::vector<Affine>& matrices) {
    double sum[3] = {};
    for (int i = 0; i < skin.influences; ++i) {
        const size_t entry = vertex * size_t(skin.influences) + size_t(i);
        const auto& m = matrices[skin.joints[entry]].m;
        for (int r = 0; r < 3; ++r)
            sum[r] += double(skin.weights[entry]) * (double(m[r][0]) * p.x + double(m[r][1]) * p.y +
                                                     double(m[r][2]) * p.z + m[r][3]);
    }
    return {float(sum[0]), float(sum[1]), float(sum[2])};
}

TEST(LinearSkin, EqualsItsDefinitionForEveryNumberOfInfluences) {
    Random random(1);
    for (int influences = 1; influences <= Skin::kMaxInfluences; ++influences) {
        const Skin skin = randomSkin(random, 50, 12, influences);
        ASSERT_TRUE(validate(skin, 50, 12));
        const auto matrices = randomMatrices(random, 12);
        const auto rest = randomPoints(random, 50);
        std::vector<Vec3> out(50);
        skinLinear(skin, rest.data(), matrices.data(), out.data());
        for (size_t v = 0; v < 50; ++v)
            EXPECT_LT(distance(out[v], skinnedByDefinition(skin, v, rest[v], matrices)), 4e-6f);
    }
}

TEST(LinearSkin, IsLinearInTheJointMatrices) {
    Random random(2);
    const Skin skin = randomSkin(random, 200, 20, 4);
    const auto a = randomMatrices(random, 20), b = randomMatrices(random, 20);
    const auto rest = randomPoints(random, 200);
    std::vector<Affine> mixed(20);
    for (size_t j = 0; j < 20; ++j)
        for (int i = 0; i < 12; ++i)
            mixed[j].m[i / 4][i % 4] = 0.3f * a[j].m[i / 4][i % 4] - 1.7f * b[j].m[i / 4][i % 4];
    std::vector<Vec3> from_a(200), from_b(200), from_mixed(200);
    skinLinear(skin, rest.data(), a.data(), from_a.data());
    skinLinear(skin, rest.data(), b.data(), from_b.data());
    skinLinear(skin, rest.data(), mixed.data(), from_mixed.data());
    for (size_t v = 0; v < 200; ++v)
        EXPECT_LT(distance(from_mixed[v], 0.3f * from_a[v] - 1.7f * from_b[v]), 1e-5f);
}

TEST(LinearSkin, KeepsTheLargestWeightsAndRescalesThem) {
    const Skin skin = makeSkin({{{0, 0.1f}, {1, 0.6f}, {2, 0.3f}}}, std::vector<Affine>(3), 2);
    EXPECT_EQ(skin.joints[0], 1);
    EXPECT_EQ(skin.joints[1], 2);
    EXPECT_FLOAT_EQ(skin.weights[0], 0.6f / 0.9f);
}

TEST(LinearSkin, ValidationNamesTheVertexAtFault) {
    Skin skin = makeSkin({{{0, 1.0f}}, {{1, 1.0f}}}, std::vector<Affine>(2), 1);
    EXPECT_TRUE(validate(skin, 2, 2));
    EXPECT_FALSE(validate(skin, 3, 2));
    EXPECT_FALSE(validate(skin, 2, 1));
    skin.weights[1] = std::nanf("");
    const Status status = validate(skin, 2, 2);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("vertex 1"), std::string::npos);
}

// Half and half between the identity and a turn: half the turn, about the same axis (a closed
// form).
TEST(ExponentialBlend, HalvesATurnAboutAFixedAxis) {
    const Vec3 axis = normalized(Vec3{1, 2, -1}), centre{0.3f, -0.2f, 0.5f};
    auto turnAboutCentre = [&](float angle) {
        const Quat q = fromAxisAngle(axis, angle);
        return toAffine({q, centre - rotate(q, centre)});
    };
    const Affine pair[] = {Affine{}, turnAboutCentre(2.0f)};
    const float weights[] = {0.5f, 0.5f};
    const Affine blended = exponentialBlend(pair, weights, 2), expected = turnAboutCentre(1.0f);
    for (int i = 0; i < 12; ++i)
        EXPECT_NEAR(blended.m[i / 4][i % 4], expected.m[i / 4][i % 4], 1e-5f);
}

// A screw's logarithm is proportional to its pitch: a third of the way turns by a third and climbs
// by a third.
TEST(ExponentialBlend, FollowsAScrew) {
    auto screw = [](float t) {
        return toAffine({fromAxisAngle({0, 1, 0}, 1.5f * t), {0, 0.9f * t, 0}});
    };
    const Affine pair[] = {screw(0), screw(1)};
    const float weights[] = {2.0f / 3, 1.0f / 3};
    const Affine blended = exponentialBlend(pair, weights, 2), expected = screw(1.0f / 3);
    for (int i = 0; i < 12; ++i)
        EXPECT_NEAR(blended.m[i / 4][i % 4], expected.m[i / 4][i % 4], 1e-5f);
}

TEST(ExponentialBlend, OfTranslationsIsTheirMean) {
    const Affine pair[] = {toAffine({Quat{}, {1, 2, 3}}), toAffine({Quat{}, {-3, 0, 7}})};
    const float weights[] = {0.25f, 0.75f};
    const Vec3 t = exponentialBlend(pair, weights, 2).translation();
    EXPECT_LT(distance(t, {-2, 0.5f, 6}), 1e-5f);
}

TEST(ExponentialBlend, IsAlwaysRigidWhereTheLinearBlendCollapses) {
    // a forearm twisted by 170 degrees: the linear blend shrinks the wrist to a tenth, this one
    // does not
    const Affine pair[] = {Affine{},
                           toAffine({fromAxisAngle({1, 0, 0}, degreesToRadians(170)), {}})};
    const float weights[] = {0.5f, 0.5f};
    EXPECT_NEAR(determinant(exponentialBlend(pair, weights, 2).linear()), 1, 1e-5f);
}

TEST(ExponentialSkin, EqualsTheLinearSkinWhereAVertexFollowsOneJoint) {
    Random random(3);
    const Skin skin = randomSkin(random, 40, 6, 1);
    const auto matrices = randomMatrices(random, 6);
    const auto rest = randomPoints(random, 40);
    std::vector<Vec3> linear(40), exponential(40);
    skinLinear(skin, rest.data(), matrices.data(), linear.data());
    skinExponential(skin, rest.data(), matrices.data(), exponential.data());
    for (size_t v = 0; v < 40; ++v) EXPECT_LT(distance(linear[v], exponential[v]), 1e-5f);
}

TEST(Screw, LogarithmAndExponentialAreInverse) {
    Random random(4);
    for (int i = 0; i < 300; ++i) {
        const Transform t{randomRotation(random), randomVector(random)};
        const Transform back = exponential(logarithm(t));
        EXPECT_GT(std::abs(dot(t.rotation, back.rotation)), 1 - 1e-6f);
        EXPECT_LT(distance(t.translation, back.translation), 2e-4f);
    }
}

}  // namespace
}  // namespace hem
