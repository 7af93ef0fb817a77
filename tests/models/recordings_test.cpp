// SPDX-License-Identifier: Apache-2.0
// Models A, B and C on a recording set of your own, with clips named train_... and test_...:
//
//     hemline simulate examples/scenes/dress_train_test.toml -o recordings/dress
//     HEM_RECORDINGS=recordings/dress build/release/tests/models_tests --gtest_filter='*Recorded*'
//
// prints the tables of docs/stable_space.md on A, B and C. Dimensions and orders: `hemline tables`.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <optional>

#include "hem/models/stable_space/baselines.h"
#include "hem/models/stable_space/linear_fit.h"
#include "hem/models/stable_space/stability.h"
#include "tests/models/recorded_score.h"

namespace hem {
namespace {

double secondsSince(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class RecordedMotion : public testing::Test {
protected:
    void SetUp() override {
        const char* folder = std::getenv("HEM_RECORDINGS");
        if (!folder) GTEST_SKIP() << "needs HEM_RECORDINGS, the folder of a recording set";
        auto opened = RecordingSet::open(folder);
        ASSERT_TRUE(opened) << opened.error().message;
        set.emplace(std::move(*opened));
        std::vector<std::string> train_names, test_names;
        for (const std::string& name : clipsWithoutStops(*set))
            (name.starts_with("test_") ? test_names : train_names).push_back(name);
        const auto start = std::chrono::steady_clock::now();
        subspace = *fitSubspace(*set, train_names, {.modes = 128});
        train = *projectClips(*set, subspace, withStops(*set, train_names));
        std::printf("PCA of 128 modes and projection: %.1f s\n", secondsSince(start));
        test = *projectClips(*set, subspace, withStops(*set, test_names));
        for (const LatentClip& clip : train)
            if (!clip.is_stop) train_clips.push_back(clip);
    }

    static std::vector<LatentClip> truncatedAll(const std::vector<LatentClip>& clips, int modes) {
        std::vector<LatentClip> all;
        for (const LatentClip& clip : clips) all.push_back(truncated(clip, modes));
        return all;
    }

    // A line: errors on training and test clips, after the stops of test clips, and lambda.
    void print(const std::string& what, int modes, const LinearFitOptions& options) {
        const auto start = std::chrono::steady_clock::now();
        const auto clips = truncatedAll(train, modes);
        const BodySubspace body = fitBodySubspace(set->scene().character, train_clips, modes);
        const auto model = fitLinear(clips, body, options);
        ASSERT_TRUE(model) << model.error().message;
        const double seconds = secondsSince(start);
        auto play = [&](const LatentClip& clip) { return rollout(*model, clip, 30); };
        printScore(what + " " + model->kind + std::to_string(options.order), modes, play);
        std::printf("      fitted in %.1f s. %s", seconds, model->report.c_str());
        expectBound(*model, truncatedAll(test, modes));
        std::fflush(stdout);
    }

    // Section 6.1 on every frame of the test clips' rollouts.
    static void expectBound(const StableSpace& model, const std::vector<LatentClip>& clips) {
        const auto& dynamics = std::get<LinearDynamics>(model.dynamics);
        const LinearStability stability = analyse(dynamics, model.range);
        double gain = 0;
        for (const LatentClip& clip : clips)
            gain = std::max(gain, largestGain(stability, rollout(model, clip, 30), dynamics.order,
                                              model.output_limit));
        std::printf("      E_t - lambda E_(t-1) is at most %.4g on the test clips\n", gain);
        EXPECT_LE(gain, model.proof.k_max * 1.0001);
    }

    void printScore(const std::string& what, int modes,
                    const std::function<MatrixF(const LatentClip&)>& play) {
        const Subspace small = truncated(subspace, modes);
        const Score on_train = scoreOf(*set, small, truncatedAll(train_clips, modes), play);
        const Score on_test = scoreOf(*set, small, truncatedAll(test, modes), play);
        std::printf("%-30s %3d modes: train %.2f, test %.2f, after stops %.2f cm\n", what.c_str(),
                    modes, on_train.mean(), on_test.mean(), on_test.afterStops());
        std::fflush(stdout);
    }

    std::optional<RecordingSet> set;
    Subspace subspace;
    std::vector<LatentClip> train, test, train_clips;
};

TEST_F(RecordedMotion, ModelsABCSlow) {
    for (char kind : {'A', 'B', 'C'}) {
        print("plain", 64, {.kind = kind, .ridge = 0, .stop_weight = 1});
        print("chosen", 64, {.kind = kind});
    }
}

// The share of stops in the choice is a matter of taste, so both ends of it are shown.
TEST_F(RecordedMotion, ShareOfStopsInTheChoiceSlow) {
    for (double share : {0.25, 0.5})
        for (char kind : {'A', 'B', 'C'})
            print("share " + std::to_string(share), 64, {.kind = kind, .stop_share = share});
}

// Wall time, and the largest resident memory of the process so far, mapped recordings included.
TEST_F(RecordedMotion, TimeOfTrainingSlow) {
    std::vector<std::string> names;
    for (const LatentClip& clip : train_clips) names.push_back(clip.name);
    const auto start = std::chrono::steady_clock::now();
    auto lap = [&](const char* what) {
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        std::printf("%-12s %6.2f s, %ld MiB\n", what, secondsSince(start), usage.ru_maxrss / 1024);
    };
    const Subspace basis = *fitSubspace(*set, names, {.modes = 64});
    lap("PCA");
    const auto clips = *projectClips(*set, basis, withStops(*set, names));
    lap("projection");
    const BodySubspace body = fitBodySubspace(set->scene().character, train_clips, 64);
    lap("body");
    for (char kind : {'A', 'B', 'C'}) {
        ASSERT_TRUE(fitLinear(clips, body, {.kind = kind}));
        lap(std::string(1, kind).c_str());
    }
}

TEST_F(RecordedMotion, BaselinesSlow) {
    const BodySubspace body = fitBodySubspace(set->scene().character, train_clips, 64);
    const auto clips = truncatedAll(train_clips, 64);
    const Neighbours neighbours(body, clips);
    printScore("mean shape", 64, [](const LatentClip& clip) {
        return MatrixF(MatrixF::Zero(clip.cloth.rows(), clip.cloth.cols()));
    });
    printScore("nearest neighbour", 64, [&](const LatentClip& c) { return neighbours.nearest(c); });
    printScore("kernel regression", 64,
               [&](const LatentClip& c) { return neighbours.regressed(c); });
}

// The plain fit is held to lambdas that it does not have by itself.
TEST_F(RecordedMotion, ThreeWaysToMakeAFitStableSlow) {
    for (double lambda : {0.99, 0.97})
        for (Stabiliser how :
             {Stabiliser::kContraction, Stabiliser::kConstraintGeneration, Stabiliser::kFewerModes})
            print(nameOf(how), 64,
                  {.ridge = 0, .stop_weight = 1, .largest_lambda = lambda, .stabiliser = how});
}

}  // namespace
}  // namespace hem
