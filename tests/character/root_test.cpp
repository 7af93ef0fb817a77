// SPDX-License-Identifier: Apache-2.0
#include "hem/character/root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "hem/core/random.h"

namespace hem {
namespace {

constexpr float kFrame = 1 / 120.0f;

// Headings of a body whose pelvis turns as `orientation` says, at 120 Hz.
std::vector<float> headings(double seconds, const std::function<Quat(float)>& orientation) {
    HeadingTracker tracker;
    std::vector<float> result;
    for (int i = 0; i <= int(seconds * 120); ++i) {
        const Quat q = orientation(float(i) * kFrame);
        result.push_back(tracker.update(q, rotate(q, {0.18f, 0, 0}), kFrame));
    }
    return result;
}

float largestStep(const std::vector<float>& values) {
    float largest = 0;
    for (size_t i = 1; i < values.size(); ++i)
        largest = std::max(largest, std::abs(values[i] - values[i - 1]));
    return largest;
}

Quat yaw(float a) { return fromAxisAngle({0, 1, 0}, a); }
Quat pitch(float a) { return fromAxisAngle({1, 0, 0}, a); }
Quat roll(float a) { return fromAxisAngle({0, 0, 1}, a); }

TEST(Heading, IsPositiveForATurnToTheLeft) {
    HeadingTracker tracker;
    // facing +Z, left is +X; a quarter turn to the left faces +X, and left is -Z
    EXPECT_NEAR(tracker.update(yaw(kPi / 2), {0, 0, -1}, 0), kPi / 2, 1e-6f);
}

TEST(Heading, CountsFullTurnsBothWays) {
    for (float sign : {1.0f, -1.0f}) {
        const auto h = headings(3, [&](float t) { return yaw(sign * 2 * kPi * t); });
        EXPECT_NEAR(h.back(), sign * 6 * kPi, 1e-3f);
        EXPECT_LT(largestStep(h), 2 * kPi / 120 * 1.01f);
    }
}

TEST(Heading, IgnoresPelvicTiltAndList) {
    const auto h =
        headings(2, [](float t) { return yaw(0.4f) * pitch(0.6f * std::sin(5 * t)) * roll(0.0f); });
    for (float value : h) EXPECT_NEAR(value, 0.4f, 1e-5f);
}

TEST(Heading, ASomersaultLeavesItAlone) {
    const auto h = headings(1, [](float t) { return yaw(-1.2f) * pitch(2 * kPi * t); });
    for (float value : h) EXPECT_NEAR(value, -1.2f, 1e-4f);
}

TEST(Heading, ACartwheelLeavesItContinuousAndBringsItBack) {
    const auto h = headings(1, [](float t) { return yaw(0.5f) * roll(2 * kPi * t); });
    EXPECT_LT(largestStep(h), 0.02f);
    EXPECT_NEAR(h.back(), 0.5f, 0.02f);
}

TEST(Heading, LyingDownAndRollingOverStaysContinuous) {
    // down onto a side, a log roll about the body's axis, up again
    const auto h = headings(4, [](float t) {
        const float lying = std::clamp(t, 0.0f, 1.0f) - std::clamp(t - 3, 0.0f, 1.0f);
        return roll(kPi / 2 * lying) * yaw(kPi * std::clamp(t - 1, 0.0f, 2.0f));
    });
    EXPECT_LT(largestStep(h), 12.0f / 120);
    EXPECT_NEAR(std::remainder(h.back(), 2 * kPi), 0, 0.05f);
}

TEST(Heading, AnyTumblingIsContinuousAndEndsRight) {
    Random random(11);
    for (int trial = 0; trial < 100; ++trial) {
        // tumbles about a random axis for a second and stands for another
        const Vec3 axis = normalized(Vec3{random.normal(), random.normal(), random.normal()});
        const float turns = random.uniform(0.3f, 2.0f), end = random.uniform(-3, 3);
        auto tumble = [&](float t) { return fromAxisAngle(axis, 2 * kPi * turns * t); };
        const auto h = headings(3, [&](float t) {
            return t < 1 ? tumble(t) : slerp(tumble(1), yaw(end), std::min(t - 1, 1.0f));
        });
        EXPECT_LT(largestStep(h), 0.35f) << "trial " << trial;
        EXPECT_NEAR(std::remainder(h.back() - end, 2 * kPi), 0, 1e-3f) << "trial " << trial;
    }
}

TEST(Heading, IsDefinedForAFirstFrameThatLiesOnItsSide) {
    HeadingTracker tracker;
    const Quat q = yaw(0.8f) * roll(kPi / 2);
    EXPECT_NEAR(tracker.update(q, rotate(q, {0.18f, 0, 0}), kFrame), 0.8f, 1e-3f);
}

TEST(CanonicalFrame, PutsTheHipsAlongX) {
    const Root root{{3, 1, -2}, 0.7f};
    const Vec3 hip_line = rotate(yaw(0.7f), {0.18f, 0.05f, 0});
    const Vec3 canonical = transformVector(canonicalFromWorld(root), hip_line);
    EXPECT_NEAR(canonical.z, 0, 1e-6f);
    EXPECT_GT(canonical.x, 0);
    const Vec3 p{0.3f, 2, 5};
    EXPECT_LT(distance(transformPoint(worldFromCanonical(root),
                                      transformPoint(canonicalFromWorld(root), p)),
                       p),
              1e-5f);
}

}  // namespace
}  // namespace hem
