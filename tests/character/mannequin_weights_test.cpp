// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"

namespace hem {
namespace {

class MannequinWeights : public testing::TestWithParam<Sex> {
protected:
    const Character body = mannequin(GetParam());

    // Weights of all joints, per vertex.
    std::vector<std::vector<float>> dense() const {
        std::vector<std::vector<float>> rows(body.mesh.positions.size(),
                                             std::vector<float>(body.skeleton.size()));
        for (size_t i = 0; i < body.skin.joints.size(); ++i)
            rows[i / size_t(body.skin.influences)][body.skin.joints[i]] += body.skin.weights[i];
        return rows;
    }
    Vec3 rest(const std::string& joint) const {
        return worldTransforms(body.skeleton,
                               restPose(body.skeleton))[size_t(body.skeleton.find(joint))]
            .translation;
    }
    Mesh bent(const char* joint, Vec3 axis, float degrees) const {
        Pose pose = restPose(body.skeleton);
        pose.rotations[size_t(body.skeleton.find(joint))] =
            fromAxisAngle(normalized(axis), degreesToRadians(degrees));
        return posedMesh(body, pose);
    }
};
INSTANTIATE_TEST_SUITE_P(Sexes, MannequinWeights, testing::Values(Sex::kFemale, Sex::kMale),
                         [](const auto& sex) { return std::string(nameOf(sex.param)); });

TEST_P(MannequinWeights, AreAtMostFourAndSumToOne) {
    EXPECT_EQ(body.skin.influences, 4);
    for (const std::vector<float>& row : dense()) {
        float sum = 0;
        for (float w : row) sum += w;
        EXPECT_NEAR(sum, 1, 1e-6);
    }
}

TEST_P(MannequinWeights, GiveEveryJointSomethingToMove) {
    std::vector<float> largest(body.skeleton.size());
    for (const std::vector<float>& row : dense())
        for (size_t j = 0; j < row.size(); ++j) largest[j] = std::max(largest[j], row[j]);
    for (size_t j = 0; j < largest.size(); ++j)
        EXPECT_GT(largest[j], 0.6f) << body.skeleton.joints[j].name;
}

TEST_P(MannequinWeights, ChangeGraduallyAlongTheSurface) {
    const std::vector<std::vector<float>> rows = dense();
    for (const auto& [a, b] : uniqueEdges(body.mesh.triangles)) {
        float moved = 0;
        for (size_t j = 0; j < rows[a].size(); ++j) moved += std::abs(rows[a][j] - rows[b][j]) / 2;
        EXPECT_LT(moved, 0.45f) << "at height " << body.mesh.positions[a].y;
    }
}

TEST_P(MannequinWeights, NeverCrossTheMiddle) {
    const std::vector<std::vector<float>> rows = dense();
    for (size_t j = 0; j < body.skeleton.size(); ++j) {
        const float side = rest(body.skeleton.joints[j].name).x;
        for (size_t v = 0; v < rows.size(); ++v)
            if (side * body.mesh.positions[v].x < 0 ||
                (side != 0 && body.mesh.positions[v].x == 0)) {
                EXPECT_EQ(rows[v][j], 0) << body.skeleton.joints[j].name;
            }
    }
}

// An arm pulls nothing below the armpit of the trunk, a leg nothing above the waist, the head
// nothing below the neck.
TEST_P(MannequinWeights, StayWhereTheirLimbIs) {
    const std::vector<std::vector<float>> rows = dense();
    auto weight = [&](size_t v, const char* name) {
        return rows[v][size_t(body.skeleton.find(name))];
    };
    const Vec3 shoulder = rest("LeftArm"), wrist = rest("LeftHand"),
               along = normalized(wrist - shoulder);
    for (size_t v = 0; v < rows.size(); ++v) {
        const Vec3 p = body.mesh.positions[v];
        if (p.x < 0) continue;
        const bool off_the_arm = length(cross(p - shoulder, along)) > 0.14f;
        const bool on_the_hand = p.x > wrist.x, above_the_hips = p.y > rest("LeftUpLeg").y + 0.12f;
        const bool below_the_neck = p.y < rest("Neck").y - 0.06f;
        const float arm = weight(v, "LeftArm") + weight(v, "LeftForeArm") + weight(v, "LeftHand");
        EXPECT_EQ(off_the_arm ? arm : 0, 0) << p.x << " " << p.y << " " << p.z;
        EXPECT_EQ(on_the_hand ? weight(v, "LeftUpLeg") + weight(v, "Hips") : 0, 0)
            << p.x << " " << p.y;
        EXPECT_EQ(above_the_hips ? weight(v, "LeftUpLeg") : 0, 0) << p.x << " " << p.y;
        EXPECT_EQ(below_the_neck ? weight(v, "Head") : 0, 0) << p.x << " " << p.y;
    }
}

struct Bend {
    const char* joint;
    Vec3 axis;
    float degrees;
};
// Human ranges; the arms from their rest at 40 degrees off the vertical.
constexpr Bend kBends[] = {
    {"LeftUpLeg", {1, 0, 0}, -100},  {"LeftUpLeg", {1, 0, 0}, 20},     {"LeftUpLeg", {0, 0, 1}, 40},
    {"LeftLeg", {1, 0, 0}, 120},     {"LeftFoot", {1, 0, 0}, 40},      {"LeftFoot", {1, 0, 0}, -20},
    {"LeftToeBase", {1, 0, 0}, -50}, {"LeftArm", {0, 0, 1}, 120},      {"LeftArm", {0, 0, 1}, -30},
    {"LeftArm", {1, 0, 0}, -90},     {"LeftForeArm", {0, 1, 0}, -130}, {"LeftHand", {0, 0, 1}, -60},
    {"LowerBack", {1, 0, 0}, 30},    {"Spine", {0, 0, 1}, 25},         {"Spine1", {0, 1, 0}, 30},
    {"Neck", {1, 0, 0}, 30},         {"Head", {0, 1, 0}, 40},          {"Head", {1, 0, 0}, -25},
};

TEST_P(MannequinWeights, KeepTheVolumeWhenAnyJointBends) {
    const double volume = signedVolume(body.mesh);
    for (const Bend& bend : kBends) {
        const double ratio = signedVolume(bent(bend.joint, bend.axis, bend.degrees)) / volume;
        EXPECT_NEAR(ratio, 1, 0.02) << bend.joint << " by " << bend.degrees;
    }
}

TEST_P(MannequinWeights, StretchNoEdgeMoreThanFiveFold) {
    const auto edges = uniqueEdges(body.mesh.triangles);
    for (const Bend& bend : kBends) {
        const Mesh mesh = bent(bend.joint, bend.axis, bend.degrees);
        float worst = 0;
        for (const auto& [a, b] : edges)
            worst = std::max(worst, distance(mesh.positions[a], mesh.positions[b]) /
                                        distance(body.mesh.positions[a], body.mesh.positions[b]));
        EXPECT_LT(worst, 5) << bend.joint << " by " << bend.degrees;
    }
}

}  // namespace
}  // namespace hem
