// SPDX-License-Identifier: Apache-2.0
#include "hem/character/formats/bvh.h"

#include <gtest/gtest.h>

#include "hem/core/files.h"
#include "hem/core/random.h"
#include "hem/core/text.h"
#include "tests/shared_data.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

// Hips with a bone of length 2 up, which has an end site 1 further.
std::string tiny(const std::string& channels, const std::string& frames, int count = 1,
                 const std::string& period = "0.0333333") {
    return "HIERARCHY\nROOT Hips\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition Yposition Zposition " +
           channels +
           "\n\tJOINT Spine\n\t{\n\t\tOFFSET 0 2 0\n\t\tCHANNELS 3 Zrotation Yrotation Xrotation\n"
           "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 1 0\n\t\t}\n\t}\n}\nMOTION\nFrames: " +
           std::to_string(count) + "\nFrame Time: " + period + "\n" + frames;
}

constexpr BvhOptions kMetres{.metres_per_unit = 1};

void expectNear(Vec3 a, Vec3 b, float tolerance = 1e-6f) {
    EXPECT_LE(distance(a, b), tolerance)
        << format("(%g %g %g) against (%g %g %g)", a.x, a.y, a.z, b.x, b.y, b.z);
}

Vec3 spineOf(const Motion& motion, size_t frame = 0) {
    return worldFromJoints(motion.skeleton, motion.frames[frame])[1].translation();
}

TEST(Bvh, MultipliesRotationsInTheOrderOfTheChannels) {
    // (0, 2, 0): Rz(90) Rx(90) takes it along x to (0, 0, 2) and leaves it there; Rx(90) Rz(90)
    // takes it about z to (-2, 0, 0) and leaves it there.
    const auto zxy =
        parseBvh(tiny("Zrotation Xrotation Yrotation", "1 2 3 90 90 0 0 0 0\n"), "a.bvh", kMetres);
    ASSERT_TRUE(zxy) << zxy.error().message;
    expectNear(spineOf(*zxy), {1, 2, 5});
    const auto xzy =
        parseBvh(tiny("Xrotation Zrotation Yrotation", "1 2 3 90 90 0 0 0 0\n"), "a.bvh", kMetres);
    expectNear(spineOf(*xzy), {-1, 2, 3});
    // Ry(30) about the axis that the bone lies along after Rz(90): (-2, 0, 0) turns to
    // (-2 cos 30, 0, 2 sin 30)
    const auto yzx =
        parseBvh(tiny("Yrotation Zrotation Xrotation", "0 0 0 30 90 0 0 0 0\n"), "a.bvh", kMetres);
    expectNear(spineOf(*yzx), {-1.7320508f, 0, 1});
}

TEST(Bvh, HasTheZeroPoseAsRest) {
    const auto motion = parseBvh(tiny("Zrotation Xrotation Yrotation", "1 2 3 90 90 0 5 6 7\n"),
                                 "clips/a.bvh", kMetres);
    EXPECT_EQ(motion->name, "a");
    ASSERT_EQ(motion->skeleton.size(), 2u);
    EXPECT_EQ(motion->skeleton.joints[1].parent_from_rest, (Transform{Quat{}, {0, 2, 0}}));
    EXPECT_TRUE(motion->notes.empty());
}

TEST(Bvh, AddsEndSitesOnlyWhenAsked) {
    const std::string text = tiny("Zrotation Xrotation Yrotation", "0 0 0 0 0 0 0 0 0\n");
    EXPECT_EQ(parseBvh(text, "a.bvh", kMetres)->skeleton.find("Spine_end"), -1);
    const auto with = parseBvh(text, "a.bvh", {.metres_per_unit = 1, .end_sites = true});
    const int end = with->skeleton.find("Spine_end");
    ASSERT_EQ(end, 2);
    expectNear(worldFromJoints(with->skeleton, with->frames[0])[2].translation(), {0, 3, 0});
}

TEST(Bvh, SnapsThePeriodToAWholeRateOnlyWhereTheDigitsSaySo) {
    const auto rate = [](const char* period) {
        return parseBvh(tiny("Zrotation Xrotation Yrotation", "0 0 0 0 0 0 0 0 0\n", 1, period),
                        "a.bvh", kMetres)
            ->rate;
    };
    EXPECT_EQ(rate(".0083333"), 120);
    EXPECT_EQ(rate("0.0333333"), 30);
    EXPECT_EQ(rate("0.033333"), 30);
    EXPECT_EQ(rate("0.016667"), 60);
    EXPECT_EQ(rate("0.01"), 100);
    EXPECT_EQ(rate("1"), 1);
    EXPECT_NEAR(rate("0.033367"), 29.97, 1e-3);
    EXPECT_NEAR(rate("0.0415"), 1 / 0.0415, 1e-9);
}

TEST(Bvh, ReadsTabsCarriageReturnsBlankLinesAndBracesOnTheSameLine) {
    const std::string text =
        "\r\nhierarchy\r\nroot Bip01 Pelvis {\r\n offset 0 1 0 channels 3 Zrotation Xrotation "
        "Yrotation\r\n"
        "JOINT Bip01 L Thigh{OFFSET 1 0 0 CHANNELS 0 End site { OFFSET 0 0 0 } } }\r\n\r\n"
        "MOTION\r\n\r\nFRAMES:\t2\r\nframe  time :\t.04\r\n\t90 0 0\r\n\r\n0 0 0\t\r\n\r\n";
    const auto motion = parseBvh(text, "a.bvh", kMetres);
    ASSERT_TRUE(motion) << motion.error().message;
    EXPECT_EQ(motion->skeleton.joints[1].name, "Bip01 L Thigh");
    EXPECT_EQ(motion->rate, 25);
    // the root has no position channels, so it stands at its OFFSET
    expectNear(spineOf(*motion, 0), {0, 2, 0});
    expectNear(spineOf(*motion, 1), {1, 1, 0});
}

TEST(Bvh, KeepsQuaternionsContinuousOverAFullTurn) {
    std::string frames;
    for (int f = 0; f <= 72; ++f) frames += "0 0 0 " + std::to_string(f * 10) + " 0 0 0 0 0\n";
    const auto motion =
        parseBvh(tiny("Yrotation Xrotation Zrotation", frames, 73), "a.bvh", kMetres);
    for (size_t f = 1; f < motion->frames.size(); ++f)
        EXPECT_GT(dot(motion->frames[f].rotations[0], motion->frames[f - 1].rotations[0]), 0.99f);
}

TEST(Bvh, KeepsOffsetsWherePositionChannelsStretchBonesAndSaysSo) {
    const std::string text =
        "HIERARCHY\nROOT A\n{\nOFFSET 5 5 5\nCHANNELS 3 Xposition Yposition Zposition\nJOINT "
        "B\n{\nOFFSET 0 1 0\n"
        "CHANNELS 3 Xposition Yposition Zposition\nJOINT C\n{\nOFFSET 0 0 0\nCHANNELS 3 Xposition "
        "Yposition Zposition\n"
        "}\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n1 2 3 0 1 0 0 0 4\n1 2 3 0 1.5 0 0 0 4\n";
    const auto motion = parseBvh(text, "a.bvh", kMetres);
    ASSERT_TRUE(motion) << motion.error().message;
    // root channels replace OFFSET; B keeps its OFFSET; C has none, and its channels never change
    expectNear(motion->frames[0].root_position, {1, 2, 3});
    EXPECT_EQ(motion->skeleton.joints[1].parent_from_rest.translation, (Vec3{0, 1, 0}));
    EXPECT_EQ(motion->skeleton.joints[2].parent_from_rest.translation, (Vec3{0, 0, 4}));
    ASSERT_EQ(motion->notes.size(), 1u);
    EXPECT_NE(motion->notes[0].find("'B'"), std::string::npos) << motion->notes[0];
    EXPECT_NE(motion->notes[0].find("0.500 m"), std::string::npos) << motion->notes[0];
}

TEST(Bvh, TakesTheUnitThatMakesAPerson) {
    const auto unit = [](float height) {
        const std::string h = std::to_string(height);
        const std::string text =
            "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 1 Yrotation\nJOINT B\n{\nOFFSET 0 " + h +
            " 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0\n";
        const auto motion = parseBvh(text, "a.bvh");
        EXPECT_EQ(motion->notes.size(), 1u);
        return motion->skeleton.joints[1].parent_from_rest.translation.y / height;
    };
    EXPECT_NEAR(unit(1.7f), 1, 1e-6);
    EXPECT_NEAR(unit(170), 0.01, 1e-6);
    EXPECT_NEAR(unit(67), 0.0254, 1e-6);
    EXPECT_NEAR(unit(30), 0.0564444, 1e-6);
    EXPECT_NEAR(unit(1700), 0.001, 1e-6);
}

TEST(Bvh, TurnsZUpFilesUpright) {
    const std::string text =
        "HIERARCHY\nROOT A\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
        "Yrotation Xrotation\n"
        "JOINT B\n{\nOFFSET 0 -3 1.5\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n1 -2 3 0 0 0\n";
    const auto motion = parseBvh(text, "a.bvh", {.metres_per_unit = 1, .z_up = true});
    expectNear(motion->frames[0].root_position, {1, 3, 2});
    expectNear(spineOf(*motion), {1, 4.5f, 5});
    expectNear(worldFromJoints(motion->skeleton, restPose(motion->skeleton))[1].translation(),
               {0, 1.5f, 3});
}

TEST(Bvh, DropsALeadingCalibrationPoseOnlyWhenAskedAndOnlyIfItIsOne) {
    const std::string posed = "0 0 0 1 2 3 4 5 6\n", zero = "0 0 0 0 0 0 0 0 0\n";
    const BvhOptions drop{.metres_per_unit = 1, .drop_t_pose = true};
    const auto count = [&](const std::string& frames, const BvhOptions& options) {
        return parseBvh(tiny("Zrotation Yrotation Xrotation", frames, 2), "a.bvh", options)
            ->frames.size();
    };
    EXPECT_EQ(count(zero + posed, drop), 1u);
    EXPECT_EQ(count(zero + posed, kMetres), 2u);
    EXPECT_EQ(count(posed + zero, drop), 2u);
    EXPECT_EQ(count(zero + zero, drop), 2u);
}

// A skeleton with rest rotations that are not the identity, moving at random.
Motion randomMotion() {
    Random random(5, "bvh");
    const auto turn = [&] {
        return normalized(Quat{random.normal(), random.normal(), random.normal(), random.normal()});
    };
    const auto place = [&] {
        return Vec3{random.normal(), random.normal(), random.normal()} * 0.3f;
    };
    Motion motion{"random", {}, 120, {}, {}};
    for (int j = 0; j < 12; ++j)
        motion.skeleton.joints.push_back({format("joint %d", j),
                                          j == 0 ? kNoParent : random.integer(0, j - 1),
                                          {turn(), place()}});
    for (int f = 0; f < 20; ++f) {
        Pose pose{place(), {}};
        for (size_t j = 0; j < motion.skeleton.size(); ++j) pose.rotations.push_back(turn());
        motion.frames.push_back(pose);
    }
    return motion;
}

TEST(Bvh, ComesBackWithTheSameWorldFromAnyRestPose) {
    const TemporaryFolder folder;
    const Motion motion = randomMotion();
    for (double unit : {1.0, 0.01}) {
        ASSERT_TRUE(saveBvh(folder.path("m.bvh"), motion, {.metres_per_unit = unit}));
        const auto back = loadBvh(folder.path("m.bvh"), {.metres_per_unit = unit});
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(back->rate, 120);
        const auto rest = worldTransforms(motion.skeleton, restPose(motion.skeleton));
        for (size_t f = 0; f < motion.frames.size(); ++f) {
            const auto a = worldTransforms(motion.skeleton, motion.frames[f]);
            const auto b = worldTransforms(back->skeleton, back->frames[f]);
            for (size_t j = 0; j < a.size(); ++j) {
                const size_t k = size_t(back->skeleton.find(motion.skeleton.joints[j].name));
                expectNear(a[j].translation, b[k].translation, 3e-6f);
                EXPECT_LE(angleBetween(a[j].rotation * conjugate(rest[j].rotation), b[k].rotation),
                          1e-5f);
            }
        }
    }
}

TEST(Bvh, WritesGimbalLockedPosesExactly) {
    const TemporaryFolder folder;
    auto motion = parseBvh(tiny("Zrotation Yrotation Xrotation", "0 0 0 30 90 20 10 -90 5\n"),
                           "a.bvh", kMetres);
    ASSERT_TRUE(saveBvh(folder.path("m.bvh"), *motion));
    const auto back = loadBvh(folder.path("m.bvh"), kMetres);
    for (size_t j = 0; j < 2; ++j)
        EXPECT_LE(angleBetween(back->frames[0].rotations[j], motion->frames[0].rotations[j]),
                  1e-5f);
}

TEST(Bvh, RefusesToWriteWhatItCouldNotRead) {
    const TemporaryFolder folder;
    Motion motion = randomMotion();
    motion.skeleton.joints[3].name = "a{b";
    const Status named = saveBvh(folder.path("m.bvh"), motion);
    ASSERT_FALSE(named);
    EXPECT_NE(named.error().message.find("a{b"), std::string::npos);
    motion = randomMotion();
    motion.frames.clear();
    EXPECT_FALSE(saveBvh(folder.path("m.bvh"), motion));
    EXPECT_FALSE(saveBvh(folder.path("no/such/folder/m.bvh"), randomMotion()));
}

TEST(Bvh, ReadsTheRealClipsInMetresAtTheirRate) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    const auto raw = loadBvh(sharedData() + "/mocap/raw_samples/16_18.bvh",
                             {.end_sites = true, .drop_t_pose = true});
    ASSERT_TRUE(raw) << raw.error().message;
    EXPECT_EQ(raw->rate, 120);
    EXPECT_EQ(raw->frames.size(), 520u);
    EXPECT_EQ(raw->skeleton.size(), 38u);  // 31 joints and 7 end sites
    // first line of the motion after the T pose: -8.0020 17.2136 -32.2511, in units of 2.54/0.45 cm
    expectNear(raw->frames[0].root_position, {-0.4516684f, 0.9716121f, -1.8203954f}, 1e-5f);
    // thigh and shank of subject 16: 7.0347 and 7.7823 units
    const auto length_of = [&](const char* joint) {
        return length(
            raw->skeleton.joints[size_t(raw->skeleton.find(joint))].parent_from_rest.translation);
    };
    EXPECT_NEAR(length_of("LeftLeg"), 0.39707, 1e-4);
    EXPECT_NEAR(length_of("LeftFoot"), 0.43927, 1e-4);
    const auto test = loadBvh(sharedData() + "/mocap/test/91_01.bvh");
    ASSERT_TRUE(test) << test.error().message;
    EXPECT_EQ(test->rate, 30);
    EXPECT_EQ(test->skeleton.size(), 31u);
}

TEST(Bvh, DoesNotTakeARealClipSavedInMetresForCmuUnits) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    const TemporaryFolder folder;
    const auto clip = loadBvh(sharedData() + "/mocap/test/91_01.bvh");
    ASSERT_TRUE(saveBvh(folder.path("m.bvh"), *clip));
    const auto back = loadBvh(folder.path("m.bvh"));
    expectNear(back->frames[100].root_position, clip->frames[100].root_position, 1e-5f);
}

}  // namespace
}  // namespace hem
