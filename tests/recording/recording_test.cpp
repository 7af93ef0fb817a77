// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/recording.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "hem/core/files.h"
#include "hem/recording/clip_writer.h"
#include "hem/recording/set_files.h"
#include "tests/numpy.h"
#include "tests/recording/toy_scene.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

TEST(Recording, ASetGivesBackTheSceneItWasMadeWith) {
    const TemporaryFolder folder;
    const ClothScene scene = toyScene();
    ASSERT_TRUE(RecordingSet::create(folder.path("set"), scene, "rate = 30\n"));
    const auto set = RecordingSet::open(folder.path("set"));
    ASSERT_TRUE(set) << set.error().message;
    const ClothScene& back = set->scene();
    EXPECT_EQ(back.character.name, scene.character.name);
    EXPECT_TRUE(back.character.skeleton == scene.character.skeleton);
    EXPECT_EQ(back.character.mesh.positions, scene.character.mesh.positions);
    EXPECT_EQ(back.character.mesh.triangles, scene.character.mesh.triangles);
    EXPECT_EQ(back.character.skin.influences, scene.character.skin.influences);
    EXPECT_EQ(back.character.skin.joints, scene.character.skin.joints);
    EXPECT_EQ(back.character.skin.weights, scene.character.skin.weights);
    ASSERT_EQ(back.garments.size(), 2u);
    for (size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(back.garments[i].name, scene.garments[i].name);
        EXPECT_EQ(back.garments[i].mesh.positions, scene.garments[i].mesh.positions);
        EXPECT_EQ(back.garments[i].mesh.triangles, scene.garments[i].mesh.triangles);
        EXPECT_EQ(back.garments[i].corner_uvs, scene.garments[i].corner_uvs);
        EXPECT_EQ(back.garments[i].pins, scene.garments[i].pins);
        EXPECT_EQ(back.garments[i].fabric, scene.garments[i].fabric);
    }
    EXPECT_EQ(back.wind.velocity, scene.wind.velocity);
    EXPECT_EQ(back.wind.gusts, scene.wind.gusts);
    EXPECT_EQ(back.wind.seed, scene.wind.seed);
    EXPECT_EQ(back.gravity, scene.gravity);
    // and so do the files made of it: nothing that decides a bit is lost
    const auto files = filesOf(scene), again = filesOf(back);
    ASSERT_EQ(files.size(), again.size());
    for (size_t i = 0; i < files.size(); ++i)
        EXPECT_EQ(files[i].bytes, again[i].bytes) << files[i].name;
}

TEST(Recording, ThatArmsPassIsKept) {
    const TemporaryFolder folder;
    ClothScene scene = toyScene();
    scene.arms_pass = true;
    ASSERT_TRUE(RecordingSet::create(folder.path("set"), scene, ""));
    const auto set = RecordingSet::open(folder.path("set"));
    ASSERT_TRUE(set) << set.error().message;
    EXPECT_TRUE(set->scene().arms_pass);
}

TEST(Recording, AClipComesBackBitForBit) {
    const TemporaryFolder folder;
    const auto set = RecordingSet::create(folder.path("set"), toyScene(), "");
    ASSERT_TRUE(set) << set.error().message;
    const RecordedClip clip = toyClip("walk", 12);
    const Status added = set->add(clip);
    ASSERT_TRUE(added) << added.error().message;
    const auto back = set->clip("walk");
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(back->frames(), 12u);
    EXPECT_EQ(back->vertices(), clip.states[0].positions.size());
    EXPECT_EQ(back->meta().simulator, "toy");
    EXPECT_EQ(back->meta().motion, "made up");
    for (size_t i = 0; i < 12; ++i) {
        EXPECT_EQ(back->state(i), clip.states[i]) << i;
        EXPECT_EQ(back->pose(i).root_position, clip.poses[i].root_position);
        EXPECT_EQ(back->pose(i).rotations, clip.poses[i].rotations);
        // the toy turns by a tenth of a radian a frame
        EXPECT_NEAR(back->root(i).heading - back->root(0).heading, 0.1f * float(i), 1e-3f);
        const Affine hips = back->jointMatrices(i)[0];
        const Vec3 at_rest = toyScene().character.skeleton.joints[0].parent_from_rest.translation;
        EXPECT_LT(distance(transformPoint(hips, at_rest), clip.poses[i].root_position), 1e-5f);
    }
    EXPECT_TRUE(back->verify());
}

TEST(Recording, ClipNamesAreSortedWithStopsAfterTheirClips) {
    const TemporaryFolder folder;
    const auto set = RecordingSet::create(folder.path("set"), toyScene(), "");
    for (const char* name : {"walk.stop10", "walk-fast", "walk.stop2", "walk", "a"})
        ASSERT_TRUE(set->add(toyClip(name, 2)));
    EXPECT_EQ(set->clipNames(),
              (std::vector<std::string>{"a", "walk", "walk.stop2", "walk.stop10", "walk-fast"}));
    EXPECT_TRUE(set->has("walk"));
    EXPECT_FALSE(set->has("run"));
    EXPECT_FALSE(set->clip("run"));
}

TEST(Recording, AddingAgainReplacesTheClip) {
    const TemporaryFolder folder;
    const auto set = RecordingSet::create(folder.path("set"), toyScene(), "");
    ASSERT_TRUE(set->add(toyClip("walk", 5)));
    ASSERT_TRUE(set->add(toyClip("walk", 7)));
    EXPECT_EQ(set->clip("walk")->frames(), 7u);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path("set/clips")), {}), 1);
}

TEST(Recording, TheSameSceneOpensTheSetAndAnotherIsRefusedByName) {
    const TemporaryFolder folder;
    const ClothScene scene = toyScene();
    {
        const auto set = RecordingSet::create(folder.path("set"), scene, "one");
        ASSERT_TRUE(set->add(toyClip("walk", 3)));
        const auto second = RecordingSet::create(folder.path("set"), scene, "");
        ASSERT_FALSE(second);
        EXPECT_NE(second.error().message.find("another process"), std::string::npos);
    }
    const auto again = RecordingSet::create(folder.path("set"), scene, "two");
    ASSERT_TRUE(again) << again.error().message;
    EXPECT_EQ(again->clipNames().size(), 1u);
    EXPECT_EQ(*readTextFile(folder.path("set/scene.toml")), "two");
}

TEST(Recording, AnotherSceneIsRefusedAndTheMessageNamesWhatDiffers) {
    const TemporaryFolder folder;
    ASSERT_TRUE(RecordingSet::create(folder.path("set"), toyScene(), ""));
    const struct {
        std::function<void(ClothScene&)> change;
        const char* expected;
    } cases[] = {
        {[](ClothScene& s) { s.rate = 60; }, "rate is 30"},
        {[](ClothScene& s) { s.garments[1].fabric.density = 0.5f; },
         "garments/1/fabric/density is 0.31, now it is 0.5"},
        {[](ClothScene& s) { s.garments[0].mesh.positions[3].x += 1e-6f; },
         "garment/positions.npy"},
        {[](ClothScene& s) { s.character.mesh.positions[3].x += 1e-6f; }, "body/positions.npy"},
        {[](ClothScene& s) {
             s.wind.velocity = {0, 0, 3};
         },
         "wind/velocity"},
        {[](ClothScene& s) { s.arms_pass = true; }, "arms_pass is not there, now it is true"},
        {[](ClothScene& s) { s.garments.pop_back(); }, "garment"},
    };
    for (const auto& c : cases) {
        ClothScene other = toyScene();
        c.change(other);
        const auto set = RecordingSet::create(folder.path("set"), other, "");
        ASSERT_FALSE(set) << c.expected;
        EXPECT_NE(set.error().message.find(c.expected), std::string::npos) << set.error().message;
        EXPECT_NE(set.error().message.find("another scene"), std::string::npos);
    }
}

TEST(Recording, WhatAKilledProcessLeftIsRemoved) {
    const TemporaryFolder folder;
    ASSERT_TRUE(RecordingSet::create(folder.path("set"), toyScene(), ""));
    fs::create_directories(folder.path("set/clips/.walk.part"));
    ASSERT_TRUE(writeFile(folder.path("set/clips/.walk.part/positions.npy"), "half"));
    ASSERT_TRUE(writeFile(folder.path("set/body/positions.npy.Xa1b2c.part"), "half"));
    ASSERT_TRUE(writeFile(folder.path("set/notes.txt"), "the user's own"));
    ASSERT_TRUE(RecordingSet::create(folder.path("set"), toyScene(), ""));
    EXPECT_FALSE(fs::exists(folder.path("set/clips/.walk.part")));
    EXPECT_FALSE(fs::exists(folder.path("set/body/positions.npy.Xa1b2c.part")));
    EXPECT_TRUE(fs::exists(folder.path("set/notes.txt")));
}

TEST(Recording, AWriterThatIsGivenUpLeavesNothing) {
    const TemporaryFolder folder;
    const auto set = RecordingSet::create(folder.path("set"), toyScene(), "");
    const RecordedClip clip = toyClip("walk", 4);
    {
        auto writer = ClipWriter::start(*set, clip.meta, clip.poses, std::vector<Root>(4));
        ASSERT_TRUE(writer);
        ASSERT_TRUE(writer->append(clip.states[0]));
        EXPECT_FALSE(set->has("walk"));
        EXPECT_TRUE(set->clipNames().empty());
    }
    EXPECT_TRUE(fs::is_empty(folder.path("set/clips")));
}

TEST(Recording, StatesThatAreNotFiniteAreRefusedByFrameAndVertex) {
    const TemporaryFolder folder;
    const auto set = RecordingSet::create(folder.path("set"), toyScene(), "");
    RecordedClip clip = toyClip("walk", 4);
    clip.states[2].velocities[7].y = std::numeric_limits<float>::infinity();
    const Status added = set->add(clip);
    ASSERT_FALSE(added);
    EXPECT_NE(added.error().message.find("walk, frame 2: vertex 7"), std::string::npos)
        << added.error().message;
    EXPECT_FALSE(set->has("walk"));
}

TEST(Recording, NamesThatAreNoFoldersAreRefused) {
    for (const char* bad : {"", ".hidden", "a/b", "..", "a b", "\xc3\xa4"})
        EXPECT_FALSE(isClipName(bad)) << bad;
    for (const char* good : {"walk", "walk.stop3", "a-b_c+1.2"})
        EXPECT_TRUE(isClipName(good)) << good;
    EXPECT_EQ(setFolderOf("recordings/dress/clips/walk"), "recordings/dress");
    EXPECT_EQ(setFolderOf("/r/clips/walk/"), "/r");
    EXPECT_EQ(setFolderOf("clips/walk"), ".");
}

TEST(Recording, OneLineOfNumPyOpensAClip) {
    HEM_SKIP_WITHOUT_NUMPY();
    const TemporaryFolder folder;
    const auto set = RecordingSet::create(folder.path("set"), toyScene(), "");
    const RecordedClip clip = toyClip("walk", 6);
    ASSERT_TRUE(set->add(clip));
    const std::string program =
        "import numpy as np, sys\n"
        "c = sys.argv[1] + '/clips/walk/'\n"
        "p = np.load(c + 'positions.npy', mmap_mode='r'); v = np.load(c + 'velocities.npy')\n"
        "assert p.shape == v.shape == (6, 50, 3) and p.dtype == np.float32, p.shape\n"
        "j = np.load(c + 'joints.npy'); assert j.shape[2:] == (3, 4)\n"
        "w = np.load(sys.argv[1] + '/body/skin_weights.npy')\n"
        "k = np.load(sys.argv[1] + '/body/skin_joints.npy')\n"
        "x = np.load(sys.argv[1] + '/body/positions.npy')\n"
        "body = np.einsum('vi,vikl,vl->vk', w, j[5][k], np.c_[x, np.ones(len(x))])\n"
        "print(repr(float(p[5, 3, 0])), repr(float(body[2, 1])))\n";
    ASSERT_TRUE(writeFile(folder.path("check.py"), program));
    const std::string command = pythonWithNumPy() + " " + folder.path("check.py") + " " +
                                folder.path("set") + " > " + folder.path("out");
    ASSERT_EQ(std::system(command.c_str()), 0);
    double cloth = 0, body = 0;
    ASSERT_EQ(std::sscanf(readTextFile(folder.path("out"))->c_str(), "%lf %lf", &cloth, &body), 2);
    EXPECT_EQ(float(cloth), clip.states[5].positions[3].x);
    EXPECT_NEAR(body, posedVertices(set->scene().character, clip.poses[5])[2].y, 1e-6);
}

}  // namespace
}  // namespace hem
