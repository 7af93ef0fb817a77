// SPDX-License-Identifier: Apache-2.0
// Damaged and hostile sets of poses: named, refused, never a crash.
#include <gtest/gtest.h>

#include <filesystem>

#include "hem/core/npy.h"
#include "hem/core/random.h"
#include "hem/poses/pose_files.h"
#include "tests/poses/small_pose_set.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

class HostilePoseSet : public testing::Test {
protected:
    static void SetUpTestSuite() {
        const auto report = makePoseSet(smallScene(), good().path("set"), quickly(10));
        ASSERT_TRUE(report) << report.error().message;
    }
    void SetUp() override { fs::copy(good().path("set"), path(""), fs::copy_options::recursive); }
    static const TemporaryFolder& good() {
        static const TemporaryFolder folder;
        return folder;
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
        const auto set = PoseSet::open(path(""));
        if (!set) return set.error().message;
        const Status verified = set->verify();
        return verified ? "" : verified.error().message;
    }
    void expectFault(const std::string& what) const {
        const std::string message = fault();
        EXPECT_NE(message.find(what), std::string::npos) << what << " in: " << message;
    }

    TemporaryFolder folder_;
};

TEST_F(HostilePoseSet, EveryFileThatIsMissingIsNamed) {
    EXPECT_EQ(fault(), "");
    std::vector<std::string> files;
    for (const auto& [name, bytes] : bytesOf(path(""))) files.push_back(name);
    EXPECT_GT(files.size(), 25u);
    for (const std::string& file : files) {
        fs::rename(path(file), path(file) + ".away");
        expectFault(fs::path(file).filename().string());
        fs::rename(path(file) + ".away", path(file));
    }
}

TEST_F(HostilePoseSet, EveryFileThatIsCutOrEditedIsNamed) {
    for (const auto& [name, bytes] : bytesOf(path(""))) {
        ASSERT_TRUE(writeFile(path(name), std::span(bytes).first(bytes.size() / 2)));
        expectFault(fs::path(name).filename().string());
        if (name.ends_with(".npy") && bytes.size() > 128) {
            std::vector<std::byte> edited = bytes;
            edited.back() ^= std::byte{1};
            ASSERT_TRUE(writeFile(path(name), edited));
            EXPECT_NE(fault(), "") << name;
        }
        ASSERT_TRUE(writeFile(path(name), bytes));
    }
}

TEST_F(HostilePoseSet, ASkinOfJointsThatAreNotThereIsRefused) {
    const auto joints = MappedNpy::open(path(kSkinJointsFile));
    ASSERT_TRUE(joints);
    std::vector<uint32_t> wild(joints->integers().begin(), joints->integers().end());
    wild[3] = 60000;
    const auto bytes = npyBytes(joints->header(), std::as_bytes(std::span(wild)));
    ASSERT_TRUE(writeFile(path(kSkinJointsFile), bytes));
    expectFault("skin_joints.npy");
    // ... and with the checksum made to fit
    std::string text = *readTextFile(path("poses.json"));
    auto file = parsePoseSet(text, "poses.json").value();
    char checksum[40];
    std::snprintf(checksum, sizeof checksum, "fnv1a64:%016llx",
                  static_cast<unsigned long long>(hashBytes(bytes.data(), bytes.size())));
    file.skin_joints_checksum = checksum;
    ASSERT_TRUE(writeFile(path("poses.json"), poseSetText(file)));
    expectFault("60000");
}

TEST_F(HostilePoseSet, CountsThatDoNotFitAreRefused) {
    replace("poses.json", "\"count\": 10", "\"count\": 11");
    expectFault("rotations.npy");
    replace("poses.json", "\"count\": 11", "\"count\": 10");
    replace("poses.json", "\"training\": ", "\"training\": 1");
    expectFault("split.npy");
}

TEST_F(HostilePoseSet, JointsThatTheBodyLacksAreRefused) {
    replace("poses.json", "LeftArm", "LeftWing");
    expectFault("LeftWing");
}

TEST_F(HostilePoseSet, AnotherVersionIsToldWithACure) {
    replace("poses.json", "\"version\": 1", "\"version\": 9");
    expectFault("make it again");
}

TEST_F(HostilePoseSet, RandomEditsOfTheJsonNeverCrash) {
    const std::string good_text = *readTextFile(path("poses.json"));
    Random random(5);
    for (int k = 0; k < 300; ++k) {
        std::string text = good_text;
        for (int edits = random.integer(1, 4); edits > 0; --edits)
            text[size_t(random.integer(0, int(text.size()) - 1))] = char(random.integer(1, 126));
        ASSERT_TRUE(writeFile(path("poses.json"), text));
        (void)fault();
    }
}

}  // namespace
}  // namespace hem
