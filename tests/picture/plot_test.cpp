// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/plot.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hem/picture/strokes.h"

namespace hem {
namespace {

constexpr Rgb kRed{200, 0, 0}, kBlue{0, 0, 200};

struct Extent {
    int left = 1 << 20, right = -1, top = 1 << 20, bottom = -1;
};

// Of the pixels of a colour; the legend, above row `below`, left out.
Extent extentOf(const Image& image, Rgb color, int below) {
    Extent e;
    for (int y = below; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            if (image.at(x, y) == color)
                e = {std::min(e.left, x), std::max(e.right, x), std::min(e.top, y),
                     std::max(e.bottom, y)};
    return e;
}

Plot twoLines() {
    Plot plot{.title = "two lines", .x_label = "x [1]", .y_label = "y [1]"};
    plot.lines.push_back({"high", {0, 10}, {4, 4}, kRed});
    plot.lines.push_back({"low", {0, 5}, {1, 1}, kBlue});
    return plot;
}

TEST(Plot, LargerValuesStandHigherAndFartherRight) {
    const Image image = drawPlot(twoLines());
    const Extent high = extentOf(image, kRed, 70), low = extentOf(image, kBlue, 70);
    EXPECT_LT(high.bottom, low.top);
    EXPECT_NEAR(high.left, low.left, 1);
    EXPECT_NEAR(low.right - low.left, (high.right - high.left) / 2.0, 2);
}

TEST(Plot, IsToScaleFromZero) {
    Plot plot = twoLines();
    plot.lines.push_back({"nought", {0, 10}, {0, 0}, {0, 200, 0}});
    const Image image = drawPlot(plot);
    const auto height = [&](Rgb color) { return extentOf(image, color, 70).bottom; };
    const double unit = height({0, 200, 0}) - height(kBlue);
    EXPECT_GT(unit, 10);
    EXPECT_NEAR(height({0, 200, 0}) - height(kRed), 4 * unit, 3);
}

TEST(Plot, BreaksLinesWhereValuesAreMissing) {
    Plot plot = twoLines();
    plot.lines[0] = {"gap", {0, 1, 2, 3, 4}, {4, 4, NAN, 4, 4}, kRed};
    plot.lines[1].x = {0, 4};
    const Image image = drawPlot(plot);
    const Extent e = extentOf(image, kRed, 70);
    const int middle = (e.left + e.right) / 2, row = (e.top + e.bottom) / 2;
    EXPECT_FALSE(image.at(middle, row) == kRed);
    EXPECT_EQ(image.at(e.left + 10, row), kRed);
}

TEST(Plot, OneValueAndNoneCanBeDrawn) {
    Plot plot{.lines = {{"one", {3, 3}, {2, 2}, kRed}}};
    EXPECT_EQ(drawPlot(plot).width, PlotStyle().width);
    plot.lines[0] = {"none", {}, {}, kRed};
    EXPECT_EQ(drawPlot(plot).height, PlotStyle().height);
}

TEST(Strokes, LayColourOnOnceWhereTheyCross) {
    Image once(20, 20, {255, 255, 255}), twice = once;
    const Stroke flat{{2, 10.2f}, {18, 10.2f}};
    drawStrokes(once, {flat}, 2, kRed);
    drawStrokes(twice, {flat, flat}, 2, kRed);
    EXPECT_EQ(once, twice);
    EXPECT_EQ(once.at(10, 10), kRed);
    EXPECT_EQ(once.at(10, 5), (Rgb{255, 255, 255}));
}

TEST(Strokes, OutsideAndNoNumbersDrawNothing) {
    const Image blank(20, 20, {255, 255, 255});
    Image image = blank;
    drawStrokes(image, {{{-50, 5}, {-30, 9}}, {{3, 1e30f}, {4, 1e31f}}, {{5, 5}, {NAN, 9}}}, 2,
                kRed);
    EXPECT_EQ(image, blank);
    drawStrokes(image, {{{-1e9f, 10.5f}, {1e9f, 10.5f}}}, 1, kRed);
    EXPECT_EQ(image.at(0, 10), kRed);
    EXPECT_EQ(image.at(19, 10), kRed);
}

}  // namespace
}  // namespace hem
