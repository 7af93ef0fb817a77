// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "hem/core/parallel.h"
#include "hem/core/random.h"
#include "hem/models/neural/perceptron.h"
#include "hem/models/neural/targets.h"
#include "hem/models/neural/training.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

using Index = Eigen::Index;

MatrixF randomMatrix(Random& random, Index rows, Index columns, float size = 1) {
    MatrixF m(rows, columns);
    for (float& x : m.reshaped()) x = size * random.normal();
    return m;
}

// Offsets of 20 vertices that bend with the rotations in a way that no line follows.
PoseExamples bentCloth(Index count, uint64_t seed) {
    Random fixed(3), random(seed, "poses");
    const MatrixF in = randomMatrix(fixed, 6, 8, 0.3f), out = randomMatrix(fixed, 60, 6, 0.02f);
    PoseExamples e{randomMatrix(random, 8, count, 0.8f), {}};
    const MatrixF waves = (in * e.inputs).array().sin().square();
    e.offsets = out * waves;
    return e;
}

NeuralOptions smallNetwork() {
    NeuralOptions options;
    options.modes = 6;
    options.hidden = {16, 12};
    options.epochs = 25;
    options.rate = 5e-3f;
    return options;
}

uint64_t hashOf(const NeuralFit& fit) {
    uint64_t hash = 1;
    for (const Layer& layer : fit.model.layers) {
        hash = hashBytes(layer.weights.data(), size_t(layer.weights.size()) * 4, hash);
        hash = hashBytes(layer.bias.data(), size_t(layer.bias.size()) * 4, hash);
    }
    hash = hashBytes(fit.epochs.data(), fit.epochs.size() * sizeof(NeuralFit::Epoch), hash);
    const MatrixF& basis = fit.model.subspace.basis;
    return hashBytes(basis.data(), size_t(basis.size()) * 4, hash);
}

TEST(Perceptron, GradientsAgreeWithFiniteDifferences) {
    for (NeuralActivation activation : {NeuralActivation::kRelu, NeuralActivation::kSilu})
        for (const std::vector<int>& widths : {std::vector<int>{5, 3}, {5, 7, 3}, {5, 9, 6, 4}}) {
            const Perceptron network(widths, activation);
            Random random(7);
            const MatrixF inputs = randomMatrix(random, 5, 11);
            const MatrixF targets = randomMatrix(random, widths.back(), 11);
            const VectorF weight = randomMatrix(random, widths.back(), 1).cwiseAbs();
            VectorF p = network.initialParameters(1) +
                        VectorF(randomMatrix(random, network.parameterCount(), 1, 0.1f));
            VectorF gradient = VectorF::Zero(p.size()), nothing = gradient;
            const double error = network.addGradient(p, inputs, targets, weight, gradient);
            const MatrixF left = network.outputs(p, inputs) - targets;
            EXPECT_NEAR(error, (left.array().square().colwise() * weight.array()).sum(), 1e-4);
            for (int trial = 0; trial < 20; ++trial) {
                const VectorF along = randomMatrix(random, p.size(), 1).normalized();
                const float step = 1e-3f;
                const double above =
                    network.addGradient(p + step * along, inputs, targets, weight, nothing);
                const double below =
                    network.addGradient(p - step * along, inputs, targets, weight, nothing);
                const double expected = double(gradient.dot(along));
                EXPECT_NEAR((above - below) / (2 * double(step)), expected,
                            0.02 * double(gradient.norm()));
            }
        }
}

TEST(NeuralTraining, LearnsWhatLinearRegressionCannot) {
    const PoseExamples training = bentCloth(600, 1), validation = bentCloth(200, 2);
    NeuralOptions options = smallNetwork();
    options.epochs = 150;
    const auto network = trainNeural(training, validation, options);
    ASSERT_TRUE(network);
    options.hidden = {};
    const auto line = trainNeural(training, validation, options);
    ASSERT_TRUE(line);
    EXPECT_LT(network->validation_cost, 0.3 * line->validation_cost);
    EXPECT_NEAR(network->validation_cost, costOf(network->model, validation), 1e-12);
    // what is shown on the way is what comes out, but for the limits of outputs
    const NeuralFit::Epoch best = network->epochs[size_t(network->best_epoch - 1)];
    EXPECT_NEAR(best.validation, network->validation_cost, 0.05 * network->validation_cost);
}

TEST(NeuralTraining, LinearRegressionIsTheLeastSquaresSolution) {
    const PoseExamples training = bentCloth(300, 1), validation = bentCloth(50, 2);
    for (int modes : {0, 6}) {
        const auto fit =
            trainNeural(training, validation, {.modes = modes, .hidden = {}, .ridge = 0});
        ASSERT_TRUE(fit);
        const MatrixF left = offsets(fit->model, training.inputs) - training.offsets;
        // at right angles to every input: no line does better
        MatrixF inputs = training.inputs;
        applyRange(fit->model.range, inputs);
        const MatrixF along = left * inputs.transpose() / 300;
        const MatrixF projected = fit->model.subspace.basis.transpose() * along;
        EXPECT_LT(projected.cwiseAbs().maxCoeff(), 1e-5);
    }
}

TEST(NeuralTraining, OffsetsLearnedDirectlyArePlayedThroughModesOfTheSameFunction) {
    Random random(5);
    const Layer direct{randomMatrix(random, 60, 9, 0.1f), randomMatrix(random, 60, 1, 0.1f)};
    MatrixF hidden = randomMatrix(random, 9, 200).cwiseMax(0.0f);
    hidden.row(4).setZero();  // a unit that training never woke
    const OutputModes modes = throughModes(direct, hidden);
    EXPECT_EQ(modes.subspace.modes(), 9u);
    MatrixF other = randomMatrix(random, 9, 20);
    const MatrixF expected = (direct.weights * other).colwise() + direct.bias;
    const MatrixF y = (modes.layer.weights * other).colwise() + modes.layer.bias;
    const MatrixF played = (modes.subspace.basis * y).colwise() + modes.subspace.mean;
    EXPECT_LT((played - expected).cwiseAbs().maxCoeff(), 1e-5);
    const MatrixF trained = (modes.layer.weights * hidden).colwise() + modes.layer.bias;
    const VectorF squares = trained.cwiseAbs2().rowwise().sum();
    for (Index m = 1; m < 9; ++m) EXPECT_LE(squares[m], squares[m - 1] * 1.001f + 1e-6f) << m;
}

TEST(NeuralTraining, TheSameBitsForAnyNumberOfThreads) {
    const PoseExamples training = bentCloth(200, 1), validation = bentCloth(60, 2);
    for (int modes : {6, 0}) {
        NeuralOptions options = smallNetwork();
        options.modes = modes;
        options.epochs = 6;
        setThreadLimit(1);
        const auto alone = trainNeural(training, validation, options);
        setThreadLimit(0);
        const auto together = trainNeural(training, validation, options);
        ASSERT_TRUE(alone && together);
        EXPECT_EQ(hashOf(*alone), hashOf(*together));
        options.seed = 2;
        EXPECT_NE(hashOf(*alone), hashOf(*trainNeural(training, validation, options)));
    }
}

TEST(NeuralTraining, AnInterruptedRunEndsWithTheSameBits) {
    const TemporaryFolder folder;
    const PoseExamples training = bentCloth(200, 1), validation = bentCloth(60, 2);
    NeuralOptions options = smallNetwork();
    const auto whole = trainNeural(training, validation, options);
    ASSERT_TRUE(whole);
    options.checkpoint = folder.path("checkpoint");
    options.checkpoint_every = 4;
    for (int stop_after : {1, 6, 13, 22}) {
        std::atomic<bool> cancel = false;
        options.cancel = &cancel;
        options.progress = [&](int epochs, double, double) { cancel = epochs >= stop_after; };
        const auto part = trainNeural(training, validation, options);
        ASSERT_FALSE(part);
        EXPECT_NE(part.error().message.find("run the same command again"), std::string::npos);
    }
    options.cancel = nullptr;
    int first = -1;
    options.progress = [&](int epochs, double, double) { first = first < 0 ? epochs : first; };
    const auto resumed = trainNeural(training, validation, options);
    ASSERT_TRUE(resumed);
    EXPECT_GE(first, 20);
    EXPECT_EQ(hashOf(*resumed), hashOf(*whole));
    // the end is kept as well, for what comes after training may be interrupted, too
    first = -1;
    const auto again = trainNeural(training, validation, options);
    ASSERT_TRUE(again);
    EXPECT_EQ(size_t(first), whole->epochs.size());
    EXPECT_EQ(hashOf(*again), hashOf(*whole));
}

TEST(NeuralTraining, ACheckpointOfAnotherRunIsNotGoneOnFrom) {
    const TemporaryFolder folder;
    const PoseExamples training = bentCloth(100, 1), validation = bentCloth(30, 2);
    NeuralOptions options = smallNetwork();
    options.epochs = 8;
    const auto expected = trainNeural(training, validation, options);
    NeuralOptions other = options;
    std::atomic<bool> cancel = false;
    other.checkpoint = options.checkpoint = folder.path("checkpoint");
    other.rate *= 2;
    other.cancel = &cancel;
    other.progress = [&](int epochs, double, double) { cancel = epochs >= 5; };
    ASSERT_FALSE(trainNeural(training, validation, other));
    ASSERT_TRUE(std::filesystem::exists(options.checkpoint));
    const auto fit = trainNeural(training, validation, options);
    ASSERT_TRUE(fit && expected);
    EXPECT_EQ(hashOf(*fit), hashOf(*expected));
}

TEST(NeuralTraining, StopsWhenValidationNoLongerGetsBetter) {
    const PoseExamples training = bentCloth(40, 1);
    PoseExamples validation = bentCloth(40, 2);
    Random random(8);
    validation.offsets = randomMatrix(random, 60, 40, 0.05f);  // nothing to do with the poses
    NeuralOptions options = smallNetwork();
    options.epochs = 500;
    options.patience = 7;
    const auto fit = trainNeural(training, validation, options);
    ASSERT_TRUE(fit);
    EXPECT_LT(fit->epochs.size(), 500u);
    EXPECT_EQ(int(fit->epochs.size()), fit->best_epoch + 7);
}

TEST(NeuralTraining, WhatCannotBeLearnedFromIsSaid) {
    const PoseExamples good = bentCloth(40, 1);
    PoseExamples bad = good;
    bad.offsets(3, 5) = std::nanf("");
    EXPECT_FALSE(trainNeural(bad, good, smallNetwork()));
    EXPECT_FALSE(trainNeural(good, bentCloth(0, 1), smallNetwork()));
    NeuralOptions options = smallNetwork();
    options.modes = 50;
    const auto few = trainNeural(good, good, options);
    ASSERT_FALSE(few);
    EXPECT_NE(few.error().message.find("fewer modes"), std::string::npos) << few.error().message;
}

}  // namespace
}  // namespace hem
