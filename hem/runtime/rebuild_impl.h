// SPDX-License-Identifier: Apache-2.0
// Vertices from weights, for one instruction set: see vectors.h. Tiles of wearers by 3 registers
// (x, y, z of as many vertices) stay in registers until they are placed in the world and stored.
#include "hem/runtime/store_impl.h"

namespace hem::runtime::HEM_SET {

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

alignas(64) constexpr float kNothing[48] = {};

// Where the sums of a panel begin: of the odd modes there is no mean.
HEM_INLINE const float* startOf(const Garment& g, int half, size_t panel) {
    return half ? kNothing : g.bases[0].mean + 48 * panel;
}

// Panels that lie one after another, [panel][mode][3][16], of all modes or of even and odd ones.
template <class Number>
struct Chunk {
    size_t first, count;  // panels
    const Number* numbers[2];
    size_t step[2];  // numbers from panel to panel

    HEM_INLINE const Number* panel(int half, size_t number) const {
        return numbers[half] + number * step[half];
    }
};

template <int kRows, int kTaken>
HEM_INLINE void rebuildTile(const Garment& g, const RebuildJob& job, size_t row,
                            const Chunk<float>& chunk, size_t number, size_t lane) {
    const size_t panel = chunk.first + number;
    if (g.mirror) prefetchTile<kRows, kTaken>(g, job, row, 16 * panel + lane);
    Floats sums[2][kRows][3 * kTaken];
    for (int half = 0; half < 2; ++half) {
        const BasisJob& weights = job.weights[half];
        Floats acc[kRows][3 * kTaken];
        startTile<kRows, kTaken>(startOf(g, half, panel) + lane, acc);
        if (job.matrices) addCarried<kRows, kTaken>(g, job, row, panel, lane, acc);
        multiply<kRows, 3, kTaken>(weights.x + row * weights.x_stride, weights.x_stride,
                                   weights.modes, chunk.panel(half, number) + lane, 48, 16, acc);
        if (!g.mirror) return storeTile<kRows, kTaken>(g, job, row, 16 * panel + lane, acc);
        __builtin_memcpy(sums[half], acc, sizeof acc);
    }
    storeMirrored(g, job, row, kRows, 16 * panel + lane, kTaken, sums[0][0]);
}

template <int kRows, int kTaken>
void rebuildChunk(const Garment& g, const RebuildJob& job, const Chunk<float>& chunk, size_t row) {
    for (size_t p = 0; p < chunk.count; ++p)
        for (size_t lane = 0; lane < 16; lane += kTaken * kWidth)
            rebuildTile<kRows, kTaken>(g, job, row, chunk, p, lane);
}

// Few wearers at a time, all panels of the chunk: their vertices are written in order, and the
// chunk stays in the cache for the next few.
void rebuildRows(const Garment& g, const RebuildJob& job, const Chunk<float>& chunk) {
    size_t row = 0;
    for (; row + kTileRows <= job.rows; row += kTileRows)
        rebuildChunk<kTileRows, 1>(g, job, chunk, row);
    for (; kTileRows > 4 && row + 4 <= job.rows; row += 4) rebuildChunk<4, 1>(g, job, chunk, row);
    for (; row < job.rows; ++row) rebuildChunk<1, kParts>(g, job, chunk, row);
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
HEM_INLINE void expandPairs(const Basis& basis, const unsigned char* panel, size_t modes,
                            Number* to) {
    const size_t wide = basis.header->wide_modes, pairs = (modes + 1) / 2,
                 wide_pairs = pairs < wide / 2 ? pairs : wide / 2;
    expandPairs(panel, WidePairsAt{}, 0, wide_pairs, to);
    expandPairs(panel, NarrowPairsAt{wide}, wide_pairs, pairs, to);
}

void expandPanel(const Basis& basis, size_t panel, size_t modes, float* to) {
    const unsigned char* data = basis.data + panel * basis.panel_bytes;
    if (basis.header->encoding == format::kFloat16) {
        const auto* halves = reinterpret_cast<const uint16_t*>(data);
        for (size_t i = 0; i < 48 * modes; i += kWidth) store(to + i, fromHalves(halves + i));
        return;
    }
    expandPairs(basis, data, modes, to);
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

template <int kPanels>
HEM_INLINE void addBasis(const Basis& basis, const BasisJob& weights, Sums<kPanels>& sums) {
    if (basis.header->encoding == format::kFloat32) {
        sums.add(weights.x, weights.modes, FloatsAt{});
    } else if (basis.header->encoding == format::kFloat16) {
        sums.add(weights.x, weights.modes, HalvesAt{});
    } else {
        const size_t wide = basis.header->wide_modes, pairs = (weights.modes + 1) / 2,
                     wide_pairs = pairs < wide / 2 ? pairs : wide / 2;
        sums.addPairs(weights.x, 0, wide_pairs, WidePairsAt{});
        sums.addPairs(weights.x, wide_pairs, pairs, NarrowPairsAt{wide});
    }
}

// One wearer alone: decoded on the way into the registers, to the same bits. Several panels at a
// time, so that a sum need not wait for its own last product.
template <int kPanels>
void rebuildOne(const Garment& g, const RebuildJob& job, size_t panel) {
    Floats both[kPanels][2][3 * kParts];
    for (int half = 0; half < 2; ++half) {
        const Basis& basis = g.bases[half];
        Sums<kPanels> sums;
        sums.panels = basis.data + panel * basis.panel_bytes;
        sums.panel_bytes = basis.panel_bytes;
#pragma GCC unroll 4
        for (int p = 0; p < kPanels; ++p) {
            startTile<1, kParts>(startOf(g, half, panel + size_t(p)), sums.acc[p]);
            if (job.matrices) addCarried<1, kParts>(g, job, 0, panel + size_t(p), 0, sums.acc[p]);
        }
        addBasis(basis, job.weights[half], sums);
#pragma GCC unroll 4
        for (int p = 0; p < kPanels; ++p) {
            if (g.mirror)
                __builtin_memcpy(both[p][half], sums.acc[p], sizeof both[p][half]);
            else
                storeTile<1, kParts>(g, job, 0, 16 * (panel + size_t(p)), sums.acc[p]);
        }
        if (!g.mirror) return;
    }
    for (int p = 0; p < kPanels; ++p)
        storeMirrored(g, job, 0, 1, 16 * (panel + size_t(p)), kParts, both[p][0]);
}

// Panels from `chunk.first` on, as they lie or expanded into the job's scratch.
void layChunk(const Garment& g, const RebuildJob& job, bool as_it_lies, Chunk<float>& chunk) {
    float* expanded = job.panels;
    for (uint32_t half = 0; half < g.bases_count; ++half) {
        const Basis& basis = g.bases[half];
        const unsigned char* data = basis.data + chunk.first * basis.panel_bytes;
        chunk.numbers[half] = as_it_lies ? reinterpret_cast<const float*>(data) : expanded;
        for (size_t p = 0; p < chunk.count && !as_it_lies; ++p, expanded += chunk.step[half])
            expandPanel(basis, chunk.first + p, job.weights[half].modes, expanded);
    }
}

void rebuild(const Garment& g, const RebuildJob& job) {
    const bool as_it_lies = g.bases[0].header->encoding == format::kFloat32;
    const size_t panels = g.bases[0].panels;
    if (job.rows == 1) {
        constexpr int kAtOnce = kWidth == 16 ? 2 : 1;
        size_t panel = 0;
        for (; panel + kAtOnce <= panels; panel += kAtOnce) rebuildOne<kAtOnce>(g, job, panel);
        for (; panel < panels; ++panel) rebuildOne<1>(g, job, panel);
        return;
    }
    Chunk<float> chunk{};
    for (uint32_t half = 0; half < g.bases_count; ++half)
        chunk.step[half] =
            48 * (as_it_lies ? g.bases[half].modes : (job.weights[half].modes + 1) / 2 * 2);
    const size_t room =
        (as_it_lies ? kCacheFloats : kPanelFloats) / (chunk.step[0] + chunk.step[1]);
    for (; chunk.first < panels; chunk.first += chunk.count) {
        chunk.count = panels - chunk.first < room ? panels - chunk.first : room;
        layChunk(g, job, as_it_lies, chunk);
        rebuildRows(g, job, chunk);
    }
}

}  // namespace hem::runtime::HEM_SET
