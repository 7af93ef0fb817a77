// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hem/character/humanoid.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/core/random.h"

namespace hem {
namespace {

Motion randomMotion(const Skeleton& skeleton) {
    Random random(7);
    Motion motion{"test", skeleton, 30, {}};
    for (int f = 0; f < 5; ++f) {
        Pose pose = restPose(skeleton);
        const auto number = [&] { return float(random.uniform(-1, 1)); };
        pose.root_position = {number(), number(), number()};
        for (Quat& q : pose.rotations)
            q = normalized(q * exponential(Vec3{number(), number(), number()}));
        motion.frames.push_back(pose);
    }
    return motion;
}

// The largest distance of a joint from the reflection of its partner in the other motion.
float worstReflection(const Motion& a, const Motion& b) {
    const std::vector<int> partners = mirrorPartners(a.skeleton);
    float worst = 0;
    for (size_t f = 0; f < a.frames.size(); ++f) {
        const auto world_a = worldTransforms(a.skeleton, a.frames[f]);
        const auto world_b = worldTransforms(b.skeleton, b.frames[f]);
        for (size_t j = 0; j < world_a.size(); ++j) {
            Vec3 p = world_a[size_t(partners[j])].translation;
            p.x = -p.x;
            worst = std::max(worst, distance(p, world_b[j].translation));
        }
    }
    return worst;
}

float worstDifference(const Motion& a, const Motion& b) {
    float worst = 0;
    for (size_t f = 0; f < a.frames.size(); ++f) {
        worst = std::max(worst, distance(a.frames[f].root_position, b.frames[f].root_position));
        for (size_t j = 0; j < a.skeleton.size(); ++j)
            worst =
                std::max(worst, angleBetween(a.frames[f].rotations[j], b.frames[f].rotations[j]));
    }
    return worst;
}

TEST(Mirror, ReflectsEveryJointOfASymmetricSkeletonAndKeepsIt) {
    const Motion motion = randomMotion(mannequinSkeleton(Sex::kFemale));
    const Motion other = mirrored(motion);
    EXPECT_TRUE(other.skeleton == motion.skeleton);
    EXPECT_LT(worstReflection(motion, other), 1e-5f);
    EXPECT_EQ(other.name, "test_mirrored");
}

TEST(Mirror, TwiceIsTheIdentity) {
    const Motion motion = randomMotion(mannequinSkeleton(Sex::kMale));
    const Motion twice = mirrored(mirrored(motion));
    EXPECT_LT(worstDifference(motion, twice), 2e-3f);  // angles near nought come from an arc cosine
    EXPECT_EQ(twice.name, motion.name);
}

TEST(Mirror, ExchangesARaisedLeftArmForARightOne) {
    Motion motion{"wave", mannequinSkeleton(Sex::kFemale), 30, {}};
    Pose pose = restPose(motion.skeleton);
    pose.rotations[size_t(motion.skeleton.find("LeftArm"))] = fromAxisAngle({0, 0, 1}, 2.0f);
    motion.frames.push_back(pose);
    const Motion other = mirrored(motion);
    const Quat right = other.frames[0].rotations[size_t(motion.skeleton.find("RightArm"))];
    EXPECT_LT(angleBetween(right, fromAxisAngle({0, 0, 1}, -2.0f)), 1e-3f);
    EXPECT_LT(angleBetween(other.frames[0].rotations[size_t(motion.skeleton.find("LeftArm"))], {}),
              1e-3f);
}

TEST(Mirror, DoesNotMindLocalAxesThatDifferBetweenTheSides) {
    // the same joints, but every joint of the left arm has its frame turned
    Skeleton skeleton = mannequinSkeleton(Sex::kFemale);
    const int arm = skeleton.find("LeftArm"), forearm = skeleton.find("LeftForeArm");
    const Quat turn = exponential(Vec3{0.4f, -1.1f, 0.8f});
    skeleton.joints[size_t(arm)].parent_from_rest.rotation = turn;
    auto& below = skeleton.joints[size_t(forearm)].parent_from_rest;
    below = {conjugate(turn), rotate(conjugate(turn), below.translation)};
    const Motion motion = randomMotion(skeleton);
    const Motion other = mirrored(motion);
    EXPECT_TRUE(other.skeleton == motion.skeleton);
    EXPECT_LT(worstReflection(motion, other), 1e-5f);
}

TEST(Mirror, GivesTheMirroredSkeletonWhereTheSidesDiffer) {
    Skeleton skeleton = mannequinSkeleton(Sex::kFemale);
    const size_t left = size_t(skeleton.find("LeftLeg")), right = size_t(skeleton.find("RightLeg"));
    skeleton.joints[left].parent_from_rest.translation.y *= 1.05f;
    const Motion motion = randomMotion(skeleton);
    const Motion other = mirrored(motion);
    EXPECT_FALSE(other.skeleton == skeleton);
    EXPECT_EQ(other.skeleton.joints[right].parent_from_rest.translation.y,
              skeleton.joints[left].parent_from_rest.translation.y);
    EXPECT_LT(worstReflection(motion, other), 1e-5f);
    const Motion twice = mirrored(other);
    EXPECT_TRUE(twice.skeleton == skeleton);
    EXPECT_LT(worstDifference(motion, twice), 2e-3f);
}

}  // namespace
}  // namespace hem
