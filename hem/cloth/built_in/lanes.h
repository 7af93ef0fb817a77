// SPDX-License-Identifier: Apache-2.0
// Four constraints at a time: vectors of four floats, as GCC and Clang make SSE, NEON or
// WebAssembly of them. Every operation rounds exactly, so the bits do not depend on the machine.
//
// Particles are kept as (x, y, z, inverse mass), sixteen bytes each. Four of them, loaded and
// transposed, are the x's, the y's, the z's and the inverse masses of four particles.
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
#else
inline Float4 maxOf(Float4 a, Float4 b) { return select(a > b, a, b); }
inline Float4 minOf(Float4 a, Float4 b) { return select(a < b, a, b); }
#endif
inline Float4 sqrtOf(Float4 a) {
#if defined(__SSE2__)
    return _mm_sqrt_ps(a);
#else
    return Float4{std::sqrt(a[0]), std::sqrt(a[1]), std::sqrt(a[2]), std::sqrt(a[3])};
#endif
}

inline Vec3 toVec3(Float4 p) { return {p[0], p[1], p[2]}; }
inline Float4 toFloat4(Vec3 p, float w) { return Float4{p.x, p.y, p.z, w}; }

// Three vectors' worth of lanes.
struct Lanes3 {
    Float4 x, y, z;
};
inline Lanes3 operator+(Lanes3 a, Lanes3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Lanes3 operator-(Lanes3 a, Lanes3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Lanes3 operator*(Lanes3 a, Float4 s) { return {a.x * s, a.y * s, a.z * s}; }
inline Float4 dot(Lanes3 a, Lanes3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Lanes3 cross(Lanes3 a, Lanes3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline void transpose(Float4& a, Float4& b, Float4& c, Float4& d) {
    const Float4 t0 = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    const Float4 t1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const Float4 t2 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    const Float4 t3 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    a = __builtin_shufflevector(t0, t2, 0, 1, 4, 5);
    b = __builtin_shufflevector(t0, t2, 2, 3, 6, 7);
    c = __builtin_shufflevector(t1, t3, 0, 1, 4, 5);
    d = __builtin_shufflevector(t1, t3, 2, 3, 6, 7);
}

// Four particles in lanes.
struct Lanes {
    Lanes3 p;
    Float4 w;
};
inline Lanes load(const Float4* particles, const uint32_t* index) {
    Float4 a = particles[index[0]], b = particles[index[1]], c = particles[index[2]],
           d = particles[index[3]];
    transpose(a, b, c, d);
    return {{a, b, c}, d};
}
inline void store(Float4* particles, const uint32_t* index, const Lanes& lanes) {
    Float4 a = lanes.p.x, b = lanes.p.y, c = lanes.p.z, d = lanes.w;
    transpose(a, b, c, d);
    particles[index[0]] = a;
    particles[index[1]] = b;
    particles[index[2]] = c;
    particles[index[3]] = d;
}

// Particles, and kDummies immovable ones behind them that fill unused lanes.
inline constexpr uint32_t kDummies = 16;
using Particles = std::vector<Float4>;

}  // namespace hem::built_in
