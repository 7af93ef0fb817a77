// SPDX-License-Identifier: Apache-2.0
// Shapes with known answers, for tests of pictures.
#pragma once

#include "hem/core/mesh.h"

namespace hem {

inline Mesh sphere(Vec3 centre, float radius, uint32_t rings, uint32_t around) {
    Mesh mesh;
    for (uint32_t i = 0; i <= rings; ++i)
        for (uint32_t k = 0; k < around; ++k) {
            const float latitude = kPi * float(i) / float(rings),
                        longitude = 2 * kPi * float(k) / float(around);
            const Vec3 out{std::sin(latitude) * std::sin(longitude), std::cos(latitude),
                           std::sin(latitude) * std::cos(longitude)};
            mesh.positions.push_back(centre + out * radius);
        }
    for (uint32_t i = 0; i < rings; ++i)
        for (uint32_t k = 0; k < around; ++k) {
            const uint32_t a = i * around + k, b = i * around + (k + 1) % around;
            if (i + 1 < rings) mesh.triangles.push_back({a, a + around, b + around});
            if (i > 0) mesh.triangles.push_back({a, b + around, b});
        }
    return mesh;
}

// A level square of side 2 * half, facing up.
inline Mesh plate(Vec3 centre, float half) {
    Mesh mesh;
    mesh.positions = {centre + Vec3{-half, 0, half}, centre + Vec3{half, 0, half},
                      centre + Vec3{half, 0, -half}, centre + Vec3{-half, 0, -half}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    return mesh;
}

}  // namespace hem
