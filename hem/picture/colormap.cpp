// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/colormap.h"

#include <algorithm>
#include <array>
#include <limits>

#include "hem/core/text.h"
#include "hem/picture/lettering.h"

namespace hem {
namespace {

constexpr int kTableSize = 256;
using Table = std::array<Vec3, kTableSize>;  // linear light

Vec3 linearFromOklab(Vec3 lab) {
    const float l = lab.x + 0.3963377774f * lab.y + 0.2158037573f * lab.z;
    const float m = lab.x - 0.1055613458f * lab.y - 0.0638541728f * lab.z;
    const float s = lab.x - 0.0894841775f * lab.y - 1.2914855480f * lab.z;
    const float l3 = l * l * l, m3 = m * m * m, s3 = s * s * s;
    return {4.0767416621f * l3 - 3.3077115913f * m3 + 0.2309699292f * s3,
            -1.2684380046f * l3 + 2.6097574011f * m3 - 0.3413193965f * s3,
            -0.0041960863f * l3 - 0.7034186147f * m3 + 1.7076147010f * s3};
}

// A point of the map's path: lightness, chroma, hue in degrees.
struct PathPoint {
    float lightness, chroma, hue;
};

Vec3 catmullRom(Vec3 a, Vec3 b, Vec3 c, Vec3 d, float t) {
    return 0.5f * (b * 2 + (c - a) * t + (a * 2 - b * 5 + c * 4 - d) * (t * t) +
                   (b * 3 - a - c * 3 + d) * (t * t * t));
}

// The path as a smooth curve in OKLab, walked at a steady speed.
template <size_t N>
Table tableAlong(const PathPoint (&path)[N]) {
    std::array<Vec3, N> knots;
    for (size_t i = 0; i < N; ++i) {
        const float angle = degreesToRadians(path[i].hue);
        knots[i] = {path[i].lightness, path[i].chroma * std::cos(angle),
                    path[i].chroma * std::sin(angle)};
    }
    const auto knot = [&](int i) {
        if (i < 0) return knots[0] * 2 - knots[1];
        return size_t(i) < N ? knots[size_t(i)] : knots[N - 1] * 2 - knots[N - 2];
    };
    constexpr int kFine = 4096;
    std::vector<Vec3> points;
    std::vector<float> way{0};
    for (int i = 0; i <= kFine; ++i) {
        const float u = float(i) / kFine * float(N - 1);
        const int k = std::min(int(u), int(N) - 2);
        points.push_back(catmullRom(knot(k - 1), knot(k), knot(k + 1), knot(k + 2), u - float(k)));
        if (i > 0) way.push_back(way.back() + distance(points[size_t(i)], points[size_t(i) - 1]));
    }
    Table table;
    size_t at = 0;
    for (size_t i = 0; i < kTableSize; ++i) {
        const float target = way.back() * float(i) / (kTableSize - 1);
        while (at + 1 < points.size() && way[at] < target) ++at;
        const Vec3 color = linearFromOklab(points[at]);
        table[i] = max({0, 0, 0}, min({1, 1, 1}, color));
    }
    return table;
}

const Table& tableOf(ColorMap map) {
    static const Table sequential = tableAlong({{0.30f, 0.130f, 305},
                                                {0.45f, 0.110f, 262},
                                                {0.60f, 0.095f, 200},
                                                {0.76f, 0.150f, 148},
                                                {0.92f, 0.170f, 106}});
    static const Table cold_hot = tableAlong({{0.46f, 0.150f, 260},
                                              {0.72f, 0.090f, 240},
                                              {0.93f, 0.010f, 180},
                                              {0.74f, 0.120f, 50},
                                              {0.48f, 0.180f, 25}});
    return map == ColorMap::kSequential ? sequential : cold_hot;
}

}  // namespace

Vec3 oklabFromLinear(Vec3 c) {
    const float l = std::cbrt(0.4122214708f * c.x + 0.5363325363f * c.y + 0.0514459929f * c.z);
    const float m = std::cbrt(0.2119034982f * c.x + 0.6806995451f * c.y + 0.1073969566f * c.z);
    const float s = std::cbrt(0.0883024619f * c.x + 0.2817188376f * c.y + 0.6299787005f * c.z);
    return {0.2104542553f * l + 0.7936177850f * m - 0.0040720468f * s,
            1.9779984951f * l - 2.4285922050f * m + 0.4505937099f * s,
            0.0259040371f * l + 0.7827717662f * m - 0.8086757660f * s};
}

Vec3 colorAt(ColorMap map, float t) {
    if (std::isnan(t)) return {0.4f, 0.4f, 0.4f};
    const float at = std::clamp(t, 0.0f, 1.0f) * (kTableSize - 1);
    const size_t i = std::min(size_t(at), size_t(kTableSize - 2));
    return lerp(tableOf(map)[i], tableOf(map)[i + 1], at - float(i));
}

Vec3 colorOf(const ColorScale& scale, double value) {
    return colorAt(scale.map, float((value - scale.low) / (scale.high - scale.low)));
}

std::vector<Vec3> colorsOf(const ColorScale& scale, std::span<const double> values) {
    std::vector<Vec3> colors;
    colors.reserve(values.size());
    for (double value : values) colors.push_back(colorOf(scale, value));
    return colors;
}

ColorScale scaleFor(std::span<const double> values, std::string label) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (double value : values)
        if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    if (low > high) low = 0, high = 1;
    if (low == high) {
        const double room = std::max(1e-6, std::abs(low) * 0.5);
        low -= room, high += room;
    }
    return {.low = low, .high = high, .label = std::move(label)};
}

std::vector<double> niceTicks(double low, double high, int most) {
    CHECK(low < high && most >= 1);
    double step = std::pow(10, std::floor(std::log10((high - low) / most)));
    const auto count = [&] {
        return std::floor(high / step + 1e-9) - std::ceil(low / step - 1e-9) + 1;
    };
    for (int k = 0; count() > most; ++k) step *= k % 3 == 1 ? 2.5 : 2;  // 1, 2, 5, 10, ...
    std::vector<double> ticks;
    ticks.reserve(size_t(count()));
    const double first = std::ceil(low / step - 1e-9);
    for (int i = 0; i < int(count()); ++i) ticks.push_back((first + i) * step);
    return ticks;
}

Image drawLegend(const ColorScale& scale, int height, Rgb paper) {
    constexpr int kBarWidth = 14, kLeft = 14, kTick = 4;
    const TextStyle style{.cap_height = 8};
    const int top = std::min(height / 4, 34), bottom = std::max(top + 1, height - 18);
    std::vector<std::string> numbers;
    const std::vector<double> ticks =
        niceTicks(scale.low, scale.high, std::clamp((bottom - top) / 36, 2, 10));
    float widest = 0;
    for (double tick : ticks) {
        numbers.push_back(format("%.6g", tick == 0 ? 0.0 : tick));
        widest = std::max(widest, textWidth(numbers.back(), style));
    }
    const float needed = std::max(float(kLeft + kBarWidth + kTick + 4) + widest,
                                  kLeft + textWidth(scale.label, style));
    Image legend(int(std::ceil(needed)) + 12, height, paper);
    drawText(legend, kLeft, float(top) - 20, scale.label, style);
    const double rows = bottom - top;
    for (int y = top; y < bottom; ++y) {
        const double share = (bottom - 0.5 - y) / rows;
        for (int x = 0; x < kBarWidth; ++x)
            legend.at(kLeft + x, y) = srgbFromLinear(colorAt(scale.map, float(share)));
    }
    for (size_t i = 0; i < ticks.size(); ++i) {
        const double y =
            bottom - 0.5 - (ticks[i] - scale.low) / (scale.high - scale.low) * (rows - 1);
        for (int x = 0; x < kTick; ++x)
            legend.at(kLeft + kBarWidth + x, std::clamp(int(y), 0, height - 1)) = style.color;
        drawText(legend, kLeft + kBarWidth + kTick + 4,
                 float(std::floor(y)) + 0.5f - style.cap_height / 2, numbers[i], style);
    }
    return legend;
}

Image withLegend(const Image& picture, const ColorScale& scale, Rgb paper) {
    const Image legend = drawLegend(scale, picture.height, paper);
    Image both(picture.width + legend.width, picture.height, paper);
    paste(both, picture, 0, 0);
    paste(both, legend, picture.width, 0);
    return both;
}

}  // namespace hem
