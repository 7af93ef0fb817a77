// SPDX-License-Identifier: Apache-2.0
#include "hem/core/child_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

namespace hem {
namespace {

using Bytes = Result<std::vector<std::byte>>;

TEST(ChildProcess, HandsBackBytesAndErrors) {
    std::vector<std::byte> sent(300000);
    for (size_t i = 0; i < sent.size(); ++i) sent[i] = std::byte(i * 7);
    const auto back = runInChild([&]() -> Bytes { return sent; });
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, sent);
    EXPECT_TRUE(runInChild([]() -> Bytes { return std::vector<std::byte>{}; })->empty());
    const auto fault = runInChild([]() -> Bytes { return errorf("joint 'A' is odd"); });
    ASSERT_FALSE(fault);
    EXPECT_EQ(fault.error().message, "joint 'A' is odd");
}

TEST(ChildProcess, LeavesTheCallersMemoryAlone) {
    int value = 1;
    EXPECT_TRUE(runInChild([&]() -> Bytes {
        value = 2;
        return std::vector<std::byte>(1);
    }));
    EXPECT_EQ(value, 1);
}

TEST(ChildProcess, SaysThatItCrashed) {
    for (int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGKILL}) {
        const auto result = runInChild([signal]() -> Bytes {
            ::kill(::getpid(), signal);
            return errorf("alive");
        });
        ASSERT_FALSE(result);
        EXPECT_NE(result.error().message.find("crashed"), std::string::npos)
            << result.error().message;
    }
    const auto quiet = runInChild([]() -> Bytes { ::_exit(0); });
    EXPECT_NE(quiet.error().message.find("crashed"), std::string::npos);
}

TEST(ChildProcess, SaysThatItGaveUpOnAnException) {
    const auto result = runInChild([]() -> Bytes { throw std::runtime_error("odd"); });
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("gave up"), std::string::npos);
}

TEST(ChildProcess, StopsWhatHangs) {
    const auto asleep =
        runInChild([]() -> Bytes { return ::pause(), errorf("awake"); }, {.wall_seconds = 1});
    ASSERT_FALSE(asleep);
    EXPECT_NE(asleep.error().message.find("hung"), std::string::npos) << asleep.error().message;
    const auto busy = runInChild(
        []() -> Bytes {
            volatile long i = 0;
            for (;;) i = i + 1;
        },
        {.cpu_seconds = 1});
    ASSERT_FALSE(busy);
    EXPECT_NE(busy.error().message.find("hung"), std::string::npos) << busy.error().message;
}

TEST(ChildProcess, StopsWhatEatsAllMemory) {
#if defined(__SANITIZE_ADDRESS__)
    GTEST_SKIP() << "sanitizers map more memory than any limit allows";
#else
    const auto result = runInChild(
        []() -> Bytes {
            std::vector<std::vector<std::byte>> hoard;
            for (int i = 0; i < 100; ++i) hoard.emplace_back(size_t(64) << 20, std::byte(1));
            return errorf("all of it");
        },
        {.memory_bytes = size_t(256) << 20});
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("out of memory"), std::string::npos)
        << result.error().message;
#endif
}

TEST(ChildProcess, RefusesAnEndlessReply) {
    const auto result =
        runInChild([]() -> Bytes { return std::vector<std::byte>(size_t(4) << 20); },
                   {.reply_bytes = size_t(1) << 20});
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find("1 MiB"), std::string::npos) << result.error().message;
}

}  // namespace
}  // namespace hem
