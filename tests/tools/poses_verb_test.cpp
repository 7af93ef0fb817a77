// SPDX-License-Identifier: Apache-2.0
// `hemline poses` and `hemline inspect` of what it makes, as a user meets them.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "hem/core/files.h"
#include "hem/poses/pose_set.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_command.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

class PosesVerb : public testing::Test {
protected:
    std::string path(const std::string& name) const { return folder_.path(name); }
    Outcome run(const std::string& arguments) const {
        return runCommand(folder_.path(""), arguments);
    }

    TemporaryFolder folder_;
};

constexpr const char* kSmall = " --garment skirt --vertices 180 --fabric denim --count 104";

TEST_F(PosesVerb, SlowKilledAtAnyMomentItGoesOnToTheSameBytes) {
    // with a kill -9 once the first shard is there
    const pid_t child = ::fork();
    if (child == 0) {
        const std::string command =
            std::string("exec ") + HEM_COMMAND + " poses -q -o " + path("killed") + kSmall;
        ::execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
        ::_exit(127);
    }
    while (!fs::exists(path("killed/shards/000000.npy"))) {
        ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "it ended before it could be killed";
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_FALSE(PoseSet::open(path("killed")));
    EXPECT_NE(run("inspect @killed").err.find("not whole"), std::string::npos);

    const auto resumed = run("poses --json -o @killed" + std::string(kSmall)).json();
    EXPECT_EQ(resumed["there"], 100);
    EXPECT_EQ(resumed["simulated"], 4);
    ASSERT_EQ(run("poses -q -o @whole" + std::string(kSmall)).exit_code, 0);
    size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(path("whole"))) {
        if (!entry.is_regular_file()) continue;
        const std::string name = fs::relative(entry.path(), path("whole")).string();
        EXPECT_EQ(*readFile(path("whole/" + name)), *readFile(path("killed/" + name))) << name;
        ++files;
    }
    EXPECT_GT(files, 25u);
    EXPECT_FALSE(fs::exists(path("killed/shards")));

    const auto judged = run("inspect --json --resimulate 1 @whole --figure @f.png").json();
    EXPECT_EQ(judged["poses"], 104);
    EXPECT_EQ(judged["reproduces"], true);
    EXPECT_TRUE(fs::exists(path("f.png")));
    EXPECT_TRUE(fs::exists(path("whole/distances.png")));
}

TEST_F(PosesVerb, BadUseIsToldFromFailure) {
    EXPECT_EQ(run("poses").exit_code, 2);
    EXPECT_EQ(run("poses -o @a --count 0").exit_code, 2);
    EXPECT_EQ(run("poses -o @a --reach 2").exit_code, 2);
    const Outcome unknown = run("poses -o @a --garment cote");
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_NE(unknown.err.find("coat"), std::string::npos);
    EXPECT_EQ(run("poses -o @a --fabric tin").exit_code, 2);
    EXPECT_EQ(run("poses -o @a --vertices 20").exit_code, 2);
    EXPECT_EQ(run("poses -o @a --character nobody.glb").exit_code, 1);
    EXPECT_EQ(run("inspect @a --sheet @s.png").exit_code, 2);
    EXPECT_FALSE(fs::exists(path("a")));
}

}  // namespace
}  // namespace hem
