// SPDX-License-Identifier: Apache-2.0
#include "hem/models/neural/perceptron.h"

#include <cmath>

#include "hem/core/check.h"
#include "hem/core/random.h"

namespace hem {
namespace {

using Index = Eigen::Index;

}  // namespace

void activate(NeuralActivation activation, MatrixF& z, MatrixF* slope) {
    if (activation == NeuralActivation::kRelu) {
        if (slope) *slope = (z.array() > 0).cast<float>();
        z = z.cwiseMax(0.0f);
        return;
    }
    const MatrixF sigmoid = (1 + (-z.array()).exp()).inverse();
    if (slope) *slope = sigmoid.array() * (1 + z.array() * (1 - sigmoid.array()));
    z.array() *= sigmoid.array();
}

Perceptron::Perceptron(std::vector<int> widths, NeuralActivation activation)
    : activation_(activation) {
    CHECK_GE(widths.size(), size_t(2));
    for (size_t i = 0; i + 1 < widths.size(); ++i) {
        const Index in = widths[i], out = widths[i + 1];
        parts_.push_back({in, out, count_, count_ + in * out});
        count_ += in * out + out;
    }
}

VectorF Perceptron::initialParameters(uint64_t seed) const {
    Random random(seed, "perceptron");
    VectorF parameters = VectorF::Zero(count_);
    for (const Part& part : parts_) {
        const bool is_last = &part == &parts_.back();
        const float size = std::sqrt(2.0f / float(part.in)) * (is_last ? 0.1f : 1.0f);
        for (Index i = 0; i < part.in * part.out; ++i)
            parameters[part.weights + i] = size * random.normal();
    }
    return parameters;
}

VectorF Perceptron::decayMask() const {
    VectorF mask = VectorF::Zero(count_);
    for (const Part& part : parts_) mask.segment(part.weights, part.in * part.out).setOnes();
    return mask;
}

MatrixF Perceptron::outputs(const VectorF& parameters,
                            const Eigen::Ref<const MatrixF>& inputs) const {
    MatrixF x = inputs;
    for (const Part& part : parts_) {
        const Eigen::Map<const MatrixF> w(parameters.data() + part.weights, part.out, part.in);
        MatrixF z(part.out, x.cols());
        z.noalias() = w * x;
        z.colwise() += parameters.segment(part.bias, part.out);
        if (&part != &parts_.back()) activate(activation_, z, nullptr);
        x = std::move(z);
    }
    return x;
}

double Perceptron::addGradient(const VectorF& parameters, const Eigen::Ref<const MatrixF>& inputs,
                               const Eigen::Ref<const MatrixF>& targets, const VectorF& weight,
                               VectorF& gradient) const {
    const Index n = inputs.cols();
    const size_t last = parts_.size() - 1;
    std::vector<MatrixF> x(parts_.size()), slope(last);  // outputs of the layers
    for (size_t i = 0; i <= last; ++i) {
        const Part& part = parts_[i];
        const Eigen::Map<const MatrixF> w(parameters.data() + part.weights, part.out, part.in);
        x[i].resize(part.out, n);
        if (i)
            x[i].noalias() = w * x[i - 1];
        else
            x[i].noalias() = w * inputs;
        x[i].colwise() += parameters.segment(part.bias, part.out);
        if (i < last) activate(activation_, x[i], &slope[i]);
    }
    MatrixF d = x[last] - targets;
    const double error = double((d.array().square().colwise() * weight.array()).sum());
    d.array().colwise() *= 2 * weight.array();
    for (size_t i = last + 1; i-- > 0;) {
        const Part& part = parts_[i];
        Eigen::Map<MatrixF> g(gradient.data() + part.weights, part.out, part.in);
        if (i)
            g.noalias() += d * x[i - 1].transpose();
        else
            g.noalias() += d * inputs.transpose();
        gradient.segment(part.bias, part.out) += d.rowwise().sum();
        if (!i) break;
        const Eigen::Map<const MatrixF> w(parameters.data() + part.weights, part.out, part.in);
        MatrixF before(part.in, n);
        before.noalias() = w.transpose() * d;
        d = before.cwiseProduct(slope[i - 1]);
    }
    return error;
}

std::vector<Layer> Perceptron::layers(const VectorF& parameters) const {
    std::vector<Layer> layers;
    for (const Part& part : parts_)
        layers.push_back(
            {Eigen::Map<const MatrixF>(parameters.data() + part.weights, part.out, part.in),
             parameters.segment(part.bias, part.out)});
    return layers;
}

}  // namespace hem
