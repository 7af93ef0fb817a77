// SPDX-License-Identifier: Apache-2.0
// PCA by the method of snapshots: eigenvectors of frames by frames in place of coordinates by
// coordinates (Sirovich, "Turbulence and the dynamics of coherent structures", 1987).
#include "hem/eval/baked_shapes.h"

#include <algorithm>
#include <cmath>

#include "hem/core/check.h"

namespace hem {
namespace {

using Eigen::Index;

constexpr Index kMostSnapshots = 1000;

// Columns evenly spread over all.
MatrixD snapshotsOf(const MatrixD& offsets) {
    const Index count = std::min(offsets.cols(), kMostSnapshots);
    MatrixD some(offsets.rows(), count);
    for (Index i = 0; i < count; ++i) some.col(i) = offsets.col(i * offsets.cols() / count);
    return some;
}

// Unit columns, the largest variance first; what is rounding alone is left out.
MatrixD componentsOf(const MatrixD& snapshots, Index most) {
    const Eigen::SelfAdjointEigenSolver<MatrixD> eigen(snapshots.transpose() * snapshots);
    const VectorD& values = eigen.eigenvalues();  // increasing
    const Index all = values.size();
    Index count = 0;
    while (count < std::min(all, most) && values[all - 1 - count] > 1e-13 * values[all - 1])
        ++count;
    MatrixD components =
        snapshots * eigen.eigenvectors().rightCols(count).rowwise().reverse().eval();
    components.colwise().normalize();
    return components;
}

double farthest(const MatrixD& offsets) {
    double square = 0;
    for (Index i = 0; i + 2 < offsets.size(); i += 3)
        square = std::max(square, offsets.reshaped().segment<3>(i).squaredNorm());
    return std::sqrt(square);
}

}  // namespace

BakedShapes bakeShapes(const MatrixF& frames, double tolerance, int most) {
    CHECK_GT(frames.cols(), 0);
    CHECK_GT(most, 0);
    const VectorD mean = frames.cast<double>().rowwise().mean();
    MatrixD left = frames.cast<double>().colwise() - mean;  // what no mode has taken yet
    const MatrixD components = componentsOf(snapshotsOf(left), most);
    MatrixD basis = MatrixD::Zero(left.rows(), std::max<Index>(1, components.cols()));
    MatrixD weights = MatrixD::Zero(basis.cols(), left.cols());
    BakedShapes baked{.largest_error = farthest(left)};
    Index modes = 0;
    for (; modes < components.cols() && baked.largest_error > tolerance; ++modes) {
        basis.col(modes) = components.col(modes);
        weights.row(modes) = basis.col(modes).transpose() * left;
        left.noalias() -= basis.col(modes) * weights.row(modes);
        baked.largest_error = farthest(left);
    }
    modes = std::max<Index>(1, modes);
    baked.shapes.mean = mean.cast<float>();
    baked.shapes.basis = basis.leftCols(modes).cast<float>();
    baked.weights = weights.topRows(modes).cast<float>();
    baked.shapes.variance = weights.topRows(modes).rowwise().squaredNorm() / double(frames.cols());
    return baked;
}

}  // namespace hem
