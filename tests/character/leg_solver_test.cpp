// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/leg_solver.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/random.h"

namespace hem {
namespace {

using namespace precise;

LegMeasures leftLeg() { return measureBody(mannequinSkeleton(Sex::kFemale)).value().legs[kLeft]; }

double distance(Vec a, Vec b) { return length(a - b); }

TEST(LegSolver, PutsTheAnkleExactlyWhereItIsAskedFor) {
    const LegMeasures leg = leftLeg();
    Random random(11);
    for (int k = 0; k < 500; ++k) {
        const Vec hip{0.1, 0.9, 0};
        const double x = random.uniform(-0.2f, 0.2f), y = random.uniform(-0.7f, -0.4f);
        const double z = random.uniform(-0.3f, 0.3f);
        const Vec target = hip + Vec{x, y, z};
        const LegSolution s = solveLeg(leg, hip, target, {0, 0.35, 1});
        EXPECT_LT(distance(s.ankle, target), 1e-12);
        EXPECT_NEAR(distance(hip, s.knee), length(leg.hip_to_knee), 1e-12);
        EXPECT_NEAR(distance(s.knee, s.ankle), length(leg.knee_to_ankle), 1e-12);
        // the rotations carry the rest bones there
        EXPECT_LT(distance(hip + rotate(s.thigh, leg.hip_to_knee), s.knee), 1e-9);
        EXPECT_LT(distance(s.knee + rotate(s.shank, leg.knee_to_ankle), s.ankle), 1e-9);
    }
}

TEST(LegSolver, BendsTheKneeForwards) {
    const LegMeasures leg = leftLeg();
    const LegSolution s = solveLeg(leg, {0, 0.9, 0}, {0, 0.3, 0}, {0, 0, 1});
    EXPECT_GT(s.knee.z, 0.2);
    EXPECT_NEAR(s.knee.x, 0, 1e-12);
}

TEST(LegSolver, DrawsATargetOutOfReachToTheLegsLength) {
    const LegMeasures leg = leftLeg();
    const LegSolution s = solveLeg(leg, {0, 2, 0}, {0, 0, 0}, {0, 0, 1});
    EXPECT_NEAR(distance({0, 2, 0}, s.ankle), 0.9995 * leg.reach(), 1e-9);
}

TEST(LegSolver, LengthAndFlexionAreInverse) {
    const LegMeasures leg = leftLeg();
    for (double degrees : {5.0, 40.0, 90.0, 140.0})
        EXPECT_NEAR(kneeFlexion(leg, legLength(leg, degrees * kDegree)), degrees * kDegree, 1e-9);
}

}  // namespace
}  // namespace hem
