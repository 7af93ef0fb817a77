// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/equal_cost.h"

#include <gtest/gtest.h>

namespace hem {
namespace {

TEST(EqualCost, DimensionsAreThoseOnTheLineThroughTheCosts) {
    const std::vector<int> dimensions = {64, 128, 192};
    const std::vector<double> costs = {10, 20, 40};
    EXPECT_EQ(dimensionsAt(15, dimensions, costs, 208), 96);
    EXPECT_EQ(dimensionsAt(20, dimensions, costs, 208), 128);
    EXPECT_EQ(dimensionsAt(30, dimensions, costs, 208), 160);
    EXPECT_EQ(dimensionsAt(30.4, dimensions, costs, 208), 160);  // of 161.3
    EXPECT_EQ(dimensionsAt(5, dimensions, costs, 208), 32);
    EXPECT_EQ(dimensionsAt(44, dimensions, costs, 208), 204);
}

TEST(EqualCost, DimensionsStayWithinWhatThereIs) {
    EXPECT_EQ(dimensionsAt(100, {64, 128}, {10, 20}, 208), 208);
    EXPECT_EQ(dimensionsAt(-10, {64, 128}, {10, 20}, 208), 4);
    EXPECT_EQ(dimensionsAt(30, {64, 128}, {20, 20}, 208), 128);  // no line rises
}

}  // namespace
}  // namespace hem
