// SPDX-License-Identifier: Apache-2.0
// Scalar functions of the player whose bits are the same on every machine: the C library's differ
// in the last bit from one to the next. Additions, multiplications, divisions and square roots in
// double, contraction off; wrong by about 1e-9 before the result is rounded to float.
#pragma once

#include <stdint.h>

namespace hem::runtime {

inline constexpr double kPiD = 3.14159265358979323846;

inline float squareRoot(float x) { return __builtin_sqrtf(x); }
inline float absolute(float x) { return __builtin_fabsf(x); }

// The nearest whole number, halves upwards; |x| below 1e9.
inline double nearestWhole(double x) {
    const int64_t below = int64_t(x + 0.5);
    return double(below > x + 0.5 ? below - 1 : below);
}

// To -pi..pi, by the float nearest to 2 pi; |angle| up to 1e8. Exact.
inline float wrapAngle(float angle) {
    constexpr double turn = 6.283185482025146484375;
    return float(double(angle) - turn * nearestWhole(double(angle) / turn));
}

// |x| up to 1e8.
struct SinCos {
    float sin, cos;
};
inline SinCos sinCos(float x) {
    const double quarter = nearestWhole(double(x) * (2 / kPiD));
    const double r =
        (double(x) - quarter * 1.57079632673412561417) - quarter * 6.07710050650619e-11;
    const double q = r * r;
    const double s =
        r * (1 + q * (-1.0 / 6 + q * (1.0 / 120 + q * (-1.0 / 5040 + q * (1.0 / 362880)))));
    const double c =
        1 + q * (-0.5 + q * (1.0 / 24 + q * (-1.0 / 720 + q * (1.0 / 40320 - q / 3628800))));
    switch (int64_t(quarter) & 3) {
        case 0:
            return {float(s), float(c)};
        case 1:
            return {float(c), float(-s)};
        case 2:
            return {float(-s), float(-c)};
        default:
            return {float(-c), float(s)};
    }
}

// Of t within 0..1: by pi/4 less the arc tangent of (1 - t) / (1 + t) where that is smaller.
inline double arcTangentOfRatio(double small, double large) {
    const bool far = small > 0.41421356237309503 * large;
    const double t = far ? (small - large) / (small + large) : small / large;
    const double q = t * t;
    double p = 1.0 / 25;
    for (int k = 23; k >= 1; k -= 2) p = 1.0 / k - q * p;
    return (far ? kPiD / 4 : 0) + t * p;
}
// -pi to pi; 0 for (0, 0).
inline float arcTangent2(float y, float x) {
    const double ax = x < 0 ? -double(x) : double(x), ay = y < 0 ? -double(y) : double(y);
    if (ax == 0 && ay == 0) return 0;
    double angle = ay <= ax ? arcTangentOfRatio(ay, ax) : kPiD / 2 - arcTangentOfRatio(ax, ay);
    if (x < 0) angle = kPiD - angle;
    return float(y < 0 ? -angle : angle);
}

}  // namespace hem::runtime
