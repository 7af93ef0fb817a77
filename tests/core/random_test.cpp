// SPDX-License-Identifier: Apache-2.0
#include "hem/core/random.h"

#include <gtest/gtest.h>

namespace hem {
namespace {

TEST(Random, MatchesThePublishedSequenceOfPcg32) {
    // the demo program of the PCG reference implementation, seed 42, stream 54
    Random random(42, 54);
    for (uint32_t expected :
         {0xa15c02b7u, 0x7b47f409u, 0xba1d3330u, 0x83d2f293u, 0xbfa4784bu, 0xcbed606eu})
        EXPECT_EQ(random.bits(), expected);
}

TEST(Random, NormalHasUnitVariance) {
    Random random(7);
    double sum = 0, squares = 0;
    constexpr int kCount = 100000;
    for (int i = 0; i < kCount; ++i) {
        const double n = random.normal();
        sum += n;
        squares += n * n;
    }
    EXPECT_NEAR(sum / kCount, 0, 0.02);
    EXPECT_NEAR(squares / kCount, 1, 0.02);
}

TEST(Random, NamedStreamsDiffer) {
    Random a(1, "walk"), b(1, "run"), c(1, "walk");
    const uint32_t first = a.bits();
    EXPECT_NE(first, b.bits());
    EXPECT_EQ(first, c.bits());
}

TEST(Random, IntegersCoverTheirRangeEvenly) {
    Random random(3);
    int counts[5] = {};
    for (int i = 0; i < 50000; ++i) ++counts[random.integer(-2, 2) + 2];
    for (int count : counts) EXPECT_NEAR(count, 10000, 400);
}

}  // namespace
}  // namespace hem
