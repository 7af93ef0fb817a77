// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/curves.h"

#include <gtest/gtest.h>

namespace hem {
namespace {

TEST(Curves, QuinticMeetsBothKnotsWithVelocityAndAcceleration) {
    const Knot a{1, -2, 3}, b{0.5, 4, -6};
    const double seconds = 0.7, h = 1e-4;
    Channel start, end;
    for (int k = -1; k <= 1; ++k) {
        start.push_back(quintic(a, b, seconds, k * h));
        end.push_back(quintic(a, b, seconds, seconds + k * h));
    }
    const Knot from = knotAt(start, 1, 1 / h), to = knotAt(end, 1, 1 / h);
    EXPECT_NEAR(from.value, a.value, 1e-9);
    EXPECT_NEAR(from.velocity, a.velocity, 1e-4);
    EXPECT_NEAR(from.acceleration, a.acceleration, 1e-2);
    EXPECT_NEAR(to.value, b.value, 1e-9);
    EXPECT_NEAR(to.velocity, b.velocity, 1e-4);
    EXPECT_NEAR(to.acceleration, b.acceleration, 1e-2);
}

TEST(Curves, EasedRampRisesSteadilyFromNoughtToOne) {
    for (double ease : {0.1, 0.3, 0.5}) {
        EXPECT_EQ(easedRamp(-1, ease), 0);
        EXPECT_EQ(easedRamp(2, ease), 1);
        EXPECT_NEAR(easedRamp(0.5, ease), 0.5, 1e-12);
        for (int k = 0; k < 100; ++k)
            EXPECT_LE(easedRamp(k / 100.0, ease), easedRamp((k + 1) / 100.0, ease) + 1e-12);
    }
}

TEST(Curves, ASmoothCoverIsNowhereBelowWhatItCovers) {
    Channel spikes(200, 0.0);
    Random random(5);
    for (int k = 0; k < 12; ++k) spikes[size_t(random.integer(20, 180))] = random.uniform();
    const Channel cover = smoothCover(spikes, 20);
    for (size_t i = 0; i < spikes.size(); ++i) EXPECT_GE(cover[i], spikes[i] - 1e-12) << i;
    for (size_t i = 2; i < cover.size(); ++i)  // and has no kink
        EXPECT_LT(std::abs(cover[i] - 2 * cover[i - 1] + cover[i - 2]), 0.1);
}

TEST(Curves, SmoothingKeepsAStraightLine) {
    Channel line;
    for (int i = 0; i < 200; ++i) line.push_back(0.3 * i);
    const Channel after = smoothed(line, 6);
    for (size_t i = 30; i < 170; ++i) EXPECT_NEAR(after[i], line[i], 1e-9);
}

}  // namespace
}  // namespace hem
