// SPDX-License-Identifier: Apache-2.0
#include "hem/character/mannequin/mannequin_shapes.h"

#include <algorithm>
#include <cmath>

#include "hem/core/check.h"

namespace hem::mannequin_parts {
namespace {

// Second derivatives of the natural cubic spline through (s, y): the tridiagonal system by
// elimination.
std::vector<double> splineSecondDerivatives(const std::vector<double>& s,
                                            const std::vector<double>& y) {
    const size_t n = s.size();
    std::vector<double> second(n, 0.0), upper(n, 0.0), right(n, 0.0);
    for (size_t i = 1; i + 1 < n; ++i) {
        const double before = s[i] - s[i - 1], after = s[i + 1] - s[i];
        const double slope_change = (y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before;
        const double pivot = 2 * (before + after) - before * upper[i - 1];
        upper[i] = after / pivot;
        right[i] = (6 * slope_change - before * right[i - 1]) / pivot;
    }
    for (size_t i = n - 2; i > 0; --i) second[i] = right[i] - upper[i] * second[i + 1];
    return second;
}

// The gauge of a section (1 on the outline), and the length of its gradient.
struct Gauge {
    double value, slope;
};

Gauge ellipseGauge(double u, double v, double a, double b) {
    const double x = u / a, y = v / b, value = std::sqrt(x * x + y * y);
    if (value < 1e-9) return {value, 1 / std::min(a, b)};
    return {value, std::sqrt(x * x / (a * a) + y * y / (b * b)) / value};
}

Gauge quarticGauge(double u, double v, double a, double b) {
    const double x = u / a, y = v / b, x2 = x * x, y2 = y * y;
    const double value = std::sqrt(std::sqrt(x2 * x2 + y2 * y2));
    if (value < 1e-9) return {value, 1 / std::min(a, b)};
    const double gx = x2 * x / a, gy = y2 * y / b;
    return {value, std::sqrt(gx * gx + gy * gy) / (value * value * value)};
}

}  // namespace

Loft::Loft(Point origin, Point axis, Point u, Point v, const std::vector<Station>& stations,
           double cap_low, double cap_high)
    : origin_(origin), axis_(axis), u_(u), v_(v), cap_low_(cap_low), cap_high_(cap_high) {
    CHECK_GE(stations.size(), 2u);
    for (const Station& k : stations) {
        CHECK(s_.empty() || k.s > s_.back());
        s_.push_back(k.s);
        values_.push_back({k.left, k.right, k.back, k.front, k.square, k.crest});
    }
    second_.resize(s_.size());
    for (int c = 0; c < kCurves; ++c) {
        std::vector<double> y;
        for (const auto& row : values_) y.push_back(row[size_t(c)]);
        const std::vector<double> second = splineSecondDerivatives(s_, y);
        for (size_t i = 0; i < s_.size(); ++i) second_[i][size_t(c)] = second[i];
    }
}

std::array<double, Loft::kCurves> Loft::outlineAt(double s) const {
    size_t i = 0;
    while (i + 2 < s_.size() && s > s_[i + 1]) ++i;
    const double h = s_[i + 1] - s_[i], b = (s - s_[i]) / h, a = 1 - b;
    const double ca = (a * a * a - a) * h * h / 6, cb = (b * b * b - b) * h * h / 6;
    std::array<double, kCurves> outline;
    for (size_t c = 0; c < kCurves; ++c)
        outline[c] =
            a * values_[i][c] + b * values_[i + 1][c] + ca * second_[i][c] + cb * second_[i + 1][c];
    return outline;
}

double Loft::operator()(Point p) const {
    const Point d = p - origin_;
    const double along = dot(d, axis_), s = std::clamp(along, s_.front(), s_.back());
    const auto [left, right, back, front, square, crest] = outlineAt(s);
    const double half_width = (right - left) / 2,
                 widest = (front + back) / 2 + crest * (front - back) / 2;
    const double u = dot(d, u_) - (left + right) / 2, v = dot(d, v_) - widest;
    const double half_depth = v > 0 ? front - widest : widest - back;

    const double w = std::clamp(square, 0.0, 1.0);
    const Gauge round = ellipseGauge(u, v, half_width, half_depth),
                box = quarticGauge(u, v, half_width, half_depth);
    Gauge gauge{round.value + w * (box.value - round.value),
                round.slope + w * (box.slope - round.slope)};
    if (along != s) {
        const double beyond = (along - s) / (along < s ? cap_low_ : cap_high_);
        const double reach = along < s ? cap_low_ : cap_high_;
        const double value = std::sqrt(gauge.value * gauge.value + beyond * beyond);
        const double across = gauge.value * gauge.slope, lengthwise = beyond / reach;
        gauge.slope = std::sqrt(across * across + lengthwise * lengthwise) / value;
        gauge.value = value;
    }
    return (gauge.value - 1) / gauge.slope;
}

double Ellipsoid::operator()(Point p) const {
    const Point d = p - centre;
    const double x = dot(d, u) / radii.x, y = dot(d, v) / radii.y, z = dot(d, w) / radii.z;
    const double value = std::sqrt(x * x + y * y + z * z);
    const double gx = x / radii.x, gy = y / radii.y, gz = z / radii.z;
    const double slope = std::sqrt(gx * gx + gy * gy + gz * gz);
    if (value < 1e-9) return -std::min({radii.x, radii.y, radii.z});
    return value * (value - 1) / slope;
}

double Bump::operator()(Point p) const {
    const Point d = p - centre;
    const double x = d.x / radii.x, y = d.y / radii.y, z = d.z / radii.z;
    const double inside = 1 - (x * x + y * y + z * z);
    return inside > 0 ? -height * inside * inside * inside : 0;
}

double smoothUnion(double a, double b, double k) {
    const double overlap = std::max(k - std::abs(a - b), 0.0) / k;
    return std::min(a, b) - overlap * overlap * overlap * k / 6;
}

}  // namespace hem::mannequin_parts
