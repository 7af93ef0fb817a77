// SPDX-License-Identifier: Apache-2.0
// Vec2 and Vec3: plain float vectors, laid out as the arrays that files and graphics APIs expect.
//
// Units are SI, Y is up, frames are right-handed (docs/conventions.md). Storage is float; a
// computation that needs more accumulates in double where it stands.
#pragma once

#include <algorithm>
#include <cmath>

namespace hem {

struct Vec2 {
    float x = 0, y = 0;
    friend bool operator==(const Vec2&, const Vec2&) = default;
};

struct Vec3 {
    float x = 0, y = 0, z = 0;

    float& operator[](int axis) { return (&x)[axis]; }
    float operator[](int axis) const { return (&x)[axis]; }
    friend bool operator==(const Vec3&, const Vec3&) = default;
};

inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
inline Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
inline Vec3 operator*(float s, Vec3 a) { return a * s; }
inline Vec3 operator/(Vec3 a, float s) { return {a.x / s, a.y / s, a.z / s}; }
inline Vec3& operator+=(Vec3& a, Vec3 b) { return a = a + b; }
inline Vec3& operator-=(Vec3& a, Vec3 b) { return a = a - b; }
inline Vec3& operator*=(Vec3& a, float s) { return a = a * s; }

inline float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline float lengthSquared(Vec3 a) { return dot(a, a); }
inline float length(Vec3 a) { return std::sqrt(dot(a, a)); }
inline float distance(Vec3 a, Vec3 b) { return length(a - b); }
inline Vec3 lerp(Vec3 a, Vec3 b, float t) { return a + (b - a) * t; }
inline Vec3 min(Vec3 a, Vec3 b) {
    return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)};
}
inline Vec3 max(Vec3 a, Vec3 b) {
    return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)};
}
inline bool isFinite(Vec3 a) {
    return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

// The unit vector along `a`, or `fallback` where `a` is too short to have a direction.
inline Vec3 normalized(Vec3 a, Vec3 fallback = {0, 0, 0}) {
    const float n = length(a);
    return n > 1e-20f ? a / n : fallback;
}

// Any unit vector at right angles to the unit vector `a`.
inline Vec3 anyPerpendicular(Vec3 a) {
    const Vec3 axis = std::abs(a.x) < 0.6f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    return normalized(cross(a, axis));
}

inline constexpr float kPi = 3.14159265358979323846f;
inline constexpr float degreesToRadians(float degrees) { return degrees * (kPi / 180); }
inline constexpr float radiansToDegrees(float radians) { return radians * (180 / kPi); }

}  // namespace hem
