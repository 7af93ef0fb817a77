// SPDX-License-Identifier: Apache-2.0
// `hemline train`, `evaluate`, `play`, `export --gltf` and `info`, from recordings to a picture, as a
// user meets them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "hem/core/files.h"
#include "hem/core/point_cache.h"
#include "hem/picture/image.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_command.h"

namespace hem {
namespace {

// One small recording for all of the tests.
class TrainVerb : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = new TemporaryFolder;
        const Outcome recorded =
            run("simulate --garment dress --vertices 300 --clips train_01_walk_slow "
                "train_05_run_normal train_27_jump_up test_03_combination --stops 1 -q -o @set");
        ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
    }
    static void TearDownTestSuite() { delete folder_; }

    static std::string path(const std::string& name) { return folder_->path(name); }

    // Runs `hemline ARGUMENTS`; @ stands for the tests' folder.
    static Outcome run(const std::string& arguments) {
        return runCommand(folder_->path(""), arguments);
    }

    // Trains with few modes and steps, and gives what `evaluate` says on the training clips.
    static nlohmann::json trained(const std::string& name, const std::string& options) {
        const Outcome done = run("train @set -o @" + name + " --modes 12 --json " + options);
        EXPECT_EQ(done.exit_code, 0) << done.err;
        const Outcome score = run("evaluate @" + name + " @set --clips 'train_*' --chaos 0 --json");
        EXPECT_EQ(score.exit_code, 0) << score.err;
        return score.json();
    }

    static TemporaryFolder* folder_;
};

TemporaryFolder* TrainVerb::folder_ = nullptr;

TEST_F(TrainVerb, SlowModelsLearnWhatTheyWereShown) {
    const auto c = trained("c.hem", "--model C");
    const auto s = trained("s.hem", "--iterations 600 --hidden 48 --states 16 --outer 48");
    // The mean shape is 4 cm off; both know better, and S better than C.
    EXPECT_LT(c["mean_cm"], 2.5);
    EXPECT_LT(s["mean_cm"], 0.8 * double(c["mean_cm"]));
    EXPECT_LT(s["after_stops_cm"], double(c["after_stops_cm"]));
    EXPECT_GT(s["mean_cm"], s["pca_floor_cm"]);
    for (const auto& score : {c, s}) {
        EXPECT_LT(score["lambda"], 1.0);
        EXPECT_GT(score["energy_bound"], 0.0);
        EXPECT_EQ(score["clips"].size(), 3);
    }
}

TEST_F(TrainVerb, ClothIsPushedOutOfTheBodyUnlessItIsLeftOut) {
    const auto with = trained("body.hem", "--model C");
    ASSERT_TRUE(with["push_out"].is_object());
    EXPECT_GT(with["penetration_rate_1mm"], 0.003);
    EXPECT_LT(with["push_out"]["penetration_rate_1mm"], 0.1 * double(with["penetration_rate_1mm"]));
    EXPECT_LT(with["push_out"]["mean_cm"], double(with["mean_cm"]));
    EXPECT_GT(with["push_out"]["player_us"], 0.0);
    EXPECT_GT(run("info @body.hem --json").json()["body"]["points"], 50);

    const auto without = trained("no_body.hem", "--model C --no-body");
    EXPECT_TRUE(without["push_out"].is_null());
    EXPECT_EQ(without["mean_cm"], with["mean_cm"]);
    EXPECT_TRUE(run("info @no_body.hem --json").json()["body"].is_null());
}

TEST_F(TrainVerb, TestClipsAreNotTrainedOnUnlessNamed) {
    const Outcome done = run("train @set -o @a.hem --model A --modes 8 --json");
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.json()["trained_on"].size(), 3);
    const Outcome score = run("evaluate @a.hem @set --chaos 0 --json");
    ASSERT_EQ(score.exit_code, 0) << score.err;
    ASSERT_EQ(score.json()["clips"].size(), 1);
    EXPECT_EQ(score.json()["clips"][0]["name"], "test_03_combination");
}

TEST_F(TrainVerb, TheSameTrainingGivesTheSameBytes) {
    const std::string options = " --modes 8 --iterations 20 --hidden 16 --states 8 --outer 16 -q";
    ASSERT_EQ(run("train @set -o @one.hem" + options).exit_code, 0);
    ASSERT_EQ(run("--threads 1 train @set -o @two.hem" + options).exit_code, 0);
    EXPECT_EQ(*readFile(path("one.hem")), *readFile(path("two.hem")));
}

TEST_F(TrainVerb, MirrorImagesAreTrainedOnUnlessDeclined) {
    const std::string command =
        "train @set -o @m.hem --modes 8 --iterations 3 --hidden 16 --states 8 --outer 16 --json";
    const Outcome with = run(command);
    const auto halved = run("info @m.hem --json").json()["mirror"];
    const Outcome without = run(command + " --no-mirror");
    const auto whole = run("info @m.hem --json").json()["mirror"];
    ASSERT_EQ(with.exit_code, 0) << with.err;
    ASSERT_EQ(without.exit_code, 0) << without.err;
    EXPECT_TRUE(with.json()["mirrored"]);
    EXPECT_FALSE(without.json()["mirrored"]);
    EXPECT_EQ(int(with.json()["frames"]), 2 * int(without.json()["frames"]));
    EXPECT_EQ(int(halved["even_modes"]) + int(halved["odd_modes"]), 8);
    EXPECT_TRUE(whole.is_null());
}

// Starts a training, interrupts it once it has a checkpoint, and gives its exit code.
int interrupt(const std::string& set, const std::string& file, const std::string& err) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::freopen(err.c_str(), "w", stderr);
        ::execl(HEM_COMMAND, "hemline", "train", set.c_str(), "-o", file.c_str(), "--modes", "8",
                "--iterations", "2000", "--hidden", "32", "--states", "16", "--outer", "32",
                nullptr);
        ::_exit(127);
    }
    for (int i = 0; i < 1200 && !readFile(file + ".checkpoint"); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(TrainVerb, SlowInterruptedTrainingGoesOnToTheSameBytes) {
    const std::string options =
        " --modes 8 --iterations 2000 --hidden 32 --states 16 --outer 32 -q";
    ASSERT_EQ(run("train @set -o @whole.hem" + options).exit_code, 0);
    ASSERT_EQ(interrupt(path("set"), path("killed.hem"), path("err")), 1);
    const std::string said = *readTextFile(path("err"));
    EXPECT_NE(said.find("run the same command again"), said.npos) << said;
    ASSERT_TRUE(readFile(path("killed.hem.checkpoint")));
    EXPECT_FALSE(readFile(path("killed.hem")));
    const Outcome done = run("train @set -o @killed.hem" + options);
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(*readFile(path("whole.hem")), *readFile(path("killed.hem")));
    EXPECT_FALSE(readFile(path("killed.hem.checkpoint")));
}

TEST_F(TrainVerb, PlaysIntoCachesAndPicturesAndSaysWhatItHolds) {
    ASSERT_EQ(run("train @set -o @p.hem --model B --modes 8 -q").exit_code, 0);
    const Outcome info = run("info @p.hem --json");
    ASSERT_EQ(info.exit_code, 0) << info.err;
    EXPECT_EQ(info.json()["modes"], 8);
    EXPECT_EQ(info.json()["info"]["model"], "B");
    EXPECT_EQ(info.json()["info"]["trained_on"].size(), 3);

    const Outcome played =
        run("play @p.hem --motion train_01_walk_slow --rate 60 -o @p.mdd --json");
    ASSERT_EQ(played.exit_code, 0) << played.err;
    const auto cache = loadMdd(path("p.mdd"));
    ASSERT_TRUE(cache) << cache.error().message;
    EXPECT_EQ(cache->samples(), played.json()["frames"]);
    EXPECT_EQ(cache->rate, 60);

    ASSERT_EQ(run("play @p.hem --motion train_01_walk_slow --cells 2 -o @p.png").exit_code, 0);
    EXPECT_TRUE(loadPng(path("p.png")));
}

TEST_F(TrainVerb, PlaysIntoMovingPicturesBesideTheRecording) {
    ASSERT_EQ(
        run("train @set -o @f.hem --model A --modes 8 --ridge 1e-4 --stop-weight 1 --no-body -q")
            .exit_code,
        0);
    const std::string film =
        "play @f.hem --motion train_01_walk_slow --time 1:1.2 --size 40x60 --quality draft ";
    const Outcome alone = run(film + "-o @alone.webp --json");
    ASSERT_EQ(alone.exit_code, 0) << alone.err;
    EXPECT_EQ(alone.json()["frames"], 7);
    const Outcome both = run(film + "--beside @set/clips/train_01_walk_slow -o @both.webp");
    ASSERT_EQ(both.exit_code, 0) << both.err;
    EXPECT_GT(readFile(path("both.webp"))->size(), readFile(path("alone.webp"))->size());
    EXPECT_EQ(readTextFile(path("both.webp"))->substr(8, 4), "WEBP");

    EXPECT_EQ(run(film + "--beside @set -o @no.webp").exit_code, 1);
    EXPECT_EQ(run("play @f.hem --motion train_01_walk_slow --time 5:99 -o @no.webp").exit_code, 1);
    EXPECT_EQ(run(film + "--view sideways -o @no.webp").exit_code, 2);
    EXPECT_FALSE(readFile(path("no.webp")));
}

// Starts a play into a moving picture that takes minutes, and interrupts it.
TEST_F(TrainVerb, AnInterruptedMovingPictureLeavesNothing) {
    ASSERT_EQ(
        run("train @set -o @i.hem --model A --modes 8 --ridge 1e-4 --stop-weight 1 --no-body -q")
            .exit_code,
        0);
    const TemporaryFolder empty;
    const std::string file = empty.path("film.webp"), garment = path("i.hem");
    const pid_t child = ::fork();
    if (child == 0) {
        ::execl(HEM_COMMAND, "hemline", "play", garment.c_str(), "--motion", "train_01_walk_slow",
                "--size", "800x1200", "-q", "-o", file.c_str(), nullptr);
        ::_exit(127);
    }
    std::this_thread::sleep_for(std::chrono::seconds(3));
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT_TRUE(std::filesystem::is_empty(empty.path("")));
}

TEST_F(TrainVerb, ExportsGarmentsAsGlbWithTheirTextureCoordinates) {
    ASSERT_EQ(
        run("train @set -o @g.hem --model A --modes 8 --ridge 1e-4 --stop-weight 1 --no-body -q")
            .exit_code,
        0);
    const Outcome done =
        run("export @g.hem --motion test_03_combination --gltf -o @g.glb --rate 20 --json");
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.json()["morph_targets"], 8);
    EXPECT_EQ(done.json()["frames"], 300);
    EXPECT_EQ(done.json()["texture_coordinates"], true);
    EXPECT_GT(done.json()["vertices"], run("info @g.hem --json").json()["vertices"]);
    EXPECT_LT(done.json()["normal_error_degrees_mean"], 5);
    const Outcome less =
        run("export @g.hem --motion test_03_combination -o @l.glb --modes 3 --no-body --json");
    ASSERT_EQ(less.exit_code, 0) << less.err;
    EXPECT_EQ(less.json()["morph_targets"], 3);
    EXPECT_LT(less.json()["bytes"], done.json()["bytes"]);

    EXPECT_EQ(run("export @g.hem -o @x.glb").exit_code, 2);
    EXPECT_EQ(run("export @g.hem --motion test_03_combination -o @x.pc2").exit_code, 2);
    EXPECT_EQ(run("export @set --motion test_03_combination --gltf -o @x.glb").exit_code, 2);
    EXPECT_EQ(run("export @g.hem --on male --motion nonsense -o @x.glb").exit_code, 1);
    EXPECT_FALSE(readFile(path("x.glb")));
}

TEST_F(TrainVerb, FaultsAreToldPlainly) {
    EXPECT_EQ(run("train @set -o @x.hem --model D").exit_code, 2);
    const Outcome none = run("train @set -o @x.hem --clips 'dance*'");
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_NE(none.err.find("dance*"), none.err.npos) << none.err;
    ASSERT_TRUE(writeFile(path("bad.hem"),
                          "not a garment, but long enough to be looked at for one "
                          "by whoever opens it"));
    const Outcome bad = run("info @bad.hem");
    EXPECT_EQ(bad.exit_code, 1);
    EXPECT_NE(bad.err.find("bad.hem"), bad.err.npos) << bad.err;
    EXPECT_EQ(run("evaluate @bad.hem @set").exit_code, 1);
}

}  // namespace
}  // namespace hem
