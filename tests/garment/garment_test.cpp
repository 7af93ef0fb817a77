// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/garment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hem/core/files.h"
#include "hem/core/portable_math.h"
#include "hem/garment/flatten.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

// A square of two triangles.
Garment square() {
    Garment g;
    g.name = "square";
    g.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    g.mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    g.pins = {0, 0, 1, 0.5f};
    g.fabric = builtInFabrics()[0];
    return g;
}

std::string faultOf(const Garment& garment) {
    const Status status = validate(garment);
    return status ? "none" : status.error().message;
}

TEST(Garment, ThatIsWholePasses) { EXPECT_EQ(faultOf(square()), "none"); }

TEST(Garment, FaultsAreNamed) {
    Garment g = square();
    g.pins[1] = 1.5f;
    EXPECT_NE(faultOf(g).find("vertex 1 has the pin 1.5"), std::string::npos) << faultOf(g);
    g = square();
    g.pins.pop_back();
    EXPECT_NE(faultOf(g).find("3 pins for 4 vertices"), std::string::npos) << faultOf(g);
    g = square();
    g.mesh.triangles[1][2] = 9;
    EXPECT_NE(faultOf(g).find("triangle 1 has vertex 9"), std::string::npos) << faultOf(g);
    g = square();
    g.mesh.positions[3] = {0.5f, 0.5f, 0};
    EXPECT_NE(faultOf(g).find("triangle 1 has no area"), std::string::npos) << faultOf(g);
    g = square();
    g.mesh.positions.push_back({5, 5, 5});
    g.pins.push_back(0);
    EXPECT_NE(faultOf(g).find("1 vertices are in no triangle"), std::string::npos) << faultOf(g);
    g = square();
    std::swap(g.mesh.triangles[1][0], g.mesh.triangles[1][1]);
    EXPECT_NE(faultOf(g).find("face opposite ways"), std::string::npos) << faultOf(g);
    g = square();
    g.mesh.positions[0].x = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(faultOf(g).find("vertex 0 is not finite"), std::string::npos) << faultOf(g);
    g = square();
    g.corner_uvs.resize(5);
    EXPECT_NE(faultOf(g).find("5 texture coordinates"), std::string::npos) << faultOf(g);
    g = square();
    g.fabric.density = 0;
    EXPECT_NE(faultOf(g).find("density"), std::string::npos) << faultOf(g);
}

TEST(Garment, SheetsThatTouchInAPointAreAFault) {
    Garment g = square();
    g.mesh.positions.push_back({-1, 0, 0});
    g.mesh.positions.push_back({-1, -1, 0});
    g.mesh.triangles.push_back({0, 4, 5});
    g.pins.resize(6, 0);
    EXPECT_NE(faultOf(g).find("vertex 0 two sheets touch"), std::string::npos) << faultOf(g);
}

TEST(Garment, AnObjKeepsItsSeams) {
    const TemporaryFolder folder;
    Garment g = square();
    g.corner_uvs = {{0, 0}, {1, 0}, {1, 1}, {2, 0}, {3, 1}, {2, 1}};
    ASSERT_TRUE(saveGarmentObj(folder.path("square.obj"), g));
    const auto mesh = loadObj(folder.path("square.obj"));
    ASSERT_TRUE(mesh) << mesh.error().message;
    EXPECT_EQ(mesh->positions, g.mesh.positions);
    EXPECT_EQ(mesh->triangles, g.mesh.triangles);
    const auto text = readTextFile(folder.path("square.obj"));
    size_t coordinates = 0;
    for (size_t at = 0; (at = text->find("vt ", at)) != text->npos; ++at) ++coordinates;
    EXPECT_EQ(coordinates, 6u);
}

TEST(Fabric, TheBuiltInOnesAreValidAndNamed) {
    EXPECT_EQ(builtInFabrics().size(), 6u);
    for (const Fabric& fabric : builtInFabrics()) {
        EXPECT_TRUE(validate(fabric)) << fabric.name;
        EXPECT_EQ(*findFabric(fabric.name), fabric);
        // a strip a metre long does not stretch by its own weight more than can be seen
        EXPECT_LT(fabric.density * 9.81f / std::min(fabric.stretch_warp, fabric.stretch_weft),
                  0.005f);
        // the bending length, which sets the size of folds, is that of cloth: 1 to 3 cm
        const double c = std::cbrt(double(fabric.bend / (fabric.density * 9.81f)));
        EXPECT_GT(c, 0.01) << fabric.name;
        EXPECT_LT(c, 0.03) << fabric.name;
    }
    EXPECT_NE(findFabric("tin").error().message.find("chiffon"), std::string::npos);
}

TEST(Fabric, NumbersOutOfRangeAreNamed) {
    Fabric fabric = *findFabric("cotton");
    fabric.shear = std::numeric_limits<float>::quiet_NaN();
    const Status status = validate(fabric);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("cotton: shear"), std::string::npos);
}

// Half a cone, which can be laid flat exactly.
Mesh halfCone() {
    Mesh mesh;
    constexpr uint32_t kAround = 24, kDown = 16;
    for (uint32_t j = 0; j <= kDown; ++j)
        for (uint32_t i = 0; i <= kAround; ++i) {
            const double angle = portable::kPi * i / kAround, radius = 0.15 + 0.01 * j;
            mesh.positions.push_back({float(radius * portable::cos(angle)), -0.03f * float(j),
                                      float(radius * portable::sin(angle))});
        }
    for (uint32_t j = 0; j < kDown; ++j)
        for (uint32_t i = 0; i < kAround; ++i) {
            const uint32_t a = j * (kAround + 1) + i, b = a + kAround + 1;
            mesh.triangles.push_back({a, a + 1, b});
            mesh.triangles.push_back({a + 1, b + 1, b});
        }
    return mesh;
}

TEST(Flatten, AConeKeepsItsLengths) {
    const Mesh mesh = halfCone();
    const auto uvs = flattenPanels(mesh, [](uint32_t) { return Panel{}; });
    ASSERT_EQ(uvs.size(), 3 * mesh.triangles.size());
    for (size_t t = 0; t < mesh.triangles.size(); ++t)
        for (size_t k = 0; k < 3; ++k) {
            const Vec2 a = uvs[3 * t + k], b = uvs[3 * t + (k + 1) % 3];
            const double flat = std::hypot(double(a.x - b.x), double(a.y - b.y));
            const double cloth = double(distance(mesh.positions[mesh.triangles[t][k]],
                                                 mesh.positions[mesh.triangles[t][(k + 1) % 3]]));
            EXPECT_NEAR(flat / cloth, 1, 0.02);
        }
    // the warp still runs upwards in the middle of the panel
    const size_t middle = 2 * (8 * 24 + 12);
    EXPECT_GT(uvs[3 * middle].y, uvs[3 * middle + 2].y);
}

TEST(Flatten, PanelsDoNotOverlap) {
    const Mesh mesh = halfCone();
    const auto uvs = flattenPanels(mesh, [&](uint32_t t) {
        return Panel{.number = mesh.positions[mesh.triangles[t][0]].x > 0 ? 0 : 1};
    });
    float first_high = -1e9f, second_low = 1e9f;
    for (size_t t = 0; t < mesh.triangles.size(); ++t)
        for (size_t k = 0; k < 3; ++k) {
            const bool first = mesh.positions[mesh.triangles[t][0]].x > 0;
            if (first) first_high = std::max(first_high, uvs[3 * t + k].x);
            if (!first) second_low = std::min(second_low, uvs[3 * t + k].x);
        }
    EXPECT_LT(first_high, second_low);
}

}  // namespace
}  // namespace hem
