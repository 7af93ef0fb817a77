// SPDX-License-Identifier: Apache-2.0
#include "hem/runtime/rotations.h"

#include "hem/runtime/pose.h"

namespace hem::runtime {
namespace {

Quaternion product(Quaternion a, Quaternion b) {
    return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
            a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
            a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
            a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

// The first two columns of parent^T joint, one after the other.
void relativeColumns(const float* joint, const float* parent, float columns[6]) {
    for (int c = 0; c < 2; ++c)
        for (int r = 0; r < 3; ++r)
            columns[3 * c + r] = parent ? parent[r] * joint[c] + parent[4 + r] * joint[4 + c] +
                                              parent[8 + r] * joint[8 + c]
                                        : joint[4 * r + c];
}

}  // namespace

void readRotation(const float* joint, const float* parent, const float* turns, uint32_t numbers,
                  float* to) {
    float columns[6];
    relativeColumns(joint, parent, columns);
    const Quaternion left = {turns[0], turns[1], turns[2], turns[3]},
                     right = {turns[4], turns[5], turns[6], turns[7]};
    Quaternion q = product(product(left, rotationOf(columns)), right);
    if (numbers == 4) {
        const float sign = q.w < 0 ? -1.0f : 1.0f;
        to[0] = sign * q.w;
        to[1] = sign * q.x;
        to[2] = sign * q.y;
        to[3] = sign * q.z;
        return;
    }
    to[0] = 1 - 2 * (q.y * q.y + q.z * q.z);
    to[1] = 2 * (q.x * q.y + q.w * q.z);
    to[2] = 2 * (q.x * q.z - q.w * q.y);
    to[3] = 2 * (q.x * q.y - q.w * q.z);
    to[4] = 1 - 2 * (q.x * q.x + q.z * q.z);
    to[5] = 2 * (q.y * q.z + q.w * q.x);
}

void readRotations(const Garment& g, const float* k, float* inputs) {
    const uint32_t numbers = g.network->numbers;
    for (uint32_t i = 0; i < g.network->rotations; ++i) {
        const uint16_t parent = g.rotation_parents[i];
        readRotation(k + 12 * size_t(g.rotation_joints[i]),
                     parent == format::kNoJoint ? nullptr : k + 12 * size_t(parent),
                     g.rotation_turns + 8 * size_t(i), numbers, inputs + numbers * size_t(i));
    }
}

}  // namespace hem::runtime
