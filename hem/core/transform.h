// SPDX-License-Identifier: Apache-2.0
// Rotations and rigid or affine maps: Quat, Mat3, Affine, Transform.
//
// Column vectors throughout: `world_from_joint * joint_from_rest` applies the right factor first,
// and the names of frames meet in the middle. Quaternions are unit, Hamilton, (w, x, y, z).
#pragma once

#include <array>

#include "hem/core/vec.h"

namespace hem {

struct Quat {
    float w = 1, x = 0, y = 0, z = 0;
    friend bool operator==(const Quat&, const Quat&) = default;
};

// Row-major: m[row][column].
struct Mat3 {
    float m[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    Vec3 row(int i) const { return {m[i][0], m[i][1], m[i][2]}; }
    Vec3 column(int j) const { return {m[0][j], m[1][j], m[2][j]}; }
    static Mat3 fromColumns(Vec3 a, Vec3 b, Vec3 c) {
        return {{{a.x, b.x, c.x}, {a.y, b.y, c.y}, {a.z, b.z, c.z}}};
    }
};

// A 3x4 matrix, row-major, translation in the last column: twelve floats, the layout of the
// player's `joints` array. 16-byte rows, so that a row is one SIMD register.
struct alignas(16) Affine {
    float m[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};

    Vec3 translation() const { return {m[0][3], m[1][3], m[2][3]}; }
    Mat3 linear() const {
        return {{{m[0][0], m[0][1], m[0][2]},
                 {m[1][0], m[1][1], m[1][2]},
                 {m[2][0], m[2][1], m[2][2]}}};
    }
    static Affine from(const Mat3& linear, Vec3 translation);
};

// A rotation then a translation.
struct Transform {
    Quat rotation;
    Vec3 translation;
    friend bool operator==(const Transform&, const Transform&) = default;
};

// --- Quaternions -------------------------------------------------------------------------------
Quat operator*(Quat a, Quat b);
inline Quat conjugate(Quat q) { return {q.w, -q.x, -q.y, -q.z}; }
inline float dot(Quat a, Quat b) { return a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z; }
Quat normalized(Quat q);
Vec3 rotate(Quat q, Vec3 v);
Quat fromAxisAngle(Vec3 unit_axis, float radians);
// The shortest rotation that takes the direction of `from` to that of `to`. For opposite directions
// it is a half turn about an axis at right angles to both.
Quat rotationBetween(Vec3 from, Vec3 to);
// Shortest-arc spherical interpolation; q and -q are the same rotation.
Quat slerp(Quat a, Quat b, float t);
// Rotation vector (axis times angle in radians, angle at most pi) and back.
Vec3 logarithm(Quat q);
Quat exponential(Vec3 rotation_vector);
// The angle in radians, 0 to pi, of the rotation that takes a to b.
float angleBetween(Quat a, Quat b);
// The rotation about `unit_axis` in the swing-twist split q = swing * twist. Undefined (returned as
// identity) when q turns the axis by exactly half a turn.
Quat twistAbout(Quat q, Vec3 unit_axis);
// q or -q, whichever is nearer to `reference`, so that a sequence can be interpolated or
// differenced.
Quat nearest(Quat q, Quat reference);

// --- Matrices ----------------------------------------------------------------------------------
Mat3 operator*(const Mat3& a, const Mat3& b);
Vec3 operator*(const Mat3& a, Vec3 v);
Mat3 transposed(const Mat3& a);
float determinant(const Mat3& a);
Mat3 toMatrix(Quat q);
// The rotation nearest to `a` in direction: `a` must be close to a rotation times a uniform scale.
Quat toQuat(const Mat3& a);

Affine operator*(const Affine& a, const Affine& b);
inline Vec3 transformPoint(const Affine& a, Vec3 p) {
    return {a.m[0][0] * p.x + a.m[0][1] * p.y + a.m[0][2] * p.z + a.m[0][3],
            a.m[1][0] * p.x + a.m[1][1] * p.y + a.m[1][2] * p.z + a.m[1][3],
            a.m[2][0] * p.x + a.m[2][1] * p.y + a.m[2][2] * p.z + a.m[2][3]};
}
inline Vec3 transformVector(const Affine& a, Vec3 v) {
    return {a.m[0][0] * v.x + a.m[0][1] * v.y + a.m[0][2] * v.z,
            a.m[1][0] * v.x + a.m[1][1] * v.y + a.m[1][2] * v.z,
            a.m[2][0] * v.x + a.m[2][1] * v.y + a.m[2][2] * v.z};
}
// Inverse of any invertible affine map; computed in double.
Affine inverse(const Affine& a);
Affine toAffine(const Transform& t);
// The rigid map nearest to `a`: scale and shear are dropped.
Transform toTransform(const Affine& a);

Transform operator*(const Transform& a, const Transform& b);
Transform inverse(const Transform& t);
inline Vec3 transformPoint(const Transform& t, Vec3 p) {
    return rotate(t.rotation, p) + t.translation;
}
bool isFinite(const Affine& a);

}  // namespace hem
