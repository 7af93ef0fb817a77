// SPDX-License-Identifier: Apache-2.0
// The `hemline retarget` command as a user meets it: what it writes, what it prints, how it fails.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "hem/character/formats/bvh.h"
#include "hem/character/formats/character_import.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/core/files.h"
#include "tests/character/synthetic_walk.h"
#include "tests/shared_data.h"
#include "tests/temporary_folder.h"
#include "tests/tools/run_command.h"

namespace hem {
namespace {

class RetargetVerb : public testing::Test {
protected:
    void SetUp() override {
        Motion walk = syntheticWalk(mannequinSkeleton(Sex::kMale), 30, 3).motion;
        ASSERT_TRUE(saveBvh(folder_.path("walk.bvh"), walk));
        ASSERT_TRUE(saveBvh(folder_.path("stroll.bvh"), walk));
        for (Joint& joint : walk.skeleton.joints) joint.name = "bone_" + joint.name.substr(2);
        for (size_t j = 0; j < walk.skeleton.size(); ++j)
            walk.skeleton.joints[j].name += std::to_string(j);
        ASSERT_TRUE(saveBvh(folder_.path("odd.bvh"), walk));
    }

    // Runs `hemline retarget ARGUMENTS`; @ stands for the test's folder.
    Outcome run(const std::string& arguments) const {
        return runCommand(folder_.path(""), "retarget " + arguments);
    }

    TemporaryFolder folder_;
};

TEST_F(RetargetVerb, WritesABvhOnTheCharactersSkeleton) {
    const Outcome outcome = run("@walk.bvh --to female -o @her.bvh");
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto motion = loadBvh(folder_.path("her.bvh"), {.metres_per_unit = 1});
    ASSERT_TRUE(motion) << motion.error().message;
    EXPECT_EQ(motion->frames.size(), 91u);
    EXPECT_NEAR(motion->rate, 30, 1e-9);
    const Skeleton female = mannequinSkeleton(Sex::kFemale);
    const int shank = motion->skeleton.find("LeftFoot");
    ASSERT_GE(shank, 0);
    EXPECT_NEAR(length(motion->skeleton.joints[size_t(shank)].parent_from_rest.translation),
                length(female.joints[size_t(female.find("LeftFoot"))].parent_from_rest.translation),
                1e-4f);
}

TEST_F(RetargetVerb, WritesManyMotionsToAFolderOrIntoOneGlb) {
    EXPECT_EQ(run("@walk.bvh @stroll.bvh --to female --to male -o @all").exit_code, 0);
    const auto files = listFiles(folder_.path("all"), ".bvh");
    ASSERT_TRUE(files);
    EXPECT_EQ(files->size(), 4u);
    EXPECT_EQ(run("@walk.bvh @stroll.bvh --to female -o @both.glb").exit_code, 0);
    const auto character = loadCharacter(folder_.path("both.glb"));
    ASSERT_TRUE(character) << character.error().message;
    EXPECT_EQ(character->motions.size(), 2u);
    EXPECT_GT(character->mesh.positions.size(), 1000u);
}

TEST_F(RetargetVerb, ReportsFiguresWithoutWriting) {
    const Outcome table = run("@walk.bvh --to female --report");
    EXPECT_EQ(table.exit_code, 0) << table.err;
    EXPECT_NE(table.out.find("slide"), std::string::npos);
    EXPECT_NE(table.out.find("all clips"), std::string::npos);
    const Outcome outcome = run("@walk.bvh --to female --to male --report --json");
    EXPECT_EQ(outcome.exit_code, 0);
    const nlohmann::json json = nlohmann::json::parse(outcome.out);
    ASSERT_EQ(json["clips"].size(), 2u);
    EXPECT_EQ(json["totals"].size(), 3u);  // two characters, and all of them
    const nlohmann::json& walk = json["clips"][0];
    EXPECT_EQ(walk["frames"], 91);
    EXPECT_GT(walk["slide_cm"]["count"], 8);
    EXPECT_LT(walk["slide_cm"]["median"], 0.5);
    EXPECT_LT(walk["penetration_cm"], 1);
    EXPECT_LT(walk["limb_degrees"]["max"], 5);
    EXPECT_FALSE(std::filesystem::exists(folder_.path("walk_female.bvh")));
}

TEST_F(RetargetVerb, TakesAMappingFileForNamesItDoesNotKnow) {
    const Outcome unknown = run("@odd.bvh --to female -o @odd_female.bvh");
    EXPECT_EQ(unknown.exit_code, 1);
    EXPECT_NE(unknown.err.find("mapping file"), std::string::npos) << unknown.err;
    const Motion odd = *loadBvh(folder_.path("odd.bvh"));
    const Skeleton known = loadBvh(folder_.path("walk.bvh"))->skeleton;
    const Humanoid humanoid = *recognise(known);
    nlohmann::json mapping;
    for (int b = 0; b < kBoneCount; ++b)
        mapping[nameOf(Bone(b))] = odd.skeleton.joints[size_t(humanoid[Bone(b)])].name;
    std::ofstream(folder_.path("odd.json")) << mapping;
    const Outcome mapped = run("@odd.bvh --mapping @odd.json --to female -o @odd_female.bvh");
    EXPECT_EQ(mapped.exit_code, 0) << mapped.err;
    mapping["Tail"] = "x";
    std::ofstream(folder_.path("bad.json")) << mapping;
    const Outcome bad = run("@odd.bvh --mapping @bad.json --to female -o @odd_female.bvh");
    EXPECT_EQ(bad.exit_code, 1);
    EXPECT_NE(bad.err.find("bad.json: 'Tail' is not a bone"), std::string::npos) << bad.err;
}

TEST_F(RetargetVerb, ToldWrongExitsWithTwoAndFailingWithOne) {
    EXPECT_EQ(run("@walk.bvh --to female").exit_code, 2);  // nothing to do
    EXPECT_EQ(run("@walk.bvh -o @x.bvh").exit_code, 2);    // no character
    EXPECT_EQ(run("@walk.bvh @stroll.bvh --to female -o @x.bvh").exit_code, 2);
    EXPECT_EQ(run("@walk.bvh --to female --to male -o @x.glb").exit_code, 2);
    const Outcome missing = run("@gone.bvh --to female -o @x.bvh");
    EXPECT_EQ(missing.exit_code, 1);
    EXPECT_NE(missing.err.find("gone.bvh"), std::string::npos);
    EXPECT_EQ(run("@walk.bvh --to nobody.glb -o @x.bvh").exit_code, 1);
    EXPECT_FALSE(std::filesystem::exists(folder_.path("x.bvh")));
}

// All 70 clips of five sets on five characters: the bars of docs/retarget.md.
TEST_F(RetargetVerb, SlowMeetsItsBarsOnAllClipsAndCharacters) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    std::string arguments = "--report --json --to female --to male";
    for (const char* set : {"train", "test", "atomic", "novel", "graph"})
        arguments += " " + sharedData() + "/mocap/" + set;
    for (const char* file : {"makehuman_female/female_cmu_mb", "makehuman_male/male_cmu_mb",
                             "male_base_mesh/male_base_mesh"})
        arguments += " --to " + sharedData() + "/characters/" + file + ".glb";
    const Outcome outcome = run(arguments);
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const nlohmann::json json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["clips"].size(), 350u);
    for (const nlohmann::json& total : json["totals"]) {
        const std::string who = total["character"];
        EXPECT_LT(total["slide_cm"]["median"], 1.5) << who;
        EXPECT_LT(total["penetration_cm"], 1) << who;
        EXPECT_LT(total["limb_degrees"]["max"], 5) << who;
        EXPECT_LT(total["floating_cm"]["p95"], 0.1) << who;
    }
    for (const nlohmann::json& clip : json["clips"]) {
        const std::string what =
            std::string(clip["clip"]) + " on " + std::string(clip["character"]);
        EXPECT_LT(clip["slide_cm"]["median"], 0.5) << what;
        EXPECT_LT(clip["penetration_cm"], 1) << what;
        EXPECT_LT(clip["body_penetration_cm"], 1) << what;
        EXPECT_LT(clip["limb_degrees"]["max"], 5) << what;
        EXPECT_LT(clip["arm_degrees"]["max"], 0.01) << what;
        EXPECT_LT(clip["floating_cm"]["p95"], 2.5) << what;
    }
}

}  // namespace
}  // namespace hem
