// SPDX-License-Identifier: Apache-2.0
#include "hem/core/transform.h"

namespace hem {

Affine Affine::from(const Mat3& linear, Vec3 translation) {
    Affine a;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) a.m[i][j] = linear.m[i][j];
        a.m[i][3] = translation[i];
    }
    return a;
}

Quat operator*(Quat a, Quat b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

Quat normalized(Quat q) {
    const float n = std::sqrt(dot(q, q));
    if (!(n > 1e-20f)) return {};
    return {q.w / n, q.x / n, q.y / n, q.z / n};
}

Vec3 rotate(Quat q, Vec3 v) {
    const Vec3 u{q.x, q.y, q.z};
    const Vec3 t = 2 * cross(u, v);
    return v + q.w * t + cross(u, t);
}

Quat fromAxisAngle(Vec3 unit_axis, float radians) {
    const float s = std::sin(radians / 2);
    return {std::cos(radians / 2), unit_axis.x * s, unit_axis.y * s, unit_axis.z * s};
}

Quat rotationBetween(Vec3 from, Vec3 to) {
    const Vec3 a = normalized(from), b = normalized(to);
    if (lengthSquared(a) == 0 || lengthSquared(b) == 0) return {};
    const float c = dot(a, b);
    if (c < -0.999999f) {
        const Vec3 axis = anyPerpendicular(a);
        return {0, axis.x, axis.y, axis.z};
    }
    const Vec3 axis = cross(a, b);
    return normalized(Quat{1 + c, axis.x, axis.y, axis.z});
}

Quat nearest(Quat q, Quat reference) {
    return dot(q, reference) < 0 ? Quat{-q.w, -q.x, -q.y, -q.z} : q;
}

Quat slerp(Quat a, Quat b, float t) {
    b = nearest(b, a);
    const float c = std::min(dot(a, b), 1.0f);
    float wa = 1 - t, wb = t;
    if (c < 0.9995f) {
        const float angle = std::acos(c), s = std::sin(angle);
        wa = std::sin((1 - t) * angle) / s;
        wb = std::sin(t * angle) / s;
    }
    return normalized(
        Quat{wa * a.w + wb * b.w, wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z});
}

Vec3 logarithm(Quat q) {
    q = nearest(q, Quat{});
    const Vec3 v{q.x, q.y, q.z};
    const float s = length(v);
    // angle / sin(angle / 2) tends to 2 as the angle goes to nought
    if (s < 1e-6f) return 2 * v;
    return v * (2 * std::atan2(s, q.w) / s);
}

Quat exponential(Vec3 rotation_vector) {
    const float angle = length(rotation_vector);
    if (angle < 1e-6f) {
        const Vec3 h = rotation_vector / 2;
        return normalized(Quat{1, h.x, h.y, h.z});
    }
    return fromAxisAngle(rotation_vector / angle, angle);
}

float angleBetween(Quat a, Quat b) {
    const Quat d = conjugate(a) * b;
    return 2 * std::atan2(length(Vec3{d.x, d.y, d.z}), std::abs(d.w));
}

Quat twistAbout(Quat q, Vec3 unit_axis) {
    const float along = dot(Vec3{q.x, q.y, q.z}, unit_axis);
    return normalized(Quat{q.w, unit_axis.x * along, unit_axis.y * along, unit_axis.z * along});
}

Mat3 operator*(const Mat3& a, const Mat3& b) {
    Mat3 c;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) c.m[i][j] = dot(a.row(i), b.column(j));
    return c;
}

Vec3 operator*(const Mat3& a, Vec3 v) {
    return {dot(a.row(0), v), dot(a.row(1), v), dot(a.row(2), v)};
}

Mat3 transposed(const Mat3& a) { return Mat3::fromColumns(a.row(0), a.row(1), a.row(2)); }

float determinant(const Mat3& a) { return dot(a.row(0), cross(a.row(1), a.row(2))); }

Mat3 toMatrix(Quat q) {
    const float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    const float xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    const float wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return {{{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy)},
             {2 * (xy + wz), 1 - 2 * (xx + zz), 2 * (yz - wx)},
             {2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}}};
}

Quat toQuat(const Mat3& a) {
    // Gram-Schmidt first: importers hand over matrices with scale and rounding in them
    const Vec3 x = normalized(a.column(0), {1, 0, 0});
    Vec3 y = a.column(1) - x * dot(x, a.column(1));
    y = normalized(y, anyPerpendicular(x));
    const Mat3 r = Mat3::fromColumns(x, y, cross(x, y));
    const float trace = r.m[0][0] + r.m[1][1] + r.m[2][2];
    Quat q;
    if (trace > 0) {
        q = {1 + trace, r.m[2][1] - r.m[1][2], r.m[0][2] - r.m[2][0], r.m[1][0] - r.m[0][1]};
    } else if (r.m[0][0] >= r.m[1][1] && r.m[0][0] >= r.m[2][2]) {
        q = {r.m[2][1] - r.m[1][2], 1 + r.m[0][0] - r.m[1][1] - r.m[2][2], r.m[0][1] + r.m[1][0],
             r.m[0][2] + r.m[2][0]};
    } else if (r.m[1][1] >= r.m[2][2]) {
        q = {r.m[0][2] - r.m[2][0], r.m[0][1] + r.m[1][0], 1 - r.m[0][0] + r.m[1][1] - r.m[2][2],
             r.m[1][2] + r.m[2][1]};
    } else {
        q = {r.m[1][0] - r.m[0][1], r.m[0][2] + r.m[2][0], r.m[1][2] + r.m[2][1],
             1 - r.m[0][0] - r.m[1][1] + r.m[2][2]};
    }
    return normalized(q);
}

Affine operator*(const Affine& a, const Affine& b) {
    Affine c;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j)
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
        c.m[i][3] += a.m[i][3];
    }
    return c;
}

Affine inverse(const Affine& a) {
    const auto& m = a.m;
    auto minor2 = [&](int r0, int r1, int c0, int c1) {
        return double(m[r0][c0]) * m[r1][c1] - double(m[r0][c1]) * m[r1][c0];
    };
    double inv[3][3] = {{minor2(1, 2, 1, 2), -minor2(0, 2, 1, 2), minor2(0, 1, 1, 2)},
                        {-minor2(1, 2, 0, 2), minor2(0, 2, 0, 2), -minor2(0, 1, 0, 2)},
                        {minor2(1, 2, 0, 1), -minor2(0, 2, 0, 1), minor2(0, 1, 0, 1)}};
    const double det = m[0][0] * inv[0][0] + m[0][1] * inv[1][0] + m[0][2] * inv[2][0];
    Affine r;
    for (int i = 0; i < 3; ++i) {
        double t = 0;
        for (int j = 0; j < 3; ++j) {
            r.m[i][j] = float(inv[i][j] / det);
            t -= inv[i][j] / det * m[j][3];
        }
        r.m[i][3] = float(t);
    }
    return r;
}

Affine toAffine(const Transform& t) { return Affine::from(toMatrix(t.rotation), t.translation); }

Transform toTransform(const Affine& a) { return {toQuat(a.linear()), a.translation()}; }

Transform operator*(const Transform& a, const Transform& b) {
    return {a.rotation * b.rotation, transformPoint(a, b.translation)};
}

Transform inverse(const Transform& t) {
    const Quat r = conjugate(t.rotation);
    return {r, -rotate(r, t.translation)};
}

bool isFinite(const Affine& a) {
    for (const auto& row : a.m)
        for (float v : row)
            if (!std::isfinite(v)) return false;
    return true;
}

}  // namespace hem
