// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/judge.h"

#include <gtest/gtest.h>

#include <limits>

#include "hem/character/mannequin/mannequin.h"
#include "tests/cloth/plain_bodies.h"

namespace hem {
namespace {

// A ball of radius 0.5 m at the origin and a sheet of 6 by 6 vertices, 2 cm apart, above it.
ClothScene ballAndSheet() {
    ClothScene scene;
    scene.character = rigidCharacter(sphereMesh({0, 0, 0}, 0.5f));
    scene.garments = {sheet({-0.05f, 0.6f, -0.05f}, 0.02f, 5, 5)};
    return scene;
}

TEST(ClothJudge, FindsNothingWrongWithClothAsItWasMade) {
    const ClothScene scene = ballAndSheet();
    ClothJudge judge(scene);
    judge.add(restPose(scene.character.skeleton), scene.garments[0].mesh.positions);
    const Verdict v = judge.verdict();
    EXPECT_EQ(v.frames, 1u);
    EXPECT_TRUE(v.finite);
    EXPECT_NEAR(v.stretch_max, 0, 1e-5);
    EXPECT_NEAR(v.stretch_p99, 0, 1e-3);
    EXPECT_EQ(v.penetration_max_mm, 0);
    EXPECT_EQ(v.self_penetration_rate, 0);
}

TEST(ClothJudge, MeasuresStretchOfAScaledSheet) {
    const ClothScene scene = ballAndSheet();
    ClothJudge judge(scene);
    std::vector<Vec3> positions = scene.garments[0].mesh.positions;
    for (Vec3& p : positions) p.x *= 1.25f;  // diagonals stretch by less
    judge.add(restPose(scene.character.skeleton), positions);
    EXPECT_NEAR(judge.verdict().stretch_max, 0.25, 1e-3);
    EXPECT_NEAR(judge.verdict().stretch_p99, 0.25, 1e-3);
}

TEST(ClothJudge, MeasuresHowDeepOneVertexIs) {
    const ClothScene scene = ballAndSheet();
    ClothJudge judge(scene);
    std::vector<Vec3> positions = scene.garments[0].mesh.positions;
    positions[7] = {0, 0.47f, 0};
    judge.add(restPose(scene.character.skeleton), positions);
    const Verdict v = judge.verdict();
    EXPECT_NEAR(v.penetration_max_mm, 30, 2);
    EXPECT_EQ(v.penetration_vertex, 7u);
    EXPECT_NEAR(v.penetration_rate_3mm, 1.0 / 36, 1e-9);
    EXPECT_EQ(v.fold_rate_3mm, 0);
}

TEST(ClothJudge, SeesSkinThatShowsBetweenVerticesThatAreOutside) {
    ClothScene scene = ballAndSheet();
    // one square of 30 cm that lies across the ball's top: corners outside, middles inside
    scene.garments = {sheet({-0.15f, 0.49f, -0.15f}, 0.3f, 1, 1)};
    ClothJudge judge(scene);
    judge.add(restPose(scene.character.skeleton), scene.garments[0].mesh.positions);
    EXPECT_EQ(judge.verdict().penetration_max_mm, 0);
    EXPECT_EQ(judge.verdict().skin_shows_rate, 1);
    std::vector<Vec3> raised = scene.garments[0].mesh.positions;
    for (Vec3& p : raised) p.y += 0.05f;
    ClothJudge clear(scene);
    clear.add(restPose(scene.character.skeleton), raised);
    EXPECT_EQ(clear.verdict().skin_shows_rate, 0);
}

// A sheet through the left forearm of the mannequin, worn at the hip or there.
double deepestInForearm(bool worn_there, bool arms_pass) {
    ClothScene scene{mannequin(Sex::kFemale), {sheet({}, 0.02f, 2, 2)}};
    scene.arms_pass = arms_pass;
    const Skeleton& skeleton = scene.character.skeleton;
    const std::vector<Transform> joints = worldTransforms(skeleton, restPose(skeleton));
    const Vec3 forearm = (joints[size_t(skeleton.find("LeftForeArm"))].translation +
                          joints[size_t(skeleton.find("LeftHand"))].translation) /
                         2;
    std::vector<Vec3> through = scene.garments[0].mesh.positions;
    for (Vec3& p : through) p += forearm - Vec3{0.02f, 0, 0.02f};
    const Vec3 hips = joints[size_t(skeleton.find("Hips"))].translation;
    for (Vec3& p : scene.garments[0].mesh.positions)
        p += worn_there ? forearm + Vec3{0, 0.05f, 0} : hips + Vec3{0, 0, 0.3f};
    ClothJudge judge(scene);
    judge.add(restPose(skeleton), through);
    EXPECT_EQ(judge.verdict().skin_shows_rate > 0, judge.verdict().penetration_max_mm > 0);
    return judge.verdict().penetration_max_mm;
}

TEST(ClothJudge, ClothMayBeInArmsThatPassUnlessItIsWornOnThem) {
    EXPECT_GT(deepestInForearm(false, false), 10);
    EXPECT_EQ(deepestInForearm(false, true), 0);
    EXPECT_GT(deepestInForearm(true, true), 10);
}

TEST(ClothJudge, MovesTheBodyWithThePose) {
    const ClothScene scene = ballAndSheet();
    ClothJudge judge(scene);
    Pose pose = restPose(scene.character.skeleton);
    pose.root_position = {0, 0.15f, 0};  // the top of the ball is now at 0.65, 5 cm over the sheet
    judge.add(pose, scene.garments[0].mesh.positions);
    EXPECT_NEAR(judge.verdict().penetration_max_mm, 50, 2);
}

TEST(ClothJudge, SetsAsideClothBetweenTwoPartsOfTheBody) {
    ClothScene scene = ballAndSheet();
    // two balls that overlap: around x = 0 their skins are inside each other
    scene.character =
        rigidCharacter(joined(sphereMesh({-0.3f, 0, 0}, 0.31f), sphereMesh({0.3f, 0, 0}, 0.31f)));
    ClothJudge judge(scene);
    std::vector<Vec3> positions = scene.garments[0].mesh.positions;
    positions[0] = {0.0f, 0.02f, 0};   // in the overlap
    positions[1] = {-0.58f, 0.0f, 0};  // in one ball alone
    judge.add(restPose(scene.character.skeleton), positions);
    const Verdict v = judge.verdict();
    EXPECT_EQ(v.penetration_vertex, 1u);
    EXPECT_NEAR(v.penetration_rate_3mm, 1.0 / 36, 1e-9);
    EXPECT_NEAR(v.fold_rate_3mm, 1.0 / 36, 1e-9);
    EXPECT_EQ(judge.deeperThan(0.001f).all, 2u);
    EXPECT_EQ(judge.deeperThan(0.001f).in_folds, 1u);
    EXPECT_EQ(judge.deeperThan(0.1f).all, 0u);
}

TEST(ClothJudge, CountsEdgesThatPassThroughTheCloth) {
    const ClothScene scene = ballAndSheet();
    const Mesh& mesh = scene.garments[0].mesh;
    const auto edges = uniqueEdges(mesh.triangles);
    std::vector<Vec3> positions = mesh.positions;
    EXPECT_EQ(countPiercingEdges(positions, mesh.triangles, edges), 0u);
    // the first corner is folded over and pulled through the middle of the sheet: its three edges,
    // or those of them that do not start next to where they go through, pierce it
    positions[0] = {0.013f, 0.57f, 0.011f};
    for (const uint32_t v : {1u, 6u, 7u}) positions[v].y += 0.05f;
    EXPECT_GE(countPiercingEdges(positions, mesh.triangles, edges), 1u);
}

TEST(ClothJudge, SaysThatAFrameIsNotFinite) {
    const ClothScene scene = ballAndSheet();
    ClothJudge judge(scene);
    std::vector<Vec3> positions = scene.garments[0].mesh.positions;
    positions[3].y = std::numeric_limits<float>::quiet_NaN();
    judge.add(restPose(scene.character.skeleton), positions);
    EXPECT_FALSE(judge.verdict().finite);
}

TEST(ClothJudge, TwoHalvesAddUpToTheWhole) {
    const ClothScene scene = ballAndSheet();
    ClothJudge whole(scene), first(scene), second(scene);
    const Pose pose = restPose(scene.character.skeleton);
    for (int frame = 0; frame < 20; ++frame) {
        std::vector<Vec3> positions = scene.garments[0].mesh.positions;
        for (Vec3& p : positions) p = p * (1 - 0.02f * float(frame));
        whole.add(pose, positions);
        (frame < 10 ? first : second).add(pose, positions);
    }
    first.add(second);
    EXPECT_EQ(first.verdict().penetration_frame, whole.verdict().penetration_frame);
    EXPECT_EQ(first.verdict().penetration_rate_3mm, whole.verdict().penetration_rate_3mm);
    EXPECT_EQ(first.verdict().stretch_p99, whole.verdict().stretch_p99);
    EXPECT_GT(whole.verdict().penetration_rate_3mm, 0.1);
}

TEST(KineticEnergy, OfASheetThatFliesIsHalfTheSquareOfItsSpeed) {
    const std::vector<Garment> garments = {sheet({0, 0, 0}, 0.1f, 3, 2)};
    const std::vector<float> masses = vertexMasses(garments);
    float total = 0;
    for (const float m : masses) total += m;
    EXPECT_NEAR(total, 0.06f * garments[0].fabric.density, 1e-6f);
    EXPECT_NEAR(kineticEnergyPerKilogram(masses, std::vector<Vec3>(12, Vec3{0, 3, 0})), 4.5, 1e-6);
}

}  // namespace
}  // namespace hem
