// SPDX-License-Identifier: Apache-2.0
// Damaged and malicious BVH files: an error that names the place, never a crash.
#include <gtest/gtest.h>

#include "hem/character/formats/bvh.h"
#include "tests/character/mutations.h"

namespace hem {
namespace {

constexpr const char* kGood =
    "HIERARCHY\n"                                                               // 1
    "ROOT Hips\n{\n"                                                            // 2
    "OFFSET 0 0 0\n"                                                            // 4
    "CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"  // 5
    "JOINT Spine\n{\n"                                                          // 6
    "OFFSET 0 1.7 0\n"                                                          // 8
    "CHANNELS 3 Zrotation Yrotation Xrotation\n"                                // 9
    "End Site\n{\nOFFSET 0 0.1 0\n}\n}\n}\n"                                    // 10
    "MOTION\n"                                                                  // 16
    "Frames: 2\n"                                                               // 17
    "Frame Time: 0.0333333\n"                                                   // 18
    "1 2 3 4 5 6 7 8 9\n"                                                       // 19
    "1 2 3 4 5 6 7 8 9\n";                                                      // 20

std::string with(const std::string& old, const std::string& replacement) {
    std::string text = kGood;
    const size_t at = text.find(old);
    EXPECT_NE(at, text.npos) << old;
    return text.replace(at, old.size(), replacement);
}

void expectFault(const std::string& text, std::initializer_list<const char*> says) {
    const auto motion = parseBvh(text, "bad.bvh");
    ASSERT_FALSE(motion) << text.substr(0, 400);
    for (const char* words : says)
        EXPECT_NE(motion.error().message.find(words), std::string::npos)
            << motion.error().message << "\n  lacks " << words;
}

TEST(HostileBvh, StartsFromAFileThatIsFine) { EXPECT_TRUE(parseBvh(kGood, "good.bvh")); }

TEST(HostileBvh, NamesTheLineAndTheJointOfABadNumber) {
    expectFault(with("OFFSET 0 1.7 0", "OFFSET 0 nan 0"), {"bad.bvh:8:", "'Spine'", "'nan'"});
    expectFault(with("OFFSET 0 1.7 0", "OFFSET 0 1.7"), {"bad.bvh:9:", "'Spine'"});
    expectFault(with("OFFSET 0 1.7 0", "OFFSET 0 1e300 0"), {"bad.bvh:8:", "'Spine'"});
    expectFault(with("1 2 3 4 5 6 7 8 9\n", "1 2 3 4 5 6 7 inf 9\n"),
                {"bad.bvh:19:", "Yrotation", "'Spine'"});
    expectFault(with("1 2 3 4 5 6 7 8 9\n", "1 2 x 4 5 6 7 8 9\n"),
                {"bad.bvh:19:", "Zposition", "'Hips'"});
    expectFault(with("1 2 3 4 5 6 7 8 9\n", "1 2 3 4 5 6 7 8 9e99\n"),
                {"bad.bvh:19:", "Xrotation"});
}

TEST(HostileBvh, CountsTheNumbersOfAFrame) {
    expectFault(with("1 2 3 4 5 6 7 8 9\n", "1 2 3 4 5 6 7\n"),
                {"bad.bvh:19:", "7 of 9", "Yrotation of joint 'Spine'"});
    expectFault(with("1 2 3 4 5 6 7 8 9\n", "1 2 3 4 5 6 7 8 9 10\n"),
                {"bad.bvh:19:", "9 channels", "'10'"});
}

TEST(HostileBvh, ChecksFrameCountAndFrameTime) {
    expectFault(with("Frames: 2", "Frames: 0"), {"bad.bvh:17:", "'0'"});
    expectFault(with("Frames: 2", "Frames: -1"), {"bad.bvh:17:"});
    expectFault(with("Frames: 2", "Frames: 99999999999999999999"), {"bad.bvh:17:"});
    expectFault(with("Frames: 2", "Frames: 9000000000000000000"),
                {"2 of 9000000000000000000 frames", "cut short"});
    expectFault(with("Frames: 2", "Frames: 1"), {"bad.bvh:20:", "'Frames:'"});
    for (const char* period : {"0", "-0.1", "nan", "inf", "1e-300", "fast", ""})
        expectFault(with("0.0333333", period), {"bad.bvh:18:", "Frame Time"});
}

TEST(HostileBvh, NamesWhatIsMissingInTheTree) {
    expectFault("", {"bad.bvh:1:", "HIERARCHY"});
    expectFault("HIERARCHY\n", {"ROOT"});
    expectFault(with("ROOT Hips", "ROOT"), {"bad.bvh:2:", "name"});
    expectFault(with("Spine\n{", "Spine\n"), {"bad.bvh:8:", "'{'", "'Spine'"});
    expectFault(with("OFFSET 0 1.7 0\n", ""), {"bad.bvh:6:", "'Spine'", "OFFSET"});
    expectFault(with("}\n}\n}\n", "}\n}\n"), {"bad.bvh:15:", "'Hips'", "'MOTION'"});
    expectFault(with("CHANNELS 3", "CHANNELS three"), {"bad.bvh:9:", "'Spine'"});
    expectFault(with("CHANNELS 3", "CHANNELS 4000000000"), {"bad.bvh:9:", "'Spine'"});
    expectFault(with("CHANNELS 3 Zrotation", "CHANNELS 3 Wrotation"),
                {"bad.bvh:9:", "'Wrotation'"});
    expectFault(with("CHANNELS 3 Zrotation", "CHANNELS 3 Xrotation"),
                {"'Spine'", "Xrotation twice"});
    expectFault(with("CHANNELS 3", "CHANNELS 4"), {"'Spine'", "number 4"});
}

TEST(HostileBvh, RefusesTwoJointsOfOneNameAndTwoRoots) {
    expectFault(with("JOINT Spine", "JOINT Hips"), {"bad.bvh:6:", "'Hips'", "line 2"});
    expectFault(with("MOTION", "ROOT Other\n{\nOFFSET 0 0 0\n}\nMOTION"),
                {"bad.bvh:16:", "second root", "'Other'"});
}

TEST(HostileBvh, HasALimitOnDepthAndJoints) {
    std::string deep = "HIERARCHY\nROOT J\n{\nOFFSET 0 0 0\nCHANNELS 1 Yrotation\n";
    for (int i = 0; i < 100000; ++i) deep += "JOINT J" + std::to_string(i) + "\n{\nOFFSET 0 1 0\n";
    expectFault(deep, {"256"});
    std::string wide = "HIERARCHY\nROOT J\n{\nOFFSET 0 0 0\nCHANNELS 1 Yrotation\n";
    for (int i = 0; i < 10000; ++i)
        wide += "JOINT J" + std::to_string(i) + "\n{\nOFFSET 0 1 0\n}\n";
    expectFault(wide, {"4096"});
    const std::string braces = "HIERARCHY\nROOT J\n" + std::string(1000000, '{');
    expectFault(braces, {"'J'"});
}

TEST(HostileBvh, FailsOnEveryPrefix) {
    const std::string text = kGood;
    // without the last line's newline, or its last digits, the file still reads
    for (size_t size = 0; size + 2 < text.size(); ++size)
        EXPECT_FALSE(parseBvh(text.substr(0, size), "cut.bvh")) << size;
}

TEST(HostileBvh, SurvivesSeededDamage) {
    Random random(1, "bvh damage");
    int read = 0;
    for (int i = 0; i < 20000; ++i) {
        const auto motion = parseBvh(mutated(kGood, random), "damaged.bvh",
                                     {.end_sites = i % 2 == 0, .drop_t_pose = true});
        if (!motion) {
            EXPECT_TRUE(motion.error().message.starts_with("damaged.bvh"))
                << motion.error().message;
            continue;
        }
        ++read;
        EXPECT_TRUE(validate(motion->skeleton));
        for (const Pose& pose : motion->frames) {
            EXPECT_TRUE(isFinite(pose.root_position));
            for (Quat q : pose.rotations) EXPECT_NEAR(dot(q, q), 1, 1e-4);
        }
    }
    // some damage does no harm: a digit more or less
    EXPECT_GT(read, 200);
    EXPECT_LT(read, 19000);
}

}  // namespace
}  // namespace hem
