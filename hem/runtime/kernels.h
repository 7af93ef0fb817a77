// SPDX-License-Identifier: Apache-2.0
// The player's inner loops, once for each instruction set, chosen when the program runs.
//
// The files *_impl.h are compiled once for each set, at the width of its registers.
// Every output is a sum over columns in their order, so that neither the width nor the division of
// wearers into batches shows in the bits. Where the set fuses multiplication and addition it is
// always done, elsewhere never: the fused sets (AVX2, AVX-512, NEON) agree with each other to the
// bit, and so do the others (scalar, SSE4, WebAssembly).
#pragma once

#include "hem/runtime/garment.h"

namespace hem::runtime {

enum class Activation { kNone, kSilu, kRelu };

// y = activation(X W^T + bias), one row a wearer. Rows of y are written up to a multiple of 16
// numbers; x and y may be parts of the same rows where what is written past y is not read.
struct LayerJob {
    const float* x;
    size_t x_stride;
    float* y;
    size_t y_stride;
    size_t rows;
    Activation activation;
    // Scratch, rows by x_stride: a row's x as int16, and the unit they are in. Where they are not null,
    // and the matrix has pairs, 16-bit products are summed up in place of floats.
    int32_t* pairs = nullptr;
    float* units = nullptr;
};

// cosine and sine of the heading, and the root's position.
struct Placement {
    float cos, sin, minus_sin, position[3];
};

constexpr size_t kPanelFloats = 20 << 10;  // of expanded panels
constexpr size_t kMaxIntegerJoints = 19;   // that HEM_APPROXIMATE carries vertices by
constexpr size_t kCacheFloats = 3 << 15;   // of panels, used as they lie, that stay in the cache

// What a basis is multiplied by. For kMixed x is y times the basis's scale, and where it is not
// approximate, / 65536.
struct BasisJob {
    const float*
        x;  // rows by x_stride, zeros in place of modes that are left out and past the last
    size_t x_stride;      // a multiple of 16
    size_t modes;         // even, or all; the columns that count
    int32_t* pairs;       // scratch, for integers: rows by x_stride / 2
    int32_t* fine_pairs;  // the same; null where the weights' 16 bits are enough
    float* units;         // scratch, for integers: rows
    int32_t* shifts;      // the same: narrow modes' weights are multiples of 2^shift units
    size_t quads;         // the kernels' own: narrow modes / 4 where 8-bit products sum them up
};

// vertex = R_y(heading) (carried + mean + sum_m x_m basis_m) + position, carried = sum_j w_j K_j rest
// for the neural kind and nought otherwise; or the two vertices that format.h has of E and O.
struct RebuildJob {
    BasisJob weights[2];    // for each of the garment's bases
    const float* matrices;  // K, rows by matrices_stride; null where nothing is carried
    size_t matrices_stride;
    int32_t* joint_scratch;  // 6 * kMaxIntegerJoints a row
    // The kernels' own: matrices as int16, 6 pairs a joint, and their units.
    const int32_t* joint_pairs;
    const float* joint_units;
    const Placement* places;
    size_t rows;
    float* panels;  // scratch: kPanelFloats, at a multiple of 64
    float* positions;
    size_t wearer_stride, vertex_stride;
};

// Moves vertices of one wearer out of the body (format.h, BodyHeader). Matrices and positions count
// from `origin`.
struct PushJob {
    const float* matrices;  // 12 for each of the body's joints
    float origin[3];
    float* positions;
    size_t vertex_stride;
    float* posed;  // scratch: kPosedFloats, at a multiple of 64
};
// A posed panel, of 16 lanes each: -2 c / reach^2 (3), |c|^2 / reach^2, n (3),
// -n . c - offset - distance.
constexpr size_t kPosedPanel = 8 * format::kLanes;
constexpr size_t kPosedFloats = kPosedPanel * format::kMaxBodyPanels;

struct Kernels {
    const char* name;
    void (*layer)(const Matrix& matrix, const LayerJob& job);
    void (*rebuild)(const Garment& garment, const RebuildJob& job);
    // The same with 16-bit products, of weights in 16 bits, 8 where the mode has 8, or in twice 16
    // where there are fine_pairs: then, of a kMixed file, it is as near as floats are, and one wearer
    // alone takes half the time. Integer sums: the same bits on all sets.
    void (*rebuildIntegers)(const Garment& garment, const RebuildJob& job);
    // re + i im = exp(s (-exp(log_decay) + i angle)), `count` of them.
    void (*powers)(const float* log_decay, const float* angle, float s, size_t count, float* re,
                   float* im);
    // Whether every |value| is below `most`; NaN is not. `count`: a multiple of 16.
    bool (*allWithin)(const float* values, size_t count, float most);
    // inputs = (inputs - offset) * scale; whether any is outside low..high. All are padded to a
    // multiple of 16, and written so far.
    bool (*normalise)(const Garment& garment, float* inputs);
    // Holds the values within -limit and limit; padded likewise.
    void (*hold)(const float* limit, size_t count, float* values);
    // Holds `modes` values within their limits; puts them in front of a history of `slots` times as
    // many, the others one back and the last one out; and copies them to `to`, unless it is null.
    void (*keep)(const float* limit, size_t modes, size_t slots, float* values, float* history,
                 float* to);
    // Of a garment that has a body. Finite matrices and positions give finite positions.
    void (*pushOut)(const Garment& garment, const PushJob& job);
};

// The best that this processor has; always the same one.
const Kernels& kernels();

// The sets that this processor can run, for tests and benchmarks: null at and past the last.
const Kernels* kernelsNumber(size_t number);
// Uses `kernels` in all later calls of this process, or the best again where it is null. For tests
// and benchmarks: no call may be under way.
void forceKernels(const Kernels* kernels);

}  // namespace hem::runtime
