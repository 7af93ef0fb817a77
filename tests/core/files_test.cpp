// SPDX-License-Identifier: Apache-2.0
#include "hem/core/files.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "hem/core/parallel.h"
#include "hem/core/progress.h"
#include "hem/core/text.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
    void SetUp() override {
        folder = fs::temp_directory_path() / format("hem_files_test_%d", int(::getpid()));
        fs::create_directories(folder);
    }
    void TearDown() override { fs::remove_all(folder); }
    std::string path(const char* name) const { return (folder / name).string(); }
    fs::path folder;
};

TEST_F(Files, ComeBackAsWritten) {
    const std::string text("a\0b\nc", 5);
    ASSERT_TRUE(writeFile(path("f"), text));
    EXPECT_EQ(*readTextFile(path("f")), text);
    ASSERT_TRUE(writeFile(path("f"), std::string_view()));
    EXPECT_EQ(readFile(path("f"))->size(), 0u);
}

TEST_F(Files, LeaveNoTemporaryBehind) {
    ASSERT_TRUE(writeFile(path("f"), "x"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(Files, AFailedWriteKeepsTheOldFileAndNamesThePath) {
    fs::create_directories(folder / "taken" / "inside");
    const Status status = writeFile(path("taken"), "x");
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find(path("taken")), std::string::npos);
    EXPECT_TRUE(fs::is_directory(folder / "taken"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST_F(Files, AMissingFileIsAnErrorWithItsName) {
    const auto missing = readFile(path("nowhere"));
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("nowhere"), std::string::npos);
    EXPECT_FALSE(readFile(folder.string()));
}

TEST(Text, NumbersAreReadWholeAndFinite) {
    EXPECT_EQ(parseNumber("-1.5e2"), -150);
    EXPECT_EQ(parseNumber(".0333333"), .0333333);
    EXPECT_EQ(parseNumber("+2"), 2);
    for (const char* bad : {"", "nan", "inf", "-inf", "1x", "1,5", "0x10", "1e999", "--1"})
        EXPECT_FALSE(parseNumber(bad)) << bad;
}

TEST(Text, QuotesMakeControlCharactersVisible) {
    EXPECT_EQ(quoteForMessage("a\x1b[31m"), "'a\\x1b[31m'");
    EXPECT_EQ(quoteForMessage(std::string(100, 'x'), 3), "'xxx...'");
}

TEST(ParallelFor, CoversEveryIndexOnceInTheSameRanges) {
    for (int threads : {1, 2, 7}) {
        setThreadLimit(threads);
        std::vector<std::atomic<int>> visits(1003);
        std::atomic<int> short_ranges = 0;
        parallelFor(visits.size(), 10, [&](size_t begin, size_t count) {
            EXPECT_EQ(begin % 10, 0u);
            short_ranges += count != 10;
            for (size_t i = begin; i < begin + count; ++i) ++visits[i];
        });
        for (const auto& v : visits) EXPECT_EQ(v, 1);
        EXPECT_EQ(short_ranges, 1);
    }
    setThreadLimit(0);
}

TEST(Progress, DurationsReadAsClocks) {
    EXPECT_EQ(formatDuration(65), "1:05");
    EXPECT_EQ(formatDuration(7380), "2:03:00");
}

}  // namespace
}  // namespace hem
