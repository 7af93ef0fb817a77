// SPDX-License-Identifier: Apache-2.0
// Sine, cosine, arc tangent and exponential whose bits are the same on every machine.
//
// The C library's pick other instructions on other processors and round differently in the last
// bit. That is enough to flip a decision in a mesher or to break a pinned hash, so whatever makes
// the built-in data (the mannequin, its motions, its garments) uses these: additions,
// multiplications, divisions and square roots only, in double, with contraction off
// (CMakeLists.txt). Absolute error below 1e-12 over the ranges stated.
#pragma once

#include <cmath>
#include <cstdint>

#include "hem/core/transform.h"

namespace hem::portable {

inline constexpr double kPi = 3.14159265358979323846;

// |x| up to 1e6.
inline double sin(double x) {
    const double turns = std::floor(x / kPi + 0.5);
    // Cody-Waite: pi in two parts, so that the reduction loses nothing
    const double r = (x - turns * 3.141592653589793116) - turns * 1.2246467991473532e-16;
    double p = 1;
    for (int k = 20; k >= 2; k -= 2) p = 1 - r * r * p / (k * (k + 1));
    const double value = r * p;
    return int64_t(turns) % 2 == 0 ? value : -value;
}
inline double cos(double x) { return portable::sin(x + kPi / 2); }

// Arc tangent, -pi/2 to pi/2.
inline double atan(double x) {
    if (x < 0) return -portable::atan(-x);
    if (x > 1) return kPi / 2 - portable::atan(1 / x);
    // halve the angle twice: atan(x) = 2 atan(x / (1 + sqrt(1 + x^2)))
    double t = x / (1 + std::sqrt(1 + x * x));
    t = t / (1 + std::sqrt(1 + t * t));
    const double s = t * t;
    double p = 0;
    for (int k = 25; k >= 1; k -= 2) p = 1.0 / k - s * p;
    return 4 * t * p;
}
// -pi to pi; 0 for (0, 0).
inline double atan2(double y, double x) {
    if (x > 0) return portable::atan(y / x);
    if (x < 0) return portable::atan(y / x) + (y < 0 ? -kPi : kPi);
    return y > 0 ? kPi / 2 : y < 0 ? -kPi / 2 : 0;
}
// -1 to 1; clamps outside.
inline double acos(double x) {
    x = x < -1 ? -1 : x > 1 ? 1 : x;
    return portable::atan2(std::sqrt((1 - x) * (1 + x)), x);
}
// |x| up to 700.
inline double exp(double x) {
    const double power = std::floor(x * 1.44269504088896340736 + 0.5);
    const double r = (x - power * 0.693147180369123816490) - power * 1.90821492927058770002e-10;
    double p = 1;
    for (int k = 14; k >= 1; --k) p = 1 + r * p / k;
    return std::ldexp(p, int(power));
}

// fromAxisAngle() with the same bits everywhere.
inline Quat fromAxisAngle(Vec3 unit_axis, double radians) {
    const float s = float(portable::sin(radians / 2));
    return {float(portable::cos(radians / 2)), unit_axis.x * s, unit_axis.y * s, unit_axis.z * s};
}

}  // namespace hem::portable
