// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/make_pose_set.h"

#include <gtest/gtest.h>

#include <cstring>

#include "hem/core/files.h"
#include "hem/core/npy.h"
#include "hem/core/parallel.h"
#include "hem/poses/draw_pose.h"
#include "hem/poses/judge_poses.h"
#include "hem/recording/recording.h"
#include "tests/poses/small_pose_set.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

PoseSetReport made(const std::string& folder, const PoseSetOptions& options) {
    const auto report = makePoseSet(smallScene(), folder, options);
    EXPECT_TRUE(report) << report.error().message;
    return report ? *report : PoseSetReport{};
}

std::string refusal(const std::string& folder, const PoseSetOptions& options) {
    const auto report = makePoseSet(smallScene(), folder, options);
    return report ? "" : report.error().message;
}

TEST(MakePoseSet, BytesDoNotDependOnThreads) {
    const TemporaryFolder folder;
    setThreadLimit(1);
    made(folder.path("one"), quickly(30));
    setThreadLimit(4);
    made(folder.path("four"), quickly(30));
    setThreadLimit(0);
    EXPECT_EQ(differences(folder.path("one"), folder.path("four")), "");
}

TEST(MakePoseSet, AnInterruptedSetGoesOnToTheSameBytes) {
    const TemporaryFolder folder;
    std::atomic<bool> cancel = false;
    std::atomic<size_t> poses = 0;
    PoseSetOptions options = quickly(230);
    options.cancel = &cancel;
    options.progress = [&](size_t n) { cancel = (poses += n) >= 130; };
    const PoseSetReport first = made(folder.path("interrupted"), options);
    EXPECT_TRUE(first.cancelled);
    EXPECT_EQ(first.simulated, 100u);
    EXPECT_FALSE(PoseSet::open(folder.path("interrupted")));
    const PoseSetReport second = made(folder.path("interrupted"), quickly(230));
    EXPECT_EQ(second.there, 100u);
    EXPECT_EQ(second.simulated, 130u);
    made(folder.path("at_once"), quickly(230));
    EXPECT_EQ(differences(folder.path("interrupted"), folder.path("at_once")), "");
}

TEST(MakePoseSet, AShardThatIsNoShardIsMadeAgain) {
    const TemporaryFolder folder;
    std::atomic<bool> cancel = false;
    std::atomic<size_t> poses = 0;
    PoseSetOptions options = quickly(130);
    options.cancel = &cancel;
    options.progress = [&](size_t n) { cancel = (poses += n) >= 110; };
    made(folder.path("a"), options);
    ASSERT_TRUE(writeFile(folder.path("a/shards/000000.npy"), std::string_view("cut")));
    EXPECT_EQ(made(folder.path("a"), quickly(130)).simulated, 130u);
    EXPECT_TRUE(PoseSet::open(folder.path("a")));
}

TEST(MakePoseSet, PosesAndRecordingsDoNotShareAFolder) {
    const TemporaryFolder folder;
    made(folder.path("poses"), quickly(5));
    for (const Status& refused : {RecordingSet::check(folder.path("poses"), smallScene()),
                                  Status(RecordingSet::open(folder.path("poses")).error())}) {
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().message.find("holds poses"), std::string::npos)
            << refused.error().message;
    }
    ASSERT_TRUE(RecordingSet::create(folder.path("recordings"), smallScene(), ""));
    ASSERT_TRUE(makeFolders(folder.path("recordings/clips/walk")));
    EXPECT_NE(refusal(folder.path("recordings"), quickly(5)).find("holds recordings"),
              std::string::npos);
}

TEST(MakePoseSet, WhatIsWrittenIsWhatItSays) {
    const TemporaryFolder folder;
    made(folder.path("a"), quickly(20));
    const auto set = PoseSet::open(folder.path("a"));
    ASSERT_TRUE(set) << set.error().message;
    ASSERT_TRUE(set->verify());
    EXPECT_EQ(set->count(), 20u);
    EXPECT_EQ(set->inputJoints().size(), 14u);
    const PoseDrawer drawer = PoseDrawer::make(set->character(), set->meta().reach).value();
    for (size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(set->pose(i).rotations, drawer.draw(1, i).value().pose.rotations);
        std::vector<Affine> matrices(set->joints());
        skinningMatrices(set->character().skeleton, set->pose(i),
                         set->character().skin.joint_from_rest.data(), matrices.data());
        EXPECT_EQ(
            std::memcmp(matrices.data(), set->matrices(i).data(), matrices.size() * sizeof(Affine)),
            0);
        std::vector<Vec3> skinned(set->vertices());
        skinLinear(set->garmentSkin(), set->garmentRest().data(), matrices.data(), skinned.data());
        EXPECT_TRUE(std::ranges::equal(skinned, set->skinned(i)));
        double sum = 0;
        for (size_t v = 0; v < skinned.size(); ++v)
            sum += double(lengthSquared(set->restCloth(i)[v] - skinned[v]));
        EXPECT_FLOAT_EQ(set->distance(i), float(sum / double(skinned.size())));
        EXPECT_GE(set->frames(i), 3u);
    }
    const PoseSetMeta& meta = set->meta();
    EXPECT_EQ(meta.training + meta.validation + meta.test + meta.outliers + meta.failed, 20u);
    EXPECT_EQ(set->members(PoseSplit::kTraining).size(), meta.training);
}

TEST(MakePoseSet, AFirstHundredIsTheFirstHundredOfMore) {
    const TemporaryFolder folder;
    made(folder.path("few"), quickly(5));
    made(folder.path("more"), quickly(9));
    const PoseSet few = PoseSet::open(folder.path("few")).value(),
                  more = PoseSet::open(folder.path("more")).value();
    for (size_t i = 0; i < 5; ++i)
        EXPECT_TRUE(std::ranges::equal(few.restCloth(i), more.restCloth(i)));
}

TEST(MakePoseSet, AFolderOfOtherOptionsIsRefusedByName) {
    const TemporaryFolder folder;
    made(folder.path("a"), quickly(5));
    PoseSetOptions other = quickly(5);
    other.seed = 2;
    EXPECT_NE(refusal(folder.path("a"), other).find("seed is 1, now it is 2"), std::string::npos);
    EXPECT_NE(refusal(folder.path("a"), quickly(6)).find("count is 5"), std::string::npos);
    ClothScene scene = smallScene();
    scene.garments[0].fabric.density *= 2;
    const auto report = makePoseSet(scene, folder.path("a"), quickly(5));
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().message.find("density"), std::string::npos);
}

TEST(MakePoseSet, AWholeSetIsLeftAloneButForItsOutliers) {
    const TemporaryFolder folder;
    made(folder.path("a"), quickly(40));
    const PoseSet before = PoseSet::open(folder.path("a")).value();
    std::vector<float> distances;
    for (size_t i = 0; i < 40; ++i) distances.push_back(before.distance(i));
    std::sort(distances.begin(), distances.end());
    PoseSetOptions options = quickly(40);
    options.outlier_distance = double(distances[29]);
    const PoseSetReport report = made(folder.path("a"), options);
    EXPECT_EQ(report.simulated, 0u);
    const PoseSet after = PoseSet::open(folder.path("a")).value();
    EXPECT_TRUE(after.verify());
    EXPECT_EQ(after.meta().outliers, 10u);
    EXPECT_EQ(after.meta().training, 19u);  // 60 % of ten ninths of 30
    EXPECT_EQ(after.meta().test, 5u);
    made(folder.path("a"), quickly(40));
    EXPECT_EQ(PoseSet::open(folder.path("a")).value().meta().outliers, before.meta().outliers);
}

TEST(MakePoseSet, AFolderOfSomethingElseIsLeftAlone) {
    const TemporaryFolder folder;
    ASSERT_TRUE(makeFolders(folder.path("mine")));
    ASSERT_TRUE(writeFile(folder.path("mine/letter.txt"), std::string_view("dear")));
    EXPECT_NE(refusal(folder.path("mine"), quickly(5)).find("letter.txt"), std::string::npos);
}

TEST(JudgePoses, SimulatingAgainGivesTheSameBits) {
    const TemporaryFolder folder;
    made(folder.path("a"), quickly(12));
    const auto judgement = judgePoses(PoseSet::open(folder.path("a")).value(), 4);
    ASSERT_TRUE(judgement) << judgement.error().message;
    EXPECT_EQ(judgement->reproduces, true);
    EXPECT_GT(*judgement->cpu_seconds_per_pose, 0);
    EXPECT_GT(*judgement->creep_cm, 0.1) << "two frames are no rest";
    EXPECT_TRUE(judgement->cloth.finite);
    EXPECT_LE(judgement->distance_min, judgement->distance_mean);
    EXPECT_LE(judgement->distance_mean, judgement->distance_max);
}

}  // namespace
}  // namespace hem
