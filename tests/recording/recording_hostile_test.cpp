// SPDX-License-Identifier: Apache-2.0
// Damaged and hostile sets and clips: named, refused, never a crash.
#include <gtest/gtest.h>

#include <filesystem>

#include "hem/core/files.h"
#include "hem/core/npy.h"
#include "hem/core/random.h"
#include "hem/recording/recording_meta.h"
#include "tests/recording/toy_scene.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

class HostileRecording : public testing::Test {
protected:
    void SetUp() override {
        auto set = RecordingSet::create(path(""), toyScene(), "");
        ASSERT_TRUE(set) << set.error().message;
        ASSERT_TRUE(set->add(toyClip("walk", 4)));
    }
    std::string path(const std::string& name) const { return folder_.path("set/" + name); }
    void replace(const std::string& name, const std::string& from, const std::string& to) const {
        std::string text = *readTextFile(path(name));
        const size_t at = text.find(from);
        ASSERT_NE(at, text.npos) << from;
        ASSERT_TRUE(writeFile(path(name), text.replace(at, from.size(), to)));
    }
    // Opens everything; the message of the first fault.
    std::string fault() const {
        const auto set = RecordingSet::open(path(""));
        if (!set) return set.error().message;
        const auto clip = set->clip("walk");
        if (!clip) return clip.error().message;
        const Status verified = clip->verify();
        return verified ? "" : verified.error().message;
    }

    TemporaryFolder folder_;
};

TEST_F(HostileRecording, EveryFileThatIsMissingIsNamed) {
    EXPECT_EQ(fault(), "");
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path("")))
        if (entry.is_regular_file()) files.push_back(entry.path().string());
    EXPECT_GT(files.size(), 15u);
    for (const std::string& file : files) {
        fs::rename(file, file + ".away");
        const std::string name = fs::path(file).filename().string();
        const std::string message = fault();
        EXPECT_NE(message.find(name), std::string::npos) << name << ": " << message;
        fs::rename(file + ".away", file);
    }
}

TEST_F(HostileRecording, EveryFileThatIsCutOrChangedIsNamed) {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(path("")))
        if (entry.is_regular_file() && entry.path().extension() == ".npy")
            files.push_back(entry.path().string());
    for (const std::string& file : files) {
        const auto bytes = *readFile(file);
        const std::string name = fs::path(file).filename().string();
        ASSERT_TRUE(writeFile(file, std::span(bytes).first(bytes.size() - 5)));
        EXPECT_NE(fault().find(name), std::string::npos) << name;
        auto changed = bytes;
        changed.back() ^= std::byte(1);
        ASSERT_TRUE(writeFile(file, changed));
        EXPECT_NE(fault().find("checksum"), std::string::npos) << name << ": " << fault();
        ASSERT_TRUE(writeFile(file, bytes));
    }
    EXPECT_EQ(fault(), "");
}

TEST_F(HostileRecording, ClipsThatDisagreeWithTheirMetaAreRefused) {
    const struct {
        const char *from, *to, *expected;
    } cases[] = {
        {"\"frames\": 4", "\"frames\": 5", "meta.json says float32 (5, 50, 3)"},
        {"\"frames\": 4", "\"frames\": 0", "at least one"},
        {"\"frames\": 4", "\"frames\": -4", "whole number"},
        {"\"frames\": 4", "\"frames\": 99999999999999", "smaller"},
        {"\"vertices\": 50", "\"vertices\": \"50\"", "whole number"},
        {"\"version\": 1", "\"version\": 2", "another version"},
        {"\"rate\": 30.0", "\"rate\": 60.0", "of another set"},
        {"\"rate\": 30.0", "\"rate\": null", "a number"},
        {"hemline recording", "hemline", "not of a recording"},
        {"\"motion_checksum\": \"fnv1a64:", "\"motion_checksum\": \"x", "a checksum was expected"},
        {"{", "", "no JSON object"},
    };
    const std::string good = *readTextFile(path("clips/walk/meta.json"));
    for (const auto& c : cases) {
        replace("clips/walk/meta.json", c.from, c.to);
        EXPECT_NE(fault().find(c.expected), std::string::npos) << c.to << ": " << fault();
        ASSERT_TRUE(writeFile(path("clips/walk/meta.json"), good));
    }
}

TEST_F(HostileRecording, SetsOfOtherKindsAreRefused) {
    const std::string good = *readTextFile(path("set.json"));
    const struct {
        const char *from, *to, *expected;
    } cases[] = {
        {"hemline recordings", "something", "not a set"},
        {"\"version\": 1", "\"version\": 7", "another version"},
        {"\"gusts\": 0.3", "\"gusts\": 3", "wind.gusts"},
        {"\"rate\": 30.0", "\"rate\": 1e99", "rate"},
        {"\"files\"", "\"fils\"", "files"},
    };
    for (const auto& c : cases) {
        replace("set.json", c.from, c.to);
        EXPECT_NE(fault().find(c.expected), std::string::npos) << c.to << ": " << fault();
        ASSERT_TRUE(writeFile(path("set.json"), good));
    }
}

TEST_F(HostileRecording, DamagedMetaNeverCrashes) {
    Random random(3);
    const std::string good = *readTextFile(path("clips/walk/meta.json"));
    for (int round = 0; round < 5000; ++round) {
        std::string text = good;
        for (int k = random.integer(1, 3); k > 0; --k)
            text[size_t(random.integer(0, int(text.size()) - 1))] = char(random.bits());
        const auto meta = parseMeta(text, "meta.json");
        EXPECT_TRUE(meta || meta.error().message.starts_with("meta.json"));
    }
}

TEST_F(HostileRecording, AFolderOfSomethingElseIsNoSet) {
    EXPECT_NE(RecordingSet::open(folder_.path("")).error().message.find("no set of recordings"),
              std::string::npos);
    EXPECT_FALSE(Recording::open(path("")));
}

}  // namespace
}  // namespace hem
