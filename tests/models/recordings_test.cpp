// SPDX-License-Identifier: Apache-2.0
// Models A, B and C on a recording set of your own, with clips named train_... and test_...:
//
//     hemline simulate examples/scenes/dress_train_test.toml -o recordings/dress
//     HEM_RECORDINGS=recordings/dress build/release/tests/models_tests --gtest_filter='*Recorded*'
//
// prints the tables of docs/stable_space.md.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <optional>

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

    void print(const char* what, int modes, const LinearFitOptions& options) {
        const auto start = std::chrono::steady_clock::now();
        const auto clips = truncatedAll(train, modes);
        const BodySubspace body = fitBodySubspace(set->scene().character, train_clips, modes);
        const auto model = fitLinear(clips, body, options);
        ASSERT_TRUE(model) << model.error().message;
        const double seconds = secondsSince(start);
        auto play = [&](const LatentClip& clip) { return rollout(*model, clip, 30); };
        const Subspace small = truncated(subspace, modes);
        const Score on_test = scoreOf(*set, small, truncatedAll(test, modes), play);
        std::printf(
            "%s %s order %d, %d modes: test %.3f cm, after stops %.3f cm, lambda %.4f, "
            "k_max %.3g, E-bar %.3g, %.1f s. %s",
            what, model->kind.c_str(), options.order, modes, on_test.mean(), on_test.afterStops(),
            model->proof.lambda, model->proof.k_max, model->proof.energy_bound, seconds,
            model->report.c_str());
        std::fflush(stdout);
    }

    std::optional<RecordingSet> set;
    Subspace subspace;
    std::vector<LatentClip> train, test, train_clips;
};

TEST_F(RecordedMotion, ModelsABCOfOrderTwoSlow) {
    for (int modes : {64}) {
        for (char kind : {'A', 'B', 'C'}) {
            print("plain", modes, {.kind = kind, .ridge = 0, .stop_weight = 1});
            print("chosen", modes, {.kind = kind});
        }
    }
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
