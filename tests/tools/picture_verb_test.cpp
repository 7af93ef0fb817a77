// SPDX-License-Identifier: Apache-2.0
// The `hemline picture` command as a user meets it: what it writes, what it prints, how it fails.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/picture/image.h"
#include "tests/tools/run_command.h"

namespace hem {
namespace {

class PictureVerb : public testing::Test {
protected:
    void SetUp() override {
        folder_ = std::filesystem::temp_directory_path() /
                  ("hem_picture_verb_" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder_);
        write("cube.obj",
              "v -1 0 -1\nv 1 0 -1\nv 1 0 1\nv -1 0 1\nv -1 2 -1\nv 1 2 -1\nv 1 2 1\nv -1 2 1\n"
              "f 1 2 3 4\nf 5 8 7 6\nf 1 5 6 2\nf 2 6 7 3\nf 3 7 8 4\nf 4 8 5 1\n");
        write(
            "swing.bvh",
            "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
            "Zrotation Yrotation Xrotation\nJOINT LeftUpLeg\n{\nOFFSET 0.1 0 0\nCHANNELS 3 "
            "Zrotation "
            "Yrotation Xrotation\nEnd Site\n{\nOFFSET 0 -0.9 0\n}\n}\nJOINT RightUpLeg\n{\nOFFSET "
            "-0.1 0 "
            "0\nCHANNELS 3 Zrotation Yrotation Xrotation\nEnd Site\n{\nOFFSET 0 -0.9 0\n}\n}\n}\n"
            "MOTION\nFrames: 3\nFrame Time: 0.5\n"
            "0 0.9 0 1 0 0 10 0 0 0 0 0\n0 0.9 0 1 0 0 20 0 0 0 0 0\n0 0.9 0 1 0 0 30 0 0 0 0 0\n");
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(path(name)) << text;
    }

    // Runs `hemline picture ARGUMENTS`; @ stands for the test's folder.
    Outcome run(const std::string& arguments) const {
        return runCommand(folder_, "picture " + arguments);
    }

    std::filesystem::path folder_;
};

TEST_F(PictureVerb, WritesAPngOfTheSizeAskedFor) {
    const Outcome outcome = run("@cube.obj -o @cube.png --size 90x60 --quality draft");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    const auto image = loadPng(path("cube.png"));
    ASSERT_TRUE(image) << image.error().message;
    EXPECT_EQ(image->width, 90);
    EXPECT_EQ(image->height, 60);
    EXPECT_NE(image->at(45, 30), image->at(2, 2));
}

TEST_F(PictureVerb, JsonSaysWhatWasWrittenAndNothingElse) {
    const Outcome outcome =
        run("@swing.bvh -o @swing.png --sheet 3x1 --size 40x60 --quality draft --json --color-by "
            "height");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    const auto image = loadPng(path("swing.png"));
    ASSERT_TRUE(image);
    EXPECT_EQ(document["file"], path("swing.png"));
    EXPECT_EQ(document["width"], image->width);
    EXPECT_EQ(document["height"], image->height);
    EXPECT_EQ(document["times_s"], (std::vector<double>{0, 0.5, 1}));
    EXPECT_EQ(document["legend"]["label"], "height [cm]");
}

TEST_F(PictureVerb, TheMannequinWalks) {
    const Outcome outcome =
        run("female --motion train_02_walk_normal --time 1:2 --sheet 2x1 --size 60x90 --quality "
            "draft --json "
            "-o @walk.png");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["motion"], "train_02_walk_normal");
    EXPECT_EQ(document["times_s"], (std::vector<double>{1, 2}));
    EXPECT_TRUE(loadPng(path("walk.png")));
}

TEST_F(PictureVerb, QuietPrintsNothing) {
    const Outcome outcome = run("@cube.obj -o @cube.png --size 20x20 -q");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out + outcome.err, "");
}

TEST_F(PictureVerb, TheSameCommandGivesTheSameBytes) {
    ASSERT_EQ(run("@cube.obj -o @a.png --size 80x60").exit_code, 0);
    ASSERT_EQ(run("@cube.obj -o @b.png --size 80x60").exit_code, 0);
    EXPECT_EQ(*readFile(path("a.png")), *readFile(path("b.png")));
}

TEST_F(PictureVerb, NumbersPerVertexGetALegendInTheirUnit) {
    write("error.txt", "0\n0.01\n0.02\n0.03\n0.04\nnan\n0.02\n0.01\n");
    const Outcome outcome = run("@cube.obj -o @e.png --size 90x120 --color-by @error.txt --json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto legend = nlohmann::json::parse(outcome.out)["legend"];
    EXPECT_EQ(legend["label"], "error [cm]");
    EXPECT_EQ(legend["low"], 0.0);
    EXPECT_NEAR(legend["high"].get<double>(), 4, 1e-9);
    EXPECT_GT(loadPng(path("e.png"))->width, 90);
}

TEST_F(PictureVerb, BadUseIsExitCode2WithTheCure) {
    const struct {
        const char* arguments;
        const char* expected;
    } cases[] = {
        {"@swing.bvh -o @x.png --motion nothing", "no such motion"},
        {"female -o @x.png --motion train_02_walk_nromal", "did you mean 'train_02_walk_normal'"},
        {"@cube.obj -o @x.png --size 0x10", "WIDTHxHEIGHT"},
        {"@cube.obj -o @x.png --size 100", "WIDTHxHEIGHT"},
        {"@cube.obj -o @x.png --size 99999x99999", "1 to 4096 a side"},
        {"@cube.obj -o @x.png --size 1e3x100", "WIDTHxHEIGHT"},
        {"@cube.obj -o @x.png --view sideways", "three-quarter"},
        {"@cube.obj -o @x.png --quality best", "draft, normal or high"},
        {"@cube.obj -o @x.png --background beige", "#rrggbb"},
        {"@cube.obj -o @x.png --background '#12345'", "#rrggbb"},
        {"@cube.obj -o @x.png --sheet 0x3", "COLUMNSxROWS"},
        {"@cube.obj -o @x.png --sheet 4000000000x4000000000", "COLUMNSxROWS"},
        {"@cube.obj -o @x.png --sheet 20x20 --size 4000x4000", "smaller --size"},
        {"@cube.obj -o @x.jpg", "end the name in .png"},
        {"@cube.obj -o @x.png --time 1", "need --motion"},
        {"@cube.obj -o @x.png --motion walk", "a mesh has no joints"},
        {"@cube.obj -o @x.png --color-by weights:Hips", "a mesh has no joints"},
        {"@swing.bvh -o @x.png --color-by weights:LeftUpLge", "did you mean 'LeftUpLeg'"},
        {"@swing.bvh -o @x.png --time 5", "has 1.000 s (frames 0 to 2)"},
        {"@swing.bvh -o @x.png --time 0:1", "--sheet"},
        {"@swing.bvh -o @x.png --frame 7", "frames 0 to 2"},
        {"@swing.bvh -o @x.png --time 1 --frame 1", "--frame"},
        {"@cube.obj", "--output"},
        {"", "INPUT"},
        {"@cube.obj -o @x.png --nonsense", "--nonsense"},
    };
    for (const auto& c : cases) {
        const Outcome outcome = run(c.arguments);
        EXPECT_EQ(outcome.exit_code, 2) << c.arguments << "\n" << outcome.err;
        EXPECT_NE(outcome.err.find(c.expected), std::string::npos) << c.arguments << "\n"
                                                                   << outcome.err;
        EXPECT_EQ(outcome.out, "") << c.arguments;
        EXPECT_FALSE(std::filesystem::exists(path("x.png"))) << c.arguments;
    }
}

TEST_F(PictureVerb, FailuresAreExitCode1AndNameTheFile) {
    write("nan.obj", "v 0 0 nan\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    write("huge.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 4000000000\n");
    write("vast.obj", "v 1e38 0 0\nv -1e38 1e38 0\nv 0 -1e38 1e38\nf 1 2 3\n");
    write("point.obj", "v 1 2 3\nv 1 2 3\nv 1 2 3\nf 1 2 3\n");
    write("few.txt", "1\n2\n");
    write("what.xyz", "?");
    write("cut.bvh", "HIERARCHY\nROOT Hips\n{\nOFFSET 0 0");
    const struct {
        const char* arguments;
        const char* expected;
    } cases[] = {
        {"@missing.obj -o @x.png", "missing.obj: cannot open"},
        {"@nan.obj -o @x.png", "nan.obj:1: "},
        {"@huge.obj -o @x.png", "huge.obj:4: "},
        {"@vast.obj -o @x.png", "is its unit metres?"},
        {"@point.obj -o @x.png", "is its unit metres?"},
        {"@what.xyz -o @x.png", "of no known kind"},
        {"@cut.bvh -o @x.png", "cut.bvh"},
        {"@cube.obj -o @no/such/folder/x.png", "no/such/folder/x.png"},
        {"@cube.obj -o @x.png --color-by @few.txt", "holds 2 numbers, but"},
        {"@cube.obj -o @x.png --color-by @missing.npy", "missing.npy: cannot open"},
    };
    for (const auto& c : cases) {
        const Outcome outcome = run(c.arguments);
        EXPECT_EQ(outcome.exit_code, 1) << c.arguments << "\n" << outcome.err;
        EXPECT_NE(outcome.err.find(c.expected), std::string::npos) << c.arguments << "\n"
                                                                   << outcome.err;
        EXPECT_EQ(outcome.out, "") << c.arguments;
        EXPECT_FALSE(std::filesystem::exists(path("x.png"))) << c.arguments;
    }
}

TEST_F(PictureVerb, HelpShowsExamples) {
    const Outcome outcome = run("--help");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("Examples:\n  hemline picture "), std::string::npos);
}

}  // namespace
}  // namespace hem
