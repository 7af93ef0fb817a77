// SPDX-License-Identifier: Apache-2.0
// Damaged and malicious character files: an error that names the file, never a crash.
#include <gtest/gtest.h>

#include "hem/character/formats/character_import.h"
#include "hem/character/formats/glb_export.h"
#include "hem/character/formats/raw_scene.h"
#include "hem/core/files.h"
#include "tests/character/box.h"
#include "tests/character/fbx_binary.h"
#include "tests/character/mutations.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

// Loads `bytes` as a file of that name. What loads must be valid, what does not must be named.
class HostileImport : public testing::Test {
protected:
    bool survives(const std::string& name, const std::string& bytes) {
        const std::string path = folder_.path(name);
        EXPECT_TRUE(writeFile(path, bytes));
        const auto character = loadCharacter(path);
        if (character) {
            EXPECT_TRUE(validate(*character));
            for (const Motion& motion : character->motions)
                for (const Pose& pose : motion.frames) EXPECT_TRUE(isFinite(pose.root_position));
        } else {
            EXPECT_NE(character.error().message.find(path), std::string::npos)
                << character.error().message;
            // assimp may; our own reader may not
            if (!name.ends_with(".fbx")) {
                EXPECT_EQ(character.error().message.find("crashed"), std::string::npos);
            }
        }
        return character.has_value();
    }
    void damage(const std::string& name, const std::string& good, int count) {
        ASSERT_TRUE(survives(name, good));
        Random random(9, name);
        int read = 0;
        for (int i = 0; i < count; ++i) read += survives(name, mutated(good, random));
        EXPECT_LT(read, count);  // the damage does harm
    }
    std::string boxAsGlb() {
        EXPECT_TRUE(writeFile(folder_.path("box.gltf"), boxAsGltfText()));
        const auto box = loadCharacter(folder_.path("box.gltf"));
        EXPECT_TRUE(saveGlb(folder_.path("good.glb"), *box, box->motions));
        return *readTextFile(folder_.path("good.glb"));
    }
    TemporaryFolder folder_;
};

TEST_F(HostileImport, GlbFailsOnEveryPrefix) {
    const std::string good = boxAsGlb();
    for (size_t size = 0; size + 1 < good.size(); size += 23)
        EXPECT_FALSE(survives("cut.glb", good.substr(0, size))) << size;
}

TEST_F(HostileImport, GltfFailsOnEveryPrefix) {
    const std::string good = boxAsGltfText();
    for (size_t size = 0; size + 1 < good.size(); size += 17)
        EXPECT_FALSE(survives("cut.gltf", good.substr(0, size))) << size;
}

TEST_F(HostileImport, FbxSurvivesEveryPrefix) {
    const std::string good = boxAsFbx();
    for (size_t size = 0; size + 1 < good.size(); size += 29)
        survives("cut.fbx", good.substr(0, size));
}

TEST_F(HostileImport, GlbSurvivesSeededDamage) { damage("bad.glb", boxAsGlb(), 300); }
TEST_F(HostileImport, GltfSurvivesSeededDamage) { damage("bad.gltf", boxAsGltfText(), 300); }
TEST_F(HostileImport, FbxSurvivesSeededDamage) { damage("bad.fbx", boxAsFbx(), 200); }
TEST_F(HostileImport, BinaryFbxSurvivesSeededDamage) {
    damage("bad.fbx", FbxBinary::from(boxAsFbx()), 200);
}

TEST_F(HostileImport, DeepAndHugeJsonIsRefused) {
    EXPECT_FALSE(survives("deep.gltf", std::string(200000, '[')));
    EXPECT_FALSE(survives("deep.gltf",
                          "{\"asset\":{\"version\":\"2.0\"},\"nodes\":" + std::string(100000, '[') +
                              std::string(100000, ']') + "}"));
    // a chain of nodes as long as the file allows
    auto document = boxAsGltf();
    for (int i = 0; i < 30000; ++i) document["nodes"].push_back({{"children", {i + 4}}});
    document["nodes"].push_back({{"name", "last"}});
    EXPECT_FALSE(survives("chain.gltf", boxAsGltfText(document)));
    // ten thousand million floats, by way of an accessor without a buffer
    document = boxAsGltf();
    document["accessors"][0].erase("bufferView");
    document["accessors"][0]["count"] = 10000000000u;
    EXPECT_FALSE(survives("huge.gltf", boxAsGltfText(document)));
    document["accessors"][0]["count"] = 80000000u;
    EXPECT_FALSE(survives("large.gltf", boxAsGltfText(document)));
}

TEST(RawSceneBytes, ComeBackAndAreRefusedWhenCutOrLengthened) {
    RawScene scene;
    scene.nodes = {{"root", -1, {}}, {"a", 0, {}}};
    scene.meshes.push_back({"m", 1, {{1, 2, 3}}, {{0, 1}}, {}, {{"a", 1, {}, {{0, 1.0f}}}}});
    scene.animations.push_back({"walk", {{1, {{0, {1, 2, 3}}}, {}, {{0.5, {}}}}}});
    const auto bytes = pack(scene);
    const auto back = unpack(bytes);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->meshes[0].bones[0].weights[0].weight, 1.0f);
    EXPECT_EQ(back->animations[0].channels[0].rotations[0].seconds, 0.5);
    EXPECT_TRUE(validate(*back));
    for (size_t size = 0; size < bytes.size(); ++size)
        EXPECT_FALSE(unpack(std::span(bytes).first(size))) << size;
    auto longer = bytes;
    longer.push_back({});
    EXPECT_FALSE(unpack(longer));
}

TEST(RawSceneBytes, SurviveSeededDamage) {
    RawScene scene;
    scene.nodes = {{"root", -1, {}}, {"a", 0, {}}};
    scene.meshes.push_back({"m", 1, {{1, 2, 3}}, {{0, 1}}, {}, {{"a", 1, {}, {{0, 1.0f}}}}});
    const auto bytes = pack(scene);
    Random random(4, "raw");
    for (int i = 0; i < 20000; ++i) {
        const std::string bad =
            mutated({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, random);
        const auto back = unpack(std::as_bytes(std::span(bad)));
        if (back) static_cast<void>(validate(*back).has_value());
    }
}

TEST(RawSceneChecks, NameTheJointOrMeshAtFault) {
    const auto fault = [](const std::function<void(RawScene&)>& spoil) {
        RawScene scene;
        scene.nodes = {{"root", -1, {}}, {"arm", 0, {}}};
        scene.meshes.push_back(
            {"body", 1, {{1, 2, 3}}, {}, {{0, 0, 0}}, {{"arm", 1, {}, {{0, 1.0f}}}}});
        scene.animations.push_back({"walk", {{1, {}, {}, {{0, {}}, {1, {}}}}}});
        EXPECT_TRUE(validate(scene));
        spoil(scene);
        const Status status = validate(scene);
        return status ? std::string() : status.error().message;
    };
    const auto says = [](const std::string& message, const char* words) {
        EXPECT_NE(message.find(words), std::string::npos) << message << " lacks " << words;
    };
    says(fault([](RawScene& s) { s.nodes[1].parent = 1; }), "'arm'");
    says(fault([](RawScene& s) { s.nodes[1].parent_from_node.m[0][3] = NAN; }), "'arm'");
    says(fault([](RawScene& s) { s.meshes[0].positions[0].y = INFINITY; }), "'body'");
    says(fault([](RawScene& s) { s.meshes[0].triangles[0][1] = 9; }), "vertex 9 of 1");
    says(fault([](RawScene& s) { s.meshes[0].bones[0].weights[0].weight = NAN; }), "joint 'arm'");
    says(fault([](RawScene& s) { s.meshes[0].bones[0].weights[0].vertex = 4; }), "vertex 4 of 1");
    says(fault([](RawScene& s) { s.meshes[0].bones[0].node = 7; }), "'arm'");
    says(fault([](RawScene& s) {
             s.meshes[0].bones[0].bone_from_mesh = Affine::from({{{}, {}, {}}}, {});
         }),
         "inverse bind");
    says(fault([](RawScene& s) { s.animations[0].channels[0].rotations[1].seconds = -1; }),
         "'walk'");
    says(fault([](RawScene& s) {
             s.animations[0].channels[0].rotations[1].value = {NAN, 0, 0, 0};
         }),
         "'arm'");
}

}  // namespace
}  // namespace hem
