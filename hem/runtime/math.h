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

// Of small / large within 0..1; where it is past tan(pi / 8), from pi / 4. The polynomial is the
// interpolation of atan(t) / t in t^2 at Chebyshev's points, wrong by at most 2.2e-11.
inline double arcTangentOfRatio(double small, double large) {
    const bool far = small > 0.41421356237309503 * large;
    const double t = (far ? small - large : small) / (far ? small + large : large);
    const double q = t * t, q2 = q * q;
    const double low =
        (0.999999999978 - 0.333333320976 * q) + (0.199998838568 - 0.142815887766 * q) * q2;
    const double high = (0.11040489264 - 0.0845619305459 * q) + 0.0470734843922 * q2;
    return (far ? kPiD / 4 : 0) + t * (low + high * (q2 * q2));
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
