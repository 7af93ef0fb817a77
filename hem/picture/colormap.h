// SPDX-License-Identifier: Apache-2.0
// Colour maps: numbers per vertex as colours, and the legend that says which is which.
//
// The maps are made here, in Ottosson's OKLab space (2020), where distances are near to seen ones.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hem/picture/image.h"

namespace hem {

enum class ColorMap {
    kSequential,  // violet, teal, yellow: lightness grows steadily, equal steps of value look equal
    kColdHot,     // blue, pale, red: for values about a middle; lightest there
};

// t from 0 to 1, clamped; NaN is grey. Linear light.
Vec3 colorAt(ColorMap map, float t);

// OKLab of a linear colour: x lightness 0 to 1, y towards red, z towards yellow.
Vec3 oklabFromLinear(Vec3 linear);

// What a picture's colours mean.
struct ColorScale {
    double low = 0, high = 1;  // values at the ends of the map, in the unit that the legend prints
    std::string label;         // "distance [cm]"
    ColorMap map = ColorMap::kSequential;
};

Vec3 colorOf(const ColorScale& scale, double value);
// One per value.
std::vector<Vec3> colorsOf(const ColorScale& scale, std::span<const double> values);

// The range of the finite values; where they are all the same, a range about them that is not
// empty.
ColorScale scaleFor(std::span<const double> values, std::string label);

// Round numbers (1, 2 or 5 times a power of ten apart) from low to high, at most `most` of them.
std::vector<double> niceTicks(double low, double high, int most);

// A vertical bar with ticks and the label above, `height` pixels tall, on `paper`.
Image drawLegend(const ColorScale& scale, int height, Rgb paper);

// The picture with the legend on its right; the legend stands on `paper`.
Image withLegend(const Image& picture, const ColorScale& scale, Rgb paper);

}  // namespace hem
