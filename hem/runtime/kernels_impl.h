// SPDX-License-Identifier: Apache-2.0
// The micro-kernel, networks and powers, for one instruction set: see vectors.h.
#include "hem/runtime/vectors.h"

namespace hem::runtime::HEM_SET {

// acc[r][v] += sum_k x[r][k] w[k][v], in the order of k. The vectors v are kGroups rows of 16 lanes
// (panels of a network, or x, y, z of a basis panel), of each of which kTaken registers are taken.
template <int kRows, int kGroups, int kTaken>
HEM_INLINE void multiply(const float* x, size_t x_stride, size_t columns, const float* w,
                         size_t column_step, size_t group_step,
                         Floats (&acc)[kRows][kGroups * kTaken]) {
    constexpr int kVectors = kGroups * kTaken;
    for (size_t k = 0; k < columns; ++k, w += column_step) {
        Floats b[kVectors];
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v)
            b[v] = load(w + size_t(v / kTaken) * group_step + size_t(v % kTaken) * kWidth);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
            const Floats s = splat(x[size_t(r) * x_stride + k]);
#pragma GCC unroll 16
            for (int v = 0; v < kVectors; ++v) acc[r][v] = mulAdd(s, b[v], acc[r][v]);
        }
    }
}

template <int kRows, int kGroups, int kTaken>
HEM_INLINE void storeLayer(const LayerJob& job, size_t row, size_t panel, size_t lane,
                           Floats (&acc)[kRows][kGroups * kTaken]) {
    float* y = job.y + row * job.y_stride + 16 * panel + lane;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < kGroups * kTaken; ++v) {
            if (job.activation == Activation::kSilu) acc[r][v] = silu(acc[r][v]);
            if (job.activation == Activation::kRelu) acc[r][v] = most(acc[r][v], Floats{});
            store(y + size_t(r) * job.y_stride + v / kTaken * 16 + v % kTaken * kWidth, acc[r][v]);
        }
}

// kRows rows times kGroups panels, at `lane` of them: what follows has three ways to do it.
struct FloatLayer {
    template <int kRows, int kGroups, int kTaken>
    static void tile(const Matrix& m, const LayerJob& job, size_t row, size_t panel, size_t lane) {
        constexpr int kVectors = kGroups * kTaken;
        Floats acc[kRows][kVectors];
        const float* bias = m.bias + 16 * panel + lane;
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) {
            const Floats b = load(bias + v / kTaken * 16 + v % kTaken * kWidth);
#pragma GCC unroll 16
            for (int r = 0; r < kRows; ++r) acc[r][v] = b;
        }
        const size_t panel_size = 16 * size_t(m.in);
        multiply<kRows, kGroups, kTaken>(job.x + row * job.x_stride, job.x_stride, m.in,
                                         m.panels + panel * panel_size + lane, 16, panel_size, acc);
        storeLayer<kRows, kGroups, kTaken>(job, row, panel, lane, acc);
    }
};

// Sums of products by integer weights, each row's in a unit of its own, as outputs.
template <int kRows, int kGroups, int kTaken>
HEM_INLINE void scaleLayer(const Matrix& m, size_t panel, size_t lane, const float (&units)[kRows],
                           Floats (&acc)[kRows][kGroups * kTaken]) {
    const float *bias = m.bias + 16 * panel + lane, *scale = m.scale + 16 * panel + lane;
#pragma GCC unroll 16
    for (int v = 0; v < kGroups * kTaken; ++v) {
        const size_t at = size_t(v / kTaken * 16 + v % kTaken * kWidth);
        const Floats b = load(bias + at), s = load(scale + at);
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) acc[r][v] = mulAdd(acc[r][v], s * units[r], b);
    }
}

template <int kGroups, int kTaken>
HEM_INLINE void loadPairs(const int32_t* pairs, size_t panel_size, Ints (&b)[kGroups * kTaken]) {
#pragma GCC unroll 16
    for (int v = 0; v < kGroups * kTaken; ++v)
        b[v] = load(pairs + size_t(v / kTaken) * panel_size + size_t(v % kTaken) * kWidth);
}

// Weights in 16 bits, made floats on the way.
struct PairLayer {
    template <int kRows, int kGroups, int kTaken>
    static void tile(const Matrix& m, const LayerJob& job, size_t row, size_t panel, size_t lane) {
        constexpr int kVectors = kGroups * kTaken;
        const size_t panel_size = 16 * ((size_t(m.in) + 1) / 2);
        const int32_t* pairs = m.pairs + panel * panel_size + lane;
        const float* x = job.x + row * job.x_stride;
        Floats acc[kRows][kVectors] = {};
        const auto add = [&](size_t k, const Floats(&b)[kVectors]) {
#pragma GCC unroll 16
            for (int r = 0; r < kRows; ++r) {
                const Floats s = splat(x[size_t(r) * job.x_stride + k]);
#pragma GCC unroll 16
                for (int v = 0; v < kVectors; ++v) acc[r][v] = mulAdd(s, b[v], acc[r][v]);
            }
        };
        for (size_t k = 0; k < m.in; k += 2, pairs += 16) {
            Ints both[kVectors];
            loadPairs<kGroups, kTaken>(pairs, panel_size, both);
            Floats b[kVectors];
#pragma GCC unroll 16
            for (int v = 0; v < kVectors; ++v) b[v] = lowOfPairs(both[v]);
            add(k, b);
            if (k + 1 == m.in) break;
#pragma GCC unroll 16
            for (int v = 0; v < kVectors; ++v) b[v] = highOfPairs(both[v]);
            add(k + 1, b);
        }
        float units[kRows];
        for (int r = 0; r < kRows; ++r) units[r] = 1 / 65536.0f;
        scaleLayer<kRows, kGroups, kTaken>(m, panel, lane, units, acc);
        storeLayer<kRows, kGroups, kTaken>(job, row, panel, lane, acc);
    }
};

// Weights and inputs in 16 bits.
struct IntegerLayer {
    template <int kRows, int kGroups, int kTaken>
    static void tile(const Matrix& m, const LayerJob& job, size_t row, size_t panel, size_t lane) {
        constexpr int kVectors = kGroups * kTaken;
        const size_t columns = (size_t(m.in) + 1) / 2, panel_size = 16 * columns;
        const int32_t *pairs = m.pairs + panel * panel_size + lane,
                      *x = job.pairs + row * job.x_stride;
        Ints sums[kRows][kVectors] = {};
        for (size_t k = 0; k < columns; ++k, pairs += 16) {
            Ints b[kVectors];
            loadPairs<kGroups, kTaken>(pairs, panel_size, b);
#pragma GCC unroll 16
            for (int r = 0; r < kRows; ++r) {
                const Ints s = splat(x[size_t(r) * job.x_stride + k]);
#pragma GCC unroll 16
                for (int v = 0; v < kVectors; ++v) sums[r][v] = dotPairs(sums[r][v], s, b[v]);
            }
        }
        Floats acc[kRows][kVectors];
        float units[kRows];
#pragma GCC unroll 16
        for (int r = 0; r < kRows; ++r) {
            units[r] = job.units[(row + size_t(r)) * job.x_stride];
#pragma GCC unroll 16
            for (int v = 0; v < kVectors; ++v)
                acc[r][v] = __builtin_convertvector(sums[r][v], Floats);
        }
        scaleLayer<kRows, kGroups, kTaken>(m, panel, lane, units, acc);
        storeLayer<kRows, kGroups, kTaken>(job, row, panel, lane, acc);
    }
};

// The tile that fills the registers: 8 rows by 3 vectors where there are 32 of them, 4 by 3 where
// 16.
#if HEM_WIDTH == 16 || defined(__aarch64__)
constexpr int kTileRows = 8;
#else
constexpr int kTileRows = 4;
#endif

template <class Way, int kGroups>
void layerPanels(const Matrix& m, const LayerJob& job, size_t panel) {
    size_t row = 0;
    for (; row + kTileRows <= job.rows; row += kTileRows)
        for (size_t lane = 0; lane < 16; lane += kWidth)
            Way::template tile<kTileRows, kGroups, 1>(m, job, row, panel, lane);
    for (; kTileRows > 4 && row + 4 <= job.rows; row += 4)
        for (size_t lane = 0; lane < 16; lane += kWidth)
            Way::template tile<4, kGroups, 1>(m, job, row, panel, lane);
    for (; row < job.rows; ++row) Way::template tile<1, kGroups, kParts>(m, job, row, panel, 0);
}

// One wearer alone: the more sums at a time, the less each waits for its own last product.
template <class Way>
void layerRow(const Matrix& m, const LayerJob& job) {
    const size_t panels = (m.out + 15) / 16;
    size_t panel = 0;
    for (; panel + 4 <= panels; panel += 4)
        for (size_t lane = 0; lane < 16; lane += kWidth)
            Way::template tile<1, 4, 1>(m, job, 0, panel, lane);
    for (; panel < panels; ++panel) Way::template tile<1, 1, kParts>(m, job, 0, panel, 0);
}

template <class Way>
void layerBy(const Matrix& m, const LayerJob& job) {
    if (job.rows == 1) return layerRow<Way>(m, job);
    const size_t panels = (m.out + 15) / 16;
    size_t panel = 0;
    // one panel alone keeps the multipliers waiting for loads: two and two in place of three and one
    for (; panels - panel >= 3 && panels - panel != 4; panel += 3)
        layerPanels<Way, 3>(m, job, panel);
    for (; panels - panel >= 2; panel += 2) layerPanels<Way, 2>(m, job, panel);
    if (panel < panels) layerPanels<Way, 1>(m, job, panel);
}
template <class Way>
void layerOfPairs(const Matrix& m, const LayerJob& job) {
    if constexpr (kWidth >= 8) {
        layerBy<Way>(m, job);
    } else {  // to the same bits in little code, as narrower sets are to have
        for (size_t panel = 0; panel < (m.out + 15) / 16; ++panel)
            for (size_t row = 0; row < job.rows; ++row)
                Way::template tile<1, 1, kParts>(m, job, row, panel, 0);
    }
}

typedef int16_t Shorts __attribute__((vector_size(2 * kWidth)));
// `shifted` is a whole number and 12582912, 1.5 * 2^23: its low bits are the number's.
HEM_INLINE void storeShorts(int32_t* pairs, size_t k, Floats shifted) {
    const Shorts shorts = __builtin_convertvector(bitsOf(shifted), Shorts);
    __builtin_memcpy(reinterpret_cast<int16_t*>(pairs) + k, &shorts, sizeof shorts);
}
constexpr float kToWhole = 12582912.0f;

HEM_INLINE Ints laneNumbers() {
    Ints numbers;
    for (int i = 0; i < kWidth; ++i) numbers[i] = i;
    return numbers;
}
// Of the numbers from k on, the lanes of those from `first` on.
HEM_INLINE Ints fromNumberOn(size_t first, size_t k) {
    return laneNumbers() >= splat(int32_t(first) - int32_t(k));
}

// Lane by lane, in their order: the same for every width.
HEM_INLINE float largestOf(const Floats (&parts)[kParts]) {
    float lanes[16], largest = 0;
    __builtin_memcpy(lanes, parts, sizeof lanes);
    for (const float lane : lanes) largest = lane > largest ? lane : largest;
    return largest;
}
HEM_INLINE float sumOf(const Floats (&parts)[kParts]) {
    float lanes[16], sum = 0;
    __builtin_memcpy(lanes, parts, sizeof lanes);
    for (const float lane : lanes) sum += lane;
    return sum;
}

// A row of a layer's inputs as int16, in the finest unit whose products keep within int32.
void quantiseInputs(const float* x, size_t count, int32_t* pairs, float* unit) {
    Floats largest[kParts] = {}, sums[kParts] = {};
    const auto sizeAt = [&](size_t k) {
        const Floats value = load(x + k);
        return Floats(bitsOf(most(value, -value)) & ~fromNumberOn(count, k));
    };
    for (size_t k = 0; k < count; k += 16)
        for (int v = 0; v < kParts; ++v) {
            const Floats size = sizeAt(k + size_t(v * kWidth));
            largest[v] = most(largest[v], size);
            sums[v] = sums[v] + size;
        }
    const float fine = largestOf(largest) / 32767,
                safe = sumOf(sums) * (float(format::kMaxInt16Weight) / 2.13e9f);
    *unit = fine > safe ? fine : safe;
    const float per_unit = *unit > 1e-30f ? 1 / *unit : 0;
    for (size_t k = 0; k < (count + 1) / 2 * 2; k += kWidth) {
        const Floats value = Floats(bitsOf(load(x + k) * per_unit) & ~fromNumberOn(count, k));
        storeShorts(pairs, k, value + splat(kToWhole));
    }
}

void layer(const Matrix& m, const LayerJob& job) {
    if (!m.pairs) return layerBy<FloatLayer>(m, job);
    if (!job.pairs) return layerOfPairs<PairLayer>(m, job);
    for (size_t r = 0; r < job.rows; ++r)
        quantiseInputs(job.x + r * job.x_stride, m.in, job.pairs + r * job.x_stride,
                       job.units + r * job.x_stride);
    layerOfPairs<IntegerLayer>(m, job);
}

HEM_INLINE bool any(Ints mask) { return bitMask(mask) != 0; }

bool allWithin(const float* values, size_t count, float limit) {
    // the bits of numbers without their signs are in the order of the numbers, NaN above all
    Ints largest = {};
    for (size_t i = 0; i < count; i += kWidth) {
        const Ints size = bitsOf(load(values + i)) & 0x7fffffff;
        largest = size > largest ? size : largest;
    }
    return !any(largest >= bitsOf(splat(limit)));
}

bool normalise(const Garment& g, float* inputs) {
    Ints outside = {};
    for (size_t i = 0; i < g.inputs; i += kWidth) {
        const Floats value = (load(inputs + i) - load(g.offset + i)) * load(g.scale + i);
        outside |= (value < load(g.low + i)) | (value > load(g.high + i));
        store(inputs + i, value);
    }
    return any(outside);
}

void hold(const float* limit, size_t count, float* values) {
    for (size_t i = 0; i < count; i += kWidth) {
        const Floats most_allowed = load(limit + i);
        store(values + i, most(least(load(values + i), most_allowed), -most_allowed));
    }
}

void keep(const float* limit, size_t modes, size_t slots, float* values, float* history,
          float* to) {
    size_t i = 0;
    for (; i + kWidth <= modes; i += kWidth) {
        for (size_t slot = slots; slot-- > 1;)
            store(history + slot * modes + i, load(history + (slot - 1) * modes + i));
        const Floats allowed = load(limit + i);
        const Floats held = most(least(load(values + i), allowed), -allowed);
        store(values + i, held);
        if (slots) store(history + i, held);
        if (to) store(to + i, held);
    }
    for (; i < modes; ++i) {
        for (size_t slot = slots; slot-- > 1;)
            history[slot * modes + i] = history[(slot - 1) * modes + i];
        const float below = values[i] < limit[i] ? values[i] : limit[i];
        values[i] = below > -limit[i] ? below : -limit[i];
        if (slots) history[i] = values[i];
        if (to) to[i] = values[i];
    }
}

void powers(const float* log_decay, const float* angle, float s, size_t count, float* re,
            float* im) {
    for (size_t i = 0; i < count; i += 16) {
        float decays[16], angles[16], results[2][16];
        const size_t n = count - i < 16 ? count - i : 16;
        __builtin_memset(decays, 0, sizeof decays);
        __builtin_memset(angles, 0, sizeof angles);
        __builtin_memcpy(decays, log_decay + i, n * sizeof(float));
        __builtin_memcpy(angles, angle + i, n * sizeof(float));
        for (int lane = 0; lane < 16; lane += kWidth) {
            const Floats size = exponential(-s * exponential(load(decays + lane)));
            Floats sine, cosine;
            sinCosine(s * load(angles + lane), &sine, &cosine);
            store(results[0] + lane, size * cosine);
            store(results[1] + lane, size * sine);
        }
        __builtin_memcpy(re + i, results[0], n * sizeof(float));
        __builtin_memcpy(im + i, results[1], n * sizeof(float));
    }
}

}  // namespace hem::runtime::HEM_SET
