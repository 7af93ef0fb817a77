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

// The nearest whole number, halves to the even one; |x| below 1e15.
inline double nearestWhole(double x) {
    constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52
    return (x + magic) - magic;
}

// To -pi..pi, by the float nearest to 2 pi; |angle| up to 1e8. Exact.
inline float wrapAngle(float angle) {
    constexpr double turn = 6.283185482025146484375;
    return float(double(angle) - turn * nearestWhole(double(angle) * (1 / turn)));
}

// The functions below choose by tables, not by branches: wearers' headings are nothing that a
// processor can predict.

// |x| up to 1e8.
struct SinCos {
    float sin, cos;
};
inline SinCos sinCos(float x) {
    const double whole = nearestWhole(double(x) * (2 / kPiD));
    const double r = (double(x) - whole * 1.57079632673412561417) - whole * 6.07710050650619e-11;
    const double q = r * r, q2 = q * q;
    const double s =
        r * ((1 - q * (1.0 / 6)) + q2 * ((1.0 / 120 - q * (1.0 / 5040)) + q2 / 362880));
    const double c =
        (1 - q * 0.5) + q2 * ((1.0 / 24 - q * (1.0 / 720)) + q2 * (1.0 / 40320 - q / 3628800));
    const double values[2] = {s, c}, signs[2] = {1, -1};
    const auto quarter = int64_t(whole);
    return {float(values[quarter & 1] * signs[quarter >> 1 & 1]),
            float(values[~quarter & 1] * signs[(quarter + 1) >> 1 & 1])};
}

// -pi to pi; 0 for (0, 0). A ratio past tan(pi / 8) is taken from pi / 4. The polynomial is the
// interpolation of atan(t) / t in t^2 at Chebyshev's points, wrong by at most 2.2e-11.
inline float arcTangent2(float y, float x) {
    const double ax = __builtin_fabs(double(x)), ay = __builtin_fabs(double(y));
    const double small = ax < ay ? ax : ay, larger = ax < ay ? ay : ax;
    const double large = larger > 1e-300 ? larger : 1e-300;
    const double ones[2] = {0, 1}, quarters[2] = {0, kPiD / 4}, halves[2] = {0, kPiD / 2},
                 wholes[2] = {0, kPiD}, signs[2] = {1, -1};
    const bool far = small > 0.41421356237309503 * large, steep = ay > ax;
    const double t = (small - ones[far] * large) / (large + ones[far] * small);
    const double q = t * t, q2 = q * q;
    const double low =
        (0.999999999978 - 0.333333320976 * q) + (0.199998838568 - 0.142815887766 * q) * q2;
    const double high = (0.11040489264 - 0.0845619305459 * q) + 0.0470734843922 * q2;
    double angle = quarters[far] + t * (low + high * (q2 * q2));
    angle = halves[steep] + signs[steep] * angle;
    angle = wholes[x < 0] + signs[x < 0] * angle;
    return float(signs[y < 0] * angle);
}

}  // namespace hem::runtime
