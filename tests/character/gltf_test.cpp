// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "hem/character/formats/character_import.h"
#include "hem/character/formats/glb_export.h"
#include "hem/core/files.h"
#include "tests/character/box.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

using nlohmann::json;

class Gltf : public testing::Test {
protected:
    Result<Character> load(const json& document, const CharacterOptions& options = {}) {
        EXPECT_TRUE(writeFile(folder_.path("box.gltf"), boxAsGltfText(document)));
        return loadCharacter(folder_.path("box.gltf"), options);
    }
    // Adds a buffer of floats or integers and an accessor over it; returns the accessor's index.
    template <class T>
    static size_t addNumbers(json& document, const std::vector<T>& numbers, int component,
                             const char* type, size_t count, bool normalized = false) {
        std::string uri = "data:application/octet-stream;base64,";
        const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data());
        constexpr const char* kDigits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const size_t size = numbers.size() * sizeof(T);
        for (size_t i = 0; i < size; i += 3) {
            const auto at = [&](size_t k) { return k < size ? uint32_t(bytes[k]) : 0u; };
            const uint32_t word = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
            for (int k = 0; k < 4; ++k) uri += kDigits[word >> (18 - 6 * k) & 63];
        }
        document["buffers"].push_back({{"byteLength", size}, {"uri", uri}});
        document["bufferViews"].push_back(
            {{"buffer", document["buffers"].size() - 1}, {"byteLength", size}});
        document["accessors"].push_back({{"bufferView", document["bufferViews"].size() - 1},
                                         {"componentType", component},
                                         {"count", count},
                                         {"type", type},
                                         {"normalized", normalized}});
        return document["accessors"].size() - 1;
    }
    TemporaryFolder folder_;
};

bool hasNote(const Character& c, const std::string& words) {
    return std::any_of(c.notes.begin(), c.notes.end(),
                       [&](const std::string& note) { return note.find(words) != note.npos; });
}

TEST_F(Gltf, BoxComesOutAsComputedByHand) {
    const auto box = load(boxAsGltf());
    ASSERT_TRUE(box) << box.error().message;
    expectTheBox(*box);
    EXPECT_EQ(box->name, "box");
    EXPECT_FALSE(hasNote(*box, "Scaled")) << box->notes[0];
    EXPECT_FALSE(hasNote(*box, "Turned"));
}

TEST_F(Gltf, BufferMayBeAFileOfItsOwn) {
    json document = boxAsGltf();
    document["buffers"][0]["uri"] = "the%20box.bin";
    ASSERT_TRUE(writeFile(folder_.path("box.gltf"), document.dump()));
    const auto missing = loadCharacter(folder_.path("box.gltf"));
    ASSERT_FALSE(missing);
    EXPECT_NE(missing.error().message.find("the box.bin"), std::string::npos)
        << missing.error().message;
    std::string bytes(672, '\0');
    size_t at = 0, held = 0;
    uint32_t bits = 0;
    for (char c : kBoxBuffer) {
        const std::string digits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        bits = bits << 6 | uint32_t(digits.find(c));
        held += 6;
        if (held >= 8 && at < bytes.size()) bytes[at++] = char(bits >> (held -= 8));
    }
    ASSERT_TRUE(writeFile(folder_.path("the box.bin"), bytes));
    const auto box = loadCharacter(folder_.path("box.gltf"));
    ASSERT_TRUE(box) << box.error().message;
    expectTheBox(*box);
}

TEST_F(Gltf, NodesAboveTheRootAreFoldedIntoIt) {
    // The same body lying under an armature that makes it Z up, ten times as large and far away;
    // the root joint is not the top one.
    json document = boxAsGltf();
    document["nodes"][0]["translation"] = {0, 0, 0};
    document["nodes"].push_back({{"name", "Armature"},
                                 {"children", {4, 2}},
                                 {"translation", {3, 2, 1}},
                                 {"rotation", {0.70710678, 0, 0, 0.70710678}},
                                 {"scale", {10, 10, 10}}});
    document["nodes"].push_back({{"name", "Master"}, {"children", {0}}});
    document["scenes"][0]["nodes"] = {3};
    document["skins"][0]["joints"] = {0, 1, 4};
    const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    std::vector<float> matrices;
    for (int j = 0; j < 3; ++j) matrices.insert(matrices.end(), identity, identity + 16);
    matrices[16 + 13] = -0.8f;
    document["skins"][0]["inverseBindMatrices"] = addNumbers(document, matrices, 5126, "MAT4", 3);
    const auto box = load(document, {.keep_pose = true});
    ASSERT_TRUE(box) << box.error().message;
    ASSERT_EQ(box->skeleton.size(), 2u);
    EXPECT_TRUE(hasNote(*box, "Master")) << box->notes[0];
    // Rx(90) takes (0, 0.8, 0) to (0, 0, 0.8), times ten, plus the translation
    const auto rest = worldFromJoints(box->skeleton, restPose(box->skeleton));
    EXPECT_TRUE(near(rest[0].translation(), {3, 2, 1}, 1e-5f));
    EXPECT_TRUE(near(rest[1].translation(), {3, 2, 9}, 1e-5f));
    const Bounds bounds = boundsOf(box->mesh.positions);
    EXPECT_TRUE(near(bounds.low, {2, 1, 1}, 1e-5f));
    EXPECT_TRUE(near(bounds.high, {4, 3, 17}, 1e-5f));
    const auto still = posedVertices(*box, box->motions[0].frames[0]);
    for (size_t v = 0; v < 12; ++v) EXPECT_TRUE(near(still[v], box->mesh.positions[v], 1e-4f));
}

TEST_F(Gltf, CentimetresAreRecognisedByTheSizeOfThePerson) {
    json document = boxAsGltf();
    document["nodes"].push_back(
        {{"name", "Armature"}, {"children", {0, 2}}, {"scale", {100, 100, 100}}});
    document["scenes"][0]["nodes"] = {3};
    const auto box = load(document);
    ASSERT_TRUE(box) << box.error().message;
    expectTheBox(*box);
    EXPECT_TRUE(hasNote(*box, "Scaled by 0.01"));
    const auto asked = load(document, {.metres_per_unit = 0.02});
    EXPECT_NEAR(boundsOf(asked->mesh.positions).size().y, 3.2, 1e-5);
}

TEST_F(Gltf, IntegerWeightsAreReadAsFractions) {
    json document = boxAsGltf();
    std::vector<uint8_t> bytes;
    std::vector<uint16_t> shorts;
    for (int v = 0; v < 12; ++v) {
        const int second = v < 4 ? 0 : v < 8 ? 51 : 255;
        for (int w : {255 - second, second, 0, 0}) {
            bytes.push_back(uint8_t(w));
            shorts.push_back(uint16_t(w * 257));
        }
    }
    for (const size_t accessor : {addNumbers(document, bytes, 5121, "VEC4", 12, true),
                                  addNumbers(document, shorts, 5123, "VEC4", 12, true)}) {
        document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = accessor;
        const auto box = load(document);
        ASSERT_TRUE(box) << box.error().message;
        EXPECT_NEAR(box->skin.weights[4 * 4], 0.8, 1e-6);
        EXPECT_NEAR(box->skin.weights[4 * 4 + 1], 0.2, 1e-6);
    }
}

TEST_F(Gltf, SecondSetOfWeightsIsRead) {
    json document = boxAsGltf();
    std::vector<uint8_t> joints(48, 0);
    std::vector<float> weights(48, 0.0f);
    for (size_t v = 0; v < 4; ++v) {  // the lowest ring: half of it on Upper
        joints[4 * v] = 1;
        weights[4 * v] = 1;
    }
    auto& attributes = document["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_1"] = addNumbers(document, joints, 5121, "VEC4", 12);
    document["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_1"] =
        addNumbers(document, weights, 5126, "VEC4", 12);
    const auto box = load(document);
    ASSERT_TRUE(box) << box.error().message;
    EXPECT_NEAR(box->skin.weights[0], 0.5, 1e-6);
    EXPECT_NEAR(box->skin.weights[1], 0.5, 1e-6);
    EXPECT_TRUE(hasNote(*box, "4 vertices did not sum to 1"));
}

TEST_F(Gltf, SkinWithoutBindMatricesIsBoundAsItStands) {
    json document = boxAsGltf();
    document["skins"][0].erase("inverseBindMatrices");
    const auto box = load(document);
    ASSERT_TRUE(box) << box.error().message;
    EXPECT_TRUE(hasNote(*box, "bound as the file stands"));
    // vertices are stored in their joints' frames: what follows Upper stands 0.8 higher
    EXPECT_NEAR(boundsOf(box->mesh.positions).high.y, 2.4, 1e-6);
    EXPECT_TRUE(near(worldFromJoints(box->skeleton, restPose(box->skeleton))[1].translation(),
                     {0, 0.8f, 0}));
}

TEST_F(Gltf, BindPoseIsTheRestWhereTheFileStandsInAnother) {
    json document = boxAsGltf();
    document["nodes"][1]["rotation"] = {0.70710678, 0, 0, 0.70710678};
    const auto box = load(document);
    ASSERT_TRUE(box) << box.error().message;
    expectTheBox(*box);
    EXPECT_TRUE(hasNote(*box, "bind pose is taken as rest"));
}

TEST_F(Gltf, StepAndSplineKeysAreReadAsTheyAre) {
    json document = boxAsGltf();
    document["animations"][0]["samplers"][0]["interpolation"] = "STEP";
    auto box = load(document);
    ASSERT_TRUE(box) << box.error().message;
    const auto angle = [&](size_t frame) {
        return radiansToDegrees(angleBetween(box->motions[0].frames[frame].rotations[1], {}));
    };
    EXPECT_NEAR(angle(29), 0, 1e-3);
    EXPECT_NEAR(angle(30), 90, 1e-3);
    // tangents of nought: the quaternion's numbers ease by 3s^2 - 2s^3
    const float h = 0.70710678f;
    const std::vector<float> keys{0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
                                  0, 0, 0, 0, h, 0, 0, h, 0, 0, 0, 0};
    document["animations"][0]["samplers"][0] = {
        {"input", 5},
        {"output", addNumbers(document, keys, 5126, "VEC4", 6)},
        {"interpolation", "CUBICSPLINE"}};
    box = load(document);
    ASSERT_TRUE(box) << box.error().message;
    const double s = 0.25, ease = 3 * s * s - 2 * s * s * s;  // 0.15625
    const double x = ease * 0.70710678, w = 1 - ease + ease * 0.70710678;
    const auto at = sampleAt(box->motions[0], 0.25);
    EXPECT_NEAR(radiansToDegrees(angleBetween(at.rotations[1], {})),
                2 * std::atan2(x, w) * 180 / 3.14159265, 0.05);
    EXPECT_NEAR(angle(15), 45, 0.01);
}

TEST_F(Gltf, SparseAccessorsReplaceElements) {
    json document = boxAsGltf();
    const size_t places = addNumbers(document, std::vector<uint16_t>{2, 0}, 5123, "SCALAR", 2);
    const size_t values =
        addNumbers(document, std::vector<float>{0.3f, 0, 0.1f, -0.5f, 0, 0.1f}, 5126, "VEC3", 2);
    document["accessors"][0]["sparse"] = {
        {"count", 2},
        {"indices",
         {{"bufferView", document["accessors"][places]["bufferView"]}, {"componentType", 5123}}},
        {"values", {{"bufferView", document["accessors"][values]["bufferView"]}}}};
    const auto box = load(document);
    ASSERT_TRUE(box) << box.error().message;
    EXPECT_TRUE(near(box->mesh.positions[2], {0.3f, 0, 0.1f}));
    EXPECT_TRUE(near(box->mesh.positions[0], {-0.5f, 0, 0.1f}));
    EXPECT_TRUE(near(box->mesh.positions[1], {0.1f, 0, 0.1f}));
}

TEST_F(Gltf, MeshOnAJointNodeFollowsItAndAPropIsLeftOut) {
    json document = boxAsGltf();
    document["meshes"].push_back(
        {{"name", "Hat"}, {"primitives", {{{"attributes", {{"POSITION", 0}}}, {"indices", 3}}}}});
    document["nodes"].push_back({{"name", "Hat"}, {"mesh", 1}, {"translation", {0, 0.8, 0}}});
    document["nodes"].push_back({{"name", "Floor"}, {"mesh", 1}});
    document["nodes"][1]["children"] = {3};
    document["scenes"][0]["nodes"].push_back(4);
    const auto box = load(document);
    ASSERT_TRUE(box) << box.error().message;
    ASSERT_EQ(box->mesh.positions.size(), 24u);
    EXPECT_NEAR(boundsOf(box->mesh.positions).high.y, 3.2, 1e-5);
    EXPECT_EQ(box->skin.joints[4 * 20], 1);
    EXPECT_TRUE(hasNote(*box, "Mesh 'Hat' was left out"));
}

TEST_F(Gltf, FaultsNameTheJointTheMeshOrTheAccessor) {
    const auto expectFault = [&](const std::function<void(json&)>& spoil,
                                 std::initializer_list<const char*> says) {
        json document = boxAsGltf();
        spoil(document);
        const auto box = load(document);
        ASSERT_FALSE(box) << document.dump();
        for (const char* words : says)
            EXPECT_NE(box.error().message.find(words), std::string::npos)
                << box.error().message << "\n lacks " << words;
    };
    expectFault([](json& d) { d["nodes"][1]["children"] = {0}; },
                {"box.gltf", "'Lower'", "below itself"});
    expectFault([](json& d) { d["nodes"][2]["children"] = {1}; }, {"'Upper'", "two parents"});
    expectFault([](json& d) { d["nodes"][1]["children"] = {99}; }, {"'Upper'", "child"});
    expectFault([](json& d) { d["nodes"][1]["name"] = "Lower"; }, {"'Lower'", "rename"});
    expectFault([](json& d) { d["nodes"][1]["scale"] = {0, 1, 1}; }, {"'Upper'", "scale"});
    expectFault([](json& d) { d["nodes"][1]["rotation"] = {0, 0, 0, 0}; }, {"'Upper'", "rotation"});
    expectFault([](json& d) { d["nodes"][1]["translation"] = {0, "x", 0}; }, {"'Upper'"});
    expectFault(
        [](json& d) {
            d["nodes"][1]["translation"] = {0, 1e300, 0};
        },
        {"'Upper'", "finite"});
    expectFault([](json& d) { d["skins"][0]["joints"] = {0, 0}; }, {"'Box'", "'Lower'", "twice"});
    expectFault([](json& d) { d["skins"][0]["joints"] = {0, 7}; }, {"'Box'", "joint"});
    expectFault([](json& d) { d["skins"][0]["joints"] = {0}; },
                {"'Box'", "vertex", "joint 1 of 1"});
    expectFault([](json& d) { d["accessors"][0]["count"] = 1u << 31; }, {"'Box'", "accessor 0"});
    expectFault([](json& d) { d["accessors"][0]["count"] = 13; },
                {"'Box'", "accessor 0", "buffer view 0"});
    expectFault([](json& d) { d["accessors"][3]["bufferView"] = 2; }, {"'Box'", "triangle"});
    expectFault([](json& d) { d["bufferViews"][2]["byteLength"] = 1u << 30; },
                {"accessor 2", "buffer view 2"});
    expectFault([](json& d) { d["bufferViews"][2]["byteStride"] = 0xffffffffu; }, {"accessor 2"});
    expectFault([](json& d) { d["buffers"][0]["byteLength"] = 700; }, {"buffer 0", "700"});
    expectFault([](json& d) { d["accessors"][2]["bufferView"] = 3; }, {"'Box'"});
    expectFault([](json& d) { d["animations"][0]["samplers"][0]["output"] = 0; },
                {"animation 0", "'Upper'"});
    expectFault([](json& d) { d["asset"]["version"] = "1.0"; }, {"version"});
    expectFault([](json& d) { d["extensionsRequired"] = {"KHR_draco_mesh_compression"}; },
                {"without compression"});
    expectFault(
        [](json& d) {
            d["nodes"][2].erase("skin");
            d.erase("animations");
        },
        {"no skeleton", "armature"});
}

TEST_F(Gltf, NamesTheBadNumberInAMesh) {
    json document = boxAsGltf();
    std::vector<float> positions(36, 0.5f);
    positions[3 * 7 + 1] = NAN;
    document["meshes"][0]["primitives"][0]["attributes"]["POSITION"] =
        addNumbers(document, positions, 5126, "VEC3", 12);
    const auto box = load(document);
    ASSERT_FALSE(box);
    EXPECT_NE(box.error().message.find("'Box'"), std::string::npos) << box.error().message;
    EXPECT_NE(box.error().message.find("vertex 7"), std::string::npos) << box.error().message;
}

}  // namespace
}  // namespace hem
