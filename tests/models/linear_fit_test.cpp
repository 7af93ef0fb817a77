// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/linear_fit.h"

#include <gtest/gtest.h>

#include "hem/models/stable_space/linear_inputs.h"
#include "hem/models/stable_space/stability.h"
#include "tests/models/made_clips.h"

namespace hem {
namespace {

constexpr int kModes = 8;

double sizeOf(const LatentClip& clip) { return double(clip.cloth.colwise().norm().mean()); }

// Free-running error relative to the motion itself.
double relativeError(const StableSpace& model, const LatentClip& clip) {
    return latentError(rollout(model, clip, 30), clip, 1) / sizeOf(clip);
}

TEST(LinearFit, FindsTheModelThatMadeTheDataWhateverItsKindAndOrder) {
    for (char kind : {'A', 'B', 'C'})
        for (int order = kind == 'A' ? 0 : 1; order <= (kind == 'A' ? 0 : 5); ++order) {
            const LinearDynamics truth =
                madeDynamics(order, kind == 'C', kModes, 0.85, uint64_t(order));
            const auto clips = madeClips(truth, 9, 150, 1);
            const auto unseen = madeClips(truth, 1, 200, 77)[0];
            const auto model = fitLinear(
                clips, madeBody(),
                {.kind = kind, .order = order, .warm_up = 200, .ridge = 0, .stop_weight = 1});
            ASSERT_TRUE(model) << model.error().message;
            EXPECT_LT(relativeError(*model, unseen), 2e-3) << kind << " of order " << order;
        }
}

TEST(LinearFit, AnotherOrderThanTheDatasIsWorse) {
    const LinearDynamics truth = madeDynamics(2, true, kModes, 0.9, 5);
    const auto clips = madeClips(truth, 9, 150, 1);
    const auto unseen = madeClips(truth, 1, 200, 77)[0];
    const auto static_model = fitLinear(clips, madeBody(), {.kind = 'A'});
    const auto blind = fitLinear(clips, madeBody(), {.kind = 'B'});
    ASSERT_TRUE(static_model && blind);
    EXPECT_GT(relativeError(*static_model, unseen), 0.1);
    EXPECT_GT(relativeError(*blind, unseen), 0.02);
}

TEST(LinearFit, TheWayOfTheRootIsSeenFromTheOldestFrame) {
    const LatentClip clip = madeMotion("walk", 20, 3);
    const MatrixF features = MatrixF::Zero(1, 18);
    const MatrixF inputs = linearInputs(features, clip.roots, 2, true);
    ASSERT_EQ(inputs.rows(), 11);
    for (int t = 0; t < 18; ++t) {
        std::vector<double> z;
        appendRootWay(clip.roots[size_t(t) + 2], clip.roots[size_t(t)], z);
        appendRootWay(clip.roots[size_t(t) + 1], clip.roots[size_t(t)], z);
        for (int i = 0; i < 10; ++i) EXPECT_NEAR(inputs(i + 1, t), z[size_t(i)], 2e-6);
    }
}

TEST(LinearFit, WithoutWarmUpTheFirstFramesAreTheStaticModels) {
    const LinearDynamics truth = madeDynamics(3, true, kModes, 0.85, 4);
    const auto clips = madeClips(truth, 9, 150, 1);
    const auto model = fitLinear(clips, madeBody(), {.order = 3, .warm_up = 0, .ridge = 0});
    ASSERT_TRUE(model) << model.error().message;
    const auto& dynamics = std::get<LinearDynamics>(model->dynamics);
    const MatrixF y = rollout(*model, clips[0], 30);
    const MatrixF features = poseFeatures(model->pose, clips[0].joints);
    for (int t = 0; t < 3; ++t)
        EXPECT_LT((y.col(t) - dynamics.static_weights * features.col(t)).norm(), 1e-5f) << t;
    EXPECT_GT((y.col(3) - dynamics.static_weights * features.col(3)).norm(), 1e-2f);
    // and the start is forgotten
    EXPECT_LT((y.col(149) - clips[0].cloth.col(149)).norm(), 1e-2f);
}

TEST(LinearFit, AResetStartsAsIfTheFirstMotionHadLastedForLong) {
    const LinearDynamics truth = madeDynamics(2, true, kModes, 0.9, 5);
    const auto clips = madeClips(truth, 9, 150, 1);
    const auto model = fitLinear(clips, madeBody(), {.warm_up = 200, .ridge = 0});
    ASSERT_TRUE(model);
    const double size = sizeOf(clips[2]);
    const MatrixF moving = rollout(*model, clips[2], 30),
                  still = rollout(*model, clips[2], 30, false);
    EXPECT_LT((moving.col(0) - clips[2].cloth.col(0)).norm(), 2e-3 * size);
    EXPECT_GT((still.col(0) - clips[2].cloth.col(0)).norm(), 2e-3 * size);
}

// Clips that stop: the body and root stand still from `frame` on.
LatentClip stopOf(const LatentClip& clip, const LinearDynamics& truth, size_t frame, int frames) {
    LatentClip whole = clip;
    whole.joints.conservativeResize(24, Eigen::Index(frame) + frames);
    whole.roots.resize(frame + size_t(frames));
    for (size_t t = frame; t < frame + size_t(frames); ++t) {
        whole.joints.col(Eigen::Index(t)) = clip.joints.col(Eigen::Index(frame));
        whole.roots[t] = clip.roots[frame];
    }
    letMoveBy(truth, whole, madeBody());
    LatentClip stop{
        .name = clip.name + ".stop1", .is_stop = true, .of = clip.name, .stop_frame = frame};
    stop.cloth = whole.cloth.rightCols(frames);
    stop.joints = whole.joints.rightCols(frames);
    stop.residual.setZero(frames);
    stop.roots.assign(whole.roots.end() - frames, whole.roots.end());
    return stop;
}

TEST(LinearFit, StopsGoOnFromTheClipsTheyBelongTo) {
    // rows that took a stop for a body that had always stood there would contradict the clips
    const LinearDynamics truth = madeDynamics(2, true, kModes, 0.85, 5);
    std::vector<LatentClip> clips;
    for (const LatentClip& clip : madeClips(truth, 20, 60, 1)) {
        const LatentClip stop = stopOf(clip, truth, 40, 30);
        clips.push_back(clip);
        clips.push_back(stop);
    }
    const auto unseen = madeClips(truth, 1, 200, 77)[0];
    const auto model = fitLinear(clips, madeBody(), {.warm_up = 200, .ridge = 0, .stop_weight = 5});
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_LT(relativeError(*model, unseen), 2e-3);
}

TEST(LinearFit, AStopWithoutItsClipIsRefused) {
    const LinearDynamics truth = madeDynamics(2, true, kModes, 0.85, 5);
    auto clips = madeClips(truth, 5, 60, 1);
    clips[4] = stopOf(clips[4], truth, 40, 30);
    const auto model = fitLinear(clips, madeBody());
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message.find("clip4.stop1"), std::string::npos);
}

TEST(LinearFit, WhatIsChosenOnMotionsLeftOutIsBetterThanPlainLeastSquaresOnNoise) {
    const LinearDynamics truth = madeDynamics(2, true, kModes, 0.9, 5);
    auto clips = madeClips(truth, 6, 40, 1);
    Random random(9);
    for (LatentClip& clip : clips)
        for (float& y : clip.cloth.reshaped()) y += 0.4f * random.normal();
    const auto plain = fitLinear(clips, madeBody(), {.ridge = 0, .stop_weight = 1});
    const auto chosen = fitLinear(clips, madeBody());
    ASSERT_TRUE(plain && chosen);
    double plain_error = 0, chosen_error = 0;
    for (const LatentClip& unseen : madeClips(truth, 5, 200, 77)) {
        plain_error += relativeError(*plain, unseen);
        chosen_error += relativeError(*chosen, unseen);
    }
    EXPECT_LT(chosen_error, 0.97 * plain_error);
}

TEST(LinearFit, TooFewMotionsAreRefusedWithTheCure) {
    const auto clips = madeClips(madeDynamics(2, true, kModes, 0.9, 5), 2, 40, 1);
    const auto model = fitLinear(clips, madeBody());
    ASSERT_FALSE(model);
    EXPECT_NE(model.error().message.find("at least 3"), std::string::npos);
}

TEST(LinearFit, OutputsStayWithinElevenTenthsOfTrainingOnAnyMotion) {
    const LinearDynamics truth = madeDynamics(2, true, kModes, 0.9, 5);
    const auto clips = madeClips(truth, 9, 100, 1);
    const auto model = fitLinear(clips, madeBody());
    ASSERT_TRUE(model);
    VectorF largest = VectorF::Zero(kModes);
    for (const LatentClip& clip : clips)
        largest = largest.cwiseMax(clip.cloth.cwiseAbs().rowwise().maxCoeff());
    EXPECT_LT((model->output_limit - 1.1f * largest).norm(), 1e-5f);
    LatentClip wild = madeMotion("wild", 300, 8);
    wild.joints *= 40;
    for (size_t t = 0; t < wild.roots.size(); ++t)
        wild.roots[t] = {{float(t % 7) * 50, 0, float(t % 3) * -90}, float(t) * 2.5f};
    const MatrixF y = rollout(*model, wild, 30);
    EXPECT_TRUE(y.allFinite());
    for (auto frame : y.colwise())
        EXPECT_TRUE((frame.cwiseAbs().array() <= model->output_limit.array()).all());
}

}  // namespace
}  // namespace hem
