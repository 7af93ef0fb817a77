// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/basis_encoding.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hem/pack/half.h"
#include "hem/runtime/format.h"

namespace hem {
namespace {

using Eigen::Index;

constexpr Index kLanes = format::kLanes;
constexpr Index kBlockFrames = 256;
constexpr Index kSearchFrames = 1024;  // that the search for wide_modes looks at

// Metres: the largest length of any vertex's part of errors * frames.
float largestError(const MatrixF& errors, const MatrixF& frames) {
    float largest = 0;
    for (Index first = 0; first < frames.cols(); first += kBlockFrames) {
        const Index count = std::min(kBlockFrames, frames.cols() - first);
        const MatrixF moved = errors * frames.middleCols(first, count);
        const Eigen::Map<const MatrixF> vertices(moved.data(), 3, moved.size() / 3);
        largest = std::max(largest, vertices.colwise().squaredNorm().maxCoeff());
    }
    return std::sqrt(largest);
}

MatrixF everyFewFrames(const MatrixF& frames) {
    const Index step = (frames.cols() + kSearchFrames - 1) / kSearchFrames;
    MatrixF some(frames.rows(), (frames.cols() + step - 1) / step);
    for (Index i = 0; i < some.cols(); ++i) some.col(i) = frames.col(i * step);
    return some;
}

template <class T>
void append(std::vector<std::byte>& to, T value) {
    const size_t at = to.size();
    to.resize(at + sizeof value);
    std::memcpy(to.data() + at, &value, sizeof value);
}

// [panel][mode][3][16]
template <class Number>
void writePanels(const MatrixF& basis, Number number, std::vector<std::byte>& to) {
    const Index vertices = basis.rows() / 3;
    for (Index first = 0; first < vertices; first += kLanes)
        for (Index mode = 0; mode < basis.cols(); ++mode)
            for (Index axis = 0; axis < 3; ++axis)
                for (Index v = first; v < first + kLanes; ++v)
                    append(to, number(v < vertices ? basis(3 * v + axis, mode) : 0.0f));
}

// What the player makes of the numbers in `levels` steps up and down.
struct Quantised {
    MatrixF integers;
    VectorF scale;
    MatrixF errors;  // of integers * scale
};
Quantised quantise(const MatrixF& basis, float levels) {
    Quantised q;
    q.scale = basis.cwiseAbs().colwise().maxCoeff().transpose() / levels;
    q.integers.resize(basis.rows(), basis.cols());
    for (Index m = 0; m < basis.cols(); ++m) {
        const float per_scale = q.scale[m] > 0 ? 1 / q.scale[m] : 0;
        for (Index i = 0; i < basis.rows(); ++i)
            q.integers(i, m) =
                std::clamp(std::floor(basis(i, m) * per_scale + 0.5f), -levels, levels);
    }
    q.errors = q.integers * q.scale.asDiagonal() - basis;
    return q;
}

// [panel][pair of modes][3][16][2], int16 then int8, panels at multiples of 64.
void writeMixed(const MatrixF& integers, Index wide, std::vector<std::byte>& to) {
    const Index vertices = integers.rows() / 3, even = (integers.cols() + 1) / 2 * 2;
    for (Index first = 0; first < vertices; first += kLanes) {
        for (Index mode = 0; mode < even; mode += 2)
            for (Index i = 0; i < 3 * kLanes; ++i)
                for (Index m = mode; m < mode + 2; ++m) {
                    const Index v = first + i % kLanes;
                    const bool is_there = v < vertices && m < integers.cols();
                    const float value = is_there ? integers(3 * v + i / kLanes, m) : 0;
                    if (mode < wide)
                        append(to, int16_t(value));
                    else
                        append(to, int8_t(value));
                }
        to.resize((to.size() + format::kAlignment - 1) / format::kAlignment * format::kAlignment);
    }
}

// The columns of `wide` up to a mode, then those of `narrow`.
MatrixF mixed(const MatrixF& wide, const MatrixF& narrow, Index wide_modes) {
    MatrixF both = narrow;
    const Index count = std::min(wide_modes, wide.cols());
    both.leftCols(count) = wide.leftCols(count);
    return both;
}

Result<EncodedBasis> encodeMixed(const MatrixF& basis, const MatrixF& frames, float tolerance_um) {
    const Quantised wide = quantise(basis, 32767), narrow = quantise(basis, 127);
    const Index even = (basis.cols() + 1) / 2 * 2;
    const float tolerance = tolerance_um * 1e-6f;
    const auto errorOf = [&](const MatrixF& over, Index wide_modes) {
        return largestError(mixed(wide.errors, narrow.errors, wide_modes), over);
    };
    const MatrixF some = everyFewFrames(frames);
    Index low = 0, high = even;  // as few as hold over some frames, then as hold over all
    while (low < high) {
        const Index middle = (low + high) / 4 * 2;
        if (errorOf(some, middle) <= tolerance)
            high = middle;
        else
            low = middle + 2;
    }
    float error = errorOf(frames, low);
    while (error > tolerance && low < even) error = errorOf(frames, low += 2);
    if (error > tolerance)
        return errorf(
            "16 bits leave an error of %.1f micrometres where %.1f are asked for; ask for float32, "
            "or for a tolerance of that much",
            double(1e6f * error), double(tolerance_um));
    EncodedBasis encoded{BasisEncoding::kMixed, int(low)};
    encoded.scale = mixed(wide.scale.transpose(), narrow.scale.transpose(), low).transpose();
    encoded.largest_error_um = 1e6f * error;
    writeMixed(mixed(wide.integers, narrow.integers, low), low, encoded.data);
    return encoded;
}

}  // namespace

Result<EncodedBasis> encodeBasis(const MatrixF& basis, const MatrixF& frames,
                                 BasisEncoding encoding, float tolerance_um) {
    if (encoding == BasisEncoding::kMixed) return encodeMixed(basis, frames, tolerance_um);
    EncodedBasis encoded{encoding};
    encoded.scale = basis.cwiseAbs().colwise().maxCoeff().transpose() / 32767;
    if (encoding == BasisEncoding::kFloat32) {
        writePanels(
            basis, [](float x) { return x; }, encoded.data);
        return encoded;
    }
    writePanels(basis, halfFromFloat, encoded.data);
    const MatrixF rounded =
        basis.unaryExpr([](float x) { return floatFromHalf(halfFromFloat(x)); });
    encoded.largest_error_um = 1e6f * largestError(rounded - basis, frames);
    return encoded;
}

}  // namespace hem
