// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/hierarchy.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/cloth/plain_bodies.h"

namespace hem::built_in {
namespace {

constexpr float kRadius = 0.06f, kEdge = 0.02f;
constexpr int kAcross = 6, kAlong = 30;
const Vec3 kAxis{0, -kRadius, 0};

// The strip laid over a round bar along x: as far around it as it goes, then straight down. Where
// it lies on the upper half, it is stretched by `stretch`.
Particles laidOverABar(const ClothMesh& mesh, float stretch) {
    Particles x(mesh.size() + kDummies, splat(0));
    const float half = 0.5f * 3.14159265f * kRadius;
    for (size_t v = 0; v < mesh.size(); ++v) {
        const float at = mesh.rest[v].z - 0.5f * kAlong * kEdge, side = at < 0 ? -1.0f : 1.0f;
        const float along = std::abs(at) * (1 + stretch);
        const float angle = std::min(along, half) / kRadius;
        const float below = std::max(0.0f, along - half);
        x[v] = toFloat4({mesh.rest[v].x, kAxis.y + kRadius * std::cos(angle) - below,
                         side * kRadius * std::sin(angle)},
                        1 / mesh.masses[v]);
    }
    return x;
}

bool onBar(Float4 p) { return p[1] >= kAxis.y - 1e-5f; }

Vec3 awayFromBar(Float4 p) { return normalized(Vec3{0, p[1] - kAxis.y, p[2]}); }

std::vector<BodyContact::Touch> touchesOf(const ClothMesh& mesh, const Particles& x) {
    std::vector<BodyContact::Touch> touches;
    for (uint32_t v = 0; v < mesh.size(); ++v)
        if (onBar(x[v])) touches.push_back({v, awayFromBar(x[v]), {}, 1, true});
    return touches;
}

TEST(Hierarchy, DoesNotPullClothIntoTheBodyThatItTouches) {
    const ClothMesh mesh = makeClothMesh({sheet({0, 0, 0}, kEdge, kAcross, kAlong)});
    const Particles before = laidOverABar(mesh, 0.2f);
    const std::vector<BodyContact::Touch> touches = touchesOf(mesh, before);
    ASSERT_GT(touches.size(), 40u);
    Particles x = before;
    Hierarchy hierarchy(mesh);
    hierarchy.solve(x, touches);
    double moved = 0;
    for (const BodyContact::Touch& t : touches) {
        const Vec3 step = toVec3(x[t.vertex] - before[t.vertex]);
        EXPECT_GT(dot(step, t.normal), -1e-5f) << "vertex " << t.vertex;
        moved = std::max(moved, double(length(step)));
    }
    EXPECT_GT(moved, 1e-3);  // it does shorten what is stretched
}

}  // namespace
}  // namespace hem::built_in
