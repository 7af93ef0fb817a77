// SPDX-License-Identifier: Apache-2.0
#include "hem/core/remesh.h"

#include <gtest/gtest.h>

#include "hem/core/isosurface.h"

namespace hem {
namespace {

constexpr float kRadius = 0.15f;

Mesh roughSphere(bool half) {
    const Grid grid = half ? Grid{{0, -0.2f, -0.2f}, 0.02f, {10, 20, 20}}
                           : Grid{{-0.2f, -0.2f, -0.2f}, 0.02f, {20, 20, 20}};
    return isosurface([](Vec3 p) { return double(length(p)) - kRadius; }, grid, {0, 0, 0});
}

Vec3 onSphere(Vec3 p, bool on_boundary) {
    if (on_boundary) p.x = 0;
    return normalized(p) * kRadius;
}

double smallestAngleCosine(const Mesh& mesh) {
    double largest = -1;
    for (const Triangle& t : mesh.triangles)
        for (int i = 0; i < 3; ++i) {
            const Vec3 a = mesh.positions[t[i]];
            largest =
                std::max(largest, double(dot(normalized(mesh.positions[t[(i + 1) % 3]] - a),
                                             normalized(mesh.positions[t[(i + 2) % 3]] - a))));
        }
    return largest;
}

TEST(Remesh, GivesEvenTrianglesOfTheWantedSizeOnTheSurface) {
    const float wanted = 0.03f;
    const Mesh mesh = remeshed(roughSphere(false),
                               {.edge_length = [&](Vec3) { return wanted; }, .project = onSphere});
    EXPECT_TRUE(topologyOf(mesh).watertight());
    EXPECT_EQ(topologyOf(mesh).euler_characteristic, 2);
    EXPECT_LT(smallestAngleCosine(mesh), std::cos(degreesToRadians(30)));
    for (const auto& [a, b] : uniqueEdges(mesh.triangles)) {
        EXPECT_LT(distance(mesh.positions[a], mesh.positions[b]), 1.6f * wanted);
        EXPECT_GT(distance(mesh.positions[a], mesh.positions[b]), 0.55f * wanted);
    }
    for (Vec3 p : mesh.positions) EXPECT_NEAR(length(p), kRadius, 1e-6);
}

TEST(Remesh, FollowsASizeThatChanges) {
    auto wanted = [](Vec3 p) { return p.y > 0 ? std::max(0.012f, 0.035f - 0.3f * p.y) : 0.035f; };
    const Mesh mesh = remeshed(roughSphere(false), {.edge_length = wanted, .project = onSphere});
    for (const auto& [a, b] : uniqueEdges(mesh.triangles)) {
        const float want = wanted((mesh.positions[a] + mesh.positions[b]) / 2);
        EXPECT_LT(distance(mesh.positions[a], mesh.positions[b]), 1.8f * want);
        EXPECT_GT(distance(mesh.positions[a], mesh.positions[b]), 0.5f * want);
    }
}

TEST(Remesh, KeepsTheBoundaryOnItsCurve) {
    const Mesh mesh = remeshed(roughSphere(true),
                               {.edge_length = [](Vec3) { return 0.03f; }, .project = onSphere});
    const Topology topology = topologyOf(mesh);
    EXPECT_EQ(topology.euler_characteristic, 1);
    EXPECT_EQ(topology.nonmanifold_edges, 0u);
    size_t on_curve = 0;
    for (Vec3 p : mesh.positions) on_curve += p.x == 0;
    EXPECT_EQ(on_curve, topology.boundary_edges);
    EXPECT_NEAR(double(topology.boundary_edges), 2 * 3.14159 * kRadius / 0.03, 6);
}

}  // namespace
}  // namespace hem
