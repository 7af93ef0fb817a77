// SPDX-License-Identifier: Apache-2.0
// Vertices from weights, for one instruction set: see vectors.h. Tiles of wearers by 3 registers
// (x, y, z of as many vertices) stay in registers until they are placed in the world and stored.
#include "hem/runtime/push_out_impl.h"

namespace hem::runtime::HEM_SET {

template <int... kLane>
struct Lanes {};
#if HEM_WIDTH == 16
using AllLanes = Lanes<0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15>;
#elif HEM_WIDTH == 8
using AllLanes = Lanes<0, 1, 2, 3, 4, 5, 6, 7>;
#elif HEM_WIDTH == 4
using AllLanes = Lanes<0, 1, 2, 3>;
#endif

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

// --- In floats -----------------------------------------------------------------------------------

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

// --- In integers ---------------------------------------------------------------------------------

typedef int16_t Shorts __attribute__((vector_size(2 * kWidth)));

// How finely a row of weights may be rounded to int16: its products with the basis's integers must
// keep within int32. Sums run in 16 lanes, then lane by lane, whatever the width.
float finestUnit(const float* x, const float* scale, const float* reach, size_t modes) {
    Floats largest[kParts] = {}, sums[kParts] = {};
    float lane_largest[16], lane_sums[16];
    for (size_t k = 0; k < modes; k += 16)
        for (int v = 0; v < kParts; ++v) {
            const size_t at = k + size_t(v * kWidth);
            const Floats value = load(x + at) * load(scale + at);
            const Floats size = most(value, -value);
            largest[v] = most(largest[v], size);
            sums[v] = sums[v] + size * load(reach + at);
        }
    __builtin_memcpy(lane_largest, largest, sizeof largest);
    __builtin_memcpy(lane_sums, sums, sizeof sums);
    float all_largest = 0, sum = 0;
    for (int i = 0; i < 16; ++i) {
        all_largest = lane_largest[i] > all_largest ? lane_largest[i] : all_largest;
        sum += lane_sums[i];
    }
    if (!(all_largest > 1e-30f)) return 0;
    const float fine = all_largest / 32767, safe = sum / 2.14e9f;
    return fine > safe ? fine : safe;
}

// Steps of fine pairs in a unit, up and down: as many as keep their sums within int32.
float fineSteps(size_t modes) { return float(64000 / (modes + 1)); }

// Rows of weights as int16, each row in a unit of its own, up to an even number of them; what is left
// of them in the fine pairs.
void quantiseRows(const Garment& g, const RebuildJob& job) {
    const bool mixed = g.basis->encoding == format::kMixed;
    float scale[format::kMaxModes], reach[format::kMaxModes];  // |integer| of a mode, at most
    for (size_t k = 0; k < job.x_stride; ++k) {
        scale[k] = mixed ? 1 : g.basis_scale[k];
        reach[k] = mixed && k >= g.basis->wide_modes ? 127.0f : 32767.0f;
    }
    const Floats magic = splat(12582912.0f);  // the sum's low bits are the whole number
    const float steps = 2 * fineSteps(job.modes);
    const auto storeShorts = [](int32_t* pairs, size_t k, Floats shifted) {
        const Shorts shorts = __builtin_convertvector(bitsOf(shifted), Shorts);
        __builtin_memcpy(reinterpret_cast<int16_t*>(pairs) + k, &shorts, sizeof shorts);
    };
    for (size_t r = 0; r < job.rows; ++r) {
        const float* x = job.x + r * job.x_stride;
        const float unit = finestUnit(x, scale, reach, job.modes);
        const float per_unit = unit > 0 ? 1 / unit : 0;
        job.units[r] = unit;
        const size_t row = r * job.x_stride / 2;
        for (size_t k = 0; k < (job.modes + 1) / 2 * 2; k += kWidth) {
            const Floats value = load(x + k) * load(scale + k) * per_unit;
            const Floats shifted = value + magic;
            storeShorts(job.pairs + row, k, shifted);
            if (job.fine_pairs)
                storeShorts(job.fine_pairs + row, k, (value - (shifted - magic)) * steps + magic);
        }
    }
}

// round(numbers / scale) as the low 16 bits of each lane.
HEM_INLINE Ints quantised(Floats numbers, float per_scale) {
    const Floats q = least(most(numbers * per_scale, splat(-32767.0f)), splat(32767.0f));
    return bitsOf(q + 12582912.0f) & 0xffff;
}

// A panel as pairs of int16, [pair of modes][3][16].
void pairPanel(const Garment& g, size_t panel, size_t modes, int32_t* to) {
    const unsigned char* data = g.basis_data + panel * g.panel_bytes;
    if (g.basis->encoding == format::kMixed) {
        expandPairs(g, data, modes, to);
        return;
    }
    const bool halves = g.basis->encoding == format::kFloat16;
    for (size_t k = 0; k < modes; ++k) {
        const float scale = g.basis_scale[k], per_scale = scale > 1e-30f ? 1 / scale : 0;
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

// Whether 16-bit products carry the vertices, too: by the file alone, so that all batches agree.
HEM_INLINE bool carriesByIntegers(const Garment& g, const RebuildJob& job) {
    return job.matrices && !job.fine_pairs && g.joints_read <= kMaxIntegerJoints;
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
            const Four shifted = fourOf(numbers + i) * per_unit + 12582912.0f;
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

// Sums of integers as the vertices that they stand for.
template <int kRows, int kTaken, bool kFine>
HEM_INLINE void storeSums(const Garment& g, const RebuildJob& job, size_t row, size_t panel,
                          size_t lane, const Ints (&sums)[1 + kFine][kRows][3 * kTaken]) {
    Floats acc[kRows][3 * kTaken];
    if (!kFine && job.joint_pairs) {
        startTile<kRows, kTaken>(g.mean + 48 * panel + lane, acc);
        addCarriedIntegers<kRows, kTaken>(g, job, row, panel, lane, acc);
    } else {
        startTile<kRows, kTaken>(g, job, row, panel, lane, acc);
    }
    const float per_step = 1 / (2 * fineSteps(job.modes));
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r) {
        const float unit = job.units[row + size_t(r)];
#pragma GCC unroll 16
        for (int v = 0; v < 3 * kTaken; ++v) {
            if (kFine)
                acc[r][v] = mulAdd(__builtin_convertvector(sums[kFine][r][v], Floats),
                                   splat(unit * per_step), acc[r][v]);
            acc[r][v] =
                mulAdd(__builtin_convertvector(sums[0][r][v], Floats), splat(unit), acc[r][v]);
        }
    }
    storeTile<kRows, kTaken>(g, job, row, 16 * panel + lane, acc);
}

template <int kRows, int kTaken, bool kFine>
HEM_INLINE void integerTile(const Garment& g, const RebuildJob& job, size_t row, size_t panel,
                            size_t lane, const int32_t* basis) {
    constexpr int kVectors = 3 * kTaken;
    const size_t pairs = (job.modes + 1) / 2, stride = job.x_stride / 2;
    const int32_t* x[2] = {job.pairs + row * stride, job.fine_pairs + (kFine ? row * stride : 0)};
    basis += lane;
    prefetchTile<kRows, kTaken>(job, row, 16 * panel + lane);
    Ints sums[1 + kFine][kRows][kVectors] = {};
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
    storeSums<kRows, kTaken, kFine>(g, job, row, panel, lane, sums);
}

template <int kRows, int kTaken, bool kFine>
void integerChunk(const Garment& g, const RebuildJob& job, const Chunk& chunk, const int32_t* basis,
                  size_t row) {
    for (size_t p = 0; p < chunk.count; ++p, basis += chunk.step)
        for (size_t lane = 0; lane < 16; lane += kTaken * kWidth)
            integerTile<kRows, kTaken, kFine>(g, job, row, chunk.first + p, lane, basis);
}

// Pairs k to `end` of kPanels panels of a kMixed file, one wearer.
template <int kPanels, bool kFine, class At>
HEM_INLINE void addPairs(const RebuildJob& job, const unsigned char* panels, size_t panel_bytes,
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
    Ints sums[kPanels][1 + kFine][1][3 * kParts] = {};
    const size_t wide = g.basis->wide_modes, pairs = (job.modes + 1) / 2,
                 wide_pairs = pairs < wide / 2 ? pairs : wide / 2;
    const unsigned char* data = g.basis_data + panel * g.panel_bytes;
    addPairs<kPanels, kFine>(job, data, g.panel_bytes, 0, wide_pairs, WidePairsAt{}, sums);
    addPairs<kPanels, kFine>(job, data, g.panel_bytes, wide_pairs, pairs, NarrowPairsAt{wide},
                             sums);
#pragma GCC unroll 4
    for (int p = 0; p < kPanels; ++p)
        storeSums<1, kParts, kFine>(g, job, 0, panel + size_t(p), 0, sums[p]);
}

template <bool kFine>
void rebuildOneByIntegers(const Garment& g, const RebuildJob& job) {
    constexpr int kAtOnce = kWidth == 16 ? 2 : 1;
    size_t panel = 0;
    for (; panel + kAtOnce <= g.panels; panel += kAtOnce)
        integerPanels<kAtOnce, kFine>(g, job, panel);
    for (; panel < g.panels; ++panel) integerPanels<1, kFine>(g, job, panel);
}

template <bool kFine>
void rebuildByIntegers(const Garment& g, const RebuildJob& job, int32_t* scratch) {
    const bool mixed = g.basis->encoding == format::kMixed;
    // to the same bits; narrower sets do without, for their code is to stay small
    if constexpr (kWidth >= 8)
        if (mixed && job.rows == 1) return rebuildOneByIntegers<kFine>(g, job);
    constexpr int kRows = kFine ? kTileRows / 2 : kTileRows;
    constexpr int kOneTaken = kFine && kWidth < 8 ? 1 : kParts;
    const bool as_it_lies = mixed && g.basis->wide_modes >= job.modes;
    Chunk chunk{0, 0,
                as_it_lies ? size_t(g.panel_bytes / sizeof(int32_t)) : 48 * ((job.modes + 1) / 2)};
    const size_t room = (as_it_lies ? kCacheFloats : kPanelFloats) / chunk.step;
    for (; chunk.first < g.panels; chunk.first += chunk.count) {
        chunk.count = g.panels - chunk.first < room ? g.panels - chunk.first : room;
        const int32_t* basis = scratch;
        if (as_it_lies)
            basis = reinterpret_cast<const int32_t*>(g.basis_data + chunk.first * g.panel_bytes);
        else
            for (size_t p = 0; p < chunk.count; ++p)
                pairPanel(g, chunk.first + p, job.modes, scratch + p * chunk.step);
        size_t row = 0;
        for (; row + kRows <= job.rows; row += kRows)
            integerChunk<kRows, 1, kFine>(g, job, chunk, basis, row);
        for (; row < job.rows; ++row) integerChunk<1, kOneTaken, kFine>(g, job, chunk, basis, row);
    }
}

void rebuildIntegers(const Garment& g, const RebuildJob& wanted) {
    RebuildJob job = wanted;
    quantiseRows(g, job);
    auto* scratch = reinterpret_cast<int32_t*>(job.panels);
    if (job.fine_pairs) return rebuildByIntegers<true>(g, job, scratch);
    float joint_units[128];
    if (carriesByIntegers(g, job)) {
        quantiseMatrices(g, job, job.joint_scratch, joint_units);
        job.joint_pairs = job.joint_scratch;
        job.joint_units = joint_units;
    }
    rebuildByIntegers<false>(g, job, scratch);
}

extern const Kernels table;
const Kernels table = {HEM_SET_NAME, layer, rebuild, rebuildIntegers, powers, allWithin,
                       normalise,    hold,  keep,    pushOut};

}  // namespace hem::runtime::HEM_SET
