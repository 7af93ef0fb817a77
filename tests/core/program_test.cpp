// SPDX-License-Identifier: Apache-2.0
#include "hem/core/program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "hem/core/files.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

ProgramCall shell(const std::string& command) {
    return {.path = "/bin/sh", .arguments = {"-c", command}};
}

struct Output {
    std::vector<std::string> lines;
    ProgramEnd end;
};
Output runToEnd(const ProgramCall& call) {
    Output output;
    const auto end = runProgram(call, [&](std::string_view line) {
        output.lines.emplace_back(line);
        return true;
    });
    EXPECT_TRUE(end) << end.error().message;
    if (end) output.end = *end;
    return output;
}

// Waits up to five seconds for the process to be gone; a zombie is.
bool isGone(pid_t process) {
    for (int i = 0; i < 500; ++i) {
        const auto stat = readTextFile("/proc/" + std::to_string(process) + "/stat");
        if (!stat || stat->find(") Z ") != stat->npos) return true;
        ::usleep(10000);
    }
    return false;
}

TEST(Program, LinesOfBothOutputsComeAsTheyAreWritten) {
    const Output output = runToEnd(shell("echo one; echo two >&2; printf last"));
    EXPECT_EQ(output.lines, (std::vector<std::string>{"one", "two", "last"}));
    EXPECT_TRUE(output.end.succeeded());
}

TEST(Program, HowItEndedIsTold) {
    EXPECT_EQ(runToEnd(shell("exit 3")).end.exit_code, 3);
    EXPECT_FALSE(runToEnd(shell("exit 3")).end.succeeded());
    EXPECT_EQ(runToEnd(shell("kill -SEGV $$")).end.signal, SIGSEGV);
    EXPECT_FALSE(runToEnd(shell("kill -SEGV $$")).end.succeeded());
}

TEST(Program, TheEnvironmentIsAddedToAndInputIsEmpty) {
    ::setenv("HEM_TEST_A", "old", 1);
    ::setenv("HEM_TEST_B", "kept", 1);
    ProgramCall call = shell("echo $HEM_TEST_A $HEM_TEST_B; cat");
    call.environment = {"HEM_TEST_A=new"};
    EXPECT_EQ(runToEnd(call).lines, std::vector<std::string>{"new kept"});
}

TEST(Program, TheLogHoldsAllOutput) {
    const TemporaryFolder folder;
    ProgramCall call = shell("echo one; echo two >&2");
    call.log_path = folder.path("log");
    runToEnd(call);
    EXPECT_EQ(*readTextFile(call.log_path), "one\ntwo\n");
    call.log_path = folder.path("none/log");
    const auto end = runProgram(call, [](std::string_view) { return true; });
    ASSERT_FALSE(end);
    EXPECT_NE(end.error().message.find("none/log"), std::string::npos);
}

TEST(Program, OneThatDoesNotExistIsAnErrorThatNamesIt) {
    const auto end = runProgram({.path = "/nowhere/x"}, [](std::string_view) { return true; });
    ASSERT_FALSE(end);
    EXPECT_NE(end.error().message.find("/nowhere/x"), std::string::npos);
}

TEST(Program, OneThatFallsSilentIsEndedWithAllThatItStarted) {
    pid_t grandchild = 0;
    ProgramCall call = shell("sleep 100 & echo $!; wait");
    call.silence_seconds = 1;
    const auto end = runProgram(call, [&](std::string_view line) {
        grandchild = std::atoi(std::string(line).c_str());
        return true;
    });
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->went_silent);
    EXPECT_FALSE(end->succeeded());
    ASSERT_GT(grandchild, 0);
    EXPECT_TRUE(isGone(grandchild));
}

TEST(Program, ItIsEndedWhenTheCallerHasSeenEnough) {
    int lines = 0;
    const auto end = runProgram(shell("while :; do echo more; done"),
                                [&](std::string_view) { return ++lines < 3; });
    ASSERT_TRUE(end);
    EXPECT_TRUE(end->stopped);
    EXPECT_EQ(lines, 3);
}

TEST(Program, ItDoesNotOutliveACallerThatIsKilled) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const pid_t caller = ::fork();
    if (caller == 0) {
        (void)runProgram(shell("echo $$; exec sleep 100"), [&](std::string_view line) {
            const pid_t program = std::atoi(std::string(line).c_str());
            return ::write(ends[1], &program, sizeof(program)) > 0;
        });
        ::_exit(0);
    }
    pid_t program = 0;
    ASSERT_EQ(::read(ends[0], &program, sizeof(program)), ssize_t(sizeof(program)));
    ::kill(caller, SIGKILL);
    ::waitpid(caller, nullptr, 0);
    EXPECT_TRUE(isGone(program));
    ::close(ends[0]), ::close(ends[1]);
}

TEST(Program, IsFoundBySearchPathOrByItsOwnPath) {
    EXPECT_EQ(findProgram("/bin/sh"), "/bin/sh");
    EXPECT_TRUE(findProgram("sh").ends_with("/sh"));
    EXPECT_EQ(findProgram("/etc/passwd"), "");
    EXPECT_EQ(findProgram("no-such-program-here"), "");
}

}  // namespace
}  // namespace hem
