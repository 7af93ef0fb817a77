// SPDX-License-Identifier: Apache-2.0
#include "hem/core/isosurface.h"

#include <gtest/gtest.h>

namespace hem {
namespace {

double sphere(Vec3 p, Vec3 centre, double radius) { return distance(p, centre) - radius; }

TEST(Isosurface, OfASphereIsClosedFacesOutwardsAndHasItsVolume) {
    const Grid grid{{-0.2f, -0.2f, -0.2f}, 0.02f, {20, 20, 20}};
    const Mesh mesh = isosurface([](Vec3 p) { return sphere(p, {}, 0.15); }, grid, {0, 0, 0});
    const Topology topology = topologyOf(mesh);
    EXPECT_TRUE(topology.watertight());
    EXPECT_EQ(topology.euler_characteristic, 2);
    EXPECT_NEAR(signedVolume(mesh), 4.0 / 3 * 3.14159265 * 0.15 * 0.15 * 0.15, 3e-4);
    for (Vec3 p : mesh.positions) EXPECT_NEAR(length(p), 0.15, 1.5e-3);
}

TEST(Isosurface, OfATorusHasAHole) {
    const Grid grid{{-0.2f, -0.2f, -0.1f}, 0.01f, {40, 40, 20}};
    auto torus = [](Vec3 p) {
        return std::hypot(std::hypot(double(p.x), double(p.y)) - 0.12, double(p.z)) - 0.05;
    };
    const Topology topology = topologyOf(isosurface(torus, grid, {0.12f, 0, 0}));
    EXPECT_TRUE(topology.watertight());
    EXPECT_EQ(topology.euler_characteristic, 0);
}

TEST(Isosurface, EndsExactlyOnTheFaceOfTheGrid) {
    const Grid grid{{0, -0.2f, -0.2f}, 0.02f, {10, 20, 20}};
    const Mesh half = isosurface([](Vec3 p) { return sphere(p, {}, 0.15); }, grid, {0, 0, 0});
    const Topology topology = topologyOf(half);
    EXPECT_GT(topology.boundary_edges, 0u);
    EXPECT_EQ(topology.euler_characteristic, 1);  // a disk
    size_t on_face = 0;
    for (Vec3 p : half.positions) on_face += p.x == 0;
    EXPECT_EQ(on_face, topology.boundary_edges);
}

TEST(Isosurface, LeavesOutWhatDoesNotHangTogetherWithTheSeed) {
    const Grid grid{{-0.2f, -0.2f, -0.2f}, 0.02f, {40, 20, 20}};
    auto two = [](Vec3 p) { return std::min(sphere(p, {}, 0.1), sphere(p, {0.35f, 0, 0}, 0.1)); };
    EXPECT_EQ(topologyOf(isosurface(two, grid, {0, 0, 0})).components, 1u);
}

}  // namespace
}  // namespace hem
