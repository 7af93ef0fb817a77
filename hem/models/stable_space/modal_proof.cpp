// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/modal_proof.h"

#include <algorithm>
#include <cmath>

namespace hem {
namespace {

struct Box {
    VectorD low, high;
};

Box through(const Layer& layer, const Box& in) {
    const MatrixD w = layer.weights.cast<double>();
    const VectorD middle = 0.5 * (in.low + in.high), half = 0.5 * (in.high - in.low);
    const VectorD centre = w * middle + layer.bias.cast<double>(), reach = w.cwiseAbs() * half;
    return {centre - reach, centre + reach};
}

double silu(double x) { return x / (1 + std::exp(-x)); }

// silu falls to its least value and then rises.
Box throughSilu(const Box& in) {
    constexpr double kLeastAt = -1.2784645427610738;
    Box out = in;
    for (Eigen::Index i = 0; i < in.low.size(); ++i) {
        const double a = silu(in.low[i]), b = silu(in.high[i]);
        const bool dips = in.low[i] < kLeastAt && kLeastAt < in.high[i];
        out.low[i] = dips ? silu(kLeastAt) : std::min(a, b);
        out.high[i] = std::max(a, b);
    }
    return out;
}

// Bounds of x and of silu(layer(x)) added up, as if the two were free of each other.
Box throughResidual(const Layer& layer, const Box& in) {
    const Box added = throughSilu(through(layer, in));
    return {in.low + added.low, in.high + added.high};
}

// The largest |drive_i| over the box of inputs.
VectorD largestDrives(const ModalDynamics& d, const InputRange& range) {
    const Box inputs{range.low.cast<double>(), range.high.cast<double>()};
    const Box a = throughResidual(d.input_residual, throughSilu(through(d.input, inputs)));
    const Box drive = through(d.drive, a);
    const VectorD size = drive.low.cwiseAbs().cwiseMax(drive.high.cwiseAbs());
    const Eigen::Index n = d.log_decay.size();
    return (size.head(n).array().square() + size.tail(n).array().square()).sqrt();
}

VectorD radii(const ModalDynamics& d) { return (-d.log_decay.cast<double>().array().exp()).exp(); }

}  // namespace

StabilityProof proveModal(const ModalDynamics& dynamics, const InputRange& range) {
    StabilityProof proof;
    proof.lambda = radii(dynamics).maxCoeff();
    proof.k_max = largestDrives(dynamics, range).norm();
    proof.energy_bound = proof.k_max / (1 - proof.lambda);
    return proof;
}

VectorD modalStateBounds(const ModalDynamics& dynamics, const InputRange& range) {
    return largestDrives(dynamics, range).array() / (1 - radii(dynamics).array());
}

}  // namespace hem
