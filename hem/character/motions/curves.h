// SPDX-License-Identifier: Apache-2.0
// Smooth curves for motions: ramps, bumps, Hermite pieces, zero-phase filters and slow noise.
//
// Everything here has continuous second derivatives where it is joined, because cloth feels them.
#pragma once

#include <array>
#include <vector>

#include "hem/core/random.h"

namespace hem {

// One number per frame.
using Channel = std::vector<double>;

// a for t = 0, b for t = 1. (std::lerp may round differently elsewhere.)
inline double mix(double a, double b, double t) { return a + (b - a) * t; }
// 0 before 0, 1 after 1, in between the minimum-jerk quintic 10u^3 - 15u^4 + 6u^5.
double smoothRamp(double u);
// 0 to 1 with a constant slope between two eased ends, each `ease` (0 to 0.5) of the whole.
double easedRamp(double u, double ease);
// 1 at u = 1/2, 0 outside 0..1: 64 u^3 (1-u)^3.
double smoothBump(double u);
// The same with its peak at `peak` (0.3 to 0.7).
double skewedBump(double u, double peak);

// Value, first and second derivative by time.
struct Knot {
    double value = 0, velocity = 0, acceleration = 0;
};
// The quintic that joins two knots `seconds` apart, at `time` after the first.
double quintic(const Knot& a, const Knot& b, double seconds, double time);
// By central differences at frame `at`, which must have neighbours.
Knot knotAt(const Channel& channel, int at, double rate);

// Gaussian filter without delay, sigma in frames; the ends are held.
Channel smoothed(const Channel& channel, double sigma);
// A smooth channel that is nowhere below `channel` (which must not be negative) and returns to
// nought `reach` frames away from where that does.
Channel smoothCover(const Channel& channel, int reach);
Channel derivative(const Channel& channel, double rate);

// A slow, aperiodic wobble, standard deviation about 1: five sines between `low` and `high` hertz.
class SlowNoise {
public:
    SlowNoise(Random& random, double low, double high);
    double operator()(double seconds) const;

private:
    std::array<double, 5> frequencies_, phases_;
};

}  // namespace hem
