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

// kRows rows times kGroups panels, at `lane` of them.
template <int kRows, int kGroups, int kTaken>
void layerTile(const Matrix& m, const LayerJob& job, size_t row, size_t panel, size_t lane) {
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
    float* y = job.y + row * job.y_stride + 16 * panel + lane;
#pragma GCC unroll 16
    for (int r = 0; r < kRows; ++r)
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) {
            if (job.activation == Activation::kSilu) acc[r][v] = silu(acc[r][v]);
            if (job.activation == Activation::kRelu) acc[r][v] = most(acc[r][v], Floats{});
            store(y + size_t(r) * job.y_stride + v / kTaken * 16 + v % kTaken * kWidth, acc[r][v]);
        }
}

// The tile that fills the registers: 8 rows by 3 vectors where there are 32 of them, 4 by 3 where
// 16.
#if HEM_WIDTH == 16 || defined(__aarch64__)
constexpr int kTileRows = 8;
#else
constexpr int kTileRows = 4;
#endif

template <int kGroups>
void layerPanels(const Matrix& m, const LayerJob& job, size_t panel) {
    size_t row = 0;
    for (; row + kTileRows <= job.rows; row += kTileRows)
        for (size_t lane = 0; lane < 16; lane += kWidth)
            layerTile<kTileRows, kGroups, 1>(m, job, row, panel, lane);
    for (; kTileRows > 4 && row + 4 <= job.rows; row += 4)
        for (size_t lane = 0; lane < 16; lane += kWidth)
            layerTile<4, kGroups, 1>(m, job, row, panel, lane);
    for (; row < job.rows; ++row) layerTile<1, kGroups, kParts>(m, job, row, panel, 0);
}

// One wearer alone: the more sums at a time, the less each waits for its own last product.
void layerRow(const Matrix& m, const LayerJob& job) {
    const size_t panels = (m.out + 15) / 16;
    size_t panel = 0;
    for (; panel + 4 <= panels; panel += 4)
        for (size_t lane = 0; lane < 16; lane += kWidth) layerTile<1, 4, 1>(m, job, 0, panel, lane);
    for (; panel < panels; ++panel) layerTile<1, 1, kParts>(m, job, 0, panel, 0);
}

void layer(const Matrix& m, const LayerJob& job) {
    if (job.rows == 1) return layerRow(m, job);
    const size_t panels = (m.out + 15) / 16;
    size_t panel = 0;
    for (; panel + 3 <= panels; panel += 3) layerPanels<3>(m, job, panel);
    if (panels - panel == 2) layerPanels<2>(m, job, panel);
    if (panels - panel == 1) layerPanels<1>(m, job, panel);
}

HEM_INLINE bool any(Ints mask) { return bitMask(mask) != 0; }

bool allWithin(const float* values, size_t count, float limit) {
    Ints bad = {};
    for (size_t i = 0; i < count; i += kWidth) {
        const Floats value = load(values + i);
        bad |= ~((value < limit) & (value > -limit));
    }
    return !any(bad);
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
