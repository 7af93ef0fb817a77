// SPDX-License-Identifier: Apache-2.0
#include "hem/character/formats/glb_export.h"

#include <gtest/gtest.h>

#include <cstring>

#include "hem/character/formats/character_import.h"
#include "hem/core/files.h"
#include "hem/core/random.h"
#include "tests/character/box.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

// A blob of 200 vertices on nine joints with rest rotations, up to `influences` weights each.
Character blob(int influences) {
    Random random(3, "blob");
    Character c{.name = "blob"};
    const auto turn = [&] {
        return normalized(Quat{random.normal(), random.normal(), random.normal(), random.normal()});
    };
    for (int j = 0; j < 9; ++j)
        c.skeleton.joints.push_back(
            {format("joint_%d", j),
             j == 0 ? kNoParent : random.integer(0, j - 1),
             {turn(), {random.normal() * 0.2f, random.normal() * 0.2f, 0.1f}}});
    std::vector<std::vector<Influence>> weights(200);
    for (uint32_t v = 0; v < 200; ++v) {
        c.mesh.positions.push_back({random.uniform(-1, 1), v == 0 ? 0.0f : random.uniform(0, 1.7f),
                                    random.uniform(-1, 1)});
        c.mesh.uvs.push_back({random.uniform(), random.uniform()});
        if (v >= 2) c.mesh.triangles.push_back({v - 2, v - 1, v});
        for (int i = 0; i < influences; ++i)
            weights[v].push_back({(int(v) + i) % 9, random.uniform(0.1f, 1)});
    }
    c.skin = makeSkin(weights, inverseRestMatrices(c.skeleton), influences <= 4 ? 4 : 8);
    Motion motion{"wave", c.skeleton, 30, {}, {}};
    for (int f = 0; f < 40; ++f) {
        Pose pose{{random.normal(), random.normal(), random.normal()}, {}};
        for (size_t j = 0; j < 9; ++j) pose.rotations.push_back(turn());
        motion.frames.push_back(pose);
    }
    c.motions = {motion};
    return c;
}

TEST(Glb, ComesBackToRounding) {
    const TemporaryFolder folder;
    for (int influences : {1, 4, 7}) {
        const Character c = blob(influences);
        ASSERT_TRUE(saveGlb(folder.path("blob.glb"), c, c.motions));
        const auto back = loadCharacter(folder.path("blob.glb"), {.keep_pose = true});
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(back->mesh.triangles, c.mesh.triangles);
        EXPECT_EQ(back->skin.influences, c.skin.influences);
        ASSERT_EQ(back->motions.size(), 1u);
        EXPECT_EQ(back->motions[0].name, "wave");
        ASSERT_EQ(back->motions[0].frames.size(), 40u);
        for (size_t v = 0; v < 200; ++v) {
            EXPECT_TRUE(near(back->mesh.positions[v], c.mesh.positions[v]));
            EXPECT_NEAR(back->mesh.uvs[v].y, c.mesh.uvs[v].y, 1e-6);
        }
        for (size_t f : {0u, 17u, 39u}) {
            const auto a = posedVertices(c, c.motions[0].frames[f]);
            // joints may stand in another order in the file; the posed mesh tells
            const auto b = posedVertices(*back, back->motions[0].frames[f]);
            for (size_t v = 0; v < 200; ++v) EXPECT_TRUE(near(a[v], b[v], 2e-5f)) << v;
        }
    }
}

TEST(Glb, BoundsStandOnThePositions) {
    const TemporaryFolder folder;
    const Character c = blob(4);
    ASSERT_TRUE(saveGlb(folder.path("blob.glb"), c));
    const std::string text = *readTextFile(folder.path("blob.glb"));
    uint32_t size = 0;
    std::memcpy(&size, text.data() + 12, 4);
    const auto json = nlohmann::json::parse(text.substr(20, size));
    const auto& accessor =
        json["accessors"]
            [json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].get<size_t>()];
    const Bounds box = boundsOf(c.mesh.positions);
    EXPECT_EQ(accessor["min"][1].get<float>(), box.low.y);
    EXPECT_EQ(accessor["max"][2].get<float>(), box.high.z);
    EXPECT_EQ(json["skins"][0]["joints"].size(), 9u);
    EXPECT_FALSE(json.contains("animations"));
}

TEST(Glb, SkeletonAloneComesBackWithItsMotions) {
    const TemporaryFolder folder;
    Character c = blob(4);
    c.mesh = {};
    c.skin = {};
    ASSERT_TRUE(saveGlb(folder.path("bones.glb"), c, c.motions));
    const auto back = loadCharacter(folder.path("bones.glb"), {.keep_pose = true});
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(back->skeleton.size(), 9u);
    EXPECT_TRUE(back->mesh.positions.empty());
    ASSERT_EQ(back->motions.size(), 1u);
    const auto a = worldFromJoints(c.skeleton, c.motions[0].frames[20]);
    const auto b = worldFromJoints(back->skeleton, back->motions[0].frames[20]);
    for (size_t j = 0; j < 9; ++j) {
        const int k = back->skeleton.find(c.skeleton.joints[j].name);
        ASSERT_GE(k, 0);
        EXPECT_TRUE(near(a[j].translation(), b[size_t(k)].translation(), 1e-5f));
    }
}

TEST(Glb, RefusesMotionsOfAnotherSkeleton) {
    const TemporaryFolder folder;
    const Character c = blob(4);
    std::vector<Motion> motions = c.motions;
    motions[0].skeleton.joints[4].name = "other";
    const Status status = saveGlb(folder.path("blob.glb"), c, motions);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("'wave'"), std::string::npos);
    EXPECT_NE(status.error().message.find("retarget"), std::string::npos);
    motions[0].frames.clear();
    EXPECT_FALSE(saveGlb(folder.path("blob.glb"), c, motions));
    Character bad = c;
    bad.mesh.triangles[0][0] = 5000;
    EXPECT_FALSE(saveGlb(folder.path("blob.glb"), bad));
    EXPECT_FALSE(std::filesystem::exists(folder.path("blob.glb")));
}

}  // namespace
}  // namespace hem
