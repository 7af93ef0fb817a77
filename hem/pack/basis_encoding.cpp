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

// What a file keeps of a basis in one section.
struct Part {
    std::vector<Index> vertices, modes;

    MatrixF of(const MatrixF& basis) const {
        MatrixF part(3 * Index(vertices.size()), Index(modes.size()));
        for (size_t v = 0; v < vertices.size(); ++v)
            for (size_t m = 0; m < modes.size(); ++m)
                part.block<3, 1>(3 * Index(v), Index(m)) =
                    basis.block<3, 1>(3 * vertices[v], modes[m]);
        return part;
    }
    // An even number: as many as take those before mode `first_narrow` of all.
    Index wideModes(Index first_narrow) const {
        const auto end = std::lower_bound(modes.begin(), modes.end(), first_narrow);
        return (end - modes.begin() + 1) / 2 * 2;
    }
};

std::vector<Part> partsOf(const MatrixF& basis, const Mirror* mirror) {
    std::vector<Part> parts(mirror ? 2 : 1);
    for (Index m = 0; m < basis.cols(); ++m)
        parts[mirror ? mirror->is_odd[size_t(m)] : 0].modes.push_back(m);
    for (Part& part : parts) {
        if (mirror) part.vertices.assign(mirror->left.begin(), mirror->left.end());
        for (Index v = 0; v < basis.rows() / 3 && !mirror; ++v) part.vertices.push_back(v);
    }
    return parts;
}

// The columns of `wide` for wide modes, and those of `narrow`.
MatrixF mixed(const MatrixF& wide, const MatrixF& narrow, const std::vector<Part>& parts,
              Index first_narrow) {
    MatrixF both = narrow;
    for (const Part& part : parts) {
        const Index count = std::min(part.wideModes(first_narrow), Index(part.modes.size()));
        for (Index i = 0; i < count; ++i)
            both.col(part.modes[size_t(i)]) = wide.col(part.modes[size_t(i)]);
    }
    return both;
}

Result<std::vector<EncodedBasis>> encodeMixed(const MatrixF& basis, const MatrixF& frames,
                                              const std::vector<Part>& parts, float tolerance_um) {
    const Quantised wide = quantise(basis, 32767), narrow = quantise(basis, 127);
    const Index even = (basis.cols() + 1) / 2 * 2;
    const float tolerance = tolerance_um * 1e-6f;
    const auto errorOf = [&](const MatrixF& over, Index first_narrow) {
        return largestError(mixed(wide.errors, narrow.errors, parts, first_narrow), over);
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
    const MatrixF integers = mixed(wide.integers, narrow.integers, parts, low),
                  scale = mixed(wide.scale.transpose(), narrow.scale.transpose(), parts, low);
    std::vector<EncodedBasis> all;
    for (const Part& part : parts) {
        EncodedBasis encoded{BasisEncoding::kMixed, int(part.wideModes(low))};
        encoded.scale.resize(Index(part.modes.size()));
        for (Index i = 0; i < encoded.scale.size(); ++i)
            encoded.scale[i] = scale(0, part.modes[size_t(i)]);
        encoded.largest_error_um = 1e6f * error;
        writeMixed(part.of(integers), part.wideModes(low), encoded.data);
        all.push_back(std::move(encoded));
    }
    return all;
}

std::vector<EncodedBasis> encodeFloats(const MatrixF& basis, const MatrixF& frames,
                                       const std::vector<Part>& parts, BasisEncoding encoding) {
    float error_um = 0;
    if (encoding == BasisEncoding::kFloat16) {
        const MatrixF rounded =
            basis.unaryExpr([](float x) { return floatFromHalf(halfFromFloat(x)); });
        error_um = 1e6f * largestError(rounded - basis, frames);
    }
    std::vector<EncodedBasis> all;
    for (const Part& part : parts) {
        const MatrixF kept = part.of(basis);
        EncodedBasis encoded{encoding};
        encoded.scale = kept.cwiseAbs().colwise().maxCoeff().transpose() / 32767;
        encoded.largest_error_um = error_um;
        if (encoding == BasisEncoding::kFloat32)
            writePanels(
                kept, [](float x) { return x; }, encoded.data);
        else
            writePanels(kept, halfFromFloat, encoded.data);
        all.push_back(std::move(encoded));
    }
    return all;
}

}  // namespace

Result<std::vector<EncodedBasis>> encodeBases(const MatrixF& basis, const MatrixF& frames,
                                              BasisEncoding encoding, float tolerance_um,
                                              const Mirror* mirror) {
    const std::vector<Part> parts = partsOf(basis, mirror);
    if (encoding == BasisEncoding::kMixed) return encodeMixed(basis, frames, parts, tolerance_um);
    return encodeFloats(basis, frames, parts, encoding);
}

Result<EncodedBasis> encodeBasis(const MatrixF& basis, const MatrixF& frames,
                                 BasisEncoding encoding, float tolerance_um) {
    auto bases = encodeBases(basis, frames, encoding, tolerance_um, nullptr);
    if (!bases) return bases.error();
    return std::move(bases->front());
}

}  // namespace hem
