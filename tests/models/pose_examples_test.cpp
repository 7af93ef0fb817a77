// SPDX-License-Identifier: Apache-2.0
#include "hem/models/neural/pose_examples.h"

#include <gtest/gtest.h>

#include "hem/character/humanoid.h"
#include "hem/models/neural/component_curve.h"
#include "tests/poses/small_pose_set.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

TEST(PoseExamples, MirrorImagesHaveLeftAndRightExchanged) {
    const TemporaryFolder folder;
    ASSERT_TRUE(makePoseSet(smallScene(), folder.path("set"), quickly(8)));
    const PoseSet set = PoseSet::open(folder.path("set")).value();
    const auto partners =
        mirrorPartners(set.character().skeleton, joinedMesh(set.scene().garments));
    ASSERT_TRUE(partners);
    const auto numbers = RotationNumbers::kQuaternion;
    const auto plain = readExamples(set, PoseSplit::kTraining, numbers).value();
    const auto both = readExamples(set, PoseSplit::kTraining, numbers, &*partners).value();
    const Eigen::Index n = plain.inputs.cols();
    ASSERT_EQ(both.inputs.cols(), 2 * n);
    EXPECT_EQ(both.inputs.leftCols(n), plain.inputs);
    EXPECT_EQ(both.offsets.leftCols(n), plain.offsets);

    // a rotation's mirror image turns the other way about the axes in the plane of symmetry
    const std::vector<int>& joints = set.inputJoints();
    double turned = 0;
    for (size_t j = 0; j < joints.size(); ++j) {
        const auto partner = partners->joints[size_t(joints[j])];
        const auto at = std::find(joints.begin(), joints.end(), int(partner));
        ASSERT_NE(at, joints.end());
        const auto to = 4 * Eigen::Index(at - joints.begin()), from = 4 * Eigen::Index(j);
        for (Eigen::Index i = 0; i < n; ++i)
            for (int part = 0; part < 4; ++part) {
                const float value = plain.inputs(from + part, i) * (part < 2 ? 1.0f : -1.0f);
                EXPECT_NEAR(both.inputs(to + part, n + i), value, 1e-5f);
                turned += std::abs(double(plain.inputs(to + part, i) - value));
            }
    }
    EXPECT_GT(turned, 1) << "the poses are symmetric: this shows nothing";

    // on the garment that the mirrored pose skins, the mirrored offsets give the mirrored cloth
    const uint32_t first = set.members(PoseSplit::kTraining)[0];
    const Pose pose = set.pose(first);
    Pose twin = pose;
    twin.root_position.x = -pose.root_position.x;
    for (size_t j = 0; j < pose.rotations.size(); ++j) {
        const Quat q = pose.rotations[j];
        twin.rotations[partners->joints[j]] = {q.w, q.x, -q.y, -q.z};
    }
    std::vector<Affine> matrices(set.joints());
    skinningMatrices(set.character().skeleton, twin, set.character().skin.joint_from_rest.data(),
                     matrices.data());
    std::vector<Vec3> skinned(set.vertices());
    skinLinear(set.garmentSkin(), set.garmentRest().data(), matrices.data(), skinned.data());
    for (size_t v = 0; v < set.vertices(); ++v) {
        const size_t w = partners->vertices[v];
        const Vec3 cloth = set.restCloth(first)[v];
        const float* offset = &both.offsets(3 * Eigen::Index(w), n);
        EXPECT_NEAR(skinned[w].x + offset[0], -cloth.x, 1e-4f);
        EXPECT_NEAR(skinned[w].y + offset[1], cloth.y, 1e-4f);
        EXPECT_NEAR(skinned[w].z + offset[2], cloth.z, 1e-4f);
    }
}

TEST(ComponentCurve, TellsWhatTheFirstComponentsKeep) {
    // Four vertices that go along x by 3, and along y by 1, in turn.
    PoseExamples training{MatrixF::Zero(1, 4), MatrixF::Zero(12, 4)}, validation = training;
    for (Eigen::Index v = 0; v < 4; ++v) {
        training.offsets(3 * v, 0) = 3, training.offsets(3 * v, 1) = -3;
        training.offsets(3 * v + 1, 2) = 1, training.offsets(3 * v + 1, 3) = -1;
        validation.offsets(3 * v, 0) = 0.5f;
        validation.offsets(3 * v + 2, 1) = 0.25f;  // which training never does
    }
    const auto curve = componentCurve(training, validation, 2);
    ASSERT_TRUE(curve) << curve.error().message;
    ASSERT_EQ(curve->explained.size(), 3u);
    EXPECT_NEAR(curve->explained[0], 0, 1e-12);
    EXPECT_NEAR(curve->explained[1], 0.9, 1e-5);  // 9 + 9 of 20
    EXPECT_NEAR(curve->explained[2], 1, 1e-5);
    EXPECT_NEAR(curve->training_cm[0], 100 * std::sqrt(5.0), 1e-3);
    EXPECT_NEAR(curve->training_cm[1], 100 * std::sqrt(0.5), 1e-3);
    EXPECT_NEAR(curve->training_cm[2], 0, 0.1);
    EXPECT_NEAR(curve->validation_cm[0], 100 * std::sqrt((0.25 + 0.0625) / 4), 1e-3);
    EXPECT_NEAR(curve->validation_cm[2], 12.5, 1e-3);
    EXPECT_FALSE(componentCurve(training, validation, 5));
}

}  // namespace
}  // namespace hem
