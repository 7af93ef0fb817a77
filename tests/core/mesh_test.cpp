// SPDX-License-Identifier: Apache-2.0
#include "hem/core/mesh.h"

#include <gtest/gtest.h>

namespace hem {
namespace {

// The unit cube, twelve triangles facing outwards.
Mesh cube() {
    Mesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.positions.push_back({float(i & 1), float(i >> 1 & 1), float(i >> 2)});
    mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                      {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    return mesh;
}

TEST(Mesh, CubeIsAClosedSphereOfUnitVolume) {
    const Mesh mesh = cube();
    const Topology t = topologyOf(mesh);
    EXPECT_TRUE(t.watertight());
    EXPECT_EQ(t.edges, 18u);
    EXPECT_EQ(t.euler_characteristic, 2);
    EXPECT_EQ(t.components, 1u);
    EXPECT_NEAR(signedVolume(mesh), 1, 1e-9);
}

TEST(Mesh, AHoleHasABoundary) {
    Mesh mesh = cube();
    mesh.triangles.pop_back();
    EXPECT_EQ(topologyOf(mesh).boundary_edges, 3u);
    EXPECT_FALSE(topologyOf(mesh).watertight());
}

TEST(Mesh, AFlippedTriangleIsNotManifold) {
    Mesh mesh = cube();
    std::swap(mesh.triangles[0][1], mesh.triangles[0][2]);
    EXPECT_EQ(topologyOf(mesh).nonmanifold_edges, 3u);
}

TEST(Mesh, WeldingClosesACubeThatWasSplitAtItsSeams) {
    const Mesh whole = cube();
    Mesh split;
    for (const Triangle& t : whole.triangles) {
        const auto base = uint32_t(split.positions.size());
        for (uint32_t v : t) split.positions.push_back(whole.positions[v]);
        split.triangles.push_back({base, base + 1, base + 2});
    }
    EXPECT_EQ(topologyOf(split).components, 12u);
    const Mesh closed = welded(split, weldByPosition(split.positions));
    EXPECT_EQ(closed.positions.size(), 8u);
    EXPECT_TRUE(topologyOf(closed).watertight());
}

TEST(Mesh, NormalsOfACubePointOutwards) {
    const Mesh mesh = cube();
    const std::vector<Vec3> normals = vertexNormals(mesh.positions, mesh.triangles);
    for (size_t v = 0; v < 8; ++v) {
        EXPECT_GT(dot(normals[v], mesh.positions[v] - Vec3{0.5f, 0.5f, 0.5f}), 0.7f);
        EXPECT_NEAR(length(normals[v]), 1, 1e-6f);
    }
}

}  // namespace
}  // namespace hem
