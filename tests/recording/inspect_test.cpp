// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/inspect.h"

#include <gtest/gtest.h>

#include "hem/core/files.h"
#include "tests/recording/toy_scene.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

// A still body, and cloth as it was made that moves away in one piece at `speed` metres a second,
// falling by half every second.
RecordedClip gliding(const ClothScene& scene, const std::string& name, size_t frames, float speed) {
    RecordedClip clip;
    clip.meta = {.name = name, .motion = "none", .simulator = "imported from a test"};
    ClothState state{.positions = joinedMesh(scene.garments).positions};
    for (size_t f = 0; f < frames; ++f) {
        const float now = speed * float(portable::exp(-0.693 * double(f) / 30));
        state.velocities.assign(state.positions.size(), {0, now, 0});
        clip.poses.push_back(restPose(scene.character.skeleton));
        clip.states.push_back(state);
        for (Vec3& p : state.positions) p.y += now / 30;
        state.time += 1.0 / 30;
    }
    return clip;
}

class Inspect : public testing::Test {
protected:
    Inspect() : scene_(toyScene()) { scene_.wind = {}; }

    RecordingSet setOf(const std::vector<RecordedClip>& clips) const {
        const auto set = RecordingSet::create(folder_.path("set"), scene_, "");
        CHECK(set.has_value());
        for (const RecordedClip& clip : clips) CHECK(set->add(clip).has_value());
        return *set;
    }

    TemporaryFolder folder_;
    ClothScene scene_;
};

TEST_F(Inspect, TellsTheEnergyThreeSecondsAfterAStop) {
    RecordedClip stop = gliding(scene_, "walk.stop1", 100, 2);
    stop.meta.is_stop = true;
    stop.meta.stop = {"walk", 3};
    const auto result = inspect(setOf({gliding(scene_, "walk", 10, 0), stop}));
    ASSERT_TRUE(result) << result.error().message;
    // 2 m/s has fallen to 1/8 of that: a kilogram then has 0.25^2 / 2 joules
    ASSERT_TRUE(result->settle_energy_j_per_kg);
    EXPECT_NEAR(*result->settle_energy_j_per_kg, 0.25 * 0.25 / 2, 1e-3);
    EXPECT_EQ(result->clips.size(), 2u);
    EXPECT_EQ(result->all.frames, 110u);
    EXPECT_NEAR(result->all.stretch_max, 0, 1e-4);
}

TEST_F(Inspect, AStopOfLessThanThreeSecondsSaysNothingOfSettling) {
    RecordedClip stop = gliding(scene_, "walk.stop1", 20, 2);
    stop.meta.is_stop = true;
    stop.meta.stop = {"walk", 3};
    const auto result = inspect(setOf({gliding(scene_, "walk", 10, 0), stop}));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_FALSE(result->settle_energy_j_per_kg);
}

TEST_F(Inspect, ImportedClothHasNoChaosFloorAndSaysWhy) {
    const auto result = inspect(setOf({gliding(scene_, "walk", 40, 0)}));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_FALSE(result->chaos_floor_cm);
    EXPECT_FALSE(result->cpu_ms_per_frame);
    ASSERT_EQ(result->notes.size(), 1u);
    EXPECT_NE(result->notes[0].find("imported"), std::string::npos);
}

// Recorded by the built-in simulator, so that it can be simulated again.
RecordedClip simulated(const ClothScene& scene, size_t frames) {
    const auto simulator = makeBuiltInSimulator(scene);
    CHECK(simulator.has_value());
    RecordedClip clip;
    clip.meta = {.name = "walk", .motion = "toy", .simulator = (*simulator)->name()};
    const Motion motion = toyMotion("walk", frames);
    clip.poses = motion.frames;
    const auto start = (*simulator)->drape(clip.poses[0]);
    CHECK(start.has_value());
    clip.states.push_back(*start);
    const Status status = (*simulator)->advance(*start, clip.poses, [&](const ClothState& s) {
        clip.states.push_back(s);
        return true;
    });
    CHECK(status.has_value());
    return clip;
}

TEST_F(Inspect, WhatTheSimulatorMadeIsMadeAgainBitForBit) {
    scene_.garments.resize(1);
    const auto result = inspect(setOf({simulated(scene_, 45)}));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_TRUE(result->reproduces.value_or(false));
    EXPECT_GT(result->cpu_ms_per_frame.value_or(0), 0);
    EXPECT_GT(result->chaos_floor_cm.value_or(0), 0);
    EXPECT_LT(result->chaos_floor_cm.value_or(9), 5);
    EXPECT_TRUE(result->settle_energy_j_per_kg);
}

TEST_F(Inspect, TheChaosFloorIsTheMeanOfItsStarts) {
    scene_.garments.resize(1);
    const RecordingSet set = setOf({simulated(scene_, 45)});
    const auto one = inspect(set), three = inspect(set, {.starts = 3});
    ASSERT_TRUE(one && three);
    ASSERT_EQ(one->chaos_of_starts_cm.size(), 1u);
    ASSERT_EQ(three->chaos_of_starts_cm.size(), 3u);
    const std::vector<double>& each = three->chaos_of_starts_cm;
    EXPECT_EQ(each[0], one->chaos_floor_cm);
    EXPECT_NE(each[0], each[1]);
    EXPECT_NE(each[1], each[2]);
    EXPECT_DOUBLE_EQ(*three->chaos_floor_cm, (each[0] + each[1] + each[2]) / 3);
    ASSERT_TRUE(three->clips[0].chaos_floor_cm);
    EXPECT_DOUBLE_EQ(*three->clips[0].chaos_floor_cm, *three->chaos_floor_cm);
}

TEST_F(Inspect, AnotherFrameThanTheSimulatorsDoesNotReproduce) {
    scene_.garments.resize(1);
    RecordedClip clip = simulated(scene_, 45);
    clip.states[10].positions[20].x += 1e-6f;
    const auto result = inspect(setOf({clip}));
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_FALSE(result->reproduces.value_or(true));
}

TEST_F(Inspect, NamesWhatIsWrongAndInWhichClip) {
    scene_.garments.resize(1);
    RecordedClip torn = gliding(scene_, "torn", 10, 0);
    for (ClothState& state : torn.states)
        for (Vec3& p : state.positions) p.x *= 1.5f;
    const auto result = inspect(setOf({gliding(scene_, "fine", 10, 0), torn}));
    ASSERT_TRUE(result) << result.error().message;
    const std::vector<std::string> faults = faultsOf(*result);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_NE(faults[0].find("stretch"), std::string::npos) << faults[0];
    EXPECT_NE(faults[0].find("torn"), std::string::npos) << faults[0];
}

TEST_F(Inspect, ADamagedFileIsAnErrorThatNamesIt) {
    const RecordingSet set = setOf({gliding(scene_, "walk", 10, 0)});
    const std::string file = folder_.path("set/clips/walk/velocities.npy");
    std::string bytes = *readTextFile(file);
    bytes.back() = char(bytes.back() + 1);
    ASSERT_TRUE(writeFile(file, bytes));
    const auto result = inspect(set);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("velocities.npy"), std::string::npos)
        << result.error().message;
}

TEST_F(Inspect, ASetWithoutClipsIsAnErrorThatSaysWhatToRun) {
    const auto result = inspect(setOf({}));
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("hemline simulate"), std::string::npos);
}

}  // namespace
}  // namespace hem
