// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/hidden_body.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/parallel.h"
#include "hem/core/portable_math.h"

namespace hem {
namespace {

constexpr uint32_t kAround = 24;
constexpr float kRow = 0.04f;

// An open tube about the vertical axis, its triangles facing outwards.
Mesh tube(float radius, float bottom, float top) {
    Mesh mesh;
    const auto rows = uint32_t((top - bottom) / kRow + 0.5f) + 1;
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t i = 0; i < kAround; ++i) {
            const double angle = 2 * portable::kPi * i / kAround;
            mesh.positions.push_back({radius * float(portable::sin(angle)),
                                      bottom + kRow * float(r),
                                      radius * float(portable::cos(angle))});
        }
    for (uint32_t r = 0; r + 1 < rows; ++r)
        for (uint32_t i = 0; i < kAround; ++i) {
            const uint32_t a = r * kAround + i, b = r * kAround + (i + 1) % kAround;
            mesh.triangles.push_back({a, b, a + kAround});
            mesh.triangles.push_back({b, b + kAround, a + kAround});
        }
    return mesh;
}

Character pillar() {
    Character body{.name = "pillar", .skeleton = mannequinSkeleton(Sex::kFemale)};
    body.mesh = tube(0.1f, 0.04f, 1.6f);
    const std::vector<std::vector<Influence>> all(body.mesh.positions.size(), {{0, 1.0f}});
    body.skin = makeSkin(all, inverseRestMatrices(body.skeleton), 1);
    return body;
}

// The pillar at rest, in cloth.
BodyFrame frameWith(const Character& body, const Mesh& cloth) {
    return {std::vector<Affine>(body.skeleton.size()), cloth.positions, {}};
}

float heightOf(const Mesh& mesh, size_t triangle) {
    float sum = 0;
    for (uint32_t v : mesh.triangles[triangle]) sum += mesh.positions[v].y / 3;
    return sum;
}

TEST(HiddenTriangles, AreThoseThatClothCoversFromEverywhere) {
    const Character body = pillar();
    const Mesh cloth = tube(0.12f, 0.8f, 1.4f);
    const auto hidden =
        hiddenTriangles(body, cloth.triangles, std::vector<BodyFrame>(100, frameWith(body, cloth)));
    ASSERT_EQ(hidden.size(), body.mesh.triangles.size());
    for (size_t t = 0; t < hidden.size(); ++t) {
        const float height = heightOf(body.mesh, t);
        EXPECT_TRUE(hidden[t] || height < 1.02f || height > 1.2f) << height;
        // bare, or within a row of it
        EXPECT_FALSE(hidden[t] && (height < 0.83f || height > 1.37f)) << height;
    }
}

TEST(HiddenTriangles, WhatShowsInAnyFrameIsDrawn) {
    const Character body = pillar();
    const Mesh cloth = tube(0.12f, 0.8f, 1.4f);
    Mesh lifted = cloth;
    for (Vec3& p : lifted.positions) p.y += 0.3f;
    std::vector<BodyFrame> frames(40, frameWith(body, cloth));
    frames[20] = frameWith(body, lifted);
    const auto hidden = hiddenTriangles(body, cloth.triangles, frames);
    size_t some = 0;
    for (size_t t = 0; t < hidden.size(); ++t) {
        some += hidden[t];
        EXPECT_FALSE(hidden[t] && heightOf(body.mesh, t) < 1.1f) << t;
    }
    EXPECT_GT(some, 20u);
}

TEST(HiddenTriangles, ClothThatIsAMillimetreInsideTheSkinStillCovers) {
    const Character body = pillar();
    const Mesh cloth = tube(0.098f, 0.8f, 1.4f);
    const auto hidden =
        hiddenTriangles(body, cloth.triangles, std::vector<BodyFrame>(20, frameWith(body, cloth)));
    for (size_t t = 0; t < hidden.size(); ++t) {
        const float height = heightOf(body.mesh, t);
        EXPECT_TRUE(hidden[t] || height < 1.0f || height > 1.2f) << height;
    }
}

// Nobody looks from below the floor: a wide skirt hides what is far up in it.
TEST(HiddenTriangles, AreLookedAtFromAboveTheFloor) {
    const Character body = pillar();
    const Mesh skirt = tube(0.2f, 0.2f, 1.0f);
    const std::vector<BodyFrame> frames(60, frameWith(body, skirt));
    const auto near = hiddenTriangles(body, skirt.triangles, frames, {.distance = 0.05f});
    const auto far = hiddenTriangles(body, skirt.triangles, frames);
    EXPECT_GT(std::count(far.begin(), far.end(), 1), std::count(near.begin(), near.end(), 1));
}

TEST(HiddenTriangles, DoNotDependOnThreads) {
    const Character body = pillar();
    const Mesh cloth = tube(0.12f, 0.8f, 1.4f);
    const std::vector<BodyFrame> frames(10, frameWith(body, cloth));
    const auto all = hiddenTriangles(body, cloth.triangles, frames);
    setThreadLimit(1);
    EXPECT_EQ(hiddenTriangles(body, cloth.triangles, frames), all);
    setThreadLimit(0);
}

TEST(HiddenTriangles, WithoutFramesNothingIsHidden) {
    const Character body = pillar();
    const auto hidden = hiddenTriangles(body, tube(0.12f, 0.8f, 1.4f).triangles, {});
    EXPECT_EQ(std::count(hidden.begin(), hidden.end(), 1), 0);
}

}  // namespace
}  // namespace hem
