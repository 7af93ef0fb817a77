// SPDX-License-Identifier: Apache-2.0
#include "hem/core/transform.h"

#include <gtest/gtest.h>

#include "hem/core/portable_math.h"
#include "hem/core/random.h"

namespace hem {
namespace {

Quat randomRotation(Random& random) {
    return normalized(Quat{random.normal(), random.normal(), random.normal(), random.normal()});
}
Vec3 randomVector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

void expectNear(Vec3 a, Vec3 b, float tolerance) { EXPECT_LT(distance(a, b), tolerance); }

TEST(Quat, TurnsXToYAboutZ) {
    expectNear(rotate(fromAxisAngle({0, 0, 1}, kPi / 2), {1, 0, 0}), {0, 1, 0}, 1e-6f);
}

TEST(Quat, MatrixAndQuaternionRotateAlike) {
    Random random(1);
    for (int i = 0; i < 200; ++i) {
        const Quat q = randomRotation(random);
        const Vec3 v = randomVector(random);
        expectNear(toMatrix(q) * v, rotate(q, v), 2e-6f);
        EXPECT_LT(angleBetween(toQuat(toMatrix(q)), q), 2e-3f);
        EXPECT_NEAR(determinant(toMatrix(q)), 1, 1e-5f);
    }
}

TEST(Quat, ProductAppliesTheRightFactorFirst) {
    Random random(2);
    const Quat a = randomRotation(random), b = randomRotation(random);
    const Vec3 v = randomVector(random);
    expectNear(rotate(a * b, v), rotate(a, rotate(b, v)), 2e-6f);
}

TEST(Quat, LogarithmAndExponentialAreInverse) {
    Random random(3);
    for (int i = 0; i < 200; ++i) {
        const Quat q = randomRotation(random);
        const Quat back = exponential(logarithm(q));
        EXPECT_GT(std::abs(dot(q, back)), 1 - 1e-6f);
    }
    expectNear(logarithm(fromAxisAngle({0, 1, 0}, 0.25f)), {0, 0.25f, 0}, 1e-6f);
    expectNear(logarithm(Quat{}), {0, 0, 0}, 1e-9f);
}

TEST(Quat, SlerpMovesAtAConstantRateTheShortWay) {
    const Quat a = fromAxisAngle({0, 1, 0}, 0.2f), b = fromAxisAngle({0, 1, 0}, 1.4f);
    const Quat minus_b{-b.w, -b.x, -b.y, -b.z};
    for (float t : {0.0f, 0.25f, 0.5f, 1.0f}) {
        expectNear(logarithm(slerp(a, b, t)), {0, 0.2f + 1.2f * t, 0}, 1e-5f);
        expectNear(logarithm(slerp(a, minus_b, t)), {0, 0.2f + 1.2f * t, 0}, 1e-5f);
    }
}

TEST(Quat, RotationBetweenOppositesIsAHalfTurn) {
    for (Vec3 v : {Vec3{1, 0, 0}, Vec3{0, -2, 0}, normalized(Vec3{1, 2, 3})})
        expectNear(rotate(rotationBetween(v, -v), normalized(v)), -normalized(v), 1e-5f);
}

TEST(Quat, TwistTakesOutTheTurnAboutTheAxis) {
    const Quat swing = fromAxisAngle({1, 0, 0}, 0.7f), twist = fromAxisAngle({0, 1, 0}, 1.1f);
    EXPECT_LT(angleBetween(twistAbout(swing * twist, {0, 1, 0}), twist), 1e-3f);
}

TEST(Affine, InverseUndoesScaleAndShearToo) {
    Random random(4);
    for (int i = 0; i < 100; ++i) {
        Affine a;
        for (auto& row : a.m)
            for (float& value : row) value = random.normal();
        if (std::abs(determinant(a.linear())) < 0.1f) continue;
        const Vec3 p = randomVector(random);
        expectNear(transformPoint(inverse(a), transformPoint(a, p)), p, 1e-4f);
    }
}

TEST(Transform, AgreesWithItsMatrix) {
    Random random(5);
    const Transform a{randomRotation(random), randomVector(random)};
    const Transform b{randomRotation(random), randomVector(random)};
    const Vec3 p = randomVector(random);
    expectNear(transformPoint(a * b, p), transformPoint(toAffine(a) * toAffine(b), p), 1e-5f);
    expectNear(transformPoint(inverse(a), transformPoint(a, p)), p, 1e-5f);
}

TEST(PortableMath, AgreesWithTheCLibraryToRounding) {
    for (int i = -4000; i <= 4000; ++i) {
        const double x = i * 0.01;
        EXPECT_NEAR(portable::sin(x), std::sin(x), 2e-14);
        EXPECT_NEAR(portable::cos(x), std::cos(x), 2e-14);
        EXPECT_NEAR(portable::atan(x), std::atan(x), 1e-14);
        EXPECT_NEAR(portable::exp(x) / std::exp(x), 1, 1e-13);
        EXPECT_NEAR(portable::atan2(x, 1.7 - x), std::atan2(x, 1.7 - x), 2e-14);
        const double c = x / 40;
        EXPECT_NEAR(portable::acos(c), std::acos(c), 2e-14);
    }
}

}  // namespace
}  // namespace hem
