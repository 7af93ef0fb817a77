// SPDX-License-Identifier: Apache-2.0
// Vertices from weights by 16-bit products, for one instruction set, and the set's table: the last of
// what kernels_<set>.cpp includes. See vectors.h.
#include "hem/runtime/rebuild_impl.h"

namespace hem::runtime::HEM_SET {

// How a row of weights is rounded to int16: the products with the basis's integers must keep within
// int32. Weights from mode `narrow` on are given 8 bits, as multiples of 2^shift units.
struct Rounding {
    float unit;
    int32_t shift;
};
constexpr float kMostUnits = 127 << 8;

Rounding roundingOf(const float* x, const float* scale, const float* reach, size_t modes,
                    size_t narrow) {
    Floats largest[2][kParts] = {}, sums[kParts] = {};
    for (size_t k = 0; k < modes; k += 16)
        for (int v = 0; v < kParts; ++v) {
            const size_t at = k + size_t(v * kWidth);
            const Floats value = load(x + at) * load(scale + at);
            const Floats size = most(value, -value);
            largest[0][v] = most(largest[0][v], size);
            largest[1][v] = most(largest[1][v], Floats(bitsOf(size) & fromNumberOn(narrow, at)));
            sums[v] = sums[v] + size * load(reach + at);
        }
    const float all_largest = largestOf(largest[0]), narrow_largest = largestOf(largest[1]);
    if (!(all_largest > 1e-30f)) return {0, 0};
    const float fine = all_largest / kMostUnits, safe = sumOf(sums) / 2.13e9f;
    Rounding rounding{fine > safe ? fine : safe, 0};
    for (float size = narrow_largest / rounding.unit; size > 127.25f; size /= 2) ++rounding.shift;
    return rounding;
}

// Steps of fine pairs in a unit, up and down: as many as keep their sums within int32. `modes` are the
// file's: what others of the batch leave out must not show.
float fineSteps(size_t modes) { return float(64000 / (modes + 1)); }

// Rows of weights as int16, each row in a unit of its own, up to an even number of them; what is left
// of them in the fine pairs, or else those of narrow modes in 8 bits: as many as their modes have.
void quantiseRows(const Basis& basis, const BasisJob& job, size_t rows) {
    const bool mixed = basis.header->encoding == format::kMixed;
    const size_t padded = paddedToLanes(basis.modes),
                 narrow = mixed && !job.fine_pairs ? basis.header->wide_modes : padded;
    float scale[format::kMaxModes], reach[format::kMaxModes];  // |integer| of a mode, at most
    for (size_t k = 0; k < padded; ++k) {
        scale[k] = mixed ? 1 : basis.scale[k];
        reach[k] = mixed && k >= basis.header->wide_modes ? 127.0f : 32767.0f;
    }
    const Floats magic = splat(kToWhole);
    const float steps = 2 * fineSteps(basis.modes);
    for (size_t r = 0; r < rows; ++r) {
        const float* x = job.x + r * job.x_stride;
        const Rounding rounding = roundingOf(x, scale, reach, job.modes, narrow);
        const float per_unit = rounding.unit > 0 ? 1 / rounding.unit : 0;
        const float multiple = float(1 << rounding.shift);
        job.units[r] = rounding.unit;
        job.shifts[r] = rounding.shift;
        const size_t row = r * job.x_stride / 2;
        for (size_t k = 0; k < (job.modes + 1) / 2 * 2; k += kWidth) {
            const Floats value = load(x + k) * load(scale + k) * per_unit;
            Floats whole = (value + magic) - magic;
            if (k + kWidth > narrow)
                whole = fromNumberOn(narrow, k)
                            ? ((value * (1 / multiple) + magic) - magic) * multiple
                            : whole;
            storeShorts(job.pairs + row, k, whole + magic);
            if (job.fine_pairs)
                storeShorts(job.fine_pairs + row, k, (value - whole) * steps + magic);
        }
    }
}

// round(numbers / scale) as the low 16 bits of each lane.
HEM_INLINE Ints quantised(Floats numbers, float per_scale) {
    const Floats q = least(most(numbers * per_scale, splat(-32767.0f)), splat(32767.0f));
    return bitsOf(q + kToWhole) & 0xffff;
}

// A panel as pairs of int16, [pair of modes][3][16].
void pairPanel(const Basis& basis, size_t panel, size_t modes, int32_t* to) {
    const unsigned char* data = basis.data + panel * basis.panel_bytes;
    if (basis.header->encoding == format::kMixed) {
        expandPairs(basis, data, modes, to);
        return;
    }
    const bool halves = basis.header->encoding == format::kFloat16;
    for (size_t k = 0; k < modes; ++k) {
        const float scale = basis.scale[k], per_scale = scale > 1e-30f ? 1 / scale : 0;
        for (size_t i = 0; i < 48; i += kWidth) {
            const size_t at = 48 * k + i;
            const Floats numbers = halves ? fromHalves(reinterpret_cast<const uint16_t*>(data) + at)
                                          : load(reinterpret_cast<const float*>(data) + at);
            const Ints q = quantised(numbers, per_scale);
            int32_t* pair = to + 48 * (k / 2) + i;
            store(pair, k % 2 ? load(pair) | q << 16 : q);
        }
    }
}

// Rows of weights: those of narrow modes four a lane, in place of their pairs. Bytes without signs
// they have to be, so that each is 128 too large.
void packQuads(const Basis& basis, const BasisJob& job, size_t rows) {
    const size_t wide_pairs = basis.header->wide_modes / 2,
                 pairs = (job.modes + 1) / 2 - wide_pairs;
    for (size_t r = 0; r < rows; ++r) {
        int32_t* x = job.pairs + r * (job.x_stride / 2) + wide_pairs;
        const int32_t shift = job.shifts[r];
        const auto bytesOf = [&](size_t pair) {
            const int32_t both = pair < pairs ? x[pair] : 0;
            return (uint32_t(both << 16 >> (16 + shift)) + 128) |
                   (uint32_t(both >> (16 + shift)) + 128) << 8;
        };
        for (size_t q = 0; q < job.quads; ++q)
            x[q] = int32_t(bytesOf(2 * q) | bytesOf(2 * q + 1) << 16);
    }
}

// A kMixed panel as its sums begin with, for the 128 of packQuads(), [3][16]; its narrow modes as
// quads of int8, [quad][3][16]; and its wide ones as pairs.
void quadPanel(const Basis& basis, size_t panel, size_t quads, int32_t* to) {
    const unsigned char* data = basis.data + panel * basis.panel_bytes;
    const size_t wide = basis.header->wide_modes, pairs = (basis.modes + 1) / 2 - wide / 2;
    const auto bytesOf = [&](size_t pair, size_t lane) {
        typedef uint16_t Halves __attribute__((vector_size(2 * kWidth)));
        Halves halves = {};
        if (pair < pairs)
            __builtin_memcpy(&halves, data + 96 * wide + 96 * pair + 2 * lane, sizeof halves);
        return Ints(__builtin_convertvector(halves, Words));
    };
    for (size_t lane = 0; lane < 48; lane += kWidth) {
        Ints sum = {};
        for (size_t q = 0; q < quads; ++q) {
            const Ints quad = bytesOf(2 * q, lane) | bytesOf(2 * q + 1, lane) << 16;
            store(to + 48 * (1 + q) + lane, quad);
            sum = dotQuads(sum, splat(int32_t(0x80808080)), quad);
        }
        store(to + lane, -sum);
    }
    expandPairs(data, WidePairsAt{}, 0, wide / 2, to + 48 * (1 + quads));
}

// Whether 16-bit products carry the vertices, too: by the file alone, so that all batches agree.
HEM_INLINE bool carriesByIntegers(const Garment& g, const RebuildJob& job) {
    return job.matrices && !job.weights[0].fine_pairs && g.joints_read <= kMaxIntegerJoints;
}

typedef float Four __attribute__((vector_size(16)));
typedef int32_t FourInts __attribute__((vector_size(16)));
typedef int16_t FourShorts __attribute__((vector_size(8)));
HEM_INLINE Four fourOf(const float* from) {
    Four v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}

// Matrices as int16, each row in a unit of its own; their translations are those of the root at rest.
void quantiseMatrices(const Garment& g, const RebuildJob& job, int32_t* pairs, float* units) {
    const float* root = g.frame->root;
    const size_t count = 12 * size_t(g.joints_read);
    for (size_t r = 0; r < job.rows; ++r) {
        float numbers[12 * kMaxIntegerJoints + 16];
        __builtin_memcpy(numbers, job.matrices + r * job.matrices_stride, count * sizeof(float));
        Four sizes = {1e-30f, 1e-30f, 1e-30f, 1e-30f};
        for (size_t i = 0; i < count; i += 4) {
            float* m = numbers + i;
            m[3] = m[0] * root[0] + m[1] * root[1] + m[2] * root[2] + m[3];
            const Four four = {m[0], m[1], m[2], m[3]}, size = four > -four ? four : -four;
            sizes = size > sizes ? size : sizes;
        }
        float largest = sizes[0];
        for (int c = 1; c < 4; ++c) largest = sizes[c] > largest ? sizes[c] : largest;
        const float per_unit = 32767 / largest;
        units[r] = largest / 32767 * g.carried_step;
        auto* to = reinterpret_cast<int16_t*>(pairs + r * count / 2);
        for (size_t i = 0; i < count; i += 4) {
            const Four shifted = fourOf(numbers + i) * per_unit + kToWhole;
            const FourShorts shorts = __builtin_convertvector(FourInts(shifted), FourShorts);
            __builtin_memcpy(to + i, &shorts, sizeof shorts);
        }
    }
}

template <int kRows, int kTaken>
HEM_INLINE void addCarriedIntegers(const Garment& g, const RebuildJob& job, size_t row,
                                   size_t panel, size_t lane, Floats (&acc)[kRows][3 * kTaken]) {
    const size_t stride = 6 * size_t(g.joints_read);
    const uint32_t end = g.first_carrier[panel + 1];
    Ints sums[kRows][3 * kTaken] = {};
    for (uint32_t i = g.first_carrier[panel]; i < end; ++i) {
        const auto* rest =
            reinterpret_cast<const int32_t*>(g.carried_pairs) + 32 * size_t(i) + lane;
        const int32_t* m = job.joint_pairs + row * stride + 6 * size_t(g.carriers[i]);
        Ints b[2 * kTaken];
#pragma GCC unroll 8
        for (int k = 0; k < 2 * kTaken; ++k)
            b[k] = load(rest + 16 * (k / kTaken) + k % kTaken * kWidth);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r, m += stride) {
            __asm__("" : "+r"(m));  // as in addCarried()
#pragma GCC unroll 2
            for (int c = 0; c < 2; ++c)
#pragma GCC unroll 16
                for (int v = 0; v < 3 * kTaken; ++v)
                    sums[r][v] = dotPairs(sums[r][v], splat(m[2 * (v / kTaken) + c]),
                                          b[c * kTaken + v % kTaken]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < 3 * kTaken; ++v)
            acc[r][v] = mulAdd(__builtin_convertvector(sums[r][v], Floats),
                               splat(job.joint_units[row + size_t(r)]), acc[r][v]);
}

// Sums of integers as the numbers that they stand for, added to where a panel begins.
template <int kRows, int kTaken, bool kFine>
HEM_INLINE void scaleSums(const Garment& g, const RebuildJob& job, int half, size_t row,
                          size_t panel, size_t lane,
                          const Ints (&sums)[1 + kFine][kRows][3 * kTaken],
                          Floats (&acc)[kRows][3 * kTaken]) {
    startTile<kRows, kTaken>(startOf(g, half, panel) + lane, acc);
    if (!kFine && job.joint_pairs)
        addCarriedIntegers<kRows, kTaken>(g, job, row, panel, lane, acc);
    else if (job.matrices)
        addCarried<kRows, kTaken>(g, job, row, panel, lane, acc);
    const float per_step = 1 / (2 * fineSteps(g.bases[half].modes));
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
        const float unit = job.weights[half].units[row + size_t(r)];
#pragma GCC unroll 16
        for (int v = 0; v < 3 * kTaken; ++v) {
            if (kFine)
                acc[r][v] = mulAdd(__builtin_convertvector(sums[kFine][r][v], Floats),
                                   splat(unit * per_step), acc[r][v]);
            acc[r][v] =
                mulAdd(__builtin_convertvector(sums[0][r][v], Floats), splat(unit), acc[r][v]);
        }
    }
}

// The sums of narrow modes by 8-bit products: what 16-bit ones would make of them. Where the panel's
// pairs begin comes back.
template <int kRows, int kTaken>
HEM_INLINE const int32_t* sumQuads(const BasisJob& job, size_t row, const int32_t* x,
                                   const int32_t* basis, Ints (&sums)[kRows][3 * kTaken]) {
    constexpr int kVectors = 3 * kTaken;
    const size_t stride = job.x_stride / 2;
#pragma GCC unroll 16
    for (int v = 0; v < kVectors; ++v) {
        const Ints start = load(basis + v / kTaken * 16 + v % kTaken * kWidth);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) sums[r][v] = start;
    }
    basis += 48;
    for (size_t q = 0; q < job.quads; ++q, basis += 48) {
        Ints b[kVectors];
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v)
            b[v] = load(basis + v / kTaken * 16 + v % kTaken * kWidth);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
            const Ints s = splat(x[size_t(r) * stride + q]);
#pragma GCC unroll 16
            for (int v = 0; v < kVectors; ++v) sums[r][v] = dotQuads(sums[r][v], s, b[v]);
        }
    }
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v)
            sums[r][v] = sums[r][v] << splat(job.shifts[row + size_t(r)]);
    return basis;
}

template <int kRows, int kTaken, bool kFine>
HEM_INLINE void sumIntegers(const Basis& bases, const BasisJob& job, size_t row,
                            const int32_t* basis, Ints (&sums)[1 + kFine][kRows][3 * kTaken]) {
    constexpr int kVectors = 3 * kTaken;
    const size_t stride = job.x_stride / 2;
    size_t pairs = (job.modes + 1) / 2;
    const int32_t* x[2] = {job.pairs + row * stride, job.fine_pairs + (kFine ? row * stride : 0)};
    if (kHasQuads && !kFine && job.quads) {
        pairs = bases.header->wide_modes / 2;
        basis = sumQuads<kRows, kTaken>(job, row, x[0] + pairs, basis, sums[0]);
    }
    for (size_t k = 0; k < pairs; ++k, basis += 48) {
        Ints b[kVectors];
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v)
            b[v] = load(basis + v / kTaken * 16 + v % kTaken * kWidth);
#pragma GCC unroll 2
        for (int f = 0; f <= kFine; ++f)
#pragma GCC unroll 16
            for (int r = 0; r < kRows; ++r) {
                const Ints s = splat(x[f][size_t(r) * stride + k]);
#pragma GCC unroll 16
                for (int v = 0; v < kVectors; ++v) sums[f][r][v] = dotPairs(sums[f][r][v], s, b[v]);
            }
    }
}

template <int kRows, int kTaken, bool kFine>
HEM_INLINE void integerTile(const Garment& g, const RebuildJob& job, size_t row,
                            const Chunk<int32_t>& chunk, size_t number, size_t lane) {
    const size_t panel = chunk.first + number;
    prefetchTile<kRows, kTaken>(g, job, row, 16 * panel + lane);
    Floats both[2][kRows][3 * kTaken];
    for (int half = 0; half < 2; ++half) {
        Ints sums[1 + kFine][kRows][3 * kTaken] = {};
        sumIntegers<kRows, kTaken, kFine>(g.bases[half], job.weights[half], row,
                                          chunk.panel(half, number) + lane, sums);
        Floats acc[kRows][3 * kTaken];
        scaleSums<kRows, kTaken, kFine>(g, job, half, row, panel, lane, sums, acc);
        if (!g.mirror) return storeTile<kRows, kTaken>(g, job, row, 16 * panel + lane, acc);
        __builtin_memcpy(both[half], acc, sizeof acc);
    }
    storeMirrored(g, job, row, kRows, 16 * panel + lane, kTaken, both[0][0]);
}

template <int kRows, int kTaken, bool kFine>
void integerChunk(const Garment& g, const RebuildJob& job, const Chunk<int32_t>& chunk,
                  size_t row) {
    for (size_t p = 0; p < chunk.count; ++p)
        for (size_t lane = 0; lane < 16; lane += kTaken * kWidth)
            integerTile<kRows, kTaken, kFine>(g, job, row, chunk, p, lane);
}

// Pairs k to `end` of kPanels panels of a kMixed file, one wearer.
template <int kPanels, bool kFine, class At>
HEM_INLINE void addPairs(const BasisJob& job, const unsigned char* panels, size_t panel_bytes,
                         size_t k, size_t end, At at,
                         Ints (&sums)[kPanels][1 + kFine][1][3 * kParts]) {
    for (; k < end; ++k) {
        const Ints x[2] = {splat(job.pairs[k]), kFine ? splat(job.fine_pairs[k]) : Ints{}};
#pragma GCC unroll 4
        for (int p = 0; p < kPanels; ++p)
#pragma GCC unroll 16
            for (int v = 0; v < 3 * kParts; ++v) {
                const Ints b = at(panels + size_t(p) * panel_bytes, k, v * kWidth);
#pragma GCC unroll 2
                for (int f = 0; f <= kFine; ++f)
                    sums[p][f][0][v] = dotPairs(sums[p][f][0][v], x[f], b);
            }
    }
}

// One wearer alone of a kMixed file: decoded on the way into the registers.
template <int kPanels, bool kFine>
void integerPanels(const Garment& g, const RebuildJob& job, size_t panel) {
    Floats both[kPanels][2][1][3 * kParts];
    for (int half = 0; half < 2; ++half) {
        const Basis& basis = g.bases[half];
        const BasisJob& weights = job.weights[half];
        Ints sums[kPanels][1 + kFine][1][3 * kParts] = {};
        const size_t wide = basis.header->wide_modes, pairs = (weights.modes + 1) / 2,
                     wide_pairs = pairs < wide / 2 ? pairs : wide / 2;
        const unsigned char* data = basis.data + panel * basis.panel_bytes;
        addPairs<kPanels, kFine>(weights, data, basis.panel_bytes, 0, wide_pairs, WidePairsAt{},
                                 sums);
        addPairs<kPanels, kFine>(weights, data, basis.panel_bytes, wide_pairs, pairs,
                                 NarrowPairsAt{wide}, sums);
#pragma GCC unroll 4
        for (int p = 0; p < kPanels; ++p) {
            Floats(&acc)[1][3 * kParts] = both[p][half];
            scaleSums<1, kParts, kFine>(g, job, half, 0, panel + size_t(p), 0, sums[p], acc);
            if (!g.mirror) storeTile<1, kParts>(g, job, 0, 16 * (panel + size_t(p)), acc);
        }
        if (!g.mirror) return;
    }
    for (int p = 0; p < kPanels; ++p)
        storeMirrored(g, job, 0, 1, 16 * (panel + size_t(p)), kParts, both[p][0][0]);
}

template <bool kFine>
void rebuildOneByIntegers(const Garment& g, const RebuildJob& job) {
    constexpr int kAtOnce = kWidth == 16 ? 2 : 1;
    const size_t panels = g.bases[0].panels;
    size_t panel = 0;
    for (; panel + kAtOnce <= panels; panel += kAtOnce)
        integerPanels<kAtOnce, kFine>(g, job, panel);
    for (; panel < panels; ++panel) integerPanels<1, kFine>(g, job, panel);
}

// Whether a kMixed basis is all pairs as it lies.
bool isOfPairs(const Basis& basis, const BasisJob& job) {
    return basis.header->encoding == format::kMixed && basis.header->wide_modes >= job.modes;
}
// Numbers from panel to panel.
size_t integerStep(const Basis& basis, const BasisJob& job) {
    if (job.quads) return 48 * (1 + job.quads + basis.header->wide_modes / 2);
    if (isOfPairs(basis, job)) return basis.panel_bytes / sizeof(int32_t);
    return 48 * ((job.modes + 1) / 2);
}

void layChunk(const Garment& g, const RebuildJob& job, Chunk<int32_t>& chunk) {
    auto* scratch = reinterpret_cast<int32_t*>(job.panels);
    for (uint32_t half = 0; half < g.bases_count; ++half) {
        const Basis& basis = g.bases[half];
        const BasisJob& weights = job.weights[half];
        const unsigned char* data = basis.data + chunk.first * basis.panel_bytes;
        const bool as_it_lies = isOfPairs(basis, weights);
        chunk.numbers[half] = as_it_lies ? reinterpret_cast<const int32_t*>(data) : scratch;
        for (size_t p = 0; p < chunk.count && !as_it_lies; ++p, scratch += chunk.step[half])
            if (weights.quads)
                quadPanel(basis, chunk.first + p, weights.quads, scratch);
            else
                pairPanel(basis, chunk.first + p, weights.modes, scratch);
    }
}

template <bool kFine>
void rebuildByIntegers(const Garment& g, const RebuildJob& job) {
    // to the same bits; narrower sets do without, for their code is to stay small
    if constexpr (kWidth >= 8)
        if (g.bases[0].header->encoding == format::kMixed && job.rows == 1)
            return rebuildOneByIntegers<kFine>(g, job);
    constexpr int kRows = kFine ? kTileRows / 2 : kTileRows;
    constexpr int kOneTaken = kFine && kWidth < 8 ? 1 : kParts;
    Chunk<int32_t> chunk{};
    size_t most = kCacheFloats;
    for (uint32_t half = 0; half < g.bases_count; ++half) {
        chunk.step[half] = integerStep(g.bases[half], job.weights[half]);
        if (!isOfPairs(g.bases[half], job.weights[half])) most = kPanelFloats;
    }
    const size_t room = most / (chunk.step[0] + chunk.step[1]), panels = g.bases[0].panels;
    for (; chunk.first < panels; chunk.first += chunk.count) {
        chunk.count = panels - chunk.first < room ? panels - chunk.first : room;
        layChunk(g, job, chunk);
        size_t row = 0;
        for (; row + kRows <= job.rows; row += kRows)
            integerChunk<kRows, 1, kFine>(g, job, chunk, row);
        for (; row < job.rows; ++row) integerChunk<1, kOneTaken, kFine>(g, job, chunk, row);
    }
}

// Rows of weights as integers, by 8 bits where that is what the processor multiplies best.
void quantise(const Basis& basis, BasisJob& job, size_t rows) {
    quantiseRows(basis, job, rows);
    const size_t pairs = (job.modes + 1) / 2, wide_pairs = basis.header->wide_modes / 2;
    if (!kHasQuads || job.fine_pairs || basis.header->encoding != format::kMixed || rows == 1 ||
        pairs <= wide_pairs)
        return;
    job.quads = (pairs - wide_pairs + 1) / 2;
    packQuads(basis, job, rows);
}

void rebuildIntegers(const Garment& g, const RebuildJob& wanted) {
    RebuildJob job = wanted;
    for (uint32_t half = 0; half < g.bases_count; ++half)
        quantise(g.bases[half], job.weights[half], job.rows);
    if (job.weights[0].fine_pairs) return rebuildByIntegers<true>(g, job);
    float joint_units[128];
    if (carriesByIntegers(g, job)) {
        quantiseMatrices(g, job, job.joint_scratch, joint_units);
        job.joint_pairs = job.joint_scratch;
        job.joint_units = joint_units;
    }
    rebuildByIntegers<false>(g, job);
}

extern const Kernels table;
const Kernels table = {HEM_SET_NAME, layer, rebuild, rebuildIntegers, powers, allWithin,
                       normalise,    hold,  keep,    pushOut};

}  // namespace hem::runtime::HEM_SET
