// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/exchange.h"

#include <gtest/gtest.h>

#include "hem/core/files.h"
#include "tests/recording/toy_scene.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

constexpr Units kMaya{.metres_per_unit = 0.01}, kMax{.metres_per_unit = 0.0254, .z_up = true};

// A set with one clip, and the clip.
struct Recorded {
    RecordingSet set;
    Recording clip;
};
Recorded recordedToy(const TemporaryFolder& folder) {
    auto set = RecordingSet::create(folder.path("set"), toyScene(), "");
    EXPECT_TRUE(set->add(toyClip("walk", 8)));
    auto clip = set->clip("walk");
    return {std::move(*set), std::move(*clip)};
}

RecordedClip importBack(const Recorded& recorded, const std::string& path, const Units& units) {
    const auto cache = loadCache(path);
    EXPECT_TRUE(cache) << cache.error().message;
    const auto clip = importedClip(recorded.set.scene(), *cache, toyMotion("walk", 8),
                                   {.name = "back", .source = "test", .units = units});
    EXPECT_TRUE(clip) << clip.error().message;
    return *clip;
}

TEST(Exchange, PositionsGoOutAndComeBackInEveryFormat) {
    const TemporaryFolder folder;
    const Recorded recorded = recordedToy(folder);
    const Mesh mesh = joinedMesh(recorded.set.scene().garments);
    for (const char* name : {"walk.pc2", "walk.mdd", "frames"})
        for (const Units& units : {Units{}, kMaya, kMax}) {
            const std::string path = folder.path(name);
            ASSERT_TRUE(saveCache(path, cacheOf(recorded.clip, units), mesh));
            const RecordedClip back = importBack(recorded, path, units);
            ASSERT_EQ(back.states.size(), 8u) << name;
            for (size_t f = 0; f < 8; ++f)
                for (size_t i = 0; i < back.states[f].positions.size(); ++i)
                    ASSERT_LT(distance(back.states[f].positions[i], recorded.clip.positions(f)[i]),
                              units.metres_per_unit == 1 && !units.z_up ? 1e-9f : 1e-6f)
                        << name;
        }
}

TEST(Exchange, AxesAndUnitsAreThoseOfTheOtherProgram) {
    const Vec3 up{0, 1, 0}, front{0, 0, 1};
    EXPECT_EQ(kMaya.fromMetres(up), (Vec3{0, 100, 0}));
    EXPECT_LT(distance(kMax.fromMetres(up), {0, 0, 39.37f}), 1e-2f);
    EXPECT_LT(distance(kMax.fromMetres(front), {0, -39.37f, 0}), 1e-2f);
    EXPECT_LT(distance(kMax.toMetres(kMax.fromMetres({1, 2, 3})), {1, 2, 3}), 1e-6f);
}

TEST(Exchange, VelocitiesAreCentralDifferences) {
    const ClothScene scene = toyScene();
    PointCache cache{.rate = 30, .vertices = vertexCount(scene.garments)};
    const Mesh mesh = joinedMesh(scene.garments);
    for (int f = 0; f < 4; ++f)  // x = f^2 mm
        for (Vec3 p : mesh.positions)
            cache.positions.push_back(p + Vec3{float(f * f) * 1e-3f, 0, 0});
    const auto clip =
        importedClip(scene, cache, toyMotion("walk", 9), {.name = "a", .start_frame = 5});
    ASSERT_TRUE(clip) << clip.error().message;
    const float expected[] = {0.03f, 0.06f, 0.12f, 0.15f};
    for (size_t f = 0; f < 4; ++f) {
        EXPECT_NEAR(clip->states[f].velocities[3].x, expected[f], 1e-5f) << f;
        EXPECT_EQ(clip->poses[f].root_position, toyMotion("walk", 9).frames[5 + f].root_position);
    }
}

TEST(Exchange, ObjFramesAreTakenInTheOrderOfTheirNumbers) {
    const TemporaryFolder folder;
    for (int f : {1, 2, 9, 10, 11})
        ASSERT_TRUE(writeFile(folder.path("dress." + std::to_string(f) + ".obj"),
                              "v " + std::to_string(f) + " 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n"));
    const auto cache = loadCache(folder.path("dress.*.obj"), 24);
    ASSERT_TRUE(cache) << cache.error().message;
    EXPECT_EQ(cache->rate, 24);
    ASSERT_EQ(cache->samples(), 5u);
    for (size_t f = 1; f < 5; ++f)
        EXPECT_GT(cache->positions[3 * f].x, cache->positions[3 * f - 3].x);
}

TEST(Exchange, WhatDoesNotFitIsNamedWithBothNumbers) {
    const TemporaryFolder folder;
    const Recorded recorded = recordedToy(folder);
    const ClothScene& scene = recorded.set.scene();
    const PointCache good = cacheOf(recorded.clip, {});
    const auto message = [&](const PointCache& cache, size_t frames, const ImportOptions& options) {
        const auto clip = importedClip(scene, cache, toyMotion("walk", frames), options);
        return clip ? std::string() : clip.error().message;
    };
    EXPECT_EQ(message(good, 8, {.name = "a"}), "");
    PointCache other = good;
    other.vertices = 25;
    EXPECT_NE(message(other, 8, {.name = "a"}).find("25 vertices, but the garment has 50"),
              std::string::npos);
    other = good;
    other.rate = 24;
    EXPECT_NE(message(other, 8, {.name = "a"}).find("--rate 30"), std::string::npos);
    EXPECT_NE(message(good, 7, {.name = "a"}).find("the motion has 7"), std::string::npos);
    EXPECT_NE(message(good, 8, {.name = "a", .start_frame = 1}).find("--start-frame"),
              std::string::npos);
    EXPECT_NE(message(good, 8, {.name = "a", .units = kMaya}).find("--unit"), std::string::npos);
    EXPECT_NE(message(good, 8, {.name = "a", .units = {.z_up = true}}).find("--up z"),
              std::string::npos);
}

TEST(Exchange, AGarmentInAnotherUnitThanTheCacheIsRefused) {
    const TemporaryFolder folder;
    const Recorded recorded = recordedToy(folder);
    const PointCache cache = cacheOf(recorded.clip, {});
    for (float scale : {100.0f, 3.0f, 1.0f, 0.01f}) {
        ClothScene scene = recorded.set.scene();
        for (Garment& garment : scene.garments)
            for (Vec3& p : garment.mesh.positions) p = p * scale;
        const auto clip = importedClip(scene, cache, toyMotion("walk", 8), {.name = "a"});
        EXPECT_EQ(bool(clip), scale == 1) << scale;
        if (!clip) {
            EXPECT_NE(clip.error().message.find("--unit"), std::string::npos);
        }
    }
}

TEST(Exchange, FilesThatAreNoCachesAreRefused) {
    const TemporaryFolder folder;
    ASSERT_TRUE(writeFile(folder.path("a_1.obj"), "v 0 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n"));
    ASSERT_TRUE(writeFile(folder.path("a_2.obj"), "v 0 0 0\nv 0 1 0\nv 0 0 1\nv 1 1 1\nf 1 2 3\n"));
    ASSERT_TRUE(writeFile(folder.path("b.pc2"), "POINTCACHE2"));
    ASSERT_TRUE(writeFile(folder.path("c.mdd"), "x"));
    EXPECT_NE(loadCache(folder.path("a_*.obj")).error().message.find("the same mesh"),
              std::string::npos);
    EXPECT_FALSE(loadCache(folder.path("b.pc2")));
    EXPECT_FALSE(loadCache(folder.path("c.mdd")));
    EXPECT_NE(loadCache(folder.path("nothing.abc")).error().message.find("no cache"),
              std::string::npos);
}

TEST(Exchange, TheGarmentBesideACacheHasItsVerticesInOrder) {
    const TemporaryFolder folder;
    const ClothScene scene = toyScene();
    const Garment joined = joinedGarment(scene.garments, kMaya);
    ASSERT_TRUE(saveGarmentObj(folder.path("g.obj"), joined));
    const auto back = loadForeignGarment(folder.path("g.obj"), kMaya);
    ASSERT_TRUE(back) << back.error().message;
    const Mesh expected = joinedMesh(scene.garments);
    EXPECT_EQ(back->mesh.triangles, expected.triangles);
    for (size_t i = 0; i < expected.positions.size(); ++i)
        EXPECT_LT(distance(back->mesh.positions[i], expected.positions[i]), 1e-6f);
}

}  // namespace
}  // namespace hem
