// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/precise.h"

namespace hem::precise {

Rotation fromColumns(Vec x, Vec y, Vec z) {
    // four times the square of each component; the largest is safe to divide by
    const double ww = 1 + x.x + y.y + z.z, xx = 1 + x.x - y.y - z.z;
    const double yy = 1 - x.x + y.y - z.z, zz = 1 - x.x - y.y + z.z;
    Rotation q;
    if (ww >= xx && ww >= yy && ww >= zz) {
        q = {ww, y.z - z.y, z.x - x.z, x.y - y.x};
    } else if (xx >= yy && xx >= zz) {
        q = {y.z - z.y, xx, x.y + y.x, z.x + x.z};
    } else if (yy >= zz) {
        q = {z.x - x.z, x.y + y.x, yy, y.z + z.y};
    } else {
        q = {x.y - y.x, z.x + x.z, y.z + z.y, zz};
    }
    const double n = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return {q.w / n, q.x / n, q.y / n, q.z / n};
}

namespace {

Rotation frameOf(Vec direction, Vec hinge) {
    const Vec h = normalized(hinge - direction * dot(direction, hinge));
    return fromColumns(h, direction, cross(h, direction));
}

}  // namespace

Rotation frameToFrame(Vec from_direction, Vec from_hinge, Vec to_direction, Vec to_hinge) {
    return frameOf(to_direction, to_hinge) * inverse(frameOf(from_direction, from_hinge));
}

}  // namespace hem::precise
