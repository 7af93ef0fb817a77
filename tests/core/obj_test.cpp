// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>

#include "hem/core/mesh.h"
#include "hem/core/random.h"

namespace hem {
namespace {

constexpr const char* kSquare =
    "# a unit square\n"
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"
    "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n"
    "f 1/1 2/2 3/3 4/4\n";

std::string faultOf(const std::string& text) {
    const auto mesh = parseObj(text, "bad.obj");
    return mesh ? "accepted" : mesh.error().message;
}

TEST(Obj, PolygonsAreFannedIntoTriangles) {
    const auto mesh = parseObj(kSquare, "square.obj");
    ASSERT_TRUE(mesh);
    ASSERT_EQ(mesh->triangles.size(), 2u);
    EXPECT_EQ(mesh->triangles[0], (Triangle{0, 1, 2}));
    EXPECT_EQ(mesh->triangles[1], (Triangle{0, 2, 3}));
    EXPECT_EQ(mesh->uvs[2], (Vec2{1, 1}));
}

TEST(Obj, NegativeIndicesCountFromTheLastVertexAbove) {
    const auto mesh = parseObj("v 0 0 0\nv 1 0 0\nv 1 1 0\nf -3 -2 -1\nv 9 9 9\n", "negative.obj");
    ASSERT_TRUE(mesh);
    EXPECT_EQ(mesh->triangles[0], (Triangle{0, 1, 2}));
}

TEST(Obj, VertexColoursAreReadWhereEveryVertexHasOne) {
    const std::string colored = "v 0 0 0 1 0 0\nv 1 0 0 0 1 0\nv 1 1 0 0 0 1\nf 1 2 3\n";
    const auto mesh = parseObj(colored, "colored.obj");
    ASSERT_TRUE(mesh);
    ASSERT_EQ(mesh->colors.size(), 3u);
    EXPECT_EQ(mesh->colors[1], (Vec3{0, 1, 0}));
    const auto mixed = parseObj("v 5 5 5\n" + colored, "mixed.obj");
    ASSERT_TRUE(mixed);
    EXPECT_TRUE(mixed->colors.empty());
}

TEST(Obj, WindowsLineEndsAndAMissingLastLineEndAreFine) {
    const auto mesh = parseObj("v 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nf 1 2 3", "windows.obj");
    ASSERT_TRUE(mesh);
    EXPECT_EQ(mesh->triangles.size(), 1u);
}

TEST(Obj, WhatIsWrittenIsReadBackExactly) {
    Random random(1);
    Mesh mesh;
    for (int i = 0; i < 50; ++i) {
        mesh.positions.push_back(
            {random.uniform(-9, 9), random.uniform(), random.uniform(0, 1e-6f)});
        mesh.uvs.push_back({random.uniform(), random.uniform()});
    }
    for (uint32_t i = 0; i + 2 < 50; ++i) mesh.triangles.push_back({i, i + 1, i + 2});
    const std::string path = std::filesystem::temp_directory_path() / "hem_obj_test.obj";
    ASSERT_TRUE(saveObj(path, mesh));
    const auto back = loadObj(path);
    std::filesystem::remove(path);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->positions, mesh.positions);
    EXPECT_EQ(back->uvs, mesh.uvs);
    EXPECT_EQ(back->triangles, mesh.triangles);
}

TEST(Obj, FaultsNameTheFileAndTheLine) {
    const std::string three = "v 0 0 0\nv 1 0 0\nv 1 1 0\n";
    const struct {
        std::string text;
        const char* place;
        const char* reason;
    } cases[] = {
        {three + "f 1 2 0\n", "bad.obj:4: ", "vertex 0 does not exist"},
        {three + "f 1 2 4\n", "bad.obj:4: ", "vertex 4 does not exist; 3 stand above"},
        {three + "f 1 2 -4\n", "bad.obj:4: ", "vertex -4 does not exist"},
        {three + "f 1 2 99999999999999999999999\n", "bad.obj:4: ", "not a vertex number"},
        {three + "f 1 2 -9223372036854775808\n", "bad.obj:4: ", "does not exist"},
        {three + "f 1 2 9223372036854775807\n", "bad.obj:4: ", "does not exist"},
        {three + "f 1 2 x\n", "bad.obj:4: ", "not a vertex number"},
        {three + "f 1/9 2/9 3/9\n", "bad.obj:4: ", "texture coordinate 9 does not exist"},
        {three + "f 1 2\n", "bad.obj:4: ", "at least three corners"},
        {"v 0 nan 0\n" + three + "f 1 2 3\n", "bad.obj:1: ", "not a finite number"},
        {"v 0 inf 0\n" + three + "f 1 2 3\n", "bad.obj:1: ", "not a finite number"},
        {"v 0 1e300 0\n" + three + "f 1 2 3\n", "bad.obj:1: ", "too large"},
        {"v 0 0\n" + three + "f 1 2 3\n", "bad.obj:1: ", "three coordinates"},
        {three, "bad.obj: ", "no faces"},
        {"", "bad.obj: ", "no vertices"},
        {std::string("\0\1\2glTF", 7), "bad.obj: ", "no vertices"},
    };
    for (const auto& c : cases) {
        const std::string fault = faultOf(c.text);
        EXPECT_TRUE(fault.starts_with(c.place)) << fault << "\nfor\n" << c.text;
        EXPECT_NE(fault.find(c.reason), fault.npos) << fault << "\nfor\n" << c.text;
    }
}

TEST(Obj, AFileThatIsCutAnywhereIsReadOrRefusedButNeverOutOfBounds) {
    const std::string whole = kSquare;
    for (size_t length = 0; length <= whole.size(); ++length) {
        const auto mesh = parseObj(std::string_view(whole).substr(0, length), "cut.obj");
        if (!mesh) continue;
        for (const Triangle& t : mesh->triangles)
            for (uint32_t v : t) ASSERT_LT(v, mesh->positions.size());
    }
}

TEST(Obj, RandomlyDamagedFilesGiveSoundMeshesOrErrors) {
    Random random(7, "obj");
    for (int round = 0; round < 3000; ++round) {
        std::string text = kSquare;
        for (int k = random.integer(1, 6); k > 0; --k)
            text[size_t(random.integer(0, int(text.size()) - 1))] = char(random.integer(0, 255));
        const auto mesh = parseObj(text, "damaged.obj");
        if (!mesh) {
            EXPECT_NE(mesh.error().message.find("damaged.obj"), std::string::npos);
            continue;
        }
        for (Vec3 p : mesh->positions) ASSERT_TRUE(isFinite(p));
        for (const Triangle& t : mesh->triangles)
            for (uint32_t v : t) ASSERT_LT(v, mesh->positions.size());
    }
}

}  // namespace
}  // namespace hem
