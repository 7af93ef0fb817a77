// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/modal_training.h"

#include <gtest/gtest.h>

#include "hem/models/stable_space/modal_inputs.h"
#include "tests/models/made_clips.h"

namespace hem {
namespace {

std::vector<LatentClip> someMotion(int clips, int frames) {
    std::vector<LatentClip> all;
    for (int i = 0; i < clips; ++i) {
        LatentClip clip = madeMotion("clip" + std::to_string(i), 2, 1);
        clip.cloth.setZero(1, frames);
        all.push_back(std::move(clip));
    }
    return all;
}

TEST(ModalTraining, MoreMotionGetsMoreStepsAndLessWeightDecay) {
    const auto few = someMotion(3, 100), paper = someMotion(60, 200), more = someMotion(200, 500);
    EXPECT_LE(modalSteps(few), modalSteps(paper));
    EXPECT_LT(modalSteps(paper), modalSteps(more));
    EXPECT_EQ(modalWeightDecay(few), modalWeightDecay(paper));
    EXPECT_GT(modalWeightDecay(paper), modalWeightDecay(more));
}

TEST(ModalTraining, StopsAreNoMotionToTheChoiceOfSteps) {
    auto clips = someMotion(100, 500);
    const int steps = modalSteps(clips);
    const float decay = modalWeightDecay(clips);
    auto stops = someMotion(100, 90);
    for (LatentClip& stop : stops) stop.is_stop = true;
    clips.insert(clips.end(), stops.begin(), stops.end());
    EXPECT_EQ(modalSteps(clips), steps);
    EXPECT_EQ(modalWeightDecay(clips), decay);
}

// Cloth of four vertices and two modes that follows a number of the pose with a lag.
std::vector<LatentClip> laggingCloth() {
    std::vector<LatentClip> clips;
    for (uint64_t seed = 1; seed <= 3; ++seed) {
        LatentClip clip = madeMotion("clip" + std::to_string(seed), 120, seed);
        clip.cloth.setZero(2, 120);
        for (Eigen::Index t = 1; t < 120; ++t) {
            clip.cloth(0, t) = 0.8f * clip.cloth(0, t - 1) + 0.2f * clip.joints(1, t);
            clip.cloth(1, t) = 0.5f * clip.joints(5, t);
        }
        clips.push_back(std::move(clip));
    }
    return clips;
}

ModalOptions smallNetwork() {
    ModalOptions options;
    options.joints = {0, 1};
    options.hidden = 16, options.states = 4, options.outer = 8;
    options.windows = 8;
    options.error_vertices = 4;
    return options;
}

TEST(ModalTraining, IsLedByTheVerticesOfTheBasis) {
    const auto clips = laggingCloth();
    ModalOptions options = smallNetwork();
    options.iterations = 500;
    MatrixF sees_first = MatrixF::Zero(12, 2), sees_second = MatrixF::Zero(12, 2);
    sees_first.col(0).setOnes();
    sees_second.col(1).setOnes();
    const auto errors = [&](const MatrixF& basis) {
        const auto model = trainModal(clips, basis, options);
        EXPECT_TRUE(model) << model.error().message;
        const MatrixF off = rollout(*model, clips[0], 30) - clips[0].cloth;
        return std::pair(off.row(0).norm(), off.row(1).norm());
    };
    const auto first = errors(sees_first), second = errors(sees_second);
    EXPECT_LT(first.first, 0.7f * second.first);
    EXPECT_LT(second.second, 0.7f * first.second);
}

TEST(ModalTraining, ReadsPointsOfTheBodyWhereTheyAre) {
    const auto clips = laggingCloth();
    const PoseFeatures pose = fitPoseFeatures(clips, {0}, 3, {{1, {0.1f, 0.2f, 0.3f}}});
    EXPECT_EQ(pose.joints, (std::vector<uint16_t>{0, 1}));
    const MatrixF inputs = modalInputs(pose, clips[0].joints, clips[0].roots, 30);
    const Eigen::Index at = pose.offset.size() - 3;
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
        const Eigen::Vector4f row = clips[0].joints.col(7).segment<4>(12 + 4 * axis);
        EXPECT_NEAR(inputs(at + axis, 7), row.dot(Eigen::Vector4f(0.1f, 0.2f, 0.3f, 1)), 1e-6f);
    }
}

TEST(ModalTraining, LeavesPointsOutWhereThereIsLittleMotion) {
    const auto clips = laggingCloth();
    ModalOptions options = smallNetwork();
    options.joints = {0};
    options.points = {{1, {0, 0, 0}}};
    options.iterations = 1;
    const MatrixF basis = MatrixF::Ones(12, 2);
    EXPECT_EQ(trainModal(clips, basis, options)->pose.joints.size(), 1u);
    options.frames_for_points = 360;
    EXPECT_EQ(trainModal(clips, basis, options)->pose.joints.size(), 2u);
}

// Each mode is measured in a unit of its own: what its y is counted in makes no difference.
TEST(ModalTraining, LearnsAFaintModeAsWellAsAStrongOne) {
    const auto clips = laggingCloth();
    auto faint_clips = clips;
    for (LatentClip& clip : faint_clips) clip.cloth.row(1) /= 128;
    ModalOptions options = smallNetwork();
    options.iterations = 50;
    MatrixF basis = MatrixF::Zero(12, 2);
    basis.topRows(6).col(0).setOnes();
    basis.bottomRows(6).col(1).setOnes();
    MatrixF faint_basis = basis;
    faint_basis.col(1) *= 128;
    const MatrixF y = rollout(*trainModal(clips, basis, options), clips[0], 30);
    const MatrixF faint_y =
        rollout(*trainModal(faint_clips, faint_basis, options), faint_clips[0], 30);
    EXPECT_LT((y.row(1) - 128 * faint_y.row(1)).norm(), 1e-4f * y.row(1).norm());
}

}  // namespace
}  // namespace hem
