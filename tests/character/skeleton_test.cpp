// SPDX-License-Identifier: Apache-2.0
#include "hem/character/skeleton.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motion.h"

namespace hem {
namespace {

// Two bones of one metre along x; the second joint turns about z.
Skeleton arm() {
    return {{{"Upper", kNoParent, {Quat{}, {0, 1, 0}}},
             {"Lower", 0, {Quat{}, {1, 0, 0}}},
             {"Tip", 1, {Quat{}, {1, 0, 0}}}}};
}

TEST(Skeleton, ChainsRotationsFromParentToChild) {
    Pose pose = restPose(arm());
    pose.rotations[1] = fromAxisAngle({0, 0, 1}, kPi / 2);
    const auto world = worldFromJoints(arm(), pose);
    EXPECT_LT(distance(world[2].translation(), {1, 2, 0}), 1e-6f);
    pose.rotations[0] = fromAxisAngle({0, 1, 0}, kPi / 2);
    EXPECT_LT(distance(worldFromJoints(arm(), pose)[2].translation(), {0, 2, -1}), 1e-6f);
    EXPECT_LT(distance(worldTransforms(arm(), pose)[2].translation, {0, 2, -1}), 1e-6f);
}

TEST(Skeleton, SkinningMatricesAreIdentityAtRest) {
    const Skeleton skeleton = mannequinSkeleton(Sex::kFemale);
    const auto inverse_rest = inverseRestMatrices(skeleton);
    std::vector<Affine> matrices(skeleton.size());
    skinningMatrices(skeleton, restPose(skeleton), inverse_rest.data(), matrices.data());
    const Affine identity;
    for (const Affine& m : matrices)
        for (int i = 0; i < 12; ++i)
            EXPECT_NEAR(m.m[i / 4][i % 4], identity.m[i / 4][i % 4], 1e-6f);
}

TEST(Skeleton, ValidationNamesTheJointAtFault) {
    auto messageOf = [](const Skeleton& s) {
        const Status status = validate(s);
        return status ? std::string("valid") : status.error().message;
    };
    EXPECT_EQ(messageOf(arm()), "valid");
    EXPECT_NE(messageOf({}), "valid");
    Skeleton s = arm();
    s.joints[2].name = "Lower";
    EXPECT_NE(messageOf(s).find("'Lower'"), std::string::npos);
    s = arm();
    s.joints[1].parent = 2;
    EXPECT_NE(messageOf(s).find("'Lower'"), std::string::npos);
    s = arm();
    s.joints[2].parent_from_rest.translation.y = std::nanf("");
    EXPECT_NE(messageOf(s).find("'Tip'"), std::string::npos);
}

TEST(Motion, ResamplingKeepsBothEndsAndTurnsSteadily) {
    Motion motion{"turn", arm(), 30, {}};
    for (int i = 0; i <= 30; ++i) {
        Pose pose = restPose(motion.skeleton);
        pose.root_position.x = float(i) / 30;
        pose.rotations[0] = fromAxisAngle({0, 1, 0}, float(i) / 30);
        motion.frames.push_back(pose);
    }
    const Motion fine = resampled(motion, 120);
    ASSERT_EQ(fine.frames.size(), 121u);
    for (size_t i = 0; i < fine.frames.size(); ++i) {
        EXPECT_NEAR(fine.frames[i].root_position.x, float(i) / 120, 1e-6f);
        EXPECT_NEAR(logarithm(fine.frames[i].rotations[0]).y, float(i) / 120, 1e-5f);
    }
    EXPECT_EQ(resampled(fine, 30).frames.size(), 31u);
    EXPECT_DOUBLE_EQ(fine.duration(), 1);
}

TEST(Motion, SamplingHoldsTheEnds) {
    Motion motion{"still", arm(), 30, {restPose(arm()), restPose(arm())}};
    motion.frames[1].root_position = {1, 0, 0};
    EXPECT_EQ(sampleAt(motion, -5).root_position, motion.frames[0].root_position);
    EXPECT_EQ(sampleAt(motion, 5).root_position, motion.frames[1].root_position);
}

}  // namespace
}  // namespace hem
