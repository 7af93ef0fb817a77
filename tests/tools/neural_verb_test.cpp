// SPDX-License-Identifier: Apache-2.0
// `hemline train --model N`, `evaluate` and `info` on poses, as a user meets them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "hem/core/npy.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_command.h"

namespace hem {
namespace {

// One small set of poses for all of the tests.
class NeuralVerb : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder_ = new TemporaryFolder;
        const Outcome made = run("poses --garment skirt --vertices 200 --count 60 -q -o @set");
        ASSERT_EQ(made.exit_code, 0) << made.err;
    }
    static void TearDownTestSuite() { delete folder_; }

    static std::string path(const std::string& name) { return folder_->path(name); }
    static Outcome run(const std::string& arguments) {
        return runCommand(folder_->path(""), arguments);
    }
    static TemporaryFolder* folder_;
};

TemporaryFolder* NeuralVerb::folder_ = nullptr;

constexpr const char* kSmall =
    " --model N --modes 8 --layers 16,24 --epochs 60 --patience 60 --batch 4 --rate 0.003";

TEST_F(NeuralVerb, TrainsTellsAndEvaluates) {
    const Outcome trained = run("train @set -o @n.hem --json" + std::string(kSmall));
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const auto info = trained.json();
    EXPECT_EQ(info["losses"].size(), 60u);
    EXPECT_LT(info["losses"][59][0], 0.7 * double(info["losses"][0][0]));
    EXPECT_NE(trained.err.find("in validation"), std::string::npos);
    EXPECT_TRUE(info["mirrored"]);  // skirt and mannequin are symmetric
    const auto plain = run("train @set -o @p.hem --json --no-mirror" + std::string(kSmall)).json();
    EXPECT_FALSE(plain["mirrored"]);
    EXPECT_NE(plain["validation_cost"], info["validation_cost"]);

    const Outcome told = run("info @n.hem --json");
    ASSERT_EQ(told.exit_code, 0) << told.err;
    EXPECT_EQ(told.json()["dynamics"]["kind"], "neural");
    EXPECT_EQ(told.json()["dynamics"]["layers"], nlohmann::json({16, 24, 8}));
    EXPECT_EQ(told.json()["info"]["model"], "N");
    EXPECT_EQ(told.json()["info"]["mode_sigma"].size(), 8u);
    EXPECT_GT(info["hidden_triangles"], 0);  // the hips are always under a skirt
    EXPECT_EQ(told.json()["hidden_triangles"]["hidden"], info["hidden_triangles"]);

    const Outcome judged =
        run("evaluate @n.hem @set --part training --per-vertex @errors.npy --json");
    ASSERT_EQ(judged.exit_code, 0) << judged.err;
    const auto score = judged.json();
    // what the player plays is what the trainer said, but for the encoding's 0.3 mm
    EXPECT_NEAR(score["cost"], info["training_cost"], 0.02 * double(info["training_cost"]));
    EXPECT_LT(score["cost"], 0.8 * double(score["skinning_cost"]));
    EXPECT_LE(score["floor_cost"], double(score["cost"]));
    const auto bytes = readFile(path("errors.npy"));
    ASSERT_TRUE(bytes);
    const auto errors = parseNpy(*bytes, "errors.npy");
    ASSERT_TRUE(errors);
    EXPECT_EQ(errors->header.shape[0], told.json()["vertices"].get<size_t>());
}

TEST_F(NeuralVerb, IsReportedOnAndExportedLikeTheOthers) {
    ASSERT_EQ(run("train @set -o @shown.hem --no-hidden -q" + std::string(kSmall)).exit_code, 0);
    EXPECT_TRUE(run("info @shown.hem --json").json()["hidden_triangles"].is_null());
    const Outcome page = run("evaluate @shown.hem @set --part training --html @page.html --json");
    ASSERT_EQ(page.exit_code, 0) << page.err;
    const auto text = readTextFile(path("page.html"));
    ASSERT_TRUE(text);
    EXPECT_NE(text->find("<section id=\"vertices\""), std::string::npos);
    EXPECT_NE(text->find("kept for training"), std::string::npos);
    EXPECT_EQ(run("evaluate @shown.hem @set --html @no/such.html").exit_code, 2);

    const std::string clip = "export @shown.hem --motion atomic_walk --gltf -o @n.glb --json";
    const Outcome fine = run(clip + " --tolerance 0.1"), coarse = run(clip + " --tolerance 5");
    ASSERT_EQ(fine.exit_code, 0) << fine.err;
    EXPECT_LE(fine.json()["largest_error_mm"], 0.1);
    EXPECT_GT(fine.json()["morph_targets"], coarse.json()["morph_targets"]);
}

TEST_F(NeuralVerb, AKilledTrainingGoesOnToTheSameBytes) {
    const std::string options =
        " --model N --modes 8 --layers 64,64 --epochs 3000 --patience 3000 -q";
    ASSERT_EQ(run("train @set -o @whole.hem" + options).exit_code, 0);
    const std::string checkpoint = path("killed.hem.checkpoint");
    int kills = 0;
    for (; kills < 3; ++kills) {
        const pid_t child = fork();
        if (child == 0) {
            const std::string command =
                "exec " HEM_COMMAND " train " + path("set") + " -o " + path("killed.hem") + options;
            execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
            _exit(127);
        }
        std::filesystem::file_time_type before{};
        if (std::filesystem::exists(checkpoint))
            before = std::filesystem::last_write_time(checkpoint);
        for (int i = 0; i < 3000; ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            std::error_code none;
            const auto now = std::filesystem::last_write_time(checkpoint, none);
            if (!none && now != before) break;
            if (std::filesystem::exists(path("killed.hem"))) break;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
        kill(child, SIGKILL);
        int status;
        waitpid(child, &status, 0);
        if (std::filesystem::exists(path("killed.hem"))) break;
    }
    EXPECT_GT(kills, 0) << "too quick to be killed";
    ASSERT_EQ(run("train @set -o @killed.hem" + options).exit_code, 0);
    EXPECT_EQ(*readFile(path("killed.hem")), *readFile(path("whole.hem")));
    EXPECT_FALSE(std::filesystem::exists(checkpoint));
}

// Recordings of the garment that the poses are of, which it is the same network to.
class MovingNeuralVerb : public NeuralVerb {
protected:
    static void SetUpTestSuite() {
        NeuralVerb::SetUpTestSuite();
        const Outcome recorded =
            run("simulate --garment skirt --vertices 200 --fabric cotton --clips "
                "train_01_walk_slow train_05_run_normal train_27_jump_up --stops 1 -q -o @moving");
        ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
    }
};

constexpr const char* kSmallMoving = " --model N --modes 8 --layers 16,24 --rate 0.003 -q";

TEST_F(MovingNeuralVerb, LearnsFromMovingRecordings) {
    const Outcome trained = run("train @moving -o @moving.hem --json" + std::string(kSmallMoving));
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const auto info = trained.json();
    EXPECT_EQ(info["trained_on"], nlohmann::json({"train_01_walk_slow", "train_05_run_normal"}));
    EXPECT_EQ(info["validated_on"], nlohmann::json({"train_27_jump_up"}));
    EXPECT_EQ(info["joints"].size(), 14u);
    const Outcome played = run("evaluate @moving.hem @moving --clips 'train_0*' --chaos 0 --json");
    ASSERT_EQ(played.exit_code, 0) << played.err;
    const Outcome skinned = run("evaluate skinning @moving --clips 'train_0*' --json");
    ASSERT_EQ(skinned.exit_code, 0) << skinned.err;
    EXPECT_LT(played.json()["mean_cm"], 0.5 * double(skinned.json()["mean_cm"]));
    EXPECT_GT(played.json()["confidence"], 0.9);
}

TEST_F(MovingNeuralVerb, LearnsTheSameBytesAgainAndOthersOfBothTogether) {
    const std::string options = kSmallMoving;
    ASSERT_EQ(run("train @moving -o @a.hem" + options).exit_code, 0);
    ASSERT_EQ(run("train @moving -o @b.hem" + options).exit_code, 0);
    EXPECT_EQ(*readFile(path("a.hem")), *readFile(path("b.hem")));
    const Outcome both = run("train @set @moving -o @c.hem --json --epochs 20" + options);
    ASSERT_EQ(both.exit_code, 0) << both.err;
    EXPECT_EQ(both.json()["poses"].get<int>() > 0, true);
    EXPECT_EQ(both.json()["trained_on"].size(), 2u);
    EXPECT_NE(*readFile(path("a.hem")), *readFile(path("c.hem")));
}

TEST_F(MovingNeuralVerb, FoldersThatDoNotGoTogetherAreRefused) {
    const Outcome two = run("train @moving @set -o @x.hem");
    EXPECT_EQ(two.exit_code, 2);
    EXPECT_EQ(run("train @moving @moving -o @x.hem --model N").exit_code, 2);
    EXPECT_EQ(run("train @set @set -o @x.hem --model N").exit_code, 2);
    const Outcome other =
        run("simulate --garment skirt --vertices 300 --clips train_01_walk_slow train_27_jump_up "
            "-q -o @other");
    ASSERT_EQ(other.exit_code, 0) << other.err;
    const Outcome mixed = run("train @set @other -o @x.hem --model N");
    EXPECT_EQ(mixed.exit_code, 1);
    EXPECT_NE(mixed.err.find("same character, garment and vertices"), std::string::npos)
        << mixed.err;
    const Outcome single = run("train @moving -o @x.hem --model N --clips train_01_walk_slow");
    EXPECT_EQ(single.exit_code, 1);
    EXPECT_NE(single.err.find("one motion is not enough"), std::string::npos) << single.err;
}

TEST_F(NeuralVerb, BadUseIsSaid) {
    EXPECT_EQ(run("train @set -o @x.hem").exit_code, 2);  // Model S learns from no poses
    EXPECT_EQ(run("train @set -o @x.hem --model N --layers 12,,3").exit_code, 2);
    EXPECT_EQ(run("train @set -o @x.hem --model N --layers 1000").exit_code, 2);
    EXPECT_EQ(run("train @set -o @x.hem --model N --modes 0 --layers 300").exit_code, 2);
    const Outcome two = run("evaluate @n.hem @n.hem @set --html @two.html");
    EXPECT_EQ(two.exit_code, 2);
    EXPECT_NE(two.err.find("holds poses"), std::string::npos) << two.err;
    EXPECT_EQ(run("evaluate skinning @set").exit_code, 2);
    const Outcome nothing = run("train @nowhere -o @x.hem --model N");
    EXPECT_NE(nothing.exit_code, 0);
    EXPECT_NE(nothing.err.find("hemline poses"), std::string::npos) << nothing.err;
    const Outcome nowhere = run("evaluate @n.hem @nowhere");
    EXPECT_NE(nowhere.exit_code, 0);
    EXPECT_NE(nowhere.err.find("hemline poses"), std::string::npos) << nowhere.err;
}

// What would be given in vain is refused, by its name.
TEST_F(NeuralVerb, OptionsOfOthersAreRefused) {
    const auto refuses = [&](const std::string& words, const std::string& option) {
        const Outcome said = run(words + " " + option + " 2");
        EXPECT_EQ(said.exit_code, 2) << words << " " << option;
        EXPECT_NE(said.err.find(option + ": "), std::string::npos) << said.err;
    };
    for (const char* option : {"--order", "--ridge", "--states", "--iterations"})
        refuses("train @set -o @x.hem --model N", option);
    for (const char* option : {"--layers", "--epochs", "--batch", "--seed"})
        refuses("train @nowhere -o @x.hem --model C", option);
    refuses("train @set -o @x.hem --model N", "--clips");
    refuses("evaluate @n.hem @set", "--clips");
    refuses("evaluate @n.hem @nowhere", "--part");
}

}  // namespace
}  // namespace hem
