// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/colormap.h"

#include <gtest/gtest.h>

#include <limits>

namespace hem {
namespace {

// CIE 1976 lightness, 0 to 100, computed apart from the library's OKLab.
float cieLightness(Vec3 linear) {
    const float y = luminance(linear);
    return y > 0.008856f ? 116 * std::cbrt(y) - 16 : 903.3f * y;
}

TEST(ColorMap, TheSequentialMapGrowsLighterFromEndToEnd) {
    for (int i = 1; i <= 256; ++i) {
        const Vec3 before = colorAt(ColorMap::kSequential, float(i - 1) / 256);
        const Vec3 after = colorAt(ColorMap::kSequential, float(i) / 256);
        EXPECT_GT(cieLightness(after), cieLightness(before)) << i;
    }
    EXPECT_LT(cieLightness(colorAt(ColorMap::kSequential, 0)), 25);
    EXPECT_GT(cieLightness(colorAt(ColorMap::kSequential, 1)), 85);
}

TEST(ColorMap, EqualStepsOfValueAreEqualStepsOfColour) {
    constexpr int kSteps = 32;
    std::vector<float> steps;
    float mean = 0;
    for (int i = 0; i < kSteps; ++i) {
        const Vec3 a = oklabFromLinear(colorAt(ColorMap::kSequential, float(i) / kSteps));
        const Vec3 b = oklabFromLinear(colorAt(ColorMap::kSequential, float(i + 1) / kSteps));
        steps.push_back(distance(a, b));
        mean += steps.back() / kSteps;
    }
    for (float step : steps) EXPECT_NEAR(step, mean, 0.05f * mean);
}

TEST(ColorMap, ColdHotIsLightestInTheMiddleBlueBelowAndRedAbove) {
    const auto lightness = [](float t) { return cieLightness(colorAt(ColorMap::kColdHot, t)); };
    EXPECT_GT(lightness(0.5f), lightness(0.25f));
    EXPECT_GT(lightness(0.25f), lightness(0));
    EXPECT_GT(lightness(0.5f), lightness(0.75f));
    EXPECT_GT(lightness(0.75f), lightness(1));
    EXPECT_GT(colorAt(ColorMap::kColdHot, 0).z, 2 * colorAt(ColorMap::kColdHot, 0).x);
    EXPECT_GT(colorAt(ColorMap::kColdHot, 1).x, 2 * colorAt(ColorMap::kColdHot, 1).z);
}

TEST(ColorMap, OklabOfWhiteAndRedAreTheOnesPublished) {
    const Vec3 white = oklabFromLinear({1, 1, 1});
    EXPECT_NEAR(white.x, 1, 1e-3f);
    EXPECT_NEAR(white.y, 0, 1e-3f);
    EXPECT_NEAR(white.z, 0, 1e-3f);
    const Vec3 red = oklabFromLinear({1, 0, 0});
    EXPECT_NEAR(red.x, 0.628f, 1e-3f);
    EXPECT_NEAR(red.y, 0.225f, 1e-3f);
    EXPECT_NEAR(red.z, 0.126f, 1e-3f);
}

TEST(ColorScale, ValuesOutsideAreHeldAtTheEndsAndMissingOnesAreGrey) {
    const ColorScale scale{.low = 2, .high = 4};
    EXPECT_EQ(colorOf(scale, -7), colorOf(scale, 2));
    EXPECT_EQ(colorOf(scale, 1e300), colorOf(scale, 4));
    const Vec3 missing = colorOf(scale, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(missing.x, missing.y);
    EXPECT_EQ(missing.y, missing.z);
    EXPECT_EQ(colorOf(scale, 3), colorAt(ColorMap::kSequential, 0.5f));
}

TEST(ColorScale, TheRangeComesFromTheFiniteValues) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> values{3, nan, -1, 2}, same{5, 5}, none{nan};
    EXPECT_EQ(scaleFor(values, "").low, -1);
    EXPECT_EQ(scaleFor(values, "").high, 3);
    EXPECT_LT(scaleFor(same, "").low, 5);
    EXPECT_GT(scaleFor(same, "").high, 5);
    EXPECT_LT(scaleFor(none, "").low, scaleFor(none, "").high);
}

TEST(Legend, TicksAreRoundNumbersInsideTheRange) {
    EXPECT_EQ(niceTicks(0, 10, 6), (std::vector<double>{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(niceTicks(-1, 1, 5), (std::vector<double>{-1, -0.5, 0, 0.5, 1}));
    for (double high : {1e-6, 0.37, 4.2, 99.0, 123456.0})
        for (int most : {2, 3, 7, 10}) {
            const auto ticks = niceTicks(0, high, most);
            ASSERT_GE(ticks.size(), 1u);
            EXPECT_LE(int(ticks.size()), most);
            EXPECT_LE(ticks.back(), high * (1 + 1e-9));
            EXPECT_GE(ticks.front(), 0);
        }
}

TEST(Legend, TheBarRunsFromTheLowColourAtTheBottomToTheHighOneAtTheTop) {
    const Rgb paper{250, 250, 250};
    const Image legend = drawLegend({.low = 0, .high = 5, .label = "error [cm]"}, 300, paper);
    const Rgb low = srgbFromLinear(colorAt(ColorMap::kSequential, 0));
    const Rgb high = srgbFromLinear(colorAt(ColorMap::kSequential, 1));
    int low_row = -1, high_row = -1;
    for (int y = 0; y < legend.height; ++y) {
        const Rgb pixel = legend.at(20, y);
        if (std::abs(pixel.r - low.r) + std::abs(pixel.g - low.g) < 6) low_row = y;
        if (high_row < 0 && std::abs(pixel.r - high.r) + std::abs(pixel.g - high.g) < 6)
            high_row = y;
    }
    EXPECT_GT(low_row, 250);
    EXPECT_GT(high_row, 10);
    EXPECT_LT(high_row, 60);
    const Image both = withLegend(Image(100, 300), {.label = "x"}, paper);
    EXPECT_GT(both.width, 130);
    EXPECT_EQ(both.height, 300);
}

TEST(Legend, APictureOfAFewPixelsGetsOneToo) {
    for (int height : {1, 2, 7, 20})
        EXPECT_EQ(drawLegend({.label = "x"}, height, {}).height, height);
}

}  // namespace
}  // namespace hem
