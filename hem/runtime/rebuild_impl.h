// SPDX-License-Identifier: Apache-2.0
// Vertices from weights, for one instruction set: see vectors.h. Tiles of wearers by 3 registers
// (x, y, z of as many vertices) stay in registers until they are placed in the world and stored.
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
HEM_INLINE void storeTight(float* to, Floats x, Floats y, Floats z) {
    x = spread<0>(x, AllLanes());
    y = spread<1>(y, AllLanes());
    z = spread<2>(z, AllLanes());
    store(to, woven<0>(x, y, z, AllLanes()));
    store(to + kWidth, woven<1>(x, y, z, AllLanes()));
    store(to + 2 * kWidth, woven<2>(x, y, z, AllLanes()));
}
#else
HEM_INLINE void storeTight(float* to, Floats x, Floats y, Floats z) {
    store(to, x);
    store(to + 1, y);
    store(to + 2, z);
}
#endif

__attribute__((noinline)) void storeSome(float* to, size_t stride, size_t count, Floats x, Floats y,
                                         Floats z) {
    for (size_t i = 0; i < count && i < kWidth; ++i, to += stride) {
        to[0] = x[i];
        to[1] = y[i];
        to[2] = z[i];
    }
}

// Puts the sums of a tile into the world and stores the vertices, the first of them number
// `vertex`.
template <int kRows, int kTaken, bool kTight>
HEM_INLINE void storeTile(const Garment& g, const RebuildJob& job, size_t row, size_t vertex,
                          const Floats (&acc)[kRows][3 * kTaken]) {
    const Placement* place = job.places + row;
    float* to = job.positions + row * job.wearer_stride + vertex * job.vertex_stride;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r, ++place, to += job.wearer_stride)
#pragma GCC unroll 16
        for (int t = 0; t < kTaken; ++t) {
            const Floats x = acc[r][t], y = acc[r][kTaken + t], z = acc[r][2 * kTaken + t];
            const Floats c = splat(place->cos);
            const Floats wx = mulAdd(c, x, mulAdd(splat(place->sin), z, splat(place->position[0])));
            const Floats wy = y + splat(place->position[1]);
            const Floats wz =
                mulAdd(c, z, mulAdd(splat(place->minus_sin), x, splat(place->position[2])));
            if (kTight) {
                storeTight(to + 3 * t * kWidth, wx, wy, wz);
            } else {
                const size_t first = vertex + size_t(t * kWidth), all = g.header->vertices;
                storeSome(to + size_t(t * kWidth) * job.vertex_stride, job.vertex_stride,
                          first < all ? all - first : 0, wx, wy, wz);
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

// Where a tile of tight vertices will be stored is fetched while its sums are made.
template <int kRows, int kTaken>
HEM_INLINE void prefetchTile(const RebuildJob& job, size_t row, size_t vertex) {
    if (kRows == 1 || job.vertex_stride != 3) return;
    const float* to = job.positions + row * job.wearer_stride + 3 * vertex;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r, to += job.wearer_stride)
#pragma GCC unroll 16
        for (int i = 0; i < 3 * kTaken * kWidth; i += 16) __builtin_prefetch(to + i + 15, 1);
}

template <int kRows, int kTaken>
HEM_INLINE void startTile(const float* mean, Floats (&acc)[kRows][3 * kTaken]) {
#pragma GCC unroll 16
    for (int v = 0; v < 3 * kTaken; ++v) {
        const Floats m = load(mean + v / kTaken * 16 + v % kTaken * kWidth);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) acc[r][v] = m;
    }
}

// Adds the vertices as joints carry them.
template <int kRows, int kTaken>
HEM_INLINE void addCarried(const Garment& g, const RebuildJob& job, size_t row, size_t panel,
                           size_t lane, Floats (&acc)[kRows][3 * kTaken]) {
    const float* matrices = job.matrices + row * job.matrices_stride;
    const uint32_t end = g.first_carrier[panel + 1];
    for (uint32_t i = g.first_carrier[panel]; i < end; ++i) {
        const float* rest = g.carried + 64 * size_t(i) + lane;
        const float* m = matrices + 12 * size_t(g.carriers[i]);
        Floats b[4 * kTaken];
#pragma GCC unroll 16
        for (int k = 0; k < 4 * kTaken; ++k)
            b[k] = load(rest + 16 * (k / kTaken) + k % kTaken * kWidth);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r, m += job.matrices_stride) {
            // all that follows counts from m: compilers would keep an address for each number
            __asm__("" : "+r"(m));
#pragma GCC unroll 4
            for (int c = 0; c < 4; ++c)
#pragma GCC unroll 16
                for (int v = 0; v < 3 * kTaken; ++v)
                    acc[r][v] = mulAdd(splat(m[4 * (v / kTaken) + c]), b[c * kTaken + v % kTaken],
                                       acc[r][v]);
        }
    }
}

template <int kRows, int kTaken>
HEM_INLINE void startTile(const Garment& g, const RebuildJob& job, size_t row, size_t panel,
                          size_t lane, Floats (&acc)[kRows][3 * kTaken]) {
    startTile<kRows, kTaken>(g.mean + 48 * panel + lane, acc);
    if (job.matrices) addCarried<kRows, kTaken>(g, job, row, panel, lane, acc);
}

// Panels that lie one after another, [panel][mode][3][16].
struct Chunk {
    size_t first, count;  // panels
    size_t step;          // numbers from panel to panel
};

template <int kRows, int kTaken>
HEM_INLINE void rebuildTile(const Garment& g, const RebuildJob& job, size_t row, size_t panel,
                            size_t lane, const float* basis) {
    Floats acc[kRows][3 * kTaken];
    startTile<kRows, kTaken>(g, job, row, panel, lane, acc);
    multiply<kRows, 3, kTaken>(job.x + row * job.x_stride, job.x_stride, job.modes, basis + lane,
                               48, 16, acc);
    storeTile<kRows, kTaken>(g, job, row, 16 * panel + lane, acc);
}

template <int kRows, int kTaken>
void rebuildChunk(const Garment& g, const RebuildJob& job, const Chunk& chunk, const float* basis,
                  size_t row) {
    for (size_t p = 0; p < chunk.count; ++p, basis += chunk.step)
        for (size_t lane = 0; lane < 16; lane += kTaken * kWidth)
            rebuildTile<kRows, kTaken>(g, job, row, chunk.first + p, lane, basis);
}

// Few wearers at a time, all panels of the chunk: their vertices are written in order, and the
// chunk stays in the cache for the next few.
void rebuildRows(const Garment& g, const RebuildJob& job, const Chunk& chunk, const float* basis) {
    size_t row = 0;
    for (; row + kTileRows <= job.rows; row += kTileRows)
        rebuildChunk<kTileRows, 1>(g, job, chunk, basis, row);
    for (; kTileRows > 4 && row + 4 <= job.rows; row += 4)
        rebuildChunk<4, 1>(g, job, chunk, basis, row);
    for (; row < job.rows; ++row) rebuildChunk<1, kParts>(g, job, chunk, basis, row);
}

// Where the numbers of mode k, or of the pair k of modes, lie in a panel; `lane` of 48.
struct FloatsAt {
    HEM_INLINE Floats operator()(const unsigned char* panel, size_t k, int lane) const {
        return load(reinterpret_cast<const float*>(panel) + 48 * k + lane);
    }
};
struct HalvesAt {
    HEM_INLINE Floats operator()(const unsigned char* panel, size_t k, int lane) const {
        return fromHalves(reinterpret_cast<const uint16_t*>(panel) + 48 * k + lane);
    }
};
struct WidePairsAt {
    HEM_INLINE Ints operator()(const unsigned char* panel, size_t k, int lane) const {
        return load(reinterpret_cast<const int32_t*>(panel) + 48 * k + lane);
    }
};
struct NarrowPairsAt {
    size_t wide_modes;
    HEM_INLINE Ints operator()(const unsigned char* panel, size_t k, int lane) const {
        const auto* narrows = reinterpret_cast<const int8_t*>(panel + 96 * wide_modes);
        return widenPairs(narrows + 96 * (k - wide_modes / 2) + 2 * lane);
    }
};

// Pairs of a kMixed panel from number k on to `end`, as floats or as they are.
template <class At>
HEM_INLINE void expandPairs(const unsigned char* panel, At at, size_t k, size_t end, float* to) {
    for (; k < end; ++k)
        for (int lane = 0; lane < 48; lane += kWidth) {
            const Ints pair = at(panel, k, lane);
            store(to + 96 * k + lane, lowOfPairs(pair));
            store(to + 96 * k + 48 + lane, highOfPairs(pair));
        }
}
template <class At>
HEM_INLINE void expandPairs(const unsigned char* panel, At at, size_t k, size_t end, int32_t* to) {
    for (; k < end; ++k)
        for (int lane = 0; lane < 48; lane += kWidth) store(to + 48 * k + lane, at(panel, k, lane));
}
template <class Number>
HEM_INLINE void expandPairs(const Garment& g, const unsigned char* panel, size_t modes,
                            Number* to) {
    const size_t wide = g.basis->wide_modes, pairs = (modes + 1) / 2,
                 wide_pairs = pairs < wide / 2 ? pairs : wide / 2;
    expandPairs(panel, WidePairsAt{}, 0, wide_pairs, to);
    expandPairs(panel, NarrowPairsAt{wide}, wide_pairs, pairs, to);
}

void expandPanel(const Garment& g, size_t panel, size_t modes, float* to) {
    const unsigned char* data = g.basis_data + panel * g.panel_bytes;
    if (g.basis->encoding == format::kFloat16) {
        const auto* halves = reinterpret_cast<const uint16_t*>(data);
        for (size_t i = 0; i < 48 * modes; i += kWidth) store(to + i, fromHalves(halves + i));
        return;
    }
    expandPairs(g, data, modes, to);
}

// Sums of one wearer over kPanels panels.
template <int kPanels>
struct Sums {
    static constexpr int kVectors = 3 * kParts;
    const unsigned char* panels;
    size_t panel_bytes;
    Floats acc[kPanels][1][kVectors];

    template <class At>
    HEM_INLINE void add(const float* x, size_t columns, At at) {
        for (size_t k = 0; k < columns; ++k) {
            const Floats s = splat(x[k]);
#pragma GCC unroll 4
            for (int p = 0; p < kPanels; ++p)
#pragma GCC unroll 16
                for (int v = 0; v < kVectors; ++v)
                    acc[p][0][v] = mulAdd(s, at(panels + size_t(p) * panel_bytes, k, v * kWidth),
                                          acc[p][0][v]);
        }
    }
    template <class At>
    HEM_INLINE void addPairs(const float* x, size_t k, size_t end, At at) {
        for (; k < end; ++k) {
            const Floats low = splat(x[2 * k]), high = splat(x[2 * k + 1]);
#pragma GCC unroll 4
            for (int p = 0; p < kPanels; ++p)
#pragma GCC unroll 16
                for (int v = 0; v < kVectors; ++v) {
                    const Ints pair = at(panels + size_t(p) * panel_bytes, k, v * kWidth);
                    acc[p][0][v] = mulAdd(low, lowOfPairs(pair), acc[p][0][v]);
                    acc[p][0][v] = mulAdd(high, highOfPairs(pair), acc[p][0][v]);
                }
        }
    }
};

// One wearer alone: decoded on the way into the registers, to the same bits. Several panels at a
// time, so that a sum need not wait for its own last product.
template <int kPanels>
void rebuildOne(const Garment& g, const RebuildJob& job, size_t panel) {
    Sums<kPanels> sums;
    sums.panels = g.basis_data + panel * g.panel_bytes;
    sums.panel_bytes = g.panel_bytes;
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p)
        startTile<1, kParts>(g, job, 0, panel + size_t(p), 0, sums.acc[p]);
    if (g.basis->encoding == format::kFloat32) {
        sums.add(job.x, job.modes, FloatsAt{});
    } else if (g.basis->encoding == format::kFloat16) {
        sums.add(job.x, job.modes, HalvesAt{});
    } else {
        const size_t wide = g.basis->wide_modes, pairs = (job.modes + 1) / 2,
                     wide_pairs = pairs < wide / 2 ? pairs : wide / 2;
        sums.addPairs(job.x, 0, wide_pairs, WidePairsAt{});
        sums.addPairs(job.x, wide_pairs, pairs, NarrowPairsAt{wide});
    }
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p)
        storeTile<1, kParts>(g, job, 0, 16 * (panel + size_t(p)), sums.acc[p]);
}

void rebuild(const Garment& g, const RebuildJob& job) {
    const bool as_it_lies = g.basis->encoding == format::kFloat32;
    if (job.rows == 1) {
        constexpr int kAtOnce = kWidth == 16 ? 2 : 1;
        size_t panel = 0;
        for (; panel + kAtOnce <= g.panels; panel += kAtOnce) rebuildOne<kAtOnce>(g, job, panel);
        for (; panel < g.panels; ++panel) rebuildOne<1>(g, job, panel);
        return;
    }
    const size_t expanded = 48 * ((job.modes + 1) / 2 * 2);
    Chunk chunk{0, 0, as_it_lies ? 48 * size_t(g.header->modes) : expanded};
    const size_t room = (as_it_lies ? kCacheFloats : kPanelFloats) / chunk.step;
    for (; chunk.first < g.panels; chunk.first += chunk.count) {
        chunk.count = g.panels - chunk.first < room ? g.panels - chunk.first : room;
        const float* basis = job.panels;
        if (as_it_lies)
            basis = reinterpret_cast<const float*>(g.basis_data + chunk.first * g.panel_bytes);
        else
            for (size_t p = 0; p < chunk.count; ++p)
                expandPanel(g, chunk.first + p, job.modes, job.panels + p * chunk.step);
        rebuildRows(g, job, chunk, basis);
    }
}

}  // namespace hem::runtime::HEM_SET
