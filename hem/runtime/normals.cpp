// SPDX-License-Identifier: Apache-2.0
#include "hem/runtime/normals.h"

#include "hem/runtime/math.h"

namespace hem::runtime {

void computeNormals(const Garment& g, const float* positions, size_t stride, float* normals) {
    const size_t vertices = g.header->vertices, triangles = g.header->triangles;
    for (size_t v = 0; v < vertices; ++v)
        for (int c = 0; c < 3; ++c) normals[v * stride + size_t(c)] = 0;
    // the cross product of two edges is twice the area long
    for (size_t t = 0; t < triangles; ++t) {
        const uint32_t* corner = g.triangles + 3 * t;
        const float *a = positions + corner[0] * stride, *b = positions + corner[1] * stride,
                    *c = positions + corner[2] * stride;
        const float ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
        const float vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
        const float n[3] = {uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx};
        for (int k = 0; k < 3; ++k) {
            float* to = normals + corner[k] * stride;
            for (int i = 0; i < 3; ++i) to[i] += n[i];
        }
    }
    for (size_t v = 0; v < vertices; ++v) {
        float* n = normals + v * stride;
        const float length = squareRoot(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        const bool flat = !(length > 1e-20f);
        const float scale = flat ? 0 : 1 / length;
        n[0] *= scale;
        n[1] = flat ? 1 : n[1] * scale;
        n[2] *= scale;
    }
}

}  // namespace hem::runtime
