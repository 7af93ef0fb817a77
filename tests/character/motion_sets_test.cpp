// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/motion_sets.h"

#include <gtest/gtest.h>

#include <set>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/random.h"

namespace hem {
namespace {

double totalSeconds(const std::vector<ClipInfo>& clips) {
    double sum = 0;
    for (const ClipInfo& clip : clips) sum += clip.seconds;
    return sum;
}

uint64_t hashOf(const Motion& motion, uint64_t hash) {
    for (const Pose& pose : motion.frames) {
        hash = hashBytes(&pose.root_position, sizeof pose.root_position, hash);
        hash = hashBytes(pose.rotations.data(), pose.rotations.size() * sizeof(Quat), hash);
    }
    return hash;
}

TEST(MotionSets, HaveTheSizesOfThePaper) {
    const auto train = motionSet("train").value(), test = motionSet("test").value();
    EXPECT_EQ(train.size(), 33u);
    EXPECT_NEAR(totalSeconds(train) * 30, 6600, 100);
    EXPECT_EQ(test.size(), 15u);
    EXPECT_NEAR(totalSeconds(test) * 30, 9900, 100);
    for (const ClipInfo& clip : test) EXPECT_LE(clip.seconds, 45);
    EXPECT_EQ(motionSet("atomic").value().size(), 2u);
    EXPECT_GE(motionSet("novel").value().size(), 3u);
}

TEST(MotionSets, NamesAndSeedsAreUniqueOverAllSets) {
    std::set<std::string> names;
    std::set<uint64_t> seeds;
    size_t clips = 0;
    auto add = [&](const std::vector<ClipInfo>& set) {
        for (const ClipInfo& clip : set) {
            names.insert(clip.name);
            seeds.insert(motionScript(clip.name).value().seed);
            ++clips;
        }
    };
    for (const std::string& set : motionSetNames()) add(motionSet(set).value());
    add(extraClips(500));
    EXPECT_EQ(names.size(), clips);
    EXPECT_EQ(seeds.size(), clips);
}

TEST(MotionSets, UnknownNamesGetAnErrorThatSaysWhereToLook) {
    const Skeleton skeleton = mannequinSkeleton(Sex::kFemale);
    for (const char* name : {"", "walk", "extra_0000", "extra_1", "extra_10000", "extra_00x1",
                             "_mirrored", "train_01_walk_slow_mirrored_mirrored"}) {
        const auto motion = makeMotion(name, skeleton);
        ASSERT_FALSE(motion) << name;
        EXPECT_NE(motion.error().message.find("motion"), std::string::npos);
    }
    EXPECT_NE(motionSet("trane").error().message.find("novel"), std::string::npos);
}

TEST(MotionSets, ASkeletonWithoutToesIsRefusedByName) {
    Skeleton skeleton = mannequinSkeleton(Sex::kFemale);
    std::erase_if(skeleton.joints, [](const Joint& j) { return j.name == "LeftToeBase"; });
    for (size_t j = 0; j < skeleton.size(); ++j)
        if (skeleton.joints[j].parent >= int(j)) skeleton.joints[j].parent -= 1;
    const auto motion = makeMotion("atomic_walk", skeleton);
    ASSERT_FALSE(motion);
    EXPECT_NE(motion.error().message.find("LeftToe"), std::string::npos);
}

TEST(MotionSets, ClipsLastAsLongAsTheySay) {
    const Skeleton skeleton = mannequinSkeleton(Sex::kMale);
    for (const char* name :
         {"train_02_walk_normal", "train_27_jump_up", "novel_kick", "extra_0001"}) {
        const Motion motion = makeMotion(name, skeleton).value();
        EXPECT_EQ(motion.rate, 120);
        EXPECT_NEAR(double(motion.frames.size()) / 120, clipInfo(name).value().seconds, 0.01)
            << name;
    }
}

TEST(MotionSets, AMirroredTwinExchangesTheSides) {
    const Skeleton skeleton = mannequinSkeleton(Sex::kFemale);
    const Motion motion = makeMotion("train_11_turn_180_left_walk", skeleton).value();
    const Motion twin = makeMotion("train_11_turn_180_left_walk_mirrored", skeleton).value();
    ASSERT_EQ(motion.frames.size(), twin.frames.size());
    EXPECT_EQ(twin.name, "train_11_turn_180_left_walk_mirrored");
    for (size_t f = 0; f < motion.frames.size(); f += 50) {
        const auto a = worldTransforms(skeleton, motion.frames[f]);
        const auto b = worldTransforms(skeleton, twin.frames[f]);
        const Vec3 l = a[size_t(skeleton.find("LeftToeBase"))].translation;
        const Vec3 r = b[size_t(skeleton.find("RightToeBase"))].translation;
        EXPECT_LT(distance(l, {-r.x, r.y, r.z}), 1e-4f);
    }
}

// The bits of a name never change, on any machine: recordings and models are made from them. Where
// a change is meant, it is a change of the sets for every user: say so in CHANGES.md.
TEST(MotionSets, TheBitsArePinned) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char* name :
         {"train_01_walk_slow", "train_16_turn_180_right_run", "train_23_stop_run_sudden",
          "train_28_jump_forward", "test_05_combination", "atomic_walk_turn", "novel_kick",
          "novel_dance", "extra_0042"})
        hash = hashOf(makeMotion(name, mannequinSkeleton(Sex::kFemale)).value(), hash);
    hash = hashOf(makeMotion("train_29_leap_running", mannequinSkeleton(Sex::kMale)).value(), hash);
    EXPECT_EQ(hash, 3817022555670546008u);
}

}  // namespace
}  // namespace hem
