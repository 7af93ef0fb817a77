// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "hem/core/random.h"
#include "hem/runtime/state.h"
#include "tests/runtime/toy_garment.h"

namespace hem {
namespace {

// Positions at every second, which all of the rates below have in common.
std::vector<std::vector<float>> played(const Toy& toy, int rate) {
    ToyWearer wearer(toy.open());
    std::vector<std::vector<float>> result;
    wearer.reset(toyJoints(toy.character.skeleton, 0));
    for (int i = 1; i <= 12 * rate; ++i) {
        wearer.step(toyJoints(toy.character.skeleton, double(i) / rate), 1.0f / float(rate));
        if (i % rate == 0) result.push_back(wearer.positions);
    }
    return result;
}

double largestDifference(const std::vector<std::vector<float>>& a,
                         const std::vector<std::vector<float>>& b) {
    EXPECT_EQ(a.size(), b.size());
    double largest = 0;
    for (size_t i = 0; i < a.size(); ++i)
        largest = std::max(largest, hem::largestDifference(a[i], b[i]));
    return largest;
}

// The largest movement of a coordinate about the root's from one of those moments to the next, as a
// scale.
double movement(const std::vector<std::vector<float>>& played) {
    double largest = 0;
    for (size_t i = 1; i < played.size(); ++i)
        for (size_t c = 3; c < played[i].size(); ++c)
            largest = std::max(largest, std::abs(double(played[i][c] - played[i][c % 3]) -
                                                 (played[i - 1][c] - played[i - 1][c % 3])));
    return largest;
}

TEST(FrameRate, DoesNotShow) {
    for (bool modal : {true, false}) {
        const Toy toy = makeToy({.modal = modal});
        const auto at30 = played(toy, 30);
        EXPECT_GT(movement(at30), 0.05);
        // rates that hit every tick see the same inputs at the ticks; the others see them
        // interpolated between their frames
        EXPECT_LT(largestDifference(at30, played(toy, 60)), 1e-5) << modal;
        EXPECT_LT(largestDifference(at30, played(toy, 90)), 1e-5) << modal;
        EXPECT_LT(largestDifference(at30, played(toy, 240)), 1e-5) << modal;
        EXPECT_LT(largestDifference(at30, played(toy, 15)), 4e-3) << modal;
        EXPECT_LT(largestDifference(at30, played(toy, 50)), 1e-3) << modal;
        EXPECT_LT(largestDifference(at30, played(toy, 144)), 1e-3) << modal;
    }
}

TEST(FrameRate, MayVaryFromStepToStep) {
    for (bool modal : {true, false}) {
        const Toy toy = makeToy({.modal = modal});
        const auto expected = played(toy, 30);
        Random random(5);
        ToyWearer wearer(toy.open());
        wearer.reset(toyJoints(toy.character.skeleton, 0));
        double time = 0;
        double largest = 0;
        for (size_t moment = 0; moment < expected.size(); ++moment) {
            const double end = double(moment + 1);
            while (time < end - 1e-7) {
                const double step = std::min(double(random.uniform(0.004f, 0.03f)), end - time);
                time += step;
                wearer.step(toyJoints(toy.character.skeleton, time), float(step));
            }
            largest = std::max(largest, hem::largestDifference(wearer.positions, expected[moment]));
        }
        EXPECT_LT(largest, 1e-3) << modal;
    }
}

// What is shown between ticks lies on a smooth path: at 240 Hz no step is far from the mean of its
// neighbours.
TEST(FrameRate, LeavesNoStepsBetweenTicks) {
    for (bool modal : {true, false}) {
        const Toy toy = makeToy({.modal = modal});
        ToyWearer wearer(toy.open());
        wearer.reset(toyJoints(toy.character.skeleton, 0));
        std::vector<std::vector<float>> path;
        for (int i = 1; i <= 480; ++i) {
            wearer.step(toyJoints(toy.character.skeleton, i / 240.0), 1 / 240.0f);
            path.push_back(wearer.weights);
        }
        double largest_bend = 0, largest_step = 0;
        for (size_t i = 60; i + 1 < path.size(); ++i)
            for (size_t m = 0; m < path[i].size(); ++m) {
                const double a = path[i - 1][m], b = path[i][m], c = path[i + 1][m];
                largest_bend = std::max(largest_bend, std::abs(b - (a + c) / 2));
                largest_step = std::max(largest_step, std::abs(c - b));
            }
        EXPECT_LT(largest_bend, 0.35 * largest_step) << modal;
    }
}

// Also at its own rate, where every call is a tick.
TEST(FrameRate, FramesThatFallOnTicksDoSoForever) {
    const Toy toy = makeToy({.vertices = 4, .modes = 2});
    for (int rate : {30, 50, 60, 90, 100, 120, 144, 240}) {
        ToyWearer wearer(toy.open());
        wearer.reset(toyJoints(toy.character.skeleton, 0));
        for (int i = 1; i <= 20000; ++i) {
            wearer.step(wearer.joints, 1 / float(rate));
            const auto* header = reinterpret_cast<const runtime::StateHeader*>(wearer.state.data());
            ASSERT_EQ(header->phase == 0, i * 30 % rate == 0) << rate << " Hz, frame " << i;
        }
    }
}

TEST(FrameRate, ADancerWhoTurnsForHoursKeepsAFineHeading) {
    const Toy toy = makeToy();
    ToyWearer spun(toy.open()), fresh(toy.open());
    const auto joints = [&](int i) {
        Pose pose = restPose(toy.character.skeleton);
        pose.rotations[0] = fromAxisAngle({0, 1, 0}, float(i % 40) * (2 * kPi / 40));
        std::vector<Affine> matrices(toy.character.skeleton.size());
        skinningMatrices(toy.character.skeleton, pose,
                         inverseRestMatrices(toy.character.skeleton).data(), matrices.data());
        std::vector<float> flat(12 * matrices.size());
        std::memcpy(flat.data(), matrices.data(), flat.size() * sizeof(float));
        return flat;
    };
    spun.reset(joints(0));
    fresh.reset(joints(0));
    int i = 1;
    for (; i <= 20000; ++i) spun.step(joints(i), 1 / 30.0f);
    for (int k = 1; k <= 400; ++k) fresh.step(joints(k), 1 / 30.0f);
    EXPECT_LT(hem::largestDifference(spun.positions, fresh.positions), 1e-4);
    const auto* header = reinterpret_cast<const runtime::StateHeader*>(spun.state.data());
    EXPECT_LT(std::abs(header->heading.heading), 101);
}

}  // namespace
}  // namespace hem
