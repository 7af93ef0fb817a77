// SPDX-License-Identifier: Apache-2.0
// Four rotations at a time, one a lane; all choices are selections, so that a lane's bits do not
// depend on its neighbours.
#include "hem/runtime/rotations.h"

#include "hem/runtime/math.h"

namespace hem::runtime {
namespace {

typedef float Four __attribute__((vector_size(16)));
typedef int32_t Mask __attribute__((vector_size(16)));

struct Vectors {
    Four x, y, z;
};
struct Quaternions {
    Four w, x, y, z;
};

Four load(const float* from) {
    Four v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
Four squareRoots(Four v) {
    for (int i = 0; i < 4; ++i) v[i] = squareRoot(v[i]);
    return v;
}
Four dot(const Vectors& a, const Vectors& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vectors cross(const Vectors& a, const Vectors& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
Vectors unit(const Vectors& a, const Vectors& otherwise) {
    const Four n = squareRoots(dot(a, a));
    const Mask good = n > 1e-20f;
    const Four by = good ? n : Four{1, 1, 1, 1};
    return {good ? a.x / by : otherwise.x, good ? a.y / by : otherwise.y,
            good ? a.z / by : otherwise.z};
}

// A row a rotation, in; an axis a row, out.
Vectors turnedAbout(const Four (&rows)[4]) {
    const Four xy = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5),
               xy2 = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5),
               zw = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7),
               zw2 = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    return {__builtin_shufflevector(xy, xy2, 0, 1, 4, 5),
            __builtin_shufflevector(xy, xy2, 2, 3, 6, 7),
            __builtin_shufflevector(zw, zw2, 0, 1, 4, 5)};
}

// The first two columns of parent^T joint, of four.
void relativeColumns(const RotationToRead* const (&four)[4], Vectors (&columns)[2]) {
    constexpr float kIdentity[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    Four rows[2][4];
    for (int i = 0; i < 4; ++i) {
        const float *joint = four[i]->joint, *parent = four[i]->parent;
        if (!parent) parent = kIdentity;
        const Four p[3] = {load(parent), load(parent + 4), load(parent + 8)};
        for (int c = 0; c < 2; ++c)
            rows[c][i] = p[0] * joint[c] + p[1] * joint[4 + c] + p[2] * joint[8 + c];
    }
    for (int c = 0; c < 2; ++c) columns[c] = turnedAbout(rows[c]);
}

// Of rotations whose columns are x, y and z: from the largest of w, x, y, z, or nearly.
Quaternions quaternionsOf(const Vectors& x, const Vectors& y, const Vectors& z) {
    const Four one = {1, 1, 1, 1};
    const Four xx = x.x, yy = y.y, zz = z.z;
    const Four a = y.z - z.y, b = z.x - x.z, c = x.y - y.x;
    const Four d = y.x + x.y, e = z.x + x.z, f = z.y + y.z;
    const Mask w_is = xx + yy + zz > 0.0f, x_is = (xx >= yy) & (xx >= zz), y_is = yy >= zz;
    const auto chosen = [&](Four from_w, Four from_x, Four from_y, Four from_z) {
        return w_is ? from_w : x_is ? from_x : y_is ? from_y : from_z;
    };
    const Quaternions q = {chosen(one + xx + yy + zz, a, b, c), chosen(a, one + xx - yy - zz, d, e),
                           chosen(b, d, one - xx + yy - zz, f),
                           chosen(c, e, f, one - xx - yy + zz)};
    const Four n = squareRoots(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return {q.w / n, q.x / n, q.y / n, q.z / n};  // n is about 2 times the largest, at least 1
}

Quaternions product(const Quaternions& a, const Quaternions& b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

Quaternions turnsOf(const RotationToRead* const (&four)[4], int first) {
    Quaternions q;
    for (int i = 0; i < 4; ++i) {
        const float* turn = four[i]->turns + first;
        q.w[i] = turn[0], q.x[i] = turn[1], q.y[i] = turn[2], q.z[i] = turn[3];
    }
    return q;
}

Quaternions rotationsOf(const RotationToRead* const (&four)[4]) {
    Vectors columns[2];
    relativeColumns(four, columns);
    const Four none = {}, one = {1, 1, 1, 1};
    const Vectors x = unit(columns[0], {one, none, none});
    // Gram and Schmidt; where both columns are one direction, any at right angles to it
    const Four along = dot(x, columns[1]);
    const Mask is_steep = (x.x >= 0.6f) | (x.x <= -0.6f);
    const Vectors aside = unit(
        {is_steep ? -x.z : none, is_steep ? none : x.z, is_steep ? x.x : -x.y}, {none, one, none});
    const Vectors y =
        unit({columns[1].x - x.x * along, columns[1].y - x.y * along, columns[1].z - x.z * along},
             aside);
    const Quaternions q = quaternionsOf(x, y, cross(x, y));
    return product(product(turnsOf(four, 0), q), turnsOf(four, 4));
}

void writeQuaternion(float w, float x, float y, float z, float* to) {
    const float sign = w < 0 ? -1.0f : 1.0f;
    to[0] = sign * w;
    to[1] = sign * x;
    to[2] = sign * y;
    to[3] = sign * z;
}

void writeColumns(float w, float x, float y, float z, float* to) {
    to[0] = 1 - 2 * (y * y + z * z);
    to[1] = 2 * (x * y + w * z);
    to[2] = 2 * (x * z - w * y);
    to[3] = 2 * (x * y - w * z);
    to[4] = 1 - 2 * (x * x + z * z);
    to[5] = 2 * (y * z + w * x);
}

}  // namespace

void readRotations(const RotationToRead* rotations, uint32_t count, uint32_t numbers, float* to) {
    for (uint32_t first = 0; first < count; first += 4) {
        const RotationToRead* four[4];
        for (uint32_t i = 0; i < 4; ++i)
            four[i] = rotations + (first + i < count ? first + i : count - 1);
        const Quaternions q = rotationsOf(four);
        for (uint32_t i = 0; i < 4 && first + i < count; ++i, to += numbers)
            (numbers == 4 ? writeQuaternion : writeColumns)(q.w[i], q.x[i], q.y[i], q.z[i], to);
    }
}

void readRotations(const Garment& g, const float* k, float* inputs) {
    RotationToRead rotations[format::kMaxRotations];
    for (uint32_t i = 0; i < g.network->rotations; ++i) {
        const uint16_t parent = g.rotation_parents[i];
        rotations[i] = {k + 12 * size_t(g.rotation_joints[i]),
                        parent == format::kNoJoint ? nullptr : k + 12 * size_t(parent),
                        g.rotation_turns + 8 * size_t(i)};
    }
    readRotations(rotations, g.network->rotations, g.network->numbers, inputs);
}

}  // namespace hem::runtime
