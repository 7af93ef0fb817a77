// SPDX-License-Identifier: Apache-2.0
// Vectors and rotations in double, for making motions.
//
// A nearly straight leg turns a rounding error of its length into a hundred times as much knee
// angle, and cloth feels second differences of the result; so motions are made in double and stored
// in float. Sines and cosines are portable (portable_math.h): the same bits on every machine.
#pragma once

#include <cmath>

#include "hem/core/portable_math.h"
#include "hem/core/transform.h"

namespace hem::precise {

struct Vec {
    double x = 0, y = 0, z = 0;
};

inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec operator*(Vec a, double s) { return {a.x * s, a.y * s, a.z * s}; }
inline Vec operator*(double s, Vec a) { return a * s; }
inline double dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec cross(Vec a, Vec b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double length(Vec a) { return std::sqrt(dot(a, a)); }
inline Vec normalized(Vec a) { return a * (1 / length(a)); }
inline Vec toPrecise(Vec3 v) { return {v.x, v.y, v.z}; }
inline Vec3 toFloat(Vec v) { return {float(v.x), float(v.y), float(v.z)}; }

inline constexpr Vec kX{1, 0, 0}, kY{0, 1, 0}, kZ{0, 0, 1};
inline constexpr double kDegree = portable::kPi / 180;

struct Rotation {
    double w = 1, x = 0, y = 0, z = 0;
};

inline Rotation operator*(Rotation a, Rotation b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline Rotation inverse(Rotation q) { return {q.w, -q.x, -q.y, -q.z}; }
inline Vec rotate(Rotation q, Vec v) {
    const Vec u{q.x, q.y, q.z};
    const Vec t = 2 * cross(u, v);
    return v + q.w * t + cross(u, t);
}
inline Rotation toPrecise(Quat q) { return {q.w, q.x, q.y, q.z}; }
inline Quat toFloat(Rotation q) {
    return hem::normalized(Quat{float(q.w), float(q.x), float(q.y), float(q.z)});
}

inline Rotation about(Vec unit_axis, double radians) {
    const double s = portable::sin(radians / 2);
    return {portable::cos(radians / 2), unit_axis.x * s, unit_axis.y * s, unit_axis.z * s};
}
inline Rotation aboutX(double radians) { return about(kX, radians); }
inline Rotation aboutY(double radians) { return about(kY, radians); }
inline Rotation aboutZ(double radians) { return about(kZ, radians); }

// The shortest rotation that takes unit vector a to unit vector b; they must not be opposite.
inline Rotation between(Vec a, Vec b) {
    const Vec c = cross(a, b);
    const double w = 1 + dot(a, b), n = std::sqrt(w * w + dot(c, c));
    return {w / n, c.x / n, c.y / n, c.z / n};
}
// The rotation whose matrix has these orthonormal columns.
Rotation fromColumns(Vec x, Vec y, Vec z);
// Takes the frame (direction, hinge made square to it) of `from` to that of `to`. All unit vectors.
Rotation frameToFrame(Vec from_direction, Vec from_hinge, Vec to_direction, Vec to_hinge);

}  // namespace hem::precise
