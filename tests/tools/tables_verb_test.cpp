// SPDX-License-Identifier: Apache-2.0
// `hemline tables`, as a user meets it: a section, a kill on the way, and bad use.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "hem/core/files.h"
#include "hem/picture/image.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_command.h"

namespace hem {
namespace {

class TablesVerb : public testing::Test {
protected:
    std::string path(const std::string& name) const { return folder_.path(name); }

    // Runs `hemline tables ARGUMENTS`; @ stands for the test's folder.
    Outcome run(const std::string& arguments) const {
        return runCommand(folder_.path(""), "tables " + arguments);
    }

    bool hasTrained() const {
        const auto cells = listFiles(path("t/built-in-quick/cells"), ".json");
        if (!cells) return false;
        return std::any_of(cells->begin(), cells->end(), [](const std::string& cell) {
            return cell.find(".trained-") != cell.npos;
        });
    }

    // Starts the quick section "stop" and kills it once it has trained a model.
    void killOnTheWay() const {
        const pid_t child = ::fork();
        if (child == 0) {
            std::freopen(path("err").c_str(), "w", stderr);
            ::execl(HEM_COMMAND, "hemline", "tables", path("t").c_str(), "--quick", "--only",
                    "stop", nullptr);
            ::_exit(127);
        }
        for (int i = 0; i < 30000 && !hasTrained(); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        ::kill(child, SIGKILL);
        int status = 0;
        ::waitpid(child, &status, 0);
    }

    TemporaryFolder folder_;
};

TEST_F(TablesVerb, SlowGoesOnAfterAKillAndGivesTheSameAgain) {
    killOnTheWay();
    const auto there = listFiles(path("t/built-in-quick/models"), ".hem");
    ASSERT_TRUE(there);
    ASSERT_EQ(there->size(), 1);  // A of A, C and S

    const Outcome done = run("@t --quick --only stop --json");
    ASSERT_EQ(done.exit_code, 0) << done.err;
    EXPECT_EQ(done.err.find("dress-every11/train"), done.err.npos) << done.err;
    EXPECT_EQ(done.err.find("training dress-every11.A"), done.err.npos) << done.err;
    EXPECT_NE(done.err.find("training dress-every11.C"), done.err.npos) << done.err;
    const auto stop = done.json()["sections"]["stop"];
    // a model without dynamics freezes with the body; cloth does not
    const auto& a = stop["data"]["A"];
    const size_t frame = size_t(a["before"]) + 1;
    EXPECT_EQ(a["moved_cm"][frame], 0);
    EXPECT_GT(a["recorded_moved_cm"][frame], 0.5);
    EXPECT_GT(stop["data"]["S"]["moved_cm"][frame], 0.1);
    EXPECT_TRUE(loadPng(stop["data"]["picture"]));

    const Outcome again = run("@t --quick --only stop --json");
    EXPECT_EQ(again.out, done.out);
    EXPECT_EQ(again.err, "");
    const Outcome markdown = run("@t --quick --only stop");
    EXPECT_NE(markdown.out.find(stop["markdown"].get<std::string>()), std::string::npos);
}

// The network of poses, of recordings, A, C and S, at two costs, and skinning.
TEST_F(TablesVerb, SlowTheCoatMovesInOneTable) {
    const Outcome done = run("@t --quick --only moving --json");
    ASSERT_EQ(done.exit_code, 0) << done.err;
    const auto moving = done.json()["sections"]["moving"];
    const auto& data = moving["data"];
    size_t rows = 0;
    for (const auto& [title, block] : data.items()) {
        if (!block.is_array()) continue;
        ASSERT_EQ(block.size(), 5) << title;
        for (const auto& row : block) {
            ++rows;
            EXPECT_GT(row["time"]["batch_us"], 0);
            EXPECT_GT(row["score"]["mean_cm"], 0);
            // a network has no eigenvalue; A's is zero, for it forgets; C and S move on
            const std::string model = row["model"];
            const auto& lambda = row["score"]["lambda"];
            ASSERT_EQ(lambda.is_null(), model == "N") << model;
            if (model != "N") {
                EXPECT_EQ(lambda.get<double>() > 0, model != "A") << model;
            }
        }
        EXPECT_TRUE(block[0]["of_poses"]);
        EXPECT_FALSE(block[1]["of_poses"]);
        // learned from what it is tried on, the same network knows better
        EXPECT_LT(block[1]["score"]["mean_cm"], block[0]["score"]["mean_cm"]);
        EXPECT_LT(block[1]["score"]["mean_cm"], data["skinning"]["mean_cm"]);
    }
    EXPECT_EQ(rows, 10u);
    const Outcome again = run("@t --quick --only moving --json");
    EXPECT_EQ(again.out, done.out);
}

TEST_F(TablesVerb, PosesOfAnotherGarmentAreNotComparedWithRecordings) {
    const Outcome made =
        runCommand(folder_.path(""),
                   "poses --garment skirt --vertices 200 --count 20 -q -o @t/poses-quick/coat");
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const Outcome other = run("@t --quick --only moving");
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_NE(other.err.find("not of one garment on one body"), other.err.npos) << other.err;
}

// The 2021 paper's sections on a small set, which is made once and then taken as it is.
TEST_F(TablesVerb, SlowPosesAreTrainedOnOnceAndPlayed) {
    const Outcome first = run("@t --set poses --quick --json");
    ASSERT_EQ(first.exit_code, 0) << first.err;
    const auto sections = first.json()["sections"];
    for (const char* name : {"distances", "components", "vertices", "extremes"})
        EXPECT_TRUE(loadPng(sections[name]["data"]["picture"])) << name;

    // what was played is what was trained, and on another part of the set each time
    const auto& networks = sections["networks"]["data"];
    for (const char* name : {"network0", "network1", "network2", "network3", "network4"}) {
        const auto& of = networks[name];
        const double trained = of["trained"]["validation_cost"], played = of["validation"]["cost"];
        EXPECT_NEAR(played, trained, 0.02 * trained) << name;
        EXPECT_NE(of["test"]["cost"], of["validation"]["cost"]) << name;
        EXPECT_EQ(of["training"]["poses"], 36) << name;
    }
    EXPECT_LT(networks["network2"]["test"]["floor_cost"],
              networks["network4"]["test"]["floor_cost"]);
    EXPECT_FALSE(networks["network3"]["trained"]["mirrored"]);
    EXPECT_TRUE(networks["network3.mirrored"]["trained"]["mirrored"]);
    EXPECT_GT(sections["speed"]["data"]["network"]["alone_us"], 0.1);
    EXPECT_GT(sections["vertices"]["data"]["tails, below the hip joints"]["rms_cm"],
              sections["vertices"]["data"]["trunk"]["rms_cm"]);
    EXPECT_LT(sections["extremes"]["data"]["lowest"]["square_m2"],
              sections["extremes"]["data"]["highest"]["square_m2"]);

    const Outcome again = run("@t --set poses --quick --json");
    EXPECT_EQ(again.out, first.out);
    EXPECT_EQ(again.err, "");

    // another folder, that set linked in: nothing is simulated, and it is not written to
    ASSERT_TRUE(makeFolders(path("u/poses-quick")));
    std::filesystem::create_directory_symlink(path("t/poses-quick/coat"),
                                              path("u/poses-quick/coat"));
    const auto before = std::filesystem::last_write_time(path("t/poses-quick/coat"));
    const Outcome linked = run("@u --set poses --quick --json --only distances");
    ASSERT_EQ(linked.exit_code, 0) << linked.err;
    EXPECT_EQ(linked.json()["sections"]["distances"]["markdown"],
              sections["distances"]["markdown"]);
    EXPECT_EQ(linked.err, "");
    EXPECT_EQ(std::filesystem::last_write_time(path("t/poses-quick/coat")), before);
}

TEST_F(TablesVerb, FaultsAreToldPlainly) {
    EXPECT_EQ(run("").exit_code, 2);
    EXPECT_EQ(run("@t --only dresses").exit_code, 2);
    EXPECT_EQ(run("@t --set captured").exit_code, 2);
    const Outcome other = run("@t --set poses --only stop");
    EXPECT_EQ(other.exit_code, 2);
    EXPECT_NE(other.err.find("--set poses"), other.err.npos) << other.err;
    EXPECT_EQ(run("@t --set built-in --only networks").exit_code, 2);
    const Outcome none = run("@t --set real --mocap @nowhere --only stop");
    EXPECT_EQ(none.exit_code, 1);
    EXPECT_NE(none.err.find("nowhere"), none.err.npos) << none.err;
}

// A folder of recordings that others made is taken as it is, or refused, never written to.
TEST_F(TablesVerb, RecordingsOfAnotherSceneAreRefused) {
    ASSERT_TRUE(makeFolders(path("t/built-in-quick/dress-every11/train")));
    ASSERT_TRUE(writeFile(path("t/built-in-quick/dress-every11/train/set.json"), "{}"));
    const Outcome other = run("@t --quick --only stop");
    EXPECT_EQ(other.exit_code, 1);
    EXPECT_NE(other.err.find("dress-every11/train"), other.err.npos) << other.err;
    EXPECT_EQ(*readTextFile(path("t/built-in-quick/dress-every11/train/set.json")), "{}");
}

}  // namespace
}  // namespace hem
