// SPDX-License-Identifier: Apache-2.0
#include "hem/runtime/pose.h"

namespace hem::runtime {
namespace {

typedef float Row __attribute__((vector_size(16)));
typedef int32_t Mask __attribute__((vector_size(16)));

Row loadRow(const float* from) {
    Row row;
    __builtin_memcpy(&row, from, sizeof row);
    return row;
}

// NaN is not good.
Mask goodMatrix(const float* m) {
    const Row most = {1e3f, 1e3f, 1e3f, 1e6f};
    Mask good = {-1, -1, -1, -1};
    for (int i = 0; i < 12; i += 4) {
        const Row row = loadRow(m + i);
        good &= (row <= most) & (row >= -most);
    }
    return good;
}

void transformPoint(const float* m, const float p[3], float out[3]) {
    for (int i = 0; i < 3; ++i)
        out[i] = m[4 * i] * p[0] + m[4 * i + 1] * p[1] + m[4 * i + 2] * p[2] + m[4 * i + 3];
}

struct Vector {
    float x, y, z;
};
float dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vector unit(Vector a, Vector otherwise) {
    const float n = squareRoot(dot(a, a));
    return n > 1e-20f ? Vector{a.x / n, a.y / n, a.z / n} : otherwise;
}

// The rotation nearest to a matrix whose first two columns these are.
Quaternion rotationOf(const float columns[6]) {
    const Vector x = unit({columns[0], columns[1], columns[2]}, {1, 0, 0});
    const Vector second = {columns[3], columns[4], columns[5]};
    const float along = dot(x, second);
    const Vector aside =
        absolute(x.x) < 0.6f ? unit({0, x.z, -x.y}, {0, 1, 0}) : unit({-x.z, 0, x.x}, {0, 1, 0});
    const Vector y =
        unit({second.x - x.x * along, second.y - x.y * along, second.z - x.z * along}, aside);
    const Vector z = {x.y * y.z - x.z * y.y, x.z * y.x - x.x * y.z, x.x * y.y - x.y * y.x};
    const float trace = x.x + y.y + z.z;
    Quaternion q;
    if (trace > 0)
        q = {1 + trace, y.z - z.y, z.x - x.z, x.y - y.x};
    else if (x.x >= y.y && x.x >= z.z)
        q = {y.z - z.y, 1 + x.x - y.y - z.z, y.x + x.y, z.x + x.z};
    else if (y.y >= z.z)
        q = {z.x - x.z, y.x + x.y, 1 - x.x + y.y - z.z, z.y + y.z};
    else
        q = {x.y - y.x, z.x + x.z, z.y + y.z, 1 - x.x - y.y + z.z};
    const float n = squareRoot(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    if (!(n > 1e-20f)) return {1, 0, 0, 0};
    return {q.w / n, q.x / n, q.y / n, q.z / n};
}

}  // namespace

bool goodJoints(const Garment& g, const float* joints) {
    Mask good = goodMatrix(joints) & goodMatrix(joints + 12 * g.frame->left_hip_joint) &
                goodMatrix(joints + 12 * g.frame->right_hip_joint);
    for (uint32_t i = 0; i < g.joints_read; ++i) good &= goodMatrix(joints + 12 * g.joints[i]);
    return good[0] & good[1] & good[2] & good[3];
}

bool goodMatrices(const float* joints, const uint16_t* numbers, uint32_t count) {
    Mask good = {-1, -1, -1, -1};
    for (uint32_t i = 0; i < count; ++i) good &= goodMatrix(joints + 12 * numbers[i]);
    return good[0] & good[1] & good[2] & good[3];
}

Root readRoot(const Garment& g, const float* joints, StateHeader* header, float seconds) {
    const format::Frame& f = *g.frame;
    float left[3], right[3], hip[3];
    transformPoint(joints + 12 * f.left_hip_joint, f.left_hip, left);
    transformPoint(joints + 12 * f.right_hip_joint, f.right_hip, right);
    for (int i = 0; i < 3; ++i) hip[i] = left[i] - right[i];
    const float pelvis[6] = {joints[0], joints[4], joints[8], joints[1], joints[5], joints[9]};
    Root root;
    transformPoint(joints, f.root, root.position);
    root = turned(root, updateHeading(header->heading, hip, seconds, [&] {
                      return PelvisTurn{rotationOf(pelvis), rotationOf(header->pelvis)};
                  }));
    __builtin_memcpy(header->pelvis, pelvis, sizeof pelvis);
    return root;
}

void readCanonicalJoints(const Garment& g, const float* joints, const Root& root, float* k) {
    readCanonicalMatrices(joints, g.joints, g.joints_read, root, k);
}

void readCanonicalMatrices(const float* joints, const uint16_t* numbers, uint32_t count,
                           const Root& root, float* k) {
    const float *p = root.position, s = root.sin, c = root.cos;
    const Row shift[3] = {{0, 0, 0, p[0]}, {0, 0, 0, p[1]}, {0, 0, 0, p[2]}};
    for (uint32_t i = 0; i < count; ++i, k += 12) {
        const float* j = joints + 12 * numbers[i];
        const Row x = loadRow(j) - shift[0], y = loadRow(j + 4) - shift[1],
                  z = loadRow(j + 8) - shift[2];
        const Row rows[3] = {c * x - s * z, y, s * x + c * z};
        __builtin_memcpy(k, rows, sizeof rows);
    }
}

void setToRest(const Garment& g, RestJoints* joints) {
    for (uint32_t j = 0; j < g.header->joints; ++j)
        for (int i = 0; i < 12; ++i) joints->matrices[12 * j + i] = i % 5 == 0 ? 1.0f : 0.0f;
}

}  // namespace hem::runtime
