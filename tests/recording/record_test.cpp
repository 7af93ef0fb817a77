// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/record.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <map>

#include "hem/core/files.h"
#include "hem/core/random.h"
#include "tests/recording/toy_scene.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

SimulatorFactory toyFactory(ToyBehaviour behaviour = {}) {
    return [=](const ClothScene& scene) -> Result<std::unique_ptr<Simulator>> {
        return std::unique_ptr<Simulator>(new ToySimulator(scene, behaviour));
    };
}

std::vector<Motion> toyMotions() {
    return {toyMotion("walk", 40), toyMotion("run_fast", 25), toyMotion("hop", 31),
            toyMotion("x", 1)};
}

constexpr double kStopSeconds = 0.5;

Result<RecordReport> recordToy(const std::string& folder, RecordOptions options,
                               const ToyBehaviour& behaviour = {}) {
    const auto set = RecordingSet::create(folder, toyScene(), "# a toy\n");
    if (!set) return set.error();
    options.stop_seconds = kStopSeconds;
    return record(*set, toyMotions(), toyFactory(behaviour), options);
}

// Every file below the folder, with its bytes.
std::map<std::string, std::vector<std::byte>> contentsOf(const std::string& folder) {
    std::map<std::string, std::vector<std::byte>> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            files[fs::relative(entry.path(), folder).string()] = *readFile(entry.path().string());
    return files;
}

TEST(Record, ClipsAndTheirStopsAreRecorded) {
    const TemporaryFolder folder;
    const auto report = recordToy(folder.path("set"), {.stops = 3});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->recorded, 16u);
    EXPECT_EQ(report->skipped, 0u);
    EXPECT_EQ(report->frames, 40u + 25 + 31 + 1 + 12 * 16);
    EXPECT_TRUE(report->failures.empty());
    const auto set = RecordingSet::open(folder.path("set"));
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_EQ(set->clipNames().size(), 16u);
    for (const std::string& name : set->clipNames()) EXPECT_TRUE(set->clip(name)->verify()) << name;
}

TEST(Record, AStopGoesOnFromTheFrameOfItsClipWithTheBodyFrozen) {
    const TemporaryFolder folder;
    ASSERT_TRUE(recordToy(folder.path("set"), {.stops = 3}));
    const auto set = RecordingSet::open(folder.path("set"));
    const auto walk = set->clip("walk"), stop = set->clip("walk.stop2");
    ASSERT_TRUE(stop) << stop.error().message;
    ASSERT_TRUE(stop->meta().is_stop);
    EXPECT_EQ(stop->meta().stop.of, "walk");
    EXPECT_EQ(stop->meta().stop.frame, 20u);  // the second of three in 40
    EXPECT_EQ(stop->frames(), 16u);
    EXPECT_EQ(stop->state(0), walk->state(20));
    for (size_t i = 0; i < stop->frames(); ++i) {
        EXPECT_EQ(stop->pose(i).rotations, walk->pose(20).rotations);
        EXPECT_EQ(stop->root(i).heading, walk->root(20).heading);
        EXPECT_NEAR(stop->state(i).time, double(20 + i) / 30, 1e-9);
    }
    EXPECT_NE(stop->state(1), walk->state(21));
}

TEST(Record, StopsAreEvenlySpread) {
    EXPECT_EQ(stopFrame(100, 1, 1), 50u);
    EXPECT_EQ(stopFrame(200, 1, 5), 33u);
    EXPECT_EQ(stopFrame(200, 5, 5), 166u);
    EXPECT_EQ(stopFrame(1, 5, 5), 0u);
}

TEST(Record, BytesDoNotDependOnTheNumberOfWorkers) {
    const TemporaryFolder folder;
    ASSERT_TRUE(recordToy(folder.path("one"), {.stops = 2, .workers = 1}));
    ASSERT_TRUE(recordToy(folder.path("five"), {.stops = 2, .workers = 5}));
    EXPECT_EQ(contentsOf(folder.path("one")), contentsOf(folder.path("five")));
}

TEST(Record, WhatIsThereIsLeftAlone) {
    const TemporaryFolder folder;
    ASSERT_TRUE(recordToy(folder.path("set"), {.stops = 1}));
    const auto whole = contentsOf(folder.path("set"));
    fs::remove_all(folder.path("set/clips/hop"));
    fs::remove_all(folder.path("set/clips/walk.stop1"));
    const auto report = recordToy(folder.path("set"), {.stops = 1});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_EQ(report->recorded, 2u);
    EXPECT_EQ(report->skipped, 6u);
    EXPECT_EQ(contentsOf(folder.path("set")), whole);
}

TEST(Record, WhatIsThereButWasNotAskedForIsAnError) {
    const TemporaryFolder folder;
    ASSERT_TRUE(recordToy(folder.path("set"), {.stops = 1}));
    const auto stops = recordToy(folder.path("set"), {.stops = 2});
    ASSERT_FALSE(stops);
    EXPECT_NE(stops.error().message.find("another number of stops"), std::string::npos)
        << stops.error().message;
    const auto set = RecordingSet::create(folder.path("set"), toyScene(), "");
    std::vector<Motion> edited = toyMotions();
    edited[1].frames[7].root_position.y += 0.01f;
    const auto motion = record(*set, edited, toyFactory());
    ASSERT_FALSE(motion);
    EXPECT_NE(motion.error().message.find("run_fast: was recorded with another motion"),
              std::string::npos)
        << motion.error().message;
}

TEST(Record, MotionsThatDoNotFitAreRefused) {
    const TemporaryFolder folder;
    const auto set = RecordingSet::create(folder.path("set"), toyScene(), "");
    const auto message = [&](const std::vector<Motion>& motions) {
        const auto report = record(*set, motions, toyFactory());
        return report ? std::string() : report.error().message;
    };
    Motion motion = toyMotion("walk", 3);
    motion.rate = 60;
    EXPECT_NE(message({motion}).find("resample"), std::string::npos);
    EXPECT_NE(message({toyMotion("a/b", 3)}).find("rename"), std::string::npos);
    EXPECT_NE(message({toyMotion("a", 3), toyMotion("a", 4)}).find("two clips"), std::string::npos);
    EXPECT_NE(message({toyMotion("a", 0)}).find("no frames"), std::string::npos);
    motion = toyMotion("walk", 3);
    motion.skeleton.joints[4].name = "other";
    EXPECT_NE(message({motion}).find("retarget"), std::string::npos);
}

TEST(Record, AFailureNamesClipAndFrameAndTheOthersGoOn) {
    const TemporaryFolder folder;
    // the body walks 0.03 m a frame: only "walk" gets that far, and its stops are not to be had
    const float far = restPose(mannequinSkeleton(Sex::kFemale)).root_position.x + 0.03f * 34.5f;
    const auto report =
        recordToy(folder.path("set"), {.stops = 2, .workers = 3}, {.blow_up_beyond_x = far});
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->failures.size(), 1u);
    EXPECT_NE(report->failures[0].message.find("walk, frame 35: vertex 0 is not finite"),
              std::string::npos)
        << report->failures[0].message;
    EXPECT_EQ(report->recorded, 9u);
    const auto set = RecordingSet::open(folder.path("set"));
    EXPECT_FALSE(set->has("walk"));
    EXPECT_TRUE(set->has("hop.stop2"));
}

TEST(Record, CancellingEndsAtAFrameAndRunningAgainCompletes) {
    const TemporaryFolder folder;
    ASSERT_TRUE(recordToy(folder.path("whole"), {.stops = 2}));
    std::atomic<bool> cancel = false;
    std::atomic<int> frames = 0;
    // one worker: with two, sixty frames may end both before either has a whole clip
    const auto report = recordToy(folder.path("set"), {.stops = 2, .workers = 1, .cancel = &cancel},
                                  {.on_frame = [&] { cancel = ++frames >= 60; }});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->cancelled);
    EXPECT_LE(frames, 62);
    EXPECT_GT(report->recorded, 0u);
    EXPECT_LT(report->recorded, 12u);
    for (const auto& entry : fs::directory_iterator(folder.path("set/clips")))
        EXPECT_NE(entry.path().filename().string()[0], '.');
    ASSERT_TRUE(recordToy(folder.path("set"), {.stops = 2}));
    EXPECT_EQ(contentsOf(folder.path("set")), contentsOf(folder.path("whole")));
}

TEST(Record, ASimulatorThatCannotBeMadeIsAnError) {
    const TemporaryFolder folder;
    const auto set = RecordingSet::create(folder.path("set"), toyScene(), "");
    const auto report = record(*set, toyMotions(), [](const ClothScene&) {
        return Result<std::unique_ptr<Simulator>>(errorf("no such program"));
    });
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().message, "no such program");
}

TEST(Record, TellsOfEveryFrame) {
    const TemporaryFolder folder;
    std::atomic<size_t> total = 0, done = 0;
    RecordOptions options{.stops = 1, .workers = 3};
    options.started = [&](size_t frames) { total = frames; };
    options.progress = [&](size_t frames) { done += frames; };
    ASSERT_TRUE(recordToy(folder.path("set"), options));
    EXPECT_EQ(total, 97u + 4 * 16);
    EXPECT_EQ(done, total);
}

// Runs the recording in a child and kills it after `delay`; true where it had finished before.
bool runAndKill(const std::string& folder, std::chrono::microseconds delay) {
    const pid_t child = ::fork();
    if (child == 0) {
        const auto report = recordToy(folder, {.stops = 2, .workers = 2},
                                      {.frame_time = std::chrono::microseconds(150)});
        ::_exit(report && report->failures.empty() ? 0 : 1);
    }
    std::this_thread::sleep_for(delay);
    ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Record, KilledAtAnyMomentAndRunAgainItGivesTheSameBytes) {
    const TemporaryFolder folder;
    ASSERT_TRUE(recordToy(folder.path("whole"), {.stops = 2}));
    const auto whole = contentsOf(folder.path("whole"));
    Random random(11);
    int killed = 0;
    for (int round = 0; round < 4; ++round) {
        const std::string set = folder.path("set" + std::to_string(round));
        bool finished = false;
        for (int attempt = 0; attempt < 200 && !finished; ++attempt) {
            // longer and longer, so that it ends on slow machines too
            const int most = 8000 + attempt * 4000;
            finished = runAndKill(set, std::chrono::microseconds(random.integer(500, most)));
            killed += !finished;
        }
        ASSERT_TRUE(finished);
        EXPECT_EQ(contentsOf(set), whole);
    }
    EXPECT_GE(killed, 4);
}

}  // namespace
}  // namespace hem
