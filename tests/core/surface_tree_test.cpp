// SPDX-License-Identifier: Apache-2.0
#include "hem/core/surface_tree.h"

#include <gtest/gtest.h>

#include "hem/core/isosurface.h"
#include "hem/core/random.h"

namespace hem {
namespace {

Mesh sphere(Vec3 centre, float radius) {
    const Grid grid{centre - Vec3{1, 1, 1} * (radius * 1.2f), radius * 0.12f, {20, 20, 20}};
    return isosurface([&](Vec3 p) { return double(distance(p, centre) - radius); }, grid, centre);
}

Vec3 randomPoint(Random& random) {
    return {random.uniform(-1.5f, 1.5f), random.uniform(-1.5f, 1.5f), random.uniform(-1.5f, 1.5f)};
}

SurfacePoint nearestByTryingAll(const Mesh& mesh, Vec3 p) {
    SurfacePoint best;
    best.distance = 1e30f;
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        const auto [i, j, k] = mesh.triangles[t];
        const Vec3 a = mesh.positions[i], b = mesh.positions[j], c = mesh.positions[k];
        const Barycentric w = nearestOnTriangle(p, a, b, c);
        if (distance(p, w.at(a, b, c)) < best.distance) {
            best = {t, w, w.at(a, b, c), distance(p, w.at(a, b, c))};
        }
    }
    return best;
}

TEST(SurfaceTree, NearestPointIsTheBestOfAllTriangles) {
    const Mesh mesh = sphere({0.1f, 0, 0}, 0.8f);
    const SurfaceTree tree(mesh);
    Random random(3);
    for (int i = 0; i < 300; ++i) {
        const Vec3 p = randomPoint(random);
        EXPECT_NEAR(tree.nearest(p).distance, nearestByTryingAll(mesh, p).distance, 1e-6f);
    }
}

TEST(SurfaceTree, SignTellsInsideFromOutside) {
    const Vec3 centre{0.1f, -0.2f, 0.05f};
    const SurfaceTree tree(sphere(centre, 0.8f));
    Random random(5);
    for (int i = 0; i < 500; ++i) {
        const Vec3 p = randomPoint(random);
        EXPECT_NEAR(tree.signedDistance(p), distance(p, centre) - 0.8f, 0.01f);
    }
}

// Every triangle with corners of its own, as a mesh with texture seams everywhere would have.
Mesh splitEverywhere(const Mesh& mesh) {
    Mesh split;
    for (const Triangle& t : mesh.triangles) {
        const auto first = uint32_t(split.positions.size());
        for (const uint32_t v : t) split.positions.push_back(mesh.positions[v]);
        split.triangles.push_back({first, first + 1, first + 2});
    }
    return split;
}

TEST(SurfaceTree, SignIsRightAcrossTextureSeams) {
    // sharp corners: the nearest point of most places is an edge or a corner
    const Mesh cone{.positions = {{0, 1, 0}, {0.2f, 0, 0}, {-0.1f, 0, 0.17f}, {-0.1f, 0, -0.17f}},
                    .triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3}}};
    ASSERT_GT(signedVolume(cone), 0);
    const SurfaceTree whole(cone), split(splitEverywhere(cone));
    Random random(9);
    for (int i = 0; i < 500; ++i) {
        const Vec3 p = randomPoint(random);
        EXPECT_EQ(split.signedDistance(p) > 0, whole.windingNumber(p) < 0.5);
    }
}

TEST(SurfaceTree, FollowsADeformedMesh) {
    Mesh mesh = sphere({0, 0, 0}, 0.5f);
    SurfaceTree tree(mesh);
    for (Vec3& p : mesh.positions) p = p * 2 + Vec3{0.3f, 0, 0};
    tree.refit(mesh.positions);
    EXPECT_NEAR(tree.signedDistance({0.3f, 0, 0}), -1.0f, 0.02f);
    EXPECT_NEAR(tree.signedDistance({2.3f, 0, 0}), 1.0f, 0.02f);
}

TEST(SurfaceTree, NothingIsNearestBeyondReach) {
    const SurfaceTree tree(sphere({0, 0, 0}, 0.5f));
    EXPECT_FALSE(tree.nearest({1, 0, 0}, 0.3f));
    EXPECT_TRUE(tree.nearest({1, 0, 0}, 0.6f));
}

TEST(SurfaceTree, WindingNumberCountsOverlappingShells) {
    Mesh two = sphere({0, 0, 0}, 0.5f);
    const Mesh other = sphere({0.5f, 0, 0}, 0.5f);
    const auto offset = uint32_t(two.positions.size());
    two.positions.insert(two.positions.end(), other.positions.begin(), other.positions.end());
    for (const Triangle& t : other.triangles) {
        two.triangles.push_back({t[0] + offset, t[1] + offset, t[2] + offset});
    }
    const SurfaceTree tree(two);
    EXPECT_NEAR(tree.windingNumber({-0.3f, 0, 0}), 1, 1e-4);
    EXPECT_NEAR(tree.windingNumber({0.25f, 0, 0}), 2, 1e-4);
    EXPECT_NEAR(tree.windingNumber({0, 0.9f, 0}), 0, 1e-4);
}

}  // namespace
}  // namespace hem
