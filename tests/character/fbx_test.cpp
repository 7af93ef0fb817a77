// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hem/character/formats/character_import.h"
#include "hem/core/files.h"
#include "tests/character/box.h"
#include "tests/character/fbx_binary.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

std::string joined(const std::vector<std::string>& notes) {
    std::string all;
    for (const std::string& note : notes) all += note + "\n";
    return all;
}

TEST(Fbx, BoxComesOutAsComputedByHand) {
    const TemporaryFolder folder;
    ASSERT_TRUE(writeFile(folder.path("box.fbx"), boxAsFbx()));
    const auto box = loadCharacter(folder.path("box.fbx"));
    ASSERT_TRUE(box) << box.error().message;
    expectTheBox(*box);
    EXPECT_NE(joined(box->notes).find("Scaled by 0.01"), std::string::npos);
    EXPECT_NE(joined(box->notes).find("up axis, Z"), std::string::npos);
}

TEST(Fbx, UnitIsTheFilesOwn) {
    const TemporaryFolder folder;
    for (double unit : {100.0, 2.54}) {
        ASSERT_TRUE(writeFile(folder.path("box.fbx"), boxAsFbx(unit)));
        const auto box = loadCharacter(folder.path("box.fbx"));
        ASSERT_TRUE(box) << box.error().message;
        expectTheBox(*box);
    }
}

TEST(Fbx, KeepPoseLeavesTheAxes) {
    const TemporaryFolder folder;
    ASSERT_TRUE(writeFile(folder.path("box.fbx"), boxAsFbx()));
    const auto box = loadCharacter(folder.path("box.fbx"), {.keep_pose = true});
    ASSERT_TRUE(box) << box.error().message;
    EXPECT_NEAR(boundsOf(box->mesh.positions).size().z, 1.6, 1e-5);
}

TEST(Fbx, BinaryFormGivesTheSameAsText) {
    const TemporaryFolder folder;
    ASSERT_TRUE(writeFile(folder.path("box.fbx"), FbxBinary::from(boxAsFbx())));
    const auto box = loadCharacter(folder.path("box.fbx"));
    ASSERT_TRUE(box) << box.error().message;
    expectTheBox(*box);
}

std::string replaced(std::string text, const std::string& old, const std::string& with) {
    const size_t at = text.find(old);
    EXPECT_NE(at, text.npos) << old;
    return text.replace(at, old.size(), with);
}

// Maya's and Mixamo's joints carry their rest rotation as PreRotation, on which the keys stand.
TEST(Fbx, KeysTurnAboutTheAxesOfPreRotation) {
    std::string text =
        replaced(boxAsFbx(), "\"A\",0,0,80",
                 "\"A\",0,0,80\n\t\t\tP: \"RotationActive\", \"bool\", \"\", \"\",1\n"
                 "\t\t\tP: \"PreRotation\", \"Vector3D\", \"Vector\", \"\",0,0,90");
    text =
        replaced(text, "1,0,0,0,0,1,0,0,0,0,1,0,0,0,-80,1", "0,-1,0,0,1,0,0,0,0,0,1,0,0,0,-80,1");
    text = replaced(text, "1,0,0,0,0,1,0,0,0,0,1,0,0,0,80,1", "0,1,0,0,-1,0,0,0,0,0,1,0,0,0,80,1");
    const TemporaryFolder folder;
    ASSERT_TRUE(writeFile(folder.path("box.fbx"), text));
    const auto box = loadCharacter(folder.path("box.fbx"));
    ASSERT_TRUE(box) << box.error().message;
    const auto still = posedVertices(*box, box->motions[0].frames[0]);
    const auto bent = posedVertices(*box, box->motions[0].frames[30]);
    for (size_t v = 0; v < still.size(); ++v) {
        const Vec3 p = box->mesh.positions[v];
        EXPECT_TRUE(near(still[v], p)) << v;
        // the joint's x axis is the file's y, our -z: (x, 0.8 + h, z) goes to (h, 0.8 - x, z)
        if (p.y < 1.2f) continue;
        EXPECT_TRUE(near(bent[v], {p.y - 0.8f, 0.8f - p.x, p.z})) << v;
    }
}

TEST(Fbx, NamesTheFileThatIsNotOne) {
    const TemporaryFolder folder;
    ASSERT_TRUE(writeFile(folder.path("not.fbx"), "This is no FBX file at all."));
    const auto box = loadCharacter(folder.path("not.fbx"));
    ASSERT_FALSE(box);
    EXPECT_TRUE(box.error().message.starts_with(folder.path("not.fbx"))) << box.error().message;
    const auto missing = loadCharacter(folder.path("missing.fbx"));
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("missing.fbx"), std::string::npos);
    const auto other = loadCharacter(folder.path("body.dae"));
    ASSERT_FALSE(other);
    EXPECT_NE(other.error().message.find(".glb, .gltf, .vrm and .fbx"), std::string::npos);
}

}  // namespace
}  // namespace hem
