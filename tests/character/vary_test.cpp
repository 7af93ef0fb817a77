// SPDX-License-Identifier: Apache-2.0
#include "hem/character/vary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/motion_sets.h"

namespace hem {
namespace {

Motion walk() { return *makeMotion("train_02_walk_normal", mannequinSkeleton(Sex::kFemale)); }

float worstDistance(const Motion& a, const Motion& b) {
    float worst = 0;
    for (size_t f = 0; f < std::min(a.frames.size(), b.frames.size()); ++f)
        worst = std::max(worst, distance(a.frames[f].root_position, b.frames[f].root_position));
    return worst;
}

// Radians between two poses' rotations of a joint, the root left out.
float worstTurn(const Pose& a, const Pose& b) {
    float worst = 0;
    for (size_t j = 1; j < a.rotations.size(); ++j)
        worst = std::max(worst, angleBetween(a.rotations[j], b.rotations[j]));
    return worst;
}

// The largest change of a joint's rotation, or of the root's place, from frame to frame.
float worstStep(const Motion& motion) {
    float worst = 0;
    for (size_t f = 1; f < motion.frames.size(); ++f) {
        const Pose &a = motion.frames[f - 1], &b = motion.frames[f];
        worst = std::max({worst, worstTurn(a, b), angleBetween(a.rotations[0], b.rotations[0]),
                          distance(a.root_position, b.root_position)});
    }
    return worst;
}

TEST(Vary, NoStrengthLeavesTheMotionAsItIs) {
    const Motion motion = walk(), same = varied(motion, {.strength = 0});
    ASSERT_EQ(same.frames.size(), motion.frames.size());
    EXPECT_EQ(same.name, motion.name);
    EXPECT_TRUE(same.skeleton == motion.skeleton);
    EXPECT_EQ(same.rate, motion.rate);
    EXPECT_LT(worstDistance(motion, same), 1e-3f);
    for (size_t f = 0; f < motion.frames.size(); ++f)
        ASSERT_LT(worstTurn(motion.frames[f], same.frames[f]), 2e-3f) << "frame " << f;
}

TEST(Vary, TheSameSeedIsTheSameVariationAndAnotherIsAnother) {
    const Motion motion = walk(), a = varied(motion, {.seed = 3}), b = varied(motion, {.seed = 3}),
                 c = varied(motion, {.seed = 4});
    ASSERT_EQ(a.frames.size(), b.frames.size());
    for (size_t f = 0; f < a.frames.size(); ++f) {
        EXPECT_EQ(a.frames[f].root_position, b.frames[f].root_position);
        EXPECT_TRUE(a.frames[f].rotations == b.frames[f].rotations);
    }
    EXPECT_GT(worstDistance(a, c), 0.02f);
    Motion renamed = motion;
    renamed.name = "another";
    EXPECT_GT(worstDistance(a, varied(renamed, {.seed = 3})), 0.02f);
}

// Over many variations: the changes are there, and none leaves what a person might have done.
TEST(Vary, ChangesStayWithinHumanMovement) {
    const Motion motion = walk();
    const float step = worstStep(motion);
    float least = 10, most = 0, turned = 0;
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        const Motion other = varied(motion, {.seed = seed});
        const float length = float(other.duration() / motion.duration());
        least = std::min(least, length);
        most = std::max(most, length);
        EXPECT_LT(worstStep(other), 2.5f * step) << "seed " << seed;
        EXPECT_LT(worstTurn(other.frames[0], motion.frames[0]), 0.8f) << "seed " << seed;
        turned = std::max(turned, worstTurn(other.frames[0], motion.frames[0]));
        for (const Pose& pose : other.frames)
            for (const Quat& q : pose.rotations)
                ASSERT_NEAR(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z, 1, 1e-3f);
    }
    EXPECT_GT(least, 0.6f);
    EXPECT_LT(least, 0.85f);
    EXPECT_GT(most, 1.2f);
    EXPECT_LT(most, 1.7f);
    EXPECT_GT(turned, 0.1f);
}

}  // namespace
}  // namespace hem
