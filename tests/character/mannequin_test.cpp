// SPDX-License-Identifier: Apache-2.0
#include "hem/character/mannequin/mannequin.h"

#include <gtest/gtest.h>

#include <map>

#include "hem/core/portable_math.h"
#include "hem/core/random.h"
#include "tests/character/body_measures.h"

namespace hem {
namespace {

class Mannequin : public testing::TestWithParam<Sex> {
protected:
    const Character body = mannequin(GetParam());
    const bool female = GetParam() == Sex::kFemale;

    Vec3 rest(const char* joint) const {
        return worldTransforms(body.skeleton,
                               restPose(body.skeleton))[size_t(body.skeleton.find(joint))]
            .translation;
    }
    size_t partnerOf(size_t vertex) const {
        const Vec3 p = body.mesh.positions[vertex];
        for (size_t v = 0; v < body.mesh.positions.size(); ++v)
            if (body.mesh.positions[v] == Vec3{-p.x, p.y, p.z}) return v;
        return body.mesh.positions.size();
    }
};
INSTANTIATE_TEST_SUITE_P(Sexes, Mannequin, testing::Values(Sex::kFemale, Sex::kMale),
                         [](const auto& sex) { return std::string(nameOf(sex.param)); });

TEST_P(Mannequin, IsAValidCharacterOf27JointsWithCmuNames) {
    EXPECT_TRUE(validate(body));
    EXPECT_EQ(body.skeleton.size(), 27u);
    EXPECT_EQ(body.skeleton.joints[0].name, "Hips");
    for (const char* name : {"LowerBack", "Spine", "Spine1", "Neck", "Neck1", "Head",
                             "LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand", "LThumb",
                             "RightUpLeg", "RightLeg", "RightFoot", "RightToeBase"})
        EXPECT_GE(body.skeleton.find(name), 0) << name;
    EXPECT_EQ(body.skeleton, mannequinSkeleton(GetParam()));
}

TEST_P(Mannequin, IsOneClosedSurfaceWithoutHoles) {
    const Topology topology = topologyOf(body.mesh);
    EXPECT_TRUE(topology.watertight());
    EXPECT_EQ(topology.components, 1u);
    EXPECT_EQ(topology.euler_characteristic, 2);
    EXPECT_EQ(topology.unused_vertices + topology.degenerate_triangles, 0u);
}

TEST_P(Mannequin, HasAboutFiveThousandVertices) {
    EXPECT_GE(body.mesh.positions.size(), 4700u);
    EXPECT_LE(body.mesh.positions.size(), 5300u);
}

TEST_P(Mannequin, HasNoSliverTriangles) { EXPECT_GT(smallestAngle(body.mesh), 25); }

TEST_P(Mannequin, IsSmooth) {
    // neighbouring triangles turn by less than a right angle, in the web of the thumb too
    std::map<std::pair<uint32_t, uint32_t>, Vec3> normals;
    double sharpest = 1;
    for (const Triangle& t : body.mesh.triangles) {
        const Vec3 a = body.mesh.positions[t[0]];
        const Vec3 n =
            normalized(cross(body.mesh.positions[t[1]] - a, body.mesh.positions[t[2]] - a));
        for (int i = 0; i < 3; ++i) {
            const auto [it, is_new] = normals.try_emplace(std::minmax(t[i], t[(i + 1) % 3]), n);
            if (!is_new) sharpest = std::min(sharpest, double(dot(n, it->second)));
        }
    }
    EXPECT_GT(sharpest, portable::cos(degreesToRadians(88)));
}

TEST_P(Mannequin, StandsOnTheFloorAtItsStature) {
    const Bounds bounds = boundsOf(body.mesh.positions);
    EXPECT_NEAR(bounds.low.y, 0, 0.002);
    EXPECT_NEAR(bounds.high.y, female ? 1.630 : 1.756, 0.003);
}

// Mass over the density of the body, 1.01 kg a litre: a body mass index of 19 to 23.
TEST_P(Mannequin, HasTheVolumeOfASlimBody) {
    const double stature = boundsOf(body.mesh.positions).size().y;
    const double index = signedVolume(body.mesh) * 1010 / (stature * stature);
    EXPECT_GT(index, 19);
    EXPECT_LT(index, 23);
}

TEST_P(Mannequin, IsExactlySymmetric) {
    const size_t influences = size_t(body.skin.influences);
    for (size_t v = 0; v < body.mesh.positions.size(); v += 7) {
        const size_t partner = partnerOf(v);
        ASSERT_LT(partner, body.mesh.positions.size()) << "vertex " << v;
        for (size_t i = 0; i < influences; ++i) {
            EXPECT_EQ(body.skin.weights[v * influences + i],
                      body.skin.weights[partner * influences + i]);
            if (body.mesh.positions[v].x == 0 || body.skin.weights[v * influences + i] == 0)
                continue;
            const Vec3 p =
                rest(body.skeleton.joints[body.skin.joints[v * influences + i]].name.c_str());
            const Vec3 q =
                rest(body.skeleton.joints[body.skin.joints[partner * influences + i]].name.c_str());
            EXPECT_EQ(p, (Vec3{-q.x, q.y, q.z}));
        }
    }
}

TEST_P(Mannequin, DoesNotPassThroughItself) { EXPECT_TRUE(selfIntersections(body.mesh).empty()); }

TEST_P(Mannequin, CanRestItsArmsAtItsSides) {
    Pose pose = restPose(body.skeleton);
    // from 40 degrees off the vertical to 12
    for (const char* name : {"LeftArm", "RightArm"})
        pose.rotations[size_t(body.skeleton.find(name))] =
            fromAxisAngle({0, 0, 1}, degreesToRadians(name[0] == 'L' ? -28 : 28));
    EXPECT_TRUE(selfIntersections(posedMesh(body, pose)).empty());
}

TEST_P(Mannequin, HasTheGirthsOfItsTable) {
    struct Row {
        const char* name;
        double height[2], girth[2];  // female, male
        bool leg;
    };
    // docs/mannequin.md has the same table
    const Row rows[] = {
        {"neck", {1.400, 1.515}, {0.31, 0.38}, false},
        {"chest", {1.178, 1.290}, {0.87, 0.96}, false},
        {"waist", {1.045, 1.100}, {0.67, 0.78}, false},
        {"hips", {0.805, 0.870}, {0.955, 0.95}, false},
        {"thigh", {0.720, 0.776}, {0.535, 0.555}, true},
        {"knee", {0.465, 0.500}, {0.33, 0.36}, true},
        {"calf", {0.345, 0.370}, {0.355, 0.39}, true},
        {"ankle", {0.125, 0.135}, {0.20, 0.22}, true},
    };
    for (const Row& row : rows) {
        const float y = float(row.height[female ? 0 : 1]);
        const float arm_x = y < 1.2f ? 0.20f : 0.19f;
        auto counts = [&](Vec3 p) { return row.leg ? p.x > 0 : std::abs(p.x) < arm_x; };
        EXPECT_NEAR(girth(body.mesh, {0, y, 0}, {0, 1, 0}, counts), row.girth[female ? 0 : 1],
                    0.012)
            << row.name;
    }
}

TEST_P(Mannequin, HasTheArmGirthsOfItsTable) {
    const Vec3 shoulder = rest("LeftArm"), elbow = rest("LeftForeArm"), wrist = rest("LeftHand");
    auto around = [&](Vec3 a, Vec3 b, float t) {
        const Vec3 centre = lerp(a, b, t);
        return girth(body.mesh, centre, b - a, [&](Vec3 p) { return distance(p, centre) < 0.09f; });
    };
    EXPECT_NEAR(around(shoulder, elbow, 0.45f), female ? 0.26 : 0.30, 0.01);
    EXPECT_NEAR(around(elbow, wrist, 0.20f), female ? 0.23 : 0.26, 0.01);
    EXPECT_NEAR(around(elbow, wrist, 0.92f), female ? 0.15 : 0.165, 0.01);
}

TEST_P(Mannequin, IsTheSameObjectOnEveryCall) {
    const Character again = mannequin(GetParam());
    EXPECT_EQ(again.mesh.positions, body.mesh.positions);
    EXPECT_EQ(again.skin.weights, body.skin.weights);
}

// The bits of positions, triangles and weights. Whoever changes the mannequin's shape on purpose
// pins the new hash; on another machine or compiler the old one must come out.
TEST_P(Mannequin, HasTheSameBitsEverywhere) {
    uint64_t hash =
        hashBytes(body.mesh.positions.data(), body.mesh.positions.size() * sizeof(Vec3));
    hash =
        hashBytes(body.mesh.triangles.data(), body.mesh.triangles.size() * sizeof(Triangle), hash);
    hash = hashBytes(body.skin.joints.data(), body.skin.joints.size() * sizeof(uint16_t), hash);
    hash = hashBytes(body.skin.weights.data(), body.skin.weights.size() * sizeof(float), hash);
    EXPECT_EQ(hash, female ? 0xe628703c507fc7fu : 0x16af3f6b4307a299u) << std::hex << "0x" << hash;
}

}  // namespace
}  // namespace hem
