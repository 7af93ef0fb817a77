// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/stability.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hem/models/stable_space/linear_fit.h"
#include "hem/models/stable_space/linear_inputs.h"
#include "tests/models/made_clips.h"

namespace hem {
namespace {

constexpr int kModes = 8;

StableSpace fitted(char kind, int order) {
    const LinearDynamics truth = madeDynamics(order, kind == 'C', kModes, 0.9, 5);
    return *fitLinear(madeClips(truth, 9, 120, 1), madeBody(),
                      {.kind = kind, .order = order, .ridge = 1e-6, .stop_weight = 1});
}

// Motions that leave the training range by far: the clamp is what keeps them in.
std::vector<LatentClip> wildMotions() {
    std::vector<LatentClip> clips;
    for (int i = 0; i < 8; ++i) {
        LatentClip clip = madeMotion("wild", 200, 900 + uint64_t(i));
        clip.joints *= float(1 << i);
        for (size_t t = 0; t < clip.roots.size(); ++t)
            if (i % 2) clip.roots[t].heading *= float(t % 5);
        clips.push_back(clip);
    }
    return clips;
}

TEST(Stability, TheEnergyObeysItsBoundOnEveryFrameOfRollouts) {
    for (char kind : {'A', 'B', 'C'})
        for (int order : {1, 2, 4}) {
            StableSpace model = fitted(kind, order);
            auto& dynamics = std::get<LinearDynamics>(model.dynamics);
            const LinearStability stability = analyse(dynamics, model.range);
            EXPECT_EQ(stability.proof.lambda, model.proof.lambda);
            ASSERT_LT(stability.proof.lambda, 1);
            // without the output limit, so that the dynamics alone must hold it
            model.output_limit.setConstant(1e9f);
            double gain = 0;
            for (const LatentClip& clip : wildMotions()) {
                const MatrixF y = rollout(model, clip, 30);
                gain =
                    std::max(gain, largestGain(stability, y, dynamics.order, model.output_limit));
                const VectorD e = energies(stability, y, dynamics.order);
                EXPECT_LE(e.maxCoeff(), std::max(e[0], stability.proof.energy_bound) * 1.00001);
            }
            EXPECT_LE(gain, stability.proof.k_max * 1.00001) << kind << order;
            EXPECT_GT(gain, 0.02 * stability.proof.k_max) << "the bound says nothing";
        }
}

TEST(Stability, TheBoundOfTheInputsHoldsAtEveryCornerOfTheBox) {
    const StableSpace model = fitted('C', 2);
    const auto& dynamics = std::get<LinearDynamics>(model.dynamics);
    const LinearStability stability = analyse(dynamics, model.range);
    Random random(4);
    MatrixF corners(model.range.low.size(), 4000);
    for (auto corner : corners.colwise())
        for (Eigen::Index i = 0; i < corner.size(); ++i)
            corner[i] = random.chance(0.5f) ? model.range.low[i] : model.range.high[i];
    const double seen = largestDrive(stability, dynamics, corners);
    EXPECT_LE(seen, stability.proof.k_max);
    EXPECT_GT(seen, 0.2 * stability.proof.k_max);
}

TEST(Stability, LambdaIsTheRateAtWhichFreeMotionDiesOut) {
    const StableSpace model = fitted('C', 2);
    LinearDynamics dynamics = std::get<LinearDynamics>(model.dynamics);
    const MatrixF nothing = MatrixF::Zero(model.range.low.size(), 400);
    const MatrixF y =
        runLinear(dynamics, VectorF::Constant(kModes, 1e9f), nothing, MatrixF::Ones(kModes, 2));
    const LinearStability stability = analyse(dynamics, model.range);
    const VectorD e = energies(stability, y, 2);
    EXPECT_NEAR(std::pow(e[300] / e[200], 0.01), stability.proof.lambda, 2e-3);
    for (Eigen::Index t = 1; t < 300; ++t)
        EXPECT_LE(e[t], e[t - 1] * stability.proof.lambda * 1.0001);
}

TEST(Stability, AnUnstableModelHasNoFiniteBound) {
    LinearDynamics dynamics = madeDynamics(2, false, kModes, 1.2, 5);
    const VectorF one = VectorF::Ones(kMadeFeatures);
    const auto stability = analyse(dynamics, {VectorF::Zero(6), one, -one, one});
    EXPECT_GT(stability.proof.lambda, 1);
    EXPECT_EQ(stability.proof.energy_bound, std::numeric_limits<double>::infinity());
}

// Least squares of clips that grow: lambda above 1.
struct Unstable : testing::Test {
    Unstable() : truth(madeDynamics(2, false, kModes, 1.04, 5)) {
        Random random(3);
        for (int i = 0; i < 12; ++i) {
            LatentClip clip = madeMotion("clip" + std::to_string(i), 60, uint64_t(i));
            letMoveBy(truth, clip, madeBody(), 0);
            for (float& y : clip.cloth.reshaped()) y += 0.1f * random.normal();
            clips.push_back(clip);
        }
    }

    LinearFitOptions options(Stabiliser how) const {
        return {.kind = 'B',
                .ridge = 1e-8,
                .stop_weight = 1,
                .largest_lambda = 0.97,
                .stabiliser = how};
    }

    const LinearDynamics truth;
    std::vector<LatentClip> clips;
};

constexpr Stabiliser kAll[] = {Stabiliser::kContraction, Stabiliser::kConstraintGeneration,
                               Stabiliser::kFewerModes};

TEST_F(Unstable, FitsAreMadeStableInEveryWayAndTheReportSaysSo) {
    for (Stabiliser how : kAll) {
        const auto model = fitLinear(clips, madeBody(), options(how));
        ASSERT_TRUE(model) << model.error().message;
        const auto& dynamics = std::get<LinearDynamics>(model->dynamics);
        EXPECT_LE(spectralRadius(companionMatrix(dynamics)), 0.97 + 1e-5) << nameOf(how);
        EXPECT_NE(model->report.find("unstable"), std::string::npos) << model->report;
        EXPECT_NE(model->report.find(nameOf(how)), std::string::npos) << model->report;
    }
}

TEST_F(Unstable, AStableFitIsLeftAlone) {
    LinearFitOptions loose = options(Stabiliser::kContraction);
    loose.largest_lambda = 2;
    const auto model = fitLinear(clips, madeBody(), loose);
    ASSERT_TRUE(model);
    EXPECT_EQ(model->report.find("unstable"), std::string::npos);
    EXPECT_GT(model->proof.lambda, 1);
}

NormalEquations equationsOf(const std::vector<LatentClip>& clips) {
    NormalEquations equations;
    for (const LatentClip& clip : clips) {
        const Eigen::Index rows = clip.cloth.cols() - 2;
        MatrixF r(kMadeFeatures + 2 * kModes, rows);
        r << (madeBody().from_joints * clip.joints).rightCols(rows), clip.cloth.middleCols(1, rows),
            clip.cloth.leftCols(rows);
        equations.add(r, clip.cloth.rightCols(rows));
    }
    return equations;
}

TEST_F(Unstable, ContractionScalesEveryEigenvalueByTheSameFactor) {
    const NormalEquations equations = equationsOf(clips);
    const MatrixD weights = solve(equations, 1e-8);
    const Stabilised stable =
        stabilise(equations, weights, kMadeFeatures, 2, 1e-8, 0.97, Stabiliser::kContraction);
    auto moduli = [](const MatrixD& w) {
        LinearDynamics dynamics{.order = 2, .weights = w.cast<float>()};
        VectorD m = Eigen::EigenSolver<MatrixD>(companionMatrix(dynamics)).eigenvalues().cwiseAbs();
        std::sort(m.begin(), m.end());
        return m;
    };
    const VectorD before = moduli(weights), after = moduli(stable.weights);
    const double g = 0.97 / before.maxCoeff();
    EXPECT_LT((after - g * before).cwiseAbs().maxCoeff(), 1e-4);
}

TEST_F(Unstable, ConstraintsCostLessOneStepErrorThanContraction) {
    const NormalEquations equations = equationsOf(clips);
    const MatrixD weights = solve(equations, 1e-8);
    const double plain = residual(equations, weights);
    double errors[3];
    for (int i = 0; i < 3; ++i) {
        const Stabilised stable =
            stabilise(equations, weights, kMadeFeatures, 2, 1e-8, 0.97, kAll[i]);
        errors[i] = residual(equations, stable.weights);
        EXPECT_GT(errors[i], plain);
        EXPECT_LE(stable.lambda, 0.97);
    }
    EXPECT_LT(errors[1], errors[0]);
}

}  // namespace
}  // namespace hem
