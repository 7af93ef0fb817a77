// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/stability.h"

#include <algorithm>
#include <cmath>

#include "hem/core/check.h"

namespace hem {

namespace {

using Eigen::MatrixXcd;
using Eigen::VectorXcd;

// The largest |centre + P d| for |d_i| <= half_i, bounded in three ways.
double boundOverBox(const VectorXcd& centre, const MatrixXcd& p, const VectorD& half) {
    double by_rows = 0;
    for (Eigen::Index r = 0; r < p.rows(); ++r) {
        const double re = std::abs(centre[r].real()) + p.row(r).real().cwiseAbs().dot(half),
                     im = std::abs(centre[r].imag()) + p.row(r).imag().cwiseAbs().dot(half);
        by_rows += re * re + im * im;
    }
    const double by_columns = centre.norm() + p.colwise().norm().dot(half.transpose());
    // |P diag(half) e|, |e_i| <= 1
    const MatrixXcd scaled = p * half.asDiagonal();
    const MatrixXcd gram = scaled.adjoint() * scaled;
    const double largest = Eigen::SelfAdjointEigenSolver<MatrixXcd>(gram, Eigen::EigenvaluesOnly)
                               .eigenvalues()
                               .maxCoeff();
    const double by_norm = centre.norm() + std::sqrt(std::max(0.0, largest) * double(half.size()));
    return std::min({std::sqrt(by_rows), by_columns, by_norm});
}

}  // namespace

MatrixD companionMatrix(const LinearDynamics& dynamics) {
    const Eigen::Index modes = dynamics.weights.rows(), size = dynamics.order * modes;
    MatrixD m = MatrixD::Zero(size, size);
    if (size == 0) return m;
    m.topRows(modes) = dynamics.weights.rightCols(size).cast<double>();
    m.bottomLeftCorner(size - modes, size - modes).setIdentity();
    return m;
}

double spectralRadius(const MatrixD& matrix) {
    if (matrix.size() == 0) return 0;
    return Eigen::EigenSolver<MatrixD>(matrix, false).eigenvalues().cwiseAbs().maxCoeff();
}

// Modes that any B_k reads: the others are put out and forgotten.
static std::vector<Eigen::Index> remembered(const LinearDynamics& dynamics) {
    const Eigen::Index modes = dynamics.weights.rows();
    const auto past = dynamics.weights.rightCols(dynamics.order * modes);
    std::vector<Eigen::Index> kept;
    for (Eigen::Index m = 0; m < modes; ++m) {
        bool read = dynamics.order == 0;
        for (int k = 0; k < dynamics.order; ++k) read = read || !past.col(k * modes + m).isZero(0);
        if (read) kept.push_back(m);
    }
    return kept;
}

LinearStability analyse(const LinearDynamics& dynamics, const InputRange& range) {
    const Eigen::Index inputs = range.low.size();
    LinearStability stability{.kept = remembered(dynamics)};
    const auto modes = Eigen::Index(stability.kept.size());
    if (dynamics.order == 0) {
        stability.q_inverse = MatrixXcd::Identity(modes, modes);
        stability.condition = 1;
    } else if (modes > 0) {
        const MatrixD all = companionMatrix(dynamics);
        std::vector<Eigen::Index> states;
        for (int k = 0; k < dynamics.order; ++k)
            for (Eigen::Index m : stability.kept) states.push_back(k * dynamics.weights.rows() + m);
        const Eigen::EigenSolver<MatrixD> eigen(MatrixD(all(states, states)));
        const MatrixXcd q = eigen.eigenvectors().colwise().normalized();
        stability.proof.lambda = eigen.eigenvalues().cwiseAbs().maxCoeff();
        stability.q_inverse = q.partialPivLu().inverse();
        const VectorD singular = Eigen::BDCSVD<MatrixXcd>(q).singularValues();
        stability.condition = singular[0] / singular[singular.size() - 1];
    }
    const VectorD low = range.low.cast<double>(), high = range.high.cast<double>();
    const MatrixD weights = dynamics.weights(stability.kept, Eigen::seqN(0, inputs)).cast<double>();
    const MatrixXcd q_top = stability.q_inverse.leftCols(modes);
    const MatrixXcd p = q_top * weights;
    const VectorD bias = dynamics.bias(stability.kept).cast<double>();
    const VectorXcd centre = p * VectorD((low + high) / 2) + q_top * bias;
    stability.proof.k_max = modes > 0 ? boundOverBox(centre, p, (high - low) / 2) : 0;
    stability.proof.energy_bound = stability.proof.lambda < 1
                                       ? stability.proof.k_max / (1 - stability.proof.lambda)
                                       : std::numeric_limits<double>::infinity();
    return stability;
}

double largestDrive(const LinearStability& stability, const LinearDynamics& dynamics,
                    const MatrixF& inputs) {
    const MatrixF k = (dynamics.weights.leftCols(inputs.rows()) * inputs).colwise() + dynamics.bias;
    const MatrixD kept = k(stability.kept, Eigen::all).cast<double>();
    return (stability.q_inverse.leftCols(kept.rows()) * kept).colwise().norm().maxCoeff();
}

VectorD energies(const LinearStability& stability, const MatrixF& y, int order) {
    const Eigen::Index depth = std::max(1, order), modes = Eigen::Index(stability.kept.size());
    CHECK_EQ(stability.q_inverse.rows(), depth * modes);
    const Eigen::Index frames = std::max<Eigen::Index>(0, y.cols() - depth + 1);
    const MatrixD kept = y(stability.kept, Eigen::all).cast<double>();
    MatrixD states(depth * modes, frames);
    for (Eigen::Index k = 0; k < depth; ++k)
        states.middleRows(k * modes, modes) = kept.middleCols(depth - 1 - k, frames);
    return (stability.q_inverse * states).colwise().norm();
}

double largestGain(const LinearStability& stability, const MatrixF& y, int order,
                   const VectorF& limit) {
    const VectorD e = energies(stability, y, order);
    const Eigen::Index depth = std::max(1, order);
    double largest = 0;
    for (Eigen::Index i = 1; i < e.size(); ++i) {
        const bool limited = (y.col(i + depth - 1).cwiseAbs().array() >= limit.array()).any();
        if (!limited) largest = std::max(largest, e[i] - stability.proof.lambda * e[i - 1]);
    }
    return largest;
}

}  // namespace hem
