// SPDX-License-Identifier: Apache-2.0
// Where the vertices that rebuild_impl.h sums up go, for one instruction set: see vectors.h. Out of
// x, y, z of a register of vertices each, placed in the world, come x0 y0 z0 x1 ...; where there is a
// mirror, the two vertices that the sums of even and odd modes are together.
#include "hem/runtime/push_out_impl.h"

namespace hem::runtime::HEM_SET {

#if HEM_WIDTH > 1
// Of x0 y0 z0 x1 y1 z1 ..., the registers' lanes that hold axis kAxis do not overlap: one shuffle
// of an axis serves all three registers.
template <int kAxis, int... kLane>
HEM_INLINE Floats spread(Floats v, Lanes<kLane...>) {
    // the register among 0, 1, 2 whose lane kLane holds the axis, and the vertex there
    return __builtin_shufflevector(
        v, v, ((kLane + kWidth * ((kWidth * (kAxis + 2 * kLane) % 3 + 3) % 3)) / 3)...);
}
// Register kNumber, from the three axes spread.
template <int kNumber, int... kLane>
HEM_INLINE Floats woven(Floats x, Floats y, Floats z, Lanes<kLane...>) {
    constexpr int kFirst = kNumber * kWidth;
    const Floats xy =
        __builtin_shufflevector(x, y, ((kFirst + kLane) % 3 == 1 ? kWidth + kLane : kLane)...);
    return __builtin_shufflevector(xy, z, ((kFirst + kLane) % 3 == 2 ? kWidth + kLane : kLane)...);
}
HEM_INLINE void weave(Floats x, Floats y, Floats z, Floats (&registers)[3]) {
    x = spread<0>(x, AllLanes());
    y = spread<1>(y, AllLanes());
    z = spread<2>(z, AllLanes());
    registers[0] = woven<0>(x, y, z, AllLanes());
    registers[1] = woven<1>(x, y, z, AllLanes());
    registers[2] = woven<2>(x, y, z, AllLanes());
}
#else
HEM_INLINE void weave(Floats x, Floats y, Floats z, Floats (&registers)[3]) {
    registers[0] = x;
    registers[1] = y;
    registers[2] = z;
}
#endif
HEM_INLINE void storeTight(float* to, Floats x, Floats y, Floats z) {
    Floats registers[3];
    weave(x, y, z, registers);
    for (int i = 0; i < 3; ++i) store(to + i * kWidth, registers[i]);
}

__attribute__((noinline)) void storeSome(float* to, size_t stride, size_t count, Floats x, Floats y,
                                         Floats z) {
    for (size_t i = 0; i < count && i < kWidth; ++i, to += stride) {
        to[0] = x[i];
        to[1] = y[i];
        to[2] = z[i];
    }
}

// Canonical to world.
HEM_INLINE void place(const Placement& at, Floats& x, Floats& y, Floats& z) {
    const Floats c = splat(at.cos);
    const Floats wx = mulAdd(c, x, mulAdd(splat(at.sin), z, splat(at.position[0])));
    y = y + splat(at.position[1]);
    z = mulAdd(c, z, mulAdd(splat(at.minus_sin), x, splat(at.position[2])));
    x = wx;
}

// Puts the sums of a tile into the world and stores the vertices, the first of them number
// `vertex`.
template <int kRows, int kTaken, bool kTight>
HEM_INLINE void storeTile(const Garment& g, const RebuildJob& job, size_t row, size_t vertex,
                          const Floats (&acc)[kRows][3 * kTaken]) {
    const Placement* at = job.places + row;
    float* to = job.positions + row * job.wearer_stride + vertex * job.vertex_stride;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r, ++at, to += job.wearer_stride)
#pragma GCC unroll 16
        for (int t = 0; t < kTaken; ++t) {
            Floats x = acc[r][t], y = acc[r][kTaken + t], z = acc[r][2 * kTaken + t];
            place(*at, x, y, z);
            if (kTight) {
                storeTight(to + 3 * t * kWidth, x, y, z);
            } else {
                const size_t first = vertex + size_t(t * kWidth), all = g.header->vertices;
                storeSome(to + size_t(t * kWidth) * job.vertex_stride, job.vertex_stride,
                          first < all ? all - first : 0, x, y, z);
            }
        }
}
template <int kRows, int kTaken>
HEM_INLINE void storeTile(const Garment& g, const RebuildJob& job, size_t row, size_t vertex,
                          const Floats (&acc)[kRows][3 * kTaken]) {
    if (job.vertex_stride == 3 && vertex + kTaken * kWidth <= g.header->vertices)
        storeTile<kRows, kTaken, true>(g, job, row, vertex, acc);
    else
        storeTile<kRows, kTaken, false>(g, job, row, vertex, acc);
}

// The vertices on one side of the mirror that a register's lanes are.
struct Side {
    const uint32_t* vertices;
    size_t count;
    uint32_t lanes, first;  // those that are stored, as bits, and the first of them
    bool is_tight;          // they are one after another, and to be stored so
};

#if HEM_X86 && HEM_WIDTH == 16
// Without those that the other side has too, which are in the middle. `left`: vertices to the end.
HEM_INLINE Side sideOf(const uint32_t* vertices, const uint32_t* other, size_t left,
                       size_t vertex_stride) {
    Side side{vertices, left < 16 ? left : 16, 0, 0, false};
    const auto there = __mmask16((1u << side.count) - 1);
    const __m512i v = _mm512_maskz_loadu_epi32(there, vertices);
    side.lanes = there;
    if (other)
        side.lanes =
            _mm512_mask_cmpneq_epi32_mask(there, v, _mm512_maskz_loadu_epi32(there, other));
    const Ints packed = Ints(_mm512_maskz_compress_epi32(__mmask16(side.lanes), v));
    side.first = uint32_t(packed[0]);
    const uint32_t on = bitMask(packed == splat(packed[0]) + laneNumbers()),
                   wanted = (1u << __builtin_popcount(side.lanes)) - 1;
    side.is_tight = vertex_stride == 3 && (on & wanted) == wanted;
    return side;
}
HEM_INLINE void storeTightSide(const Side& side, float* to, Floats x, Floats y, Floats z) {
    if (side.lanes == 0xffff) return storeTight(to, x, y, z);
    const auto packed = [&](Floats v) {
        return Floats(_mm512_maskz_compress_ps(__mmask16(side.lanes), __m512(v)));
    };
    Floats registers[3];
    weave(packed(x), packed(y), packed(z), registers);
    const uint64_t written = (uint64_t(1) << 3 * __builtin_popcount(side.lanes)) - 1;
    for (int i = 0; i < 3; ++i)
        _mm512_mask_storeu_ps(to + 16 * i, __mmask16(written >> 16 * i), __m512(registers[i]));
}
#else
HEM_INLINE Side sideOf(const uint32_t* vertices, const uint32_t*, size_t left,
                       size_t vertex_stride) {
    Side side{vertices, left < kWidth ? left : kWidth, 0, vertices[0], false};
    bool is_run = vertex_stride == 3 && left >= kWidth;
    for (uint32_t i = 1; i < kWidth && is_run; ++i) is_run = vertices[i] == side.first + i;
    side.is_tight = is_run;
    return side;
}
HEM_INLINE void storeTightSide(const Side&, float* to, Floats x, Floats y, Floats z) {
    storeTight(to, x, y, z);
}
#endif

HEM_INLINE void storeSide(const Side& side, float* to, size_t stride, const Floats (&v)[3]) {
    if (side.is_tight) return storeTightSide(side, to + 3 * size_t(side.first), v[0], v[1], v[2]);
    float numbers[3 * kWidth];
    storeTight(numbers, v[0], v[1], v[2]);
    for (size_t i = 0; i < side.count; ++i)
        __builtin_memcpy(to + side.vertices[i] * stride, numbers + 3 * i, 3 * sizeof(float));
}

// Canonical to world, of E + O and of the reflection of E - O: what they have in common once.
HEM_INLINE void placeBoth(const Placement& at, const Floats (&even)[3], const Floats (&odd)[3],
                          Floats (&left)[3], Floats (&right)[3]) {
    const Floats c = splat(at.cos), s = splat(at.sin), minus_s = splat(at.minus_sin);
    const Floats x = mulAdd(c, odd[0], mulAdd(s, even[2], splat(at.position[0]))),
                 x_off = mulAdd(c, even[0], s * odd[2]);
    const Floats z = mulAdd(c, even[2], mulAdd(minus_s, odd[0], splat(at.position[2]))),
                 z_off = mulAdd(c, odd[2], minus_s * even[0]);
    const Floats y = even[1] + splat(at.position[1]);
    left[0] = x + x_off, left[1] = y + odd[1], left[2] = z + z_off;
    right[0] = x - x_off, right[1] = y - odd[1], right[2] = z - z_off;
}

#if HEM_X86 && HEM_WIDTH == 16
#define HEM_MIRRORED HEM_INLINE
#else  // the code of narrower sets is to stay small
#define HEM_MIRRORED __attribute__((noinline))
#endif
// Stores what the sums of even and odd modes are together, from number `vertex` of the half on, the
// left over the right for those that are in the middle. The sums: [2][rows][3][taken].
HEM_MIRRORED void storeMirrored(const Garment& g, const RebuildJob& job, size_t row, size_t rows,
                                size_t vertex, size_t taken, const Floats* sums) {
    const size_t half = g.mirror->half, stride = job.vertex_stride;
    for (size_t t = 0; t < taken && vertex + t * kWidth < half; ++t) {
        const size_t first = vertex + t * kWidth;
        const Side on_right = sideOf(g.right + first, g.left + first, half - first, stride),
                   on_left = sideOf(g.left + first, nullptr, half - first, stride);
        for (size_t r = 0; r < rows; ++r) {
            const Floats *e = sums + 3 * taken * r + t, *o = e + 3 * taken * rows;
            const Floats even[3] = {e[0], e[taken], e[2 * taken]},
                         odd[3] = {o[0], o[taken], o[2 * taken]};
            Floats left[3], right[3];
            placeBoth(job.places[row + r], even, odd, left, right);
            float* to = job.positions + (row + r) * job.wearer_stride;
            storeSide(on_right, to, stride, right);
            storeSide(on_left, to, stride, left);
        }
    }
}

// Where a tile of tight vertices will be stored is fetched while its sums are made.
template <int kRows, int kTaken>
HEM_INLINE void prefetchTile(const Garment& g, const RebuildJob& job, size_t row, size_t vertex) {
    if (kRows == 1 || job.vertex_stride != 3) return;
    const bool within = g.mirror && vertex < g.mirror->half;
    const size_t firsts[2] = {within ? g.left[vertex] : vertex, within ? g.right[vertex] : vertex};
    for (uint32_t side = 0; side < g.bases_count; ++side) {
        const float* to = job.positions + row * job.wearer_stride + 3 * firsts[side];
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r, to += job.wearer_stride)
#pragma GCC unroll 16
            for (int i = 0; i < 3 * kTaken * kWidth; i += 16) __builtin_prefetch(to + i + 15, 1);
    }
}

}  // namespace hem::runtime::HEM_SET
