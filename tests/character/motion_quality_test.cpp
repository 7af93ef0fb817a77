// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/motion_quality.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "tests/character/synthetic_walk.h"

namespace hem {
namespace {

Motion standingStill(size_t frames) {
    Motion motion{.name = "still", .skeleton = mannequinSkeleton(Sex::kFemale), .rate = 30};
    motion.frames.assign(frames, restPose(motion.skeleton));
    return motion;
}

TEST(MotionQuality, OfStandingStillHasNoFault) {
    const Motion motion = standingStill(30);
    const MotionQuality quality = measureQuality(motion, *recognise(motion.skeleton));
    EXPECT_EQ(quality.slides.size(), 4u);  // heel and ball of both feet
    EXPECT_EQ(distributionOf(quality.slides).max, 0);
    EXPECT_LT(quality.penetration, 1e-6f);
    EXPECT_LT(distributionOf(quality.floating).max, 1e-6f);
    EXPECT_LT(quality.joint_step, 0.1f);
}

TEST(MotionQuality, MeasuresHowFarAStandingFootTravels) {
    Motion motion = standingStill(31);
    for (size_t f = 0; f < 31; ++f) motion.frames[f].root_position.x += 0.001f * float(f);
    const MotionQuality quality = measureQuality(motion, *recognise(motion.skeleton));
    const Distribution slides = distributionOf(quality.slides);
    EXPECT_NEAR(slides.median, 0.030f, 1e-5f);
    EXPECT_NEAR(slides.max, 0.030f, 1e-5f);
    EXPECT_NEAR(quality.slideSpeed(), 0.030f, 1e-4f);  // 1 mm a frame at 30 Hz
}

TEST(MotionQuality, TellsSinkingFromFloating) {
    Motion motion = standingStill(20);
    const Humanoid humanoid = *recognise(motion.skeleton);
    const MotionQuality sunk = measureQuality(motion, humanoid, {.floor = 0.02f});
    EXPECT_NEAR(sunk.penetration, 0.02f, 1e-5f);
    EXPECT_EQ(sunk.landing_penetration, 0);
    const MotionQuality aloft = measureQuality(motion, humanoid, {.floor = -0.03f});
    EXPECT_EQ(aloft.penetration, 0);
    EXPECT_NEAR(distributionOf(aloft.floating).median, 0.03f, 1e-5f);
}

TEST(MotionQuality, SeesAHandBelowTheFloor) {
    Motion motion = standingStill(5);
    motion.frames[2].rotations[0] = fromAxisAngle({1, 0, 0}, kPi / 2);  // lies on its front
    motion.frames[2].root_position.y = 0.05f;
    const MotionQuality quality = measureQuality(motion, *recognise(motion.skeleton));
    // a forearm's tip hangs 13 cm ahead of the pelvis's plane at rest: below it now
    EXPECT_GT(quality.body_penetration, 0.02f);
    EXPECT_LT(measureQuality(standingStill(5), *recognise(motion.skeleton)).body_penetration,
              1e-6f);
}

TEST(MotionQuality, CountsTheFramesAfterAFlightAsALanding) {
    Motion motion = standingStill(60);
    for (size_t f = 20; f < 32; ++f) motion.frames[f].root_position.y += 0.2f;
    motion.frames[33].root_position.y -= 0.04f;  // gives way on landing
    const MotionQuality quality = measureQuality(motion, *recognise(motion.skeleton));
    EXPECT_NEAR(quality.landing_penetration, 0.04f, 1e-4f);
    EXPECT_LT(quality.penetration, 1e-4f);
}

TEST(MotionQuality, TakesTheSkinnedFeetOfACharacter) {
    const Character body = mannequin(Sex::kFemale);
    Motion motion{.name = "still", .skeleton = body.skeleton, .rate = 30};
    motion.frames.assign(10, restPose(body.skeleton));
    const float lowest = boundsOf(body.mesh.positions).low.y;
    const MotionQuality quality = measureQuality(motion, *recognise(body.skeleton),
                                                 {.floor = lowest + 0.01f, .character = &body});
    EXPECT_NEAR(quality.penetration, 0.01f, 1e-4f);
}

TEST(MotionQuality, MeasuresAnglesBetweenTheSameBones) {
    const Motion source = standingStill(3);
    Motion bent = source;
    const size_t arm = size_t(bent.skeleton.find("LeftForeArm"));
    const size_t leg = size_t(bent.skeleton.find("RightLeg"));
    const Humanoid humanoid = *recognise(source.skeleton);
    const std::vector<Transform> world = worldTransforms(source.skeleton, source.frames[0]);
    const auto bend = [&](size_t joint, const char* next, float degrees) {
        const Vec3 bone =
            world[size_t(bent.skeleton.find(next))].translation - world[joint].translation;
        const Vec3 axis = anyPerpendicular(normalized(bone));
        bent.frames[1].rotations[joint] = fromAxisAngle(axis, degreesToRadians(degrees));
    };
    bend(arm, "LeftHand", 10);
    bend(leg, "RightFoot", 7);
    const MotionQuality quality =
        measureQuality(bent, humanoid, {.source = &source, .source_humanoid = &humanoid});
    EXPECT_EQ(quality.arm_errors.size(), 12u);
    EXPECT_NEAR(distributionOf(quality.arm_errors).max, 10, 0.01f);
    EXPECT_NEAR(distributionOf(quality.leg_errors).max, 7, 0.01f);
    EXPECT_LT(distributionOf(quality.limbErrors()).median, 0.01f);
    EXPECT_NEAR(quality.joint_step, 10, 0.05f);
    EXPECT_EQ(quality.joint_step_name, "LeftForeArm");
}

TEST(MotionQuality, OfManyClipsIsThatOfAllTheirSamples) {
    MotionQuality a, b;
    a.slides = {0.01f, 0.02f};
    a.penetration = 0.005f;
    b.slides = {0.03f};
    b.penetration = 0.001f;
    b.joint_step = 3;
    a.add(b);
    EXPECT_EQ(distributionOf(a.slides).count, 3u);
    EXPECT_FLOAT_EQ(distributionOf(a.slides).median, 0.02f);
    EXPECT_FLOAT_EQ(a.penetration, 0.005f);
    EXPECT_FLOAT_EQ(a.joint_step, 3);
}

}  // namespace
}  // namespace hem
