// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/scene_file.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hem/character/formats/bvh.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/motion_sets.h"
#include "hem/core/files.h"
#include "hem/core/random.h"
#include "hem/garment/made_to_measure.h"
#include "hem/recording/scene_clips.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

constexpr const char* kGarment = "[[garment]]\nkind = \"dress\"\n";

TEST(SceneFile, EverythingThatItSaysIsDone) {
    const auto file = parseScene(
        "character = \"male\"\n"
        "clips = [\"atomic\", \"extra_0007_mirrored\"]\n"
        "rate = 24\nstops = 5\nstop_seconds = 2.5\nsimulator = \"blender\"\nsubsteps = 12\n"
        "gravity = [0, -1.62, 0]\nwind = { velocity = [2, 0, 0.5], gusts = 0.3, seed = 9 }\n"
        "arms_pass = true\n"
        "[[garment]]\nkind = \"skirt\"\nvertices = 400\nfabric = \"silk\"\n"
        "[[garment]]\nkind = \"dress\"\nname = \"gown\"\n"
        "fabric = { base = \"denim\", density = 0.4, bend = 3e-5 }\n",
        "scene.toml");
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->scene.character.name, mannequin(Sex::kMale).name);
    EXPECT_EQ(file->scene.rate, 24);
    EXPECT_EQ(file->stops, 5);
    EXPECT_EQ(file->stop_seconds, 2.5);
    EXPECT_EQ(file->simulator, "blender");
    EXPECT_EQ(file->scene.substeps, 12);
    EXPECT_EQ(file->scene.gravity, (Vec3{0, -1.62f, 0}));
    EXPECT_EQ(file->scene.wind.velocity, (Vec3{2, 0, 0.5f}));
    EXPECT_EQ(file->scene.wind.seed, 9u);
    EXPECT_TRUE(file->scene.arms_pass);
    ASSERT_EQ(file->scene.garments.size(), 2u);
    EXPECT_NEAR(double(file->scene.garments[0].mesh.positions.size()), 400, 8);
    EXPECT_EQ(file->scene.garments[0].fabric, *findFabric("silk"));
    EXPECT_EQ(file->scene.garments[1].name, "gown");
    EXPECT_EQ(file->scene.garments[1].fabric.density, 0.4f);
    EXPECT_EQ(file->scene.garments[1].fabric.bend, 3e-5f);
    EXPECT_EQ(file->scene.garments[1].fabric.shear, findFabric("denim")->shear);
    ASSERT_EQ(file->motions.size(), 3u);
    EXPECT_EQ(file->motions[0].name, (*motionSet("atomic"))[0].name);
    EXPECT_EQ(file->motions[2].name, "extra_0007_mirrored");
    for (const Motion& motion : file->motions) {
        EXPECT_EQ(motion.rate, 24);
        EXPECT_TRUE(motion.skeleton == file->scene.character.skeleton);
    }
}

TEST(SceneFile, FaultsNameFileLineKeyAndCure) {
    const struct {
        const char *text, *expected;
    } cases[] = {
        {"rate = \n", "scene.toml:1: "},
        {"rate = \"fast\"\n", "scene.toml:1: rate: a number from 1 to 1000"},
        {"\n\nrate = 0\n", "scene.toml:3: rate: "},
        {"rate = nan\n", "rate: a number"},
        {"stops = 2.5\n", "stops: a whole number"},
        {"stops = -1\n", "stops: a whole number"},
        {"variations = 1001\nclips = \"atomic_walk\"\n[[garment]]\nkind = \"dress\"\n",
         "variations: a whole number"},
        {"raet = 30\n", "scene.toml:1: 'raet': no such key; did you mean 'rate'"},
        {"gravity = 9.81\n", "gravity: three numbers"},
        {"gravity = [0, 1]\n", "gravity: three numbers"},
        {"wind = 3\n", "wind: a table"},
        {"arms_pass = 1\n", "arms_pass: true or false"},
        {"wind = { gusts = 2 }\n", "wind.gusts: a number from 0 to 1"},
        {"wind = { velocty = [1, 0, 0] }\n",
         "wind.'velocty': no such key; did you mean 'velocity'"},
        {"simulator = \"arcsim\"\n", "simulator: \"hemline\" or \"blender\""},
        {"character = 7\n", "character: a text"},
        {"character = \"femael\"\n", "scene.toml:1: character: "},
        {"character = \"no.glb\"\n", "no.glb"},
        {"clips = [\"atomic\"]\n", "garment: a scene has one garment"},
        {"garment = 3\n", "garment: a scene has one garment"},
        {"[[garment]]\n", "either kind"},
        {"[[garment]]\nkind = \"dress\"\nfile = \"a.obj\"\n", "either kind"},
        {"[[garment]]\nkind = \"dres\"\n", "scene.toml:2: garment.kind: "},
        {"[[garment]]\nkind = \"dress\"\nfabric = \"coton\"\n", "scene.toml:3: garment.fabric: "},
        {"[[garment]]\nkind = \"dress\"\nfabric = { base = \"silk\", desity = 1 }\n",
         "did you mean 'density'"},
        {"[[garment]]\nkind = \"dress\"\nfabric = { density = -1 }\n", "density: a number"},
        {"[[garment]]\nkind = \"dress\"\npins = { groups = [\"a\"] }\n", "pins of their own"},
        {"[[garment]]\nfile = \"a.obj\"\nvertices = 5\n", "the vertices that it has"},
        {"[[garment]]\nkind = \"skirt\"\n[[garment]]\nkind = \"skirt\"\n", "name of its own"},
        {"[[garment]]\nkind = \"dress\"\ncolour = 1\n", "'colour': no such key"},
        {"[[garment]]\nkind = \"dress\"\n", "clips: which motions"},
        {"clips = [\"trian\"]\n[[garment]]\nkind = \"dress\"\n",
         "scene.toml:1: clips: 'trian' is no set, clip or file"},
        {"clips = [\"no.bvh\"]\n[[garment]]\nkind = \"dress\"\n", "no.bvh: there is no such file"},
        {"clips = [\"no*.bvh\"]\n[[garment]]\nkind = \"dress\"\n", "no .bvh"},
        {"clips = \"atomic_walk\"\nstops = 1000\n[[garment]]\nkind = \"dress\"\n",
         "scene.toml:2: stops: 1000 stops do not fit"},
        {"clips = []\n[[garment]]\nkind = \"dress\"\n", "one text or more"},
        {"clips = [1]\n[[garment]]\nkind = \"dress\"\n", "texts were expected"},
        {"clips = [\"train\", \"train_02_walk_normal\"]\n[[garment]]\nkind = \"dress\"\n",
         "would both be the clip 'train_02_walk_normal'"},
    };
    for (const auto& c : cases) {
        const auto file = parseScene(c.text, "scene.toml");
        ASSERT_FALSE(file) << c.text;
        EXPECT_TRUE(file.error().message.starts_with("scene.toml:")) << file.error().message;
        EXPECT_NE(file.error().message.find(c.expected), std::string::npos)
            << c.text << file.error().message;
    }
}

TEST(SceneFile, FilesAndGlobsAreFoundBesideTheSceneFile) {
    const TemporaryFolder folder;
    const Motion motion = *makeMotion("train_02_walk_normal", mannequinSkeleton(Sex::kFemale));
    ASSERT_TRUE(makeFolders(folder.path("mocap")));
    for (const char* name : {"a 1.bvh", "b.bvh", "c.bvh"})
        ASSERT_TRUE(saveBvh(folder.path(std::string("mocap/") + name), slice(motion, 0, 121)));
    const Character body = mannequin(Sex::kFemale);
    const auto sources = resolveClips({"mocap/[ab]*.bvh", "mocap/c.bvh"}, folder.path(""), body);
    ASSERT_TRUE(sources) << sources.error().message;
    const auto motions = loadClips(withMirrored(*sources), body, 30);
    ASSERT_TRUE(motions) << motions.error().message;
    std::vector<std::string> names;
    for (const Motion& m : *motions) {
        names.push_back(m.name);
        EXPECT_EQ(m.frames.size(), 31u);
        EXPECT_TRUE(m.skeleton == body.skeleton);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"a_1", "b", "c", "a_1_mirrored", "b_mirrored",
                                               "c_mirrored"}));
}

TEST(SceneFile, EveryClipAlsoVariedSoManyTimes) {
    const std::string head = "clips = [\"train_02_walk_normal\"]\nmirror = true\n";
    const auto plain = parseScene(head + kGarment, "scene.toml");
    const auto file = parseScene(head + "variations = 2\n" + kGarment, "scene.toml");
    ASSERT_TRUE(plain) << plain.error().message;
    ASSERT_TRUE(file) << file.error().message;
    std::vector<std::string> names;
    for (const Motion& motion : file->motions) names.push_back(motion.name);
    const std::string walk = "train_02_walk_normal", twin = walk + "_mirrored";
    EXPECT_EQ(names, (std::vector<std::string>{walk, twin, walk + "_varied1", walk + "_varied2",
                                               twin + "_varied1", twin + "_varied2"}));
    for (size_t i = 0; i < 2; ++i)
        EXPECT_TRUE(file->motions[i].frames.back().rotations ==
                    plain->motions[i].frames.back().rotations);
    for (size_t i = 2; i < 6; ++i) {
        EXPECT_TRUE(file->motions[i].skeleton == file->scene.character.skeleton);
        EXPECT_FALSE(file->motions[i].frames[0].rotations ==
                     file->motions[i % 2].frames[0].rotations);
    }
}

TEST(SceneFile, AGarmentOfTheUsersOwnIsPinnedAsTheFileSays) {
    const TemporaryFolder folder;
    const auto skirt = makeGarment(mannequin(Sex::kFemale), "skirt", {.vertices = 300});
    ASSERT_TRUE(skirt) << skirt.error().message;
    ASSERT_TRUE(saveGarmentObj(folder.path("mine.obj"), *skirt));
    const std::string head = "clips = \"atomic_walk\"\n[[garment]]\nfile = \"mine.obj\"\n";
    const auto file = parseScene(
        head + "pins = { near_joints = [\"Hips\", \"LowerBack\"], near_distance = 0.03 }\n",
        folder.path("scene.toml"));
    ASSERT_TRUE(file) << file.error().message;
    const Garment& garment = file->scene.garments.at(0);
    EXPECT_EQ(garment.mesh.positions.size(), skirt->mesh.positions.size());
    EXPECT_GT(std::count(garment.pins.begin(), garment.pins.end(), 1.0f), 5);
    const auto wrong =
        parseScene(head + "pins = { near_joints = [\"Hisp\"] }\n", folder.path("scene.toml"));
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().message.find("scene.toml:3: garment.file: "), std::string::npos)
        << wrong.error().message;
}

TEST(SceneFile, TheCommandLineOverridesClipsAndStops) {
    const auto file = parseScene(std::string("clips = \"train\"\nstops = 5\n") + kGarment, "s.toml",
                                 {.clips = {"atomic"}, .stops = 1, .simulator = "blender"});
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->motions.size(), motionSet("atomic")->size());
    EXPECT_EQ(file->stops, 1);
    EXPECT_EQ(file->simulator, "blender");
}

TEST(SceneFile, LettersBeyondAsciiBelongInQuotes) {
    for (const char* text : {"rate = 30\nk\u00e4se = 1\n", "rate = 30\nrate = \u00e4\n",
                             "# '\nname = \"\"\"\\\n\u00e4\"\"\"\n"}) {
        const auto file = parseScene(text, "scene.toml");
        ASSERT_FALSE(file);
        EXPECT_TRUE(file.error().message.starts_with("scene.toml:")) << file.error().message;
        EXPECT_NE(file.error().message.find("ASCII"), std::string::npos) << file.error().message;
    }
    const auto quoted =
        parseScene("# \u00e4\nclips = '\u00e4\"'\ncharacter = \"\\\"\u00e4\"\n", "scene.toml");
    ASSERT_FALSE(quoted);
    EXPECT_NE(quoted.error().message.find("character"), std::string::npos)
        << quoted.error().message;
}

TEST(SceneFile, DamagedFilesNeverCrash) {
    const std::string good =
        "rate = 30\nwind = { velocity = [2, 0, 0.5], gusts = 0.3 }\ncharacter = 3\n";
    Random random(4);
    for (int round = 0; round < 3000; ++round) {
        std::string text = good;
        for (int k = random.integer(1, 5); k > 0; --k)
            text[size_t(random.integer(0, int(text.size()) - 15))] = char(random.bits());
        EXPECT_FALSE(parseScene(text, "scene.toml"));
    }
}

TEST(SceneFile, TheExamplesSayWhatTheirNamesSay) {
    const auto text = readTextFile("examples/scenes/dress_train_test.toml");
    ASSERT_TRUE(text) << text.error().message;
    const auto file = loadScene("examples/scenes/dress_train_test.toml", {.clips = {"atomic"}});
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ(file->stops, 5);
    EXPECT_NEAR(double(file->scene.garments[0].mesh.positions.size()), 766, 15);
    const auto demo = loadScene("examples/scenes/demo.toml");
    ASSERT_TRUE(demo) << demo.error().message;
    EXPECT_EQ(demo->motions.size(), 39u);
    EXPECT_EQ(demo->stops, 1);
}

}  // namespace
}  // namespace hem
