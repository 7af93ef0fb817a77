// SPDX-License-Identifier: Apache-2.0
// `hemline simulate`, `export`, `import` and pictures of clips, as a user meets them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "hem/core/files.h"
#include "hem/picture/image.h"
#include "hem/recording/recording.h"
#include "tests/shared_data.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_command.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

class SimulateVerb : public testing::Test {
protected:
    std::string path(const std::string& name) const { return folder_.path(name); }

    // Runs `hemline ARGUMENTS`; @ stands for the test's folder.
    Outcome run(const std::string& arguments) const {
        return runCommand(folder_.path(""), arguments);
    }

    // A motion of one second, so that tests are quick.
    void writeShortClip(const std::string& name) const {
        ASSERT_EQ(run("motions train_02_walk_normal --rate 30 --export @whole.bvh").exit_code, 0);
        std::string text = *readTextFile(path("whole.bvh"));
        const size_t motion = text.find("Frames:"), rows = text.find('\n', text.find("Frame Time"));
        size_t end = rows;
        for (int i = 0; i < 31; ++i) end = text.find('\n', end + 1);
        const std::string time =
            text.substr(text.find("Frame Time"), rows - text.find("Frame Time"));
        ASSERT_TRUE(writeFile(path(name), text.substr(0, motion) + "Frames: 31\n" + time +
                                              text.substr(rows, end + 1 - rows)));
    }

    TemporaryFolder folder_;
};

constexpr const char* kScene =
    "clips = [\"short.bvh\"]\nstops = 1\nstop_seconds = 0.2\n[[garment]]\nkind = \"dress\"\n"
    "vertices = 300\n";

TEST_F(SimulateVerb, RecordsAndDrawsAndExportsAndImports) {
    writeShortClip("short.bvh");
    ASSERT_TRUE(writeFile(path("scene.toml"), kScene));
    const Outcome recorded = run("simulate @scene.toml -o @set --json");
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
    const auto document = nlohmann::json::parse(recorded.out);
    EXPECT_EQ(document["recorded"], 2);
    EXPECT_EQ(document["frames"], 31 + 7);
    EXPECT_GT(document["cpu_ms_per_frame"], 0);
    EXPECT_GT(document["peak_mib"], 1);
    EXPECT_EQ(*readTextFile(path("set/scene.toml")), kScene);

    const Outcome again = run("simulate @scene.toml -o @set --json");
    ASSERT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(nlohmann::json::parse(again.out)["skipped"], 2);
    EXPECT_EQ(nlohmann::json::parse(again.out)["frames"], 0);

    ASSERT_EQ(run("picture @set/clips/short --sheet 3x1 --size 60x90 --quality draft -o @s.png")
                  .exit_code,
              0);
    EXPECT_TRUE(loadPng(path("s.png")));

    const Outcome exported =
        run("export @set/clips/short -o @caches/short.pc2 --body --unit cm --up z");
    ASSERT_EQ(exported.exit_code, 0) << exported.err;
    for (const char* file : {"short.pc2", "short.obj", "short_body.pc2", "short_body.obj"})
        EXPECT_TRUE(fs::exists(path("caches/") + file)) << file;
    const Outcome imported =
        run("import @caches/short.pc2 --motion @short.bvh --garment @caches/short.obj "
            "--unit cm --up z --name again -o @imported");
    ASSERT_EQ(imported.exit_code, 0) << imported.err;
    const auto there = RecordingSet::open(path("set")), back = RecordingSet::open(path("imported"));
    ASSERT_TRUE(back) << back.error().message;
    const auto a = there->clip("short"), b = back->clip("again");
    ASSERT_EQ(a->frames(), b->frames());
    for (size_t i = 0; i < a->vertices(); ++i)
        EXPECT_LT(distance(a->positions(30)[i], b->positions(30)[i]), 1e-5f);
    EXPECT_EQ(b->meta().simulator, "imported from short.pc2");

    // what is there is not written over
    const std::string other_unit = run("export @set/clips/short -o @caches/short.mdd").err;
    EXPECT_NE(other_unit.find("short.obj: is there already"), std::string::npos) << other_unit;
    EXPECT_EQ(run("export @set/clips/short -o @caches/stop.pc2 --format mdd").exit_code, 2);
    ASSERT_EQ(run("export @set/clips/short.stop1 -o @stop.pc2").exit_code, 0);
    const std::string import = "import @stop.pc2 --motion @short.bvh --garment @stop.obj -o @two ";
    ASSERT_EQ(run(import + "--name a").exit_code, 0);
    ASSERT_EQ(run(import + "--name a").exit_code, 0) << "the same once more";
    const Outcome taken = run(import + "--name a --start-frame 1");
    EXPECT_EQ(taken.exit_code, 1);
    EXPECT_NE(taken.err.find("--name"), std::string::npos) << taken.err;

    // a set is no clip, and damage is found
    EXPECT_NE(run("picture @set -o @x.png").err.find("there are short, short.stop1"),
              std::string::npos);
    fs::copy(path("set/clips/short"), path("set/clips/renamed"));
    EXPECT_NE(run("picture @set/clips/renamed -o @x.png").err.find("the clip 'short'"),
              std::string::npos);
    fs::remove(path("set/clips/renamed/meta.json"));
    EXPECT_NE(run("picture @set/clips/renamed -o @x.png").err.find("no meta.json"),
              std::string::npos);
    const Outcome all = run("export @set -o @all/ --format mdd");
    EXPECT_EQ(all.exit_code, 0);
    EXPECT_EQ(all.out.find("//"), std::string::npos) << all.out;
    EXPECT_NE(all.err.find("renamed: left out"), std::string::npos) << all.err;
    std::string bytes = *readTextFile(path("set/clips/short/positions.npy"));
    bytes.back() ^= 1;
    ASSERT_TRUE(writeFile(path("set/clips/short/positions.npy"), bytes));
    EXPECT_NE(run("export @set/clips/short -o @damaged.pc2").err.find("checksum"),
              std::string::npos);
}

TEST_F(SimulateVerb, NeedsNoSceneFile) {
    writeShortClip("short.bvh");
    const Outcome outcome =
        run("simulate --garment skirt --vertices 200 --fabric silk --clips @short.bvh -o @set -q");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.out + outcome.err, "");
    const auto set = RecordingSet::open(path("set"));
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_EQ(set->scene().garments[0].fabric.name, "silk");
    EXPECT_EQ(set->clipNames(), std::vector<std::string>{"short"});
    // what it stood for is kept, and is a scene file
    const Outcome dry = run("simulate @set/scene.toml --dry-run --json");
    EXPECT_EQ(dry.exit_code, 0) << dry.err;
    EXPECT_EQ(nlohmann::json::parse(dry.out)["frames"], 31);
    // a dry run fails where the run would
    const std::string skirt = "simulate --garment skirt --vertices 200 --clips @short.bvh ";
    const Outcome other = run(skirt + "--fabric wool --dry-run -o @set");
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_NE(other.err.find("another scene"), std::string::npos) << other.err;
    const Outcome same = run(skirt + "--fabric silk --dry-run -o @set");
    EXPECT_EQ(same.exit_code, 0) << same.err;
    EXPECT_NE(same.out.find("1 clip and 0 stops"), std::string::npos) << same.out;
    EXPECT_NE(same.out.find("has 1 of them already"), std::string::npos) << same.out;
    // what was said instead of the file is kept above it
    ASSERT_EQ(run("simulate @set/scene.toml --clips @short.bvh -o @set -q").exit_code, 0);
    EXPECT_TRUE(readTextFile(path("set/scene.toml"))->starts_with("# recorded with --clips"));
    // somebody's folder is left alone
    ASSERT_TRUE(fs::create_directories(path("mine")));
    ASSERT_TRUE(writeFile(path("mine/thesis.txt"), "x"));
    EXPECT_EQ(run(skirt + "-o @mine").exit_code, 1);
    EXPECT_FALSE(fs::exists(path("mine/body")));
}

TEST_F(SimulateVerb, DryRunSaysWhatThereIsToDoAndDoesNothing) {
    const Outcome outcome = run("simulate --garment dress --clips atomic --stops 2 --dry-run");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("atomic_walk"), std::string::npos);
    EXPECT_NE(outcome.out.find("2 clips and 4 stops"), std::string::npos) << outcome.out;
}

TEST_F(SimulateVerb, BadUseIsExitCode2AndFailuresAreExitCode1) {
    ASSERT_TRUE(writeFile(path("bad.toml"), "raet = 3\n"));
    ASSERT_TRUE(fs::create_directories(path("empty")));
    const struct {
        const char* arguments;
        int exit_code;
        const char* expected;
    } cases[] = {
        {"simulate", 2, "give a scene file, or --garment"},
        {"simulate --garment dress -o @x", 2, "--clips"},
        {"simulate --garment dress --clips atomic", 2, "-o DIR"},
        {"simulate @bad.toml --garment dress -o @x", 2, "one or the other"},
        {"simulate @bad.toml --simulator maya -o @x", 2, "--simulator"},
        {"simulate @bad.toml -o @x", 1, "bad.toml:1: 'raet'"},
        {"simulate @none.toml -o @x", 1, "none.toml"},
        {"simulate --garment drss --clips atomic -o @x", 2, "hemline: --garment: no garment"},
        {"simulate --garment dress --clips atmic -o @x", 2, "hemline: --clips: 'atmic' is no"},
        {"simulate --garment dress --fabric slk --clips atomic -o @x", 2, "hemline: --fabric: "},
        {"simulate --garment dress --clips atomic --stops 1000 -o @x", 2, "hemline: --stops: "},
        {"simulate --garment dress --pin-color --clips atomic -o @x", 2, "own pins"},
        {"simulate --garment none.obj --clips atomic -o @x", 1, "hemline: --garment: none.obj"},
        {"export @empty -o @x.pc2", 1, "neither a set"},
        {"export @empty -o @x.abc", 2, ".pc2 or .mdd"},
        {"export @empty -o @x.pc2 --unit furlong", 2, "metres per unit"},
        {"import @a.pc2 @b.pc2 @c.pc2 --motion a b --garment c.obj -o @x", 2,
         "3 caches but 2 motions"},
        {"import @a.pc2 --motion atomic_walk --garment @none.obj -o @x", 1, "none.obj"},
        {"picture @empty -o @x.png", 1, "recorded clip"},
    };
    for (const auto& c : cases) {
        const Outcome outcome = run(c.arguments);
        EXPECT_EQ(outcome.exit_code, c.exit_code) << c.arguments << "\n" << outcome.err;
        EXPECT_NE(outcome.err.find(c.expected), std::string::npos) << c.arguments << "\n"
                                                                   << outcome.err;
        EXPECT_FALSE(fs::exists(path("x"))) << c.arguments;
    }
}

// Postures in which a hand or an upper arm lies against cloth on the trunk: skins that touch, and a
// gap between fingers.
TEST_F(SimulateVerb, ClothUnderAnArmComesToRest) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    const std::string data = fs::absolute(sharedData());
    const std::string mocap = data + "/mocap/train/";
    const std::string scene = "character = \"" + data +
                              "/characters/makehuman_female/female_cmu_mb.glb\"\nclips = [\"" +
                              mocap + "16_06.bvh\", \"" + mocap +
                              "143_05.bvh\"]\nstops = 3\n[[garment]]\nkind = \"dress\"\n";
    ASSERT_TRUE(writeFile(path("scene.toml"), scene));
    const Outcome recorded = run("simulate @scene.toml -o @set --json");
    ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
    const Outcome judged = run("inspect @set --json --resimulate 0");
    EXPECT_LT(judged.json()["settle_energy_j_per_kg"].get<double>(), 1e-4);
}

TEST_F(SimulateVerb, CtrlCEndsCleanlyAndSaysHowToGoOn) {
    const pid_t child = ::fork();
    if (child == 0) {
        std::freopen(path("err").c_str(), "w", stderr);
        std::freopen(path("out").c_str(), "w", stdout);
        ::execl(HEM_COMMAND, "hemline", "simulate", "--garment", "dress", "--clips", "train", "-o",
                path("set").c_str(), nullptr);
        ::_exit(127);
    }
    // once frames come, there is something to interrupt
    auto working = [&] {
        for (const auto& entry : fs::directory_iterator(path("set/clips")))
            if (entry.path().filename().string().starts_with(".")) return true;
        return false;
    };
    for (int i = 0; i < 1200 && !(fs::exists(path("set/clips")) && working()); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::kill(child, SIGINT);
    int status = 0;
    ::waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_NE(readTextFile(path("err"))->find("run the same command again to go on"),
              std::string::npos)
        << *readTextFile(path("err"));
    EXPECT_FALSE(working());
}

}  // namespace
}  // namespace hem
