// SPDX-License-Identifier: Apache-2.0
// Vectors of four floats, as GCC and Clang make SSE, NEON or WebAssembly of them. Every operation
// rounds exactly, so the bits do not depend on the machine.
//
// Particles are kept as (x, y, z, inverse mass), sixteen bytes each.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "hem/core/vec.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace hem::built_in {

using Float4 = float __attribute__((vector_size(16)));
using Int4 = int32_t __attribute__((vector_size(16)));

inline Float4 splat(float value) { return Float4{value, value, value, value}; }
// mask ? a : b, lane by lane; `mask` from a comparison.
inline Float4 select(Int4 mask, Float4 a, Float4 b) {
    return Float4((Int4(a) & mask) | (Int4(b) & ~mask));
}
#if defined(__SSE2__)
inline Float4 maxOf(Float4 a, Float4 b) { return _mm_max_ps(a, b); }
inline Float4 minOf(Float4 a, Float4 b) { return _mm_min_ps(a, b); }
inline Float4 rootOf(Float4 a) { return _mm_sqrt_ps(a); }
#else
inline Float4 maxOf(Float4 a, Float4 b) { return select(a > b, a, b); }
inline Float4 minOf(Float4 a, Float4 b) { return select(a < b, a, b); }
inline Float4 rootOf(Float4 a) {
    return Float4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
}
#endif
// The lanes in which a comparison holds, a bit each.
inline unsigned bitsOf(Int4 mask) {
#if defined(__SSE2__)
    return unsigned(_mm_movemask_ps(Float4(mask)));
#else
    const Int4 bits = mask & Int4{1, 2, 4, 8};
    return unsigned(bits[0] | bits[1] | bits[2] | bits[3]);
#endif
}
// Whether a comparison holds in one of the first three lanes.
inline bool anyOfThree(Int4 mask) { return (bitsOf(mask) & 7) != 0; }

inline Vec3 toVec3(Float4 p) { return {p[0], p[1], p[2]}; }
inline Float4 toFloat4(Vec3 p, float w) { return Float4{p.x, p.y, p.z, w}; }

// Particles, and kDummies immovable ones behind them that fill unused lanes.
inline constexpr uint32_t kDummies = 32;
using Particles = std::vector<Float4>;

}  // namespace hem::built_in
