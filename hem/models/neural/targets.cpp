// SPDX-License-Identifier: Apache-2.0
#include "hem/models/neural/targets.h"

#include <algorithm>
#include <cmath>

namespace hem {
namespace {

using Index = Eigen::Index;
constexpr Index kBlock = 512;  // examples held at a time in double

// Mean over examples of the squared length of a column.
double meanSquare(const MatrixF& columns) {
    double sum = 0;
    for (auto column : columns.colwise()) sum += double(column.squaredNorm());
    return sum / double(std::max<Index>(1, columns.cols()));
}

Result<Subspace> principalModes(const MatrixF& offsets, int modes) {
    const auto blocks = [&](const std::function<void(Eigen::Ref<MatrixF>)>& use) -> Status {
        for (Index first = 0; first < offsets.cols(); first += kBlock) {
            MatrixF block = offsets.middleCols(first, std::min(kBlock, offsets.cols() - first));
            use(block);
        }
        return Done{};
    };
    SubspaceOptions options;
    options.modes = modes;
    return fitSubspace(blocks, size_t(offsets.cols()), size_t(offsets.rows()) / 3, options);
}

VectorF meanOf(const MatrixF& columns) {
    VectorD sum = VectorD::Zero(columns.rows());
    for (auto column : columns.colwise()) sum += column.cast<double>();
    return (sum / double(columns.cols())).cast<float>();
}

// Coefficients, or offsets from the mean where there are no modes; and the cost that is left out.
MatrixF outputsOf(const Subspace& s, const MatrixF& offsets, double* rest) {
    *rest = 0;
    MatrixF centred = offsets.colwise() - s.mean;
    if (s.basis.cols() == 0) return centred;
    MatrixF outputs(s.basis.cols(), offsets.cols());
    outputs.noalias() = s.basis.transpose() * centred;
    const double left = meanSquare(centred) - meanSquare(outputs);
    *rest = std::max(0.0, left) / double(offsets.rows());
    return outputs;
}

// Root mean square, not much below the largest: outputs that never change are no reason to divide.
VectorF unitsOf(const MatrixF& outputs) {
    VectorD square = VectorD::Zero(outputs.rows());
    for (auto column : outputs.colwise()) square += column.cast<double>().cwiseAbs2();
    const VectorD unit = (square / double(outputs.cols())).cwiseSqrt();
    return unit.cwiseMax(std::max(1e-9, 1e-4 * unit.maxCoeff())).cast<float>();
}

}  // namespace

Result<NeuralTargets> makeTargets(const PoseExamples& training, const PoseExamples& validation,
                                  int modes) {
    NeuralTargets t;
    if (modes > 0) {
        auto subspace = principalModes(training.offsets, modes);
        if (!subspace)
            return inContext(
                "the offsets of training's poses (ask for fewer modes, or simulate "
                "more poses)",
                subspace.error());
        t.subspace = std::move(*subspace);
    } else {
        t.subspace.mean = meanOf(training.offsets);
        t.subspace.basis.resize(training.offsets.rows(), 0);
    }
    t.training = outputsOf(t.subspace, training.offsets, &t.training_rest);
    t.validation = outputsOf(t.subspace, validation.offsets, &t.validation_rest);
    t.unit = unitsOf(t.training);
    const double sum = double(t.unit.cast<double>().squaredNorm());
    t.weight = (t.unit.cast<double>().cwiseAbs2() / sum).cast<float>();
    t.cost_scale = sum / double(training.offsets.rows());
    for (MatrixF* outputs : {&t.training, &t.validation})
        outputs->array().colwise() /= t.unit.array();
    return t;
}

OutputModes throughModes(const Layer& direct, const MatrixF& hidden) {
    const MatrixD w = direct.weights.cast<double>(), h = hidden.cast<double>();
    const VectorD mean = h.rowwise().mean();
    MatrixD covariance = (h.colwise() - mean) * (h.colwise() - mean).transpose() / double(h.cols());
    // a little of every direction: hidden units that training never woke count, too
    covariance.diagonal().array() += 1e-6 * covariance.trace() / double(h.rows()) + 1e-30;
    const MatrixD root = Eigen::SelfAdjointEigenSolver<MatrixD>(covariance).operatorSqrt();
    const MatrixD spread = w * root;  // covariance of the outputs = spread spread^T
    const Eigen::SelfAdjointEigenSolver<MatrixD> eigen(spread.transpose() * spread);
    const Index modes = std::min(w.rows(), w.cols());
    const MatrixD directions = spread * eigen.eigenvectors().rowwise().reverse().leftCols(modes);
    const MatrixD basis = Eigen::HouseholderQR<MatrixD>(directions).householderQ() *
                          MatrixD::Identity(w.rows(), modes);
    OutputModes out;
    out.subspace.mean = (direct.bias.cast<double>() + w * mean).cast<float>();
    out.subspace.basis = basis.cast<float>();
    out.subspace.variance = eigen.eigenvalues().reverse().head(modes).cwiseMax(0);
    out.subspace.total_variance = out.subspace.variance.sum();
    const MatrixD weights = basis.transpose() * w;
    out.layer = {weights.cast<float>(), (-weights * mean).cast<float>()};
    return out;
}

}  // namespace hem
