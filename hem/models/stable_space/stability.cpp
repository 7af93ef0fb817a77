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

LinearStability analyse(const LinearDynamics& dynamics, const InputRange& range) {
    const Eigen::Index modes = dynamics.weights.rows(), inputs = range.low.size();
    const Eigen::Index size = std::max<Eigen::Index>(1, dynamics.order) * modes;
    LinearStability stability;
    if (dynamics.order == 0) {
        stability.q_inverse = MatrixXcd::Identity(size, size);
        stability.condition = 1;
    } else {
        const Eigen::EigenSolver<MatrixD> eigen(companionMatrix(dynamics));
        const MatrixXcd q = eigen.eigenvectors().colwise().normalized();
        stability.proof.lambda = eigen.eigenvalues().cwiseAbs().maxCoeff();
        stability.q_inverse = q.partialPivLu().inverse();
        const VectorD singular = Eigen::BDCSVD<MatrixXcd>(q).singularValues();
        stability.condition = singular[0] / singular[singular.size() - 1];
    }
    const MatrixD low = range.low.cast<double>(), high = range.high.cast<double>();
    const MatrixXcd q_top = stability.q_inverse.leftCols(modes);
    const MatrixXcd p = q_top * dynamics.weights.leftCols(inputs).cast<double>();
    const VectorXcd centre = p * VectorD((low + high) / 2) + q_top * dynamics.bias.cast<double>();
    stability.proof.k_max = boundOverBox(centre, p, (high - low) / 2);
    stability.proof.energy_bound = stability.proof.lambda < 1
                                       ? stability.proof.k_max / (1 - stability.proof.lambda)
                                       : std::numeric_limits<double>::infinity();
    return stability;
}

double largestDrive(const LinearStability& stability, const LinearDynamics& dynamics,
                    const MatrixF& inputs) {
    const MatrixD k =
        ((dynamics.weights.leftCols(inputs.rows()) * inputs).colwise() + dynamics.bias)
            .cast<double>();
    return (stability.q_inverse.leftCols(k.rows()) * k).colwise().norm().maxCoeff();
}

VectorD energies(const LinearStability& stability, const MatrixF& y, int order) {
    const Eigen::Index modes = y.rows(), depth = std::max(1, order);
    CHECK_EQ(stability.q_inverse.rows(), depth * modes);
    const Eigen::Index frames = std::max<Eigen::Index>(0, y.cols() - depth + 1);
    MatrixD states(depth * modes, frames);
    for (Eigen::Index k = 0; k < depth; ++k)
        states.middleRows(k * modes, modes) = y.middleCols(depth - 1 - k, frames).cast<double>();
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
