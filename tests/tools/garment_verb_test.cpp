// SPDX-License-Identifier: Apache-2.0
// The `hemline garment` command as a user meets it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/core/mesh.h"
#include "hem/picture/image.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_command.h"

namespace hem {
namespace {

class GarmentVerb : public testing::Test {
protected:
    // Runs `hemline garment ARGUMENTS`; @ stands for the test's folder.
    Outcome run(const std::string& arguments) const {
        return runCommand(folder_.path(""), "garment " + arguments);
    }

    TemporaryFolder folder_;
};

TEST_F(GarmentVerb, ListsGarmentsAndFabrics) {
    const Outcome text = run("");
    EXPECT_EQ(text.exit_code, 0);
    EXPECT_NE(text.out.find("evening_dress"), std::string::npos);
    const auto list = nlohmann::json::parse(run("--json").out);
    EXPECT_EQ(list["garments"].size(), 14u);
    EXPECT_EQ(list["fabrics"].size(), 6u);
}

TEST_F(GarmentVerb, MakesAnObjAndJudgesItAgain) {
    const Outcome made = run("skirt --vertices 500 --fabric silk --json -o @skirt.obj");
    ASSERT_EQ(made.exit_code, 0) << made.err;
    const auto document = nlohmann::json::parse(made.out);
    EXPECT_NEAR(document["vertices"].get<double>(), 500, 10);
    EXPECT_EQ(document["fabric"], "silk");
    const auto mesh = loadObj(folder_.path("skirt.obj"));
    ASSERT_TRUE(mesh) << mesh.error().message;
    EXPECT_EQ(mesh->positions.size(), document["vertices"].get<size_t>());
    const Outcome judged = run("@skirt.obj --pin-near LowerBack,Spine --pin-distance 0.015 --json");
    ASSERT_EQ(judged.exit_code, 0) << judged.err;
    const auto again = nlohmann::json::parse(judged.out);
    EXPECT_NEAR(again["area_m2"].get<double>(), document["area_m2"].get<double>(), 1e-5);
    EXPECT_NEAR(again["uv_stretch"].get<double>(), document["uv_stretch"].get<double>(), 0.02);
    EXPECT_GT(again["pinned_vertices"].get<int>(), 5);
}

TEST_F(GarmentVerb, DrawsAPicture) {
    const Outcome outcome = run("skirt --vertices 300 -o @skirt.png");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto picture = loadPng(folder_.path("skirt.png"));
    ASSERT_TRUE(picture) << picture.error().message;
    EXPECT_GT(picture->width, 1000);
}

TEST_F(GarmentVerb, FailsWithAReason) {
    const Outcome unknown = run("skrt");
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_NE(unknown.err.find("there are skirt"), std::string::npos) << unknown.err;
    EXPECT_EQ(run("all -o @x.obj").exit_code, 2);
    EXPECT_EQ(run("dress --on @none.glb").exit_code, 1);
    EXPECT_EQ(run("dress --sleeves 3").exit_code, 2);
    EXPECT_EQ(run("dress -o @dress.xyz").exit_code, 2);
    EXPECT_EQ(run("dress --vertices -5").exit_code, 2);
    EXPECT_EQ(run("dress --fabric slk").exit_code, 2);
    EXPECT_EQ(run("dress --pin-near Hips").exit_code, 2);
    EXPECT_EQ(run("dress.obj --vertices 5").exit_code, 2);
}

TEST_F(GarmentVerb, RemarksOnAGarmentThatNothingHolds) {
    const Outcome made = run("skirt --vertices 300 -o @skirt.obj");
    ASSERT_EQ(made.exit_code, 0) << made.err;
    EXPECT_NE(made.out.find("skirt.obj"), std::string::npos) << made.out;
    EXPECT_EQ(made.err, "");
    EXPECT_NE(run("@skirt.obj").err.find("nothing holds it"), std::string::npos);
    EXPECT_EQ(run("@skirt.obj --quiet").err, "");
    EXPECT_EQ(run("@skirt.obj --pin-near Hips,LowerBack --pin-distance 0.03").err, "");
}

}  // namespace
}  // namespace hem
