// SPDX-License-Identifier: Apache-2.0
// Perceptron: a fully connected network, its outputs and their gradients.
#pragma once

#include <cstdint>
#include <vector>

#include "hem/models/neural/model.h"

namespace hem {

// z becomes s(z); `slope`, where not null, s'(z), of the same size.
void activate(NeuralActivation activation, MatrixF& z, MatrixF* slope);

// Parameters lie in one vector: of every layer the weights, column by column, then the bias. It has
// no state of its own: calls may run at the same time.
class Perceptron {
public:
    // `widths`: of the inputs, of every layer between, of the outputs; two at least.
    Perceptron(std::vector<int> widths, NeuralActivation activation);

    Eigen::Index parameterCount() const { return count_; }
    // Weights at random, of the size that keeps activations alike from layer to layer (He et al.
    // 2015), those of the last layer a tenth of it; biases nought.
    VectorF initialParameters(uint64_t seed) const;
    VectorF decayMask() const;  // Adam's: 1 for weights

    // A column an example.
    MatrixF outputs(const VectorF& parameters, const Eigen::Ref<const MatrixF>& inputs) const;
    // The sum over the examples and outputs of weight (output - target)^2; adds its gradient.
    double addGradient(const VectorF& parameters, const Eigen::Ref<const MatrixF>& inputs,
                       const Eigen::Ref<const MatrixF>& targets, const VectorF& weight,
                       VectorF& gradient) const;
    std::vector<Layer> layers(const VectorF& parameters) const;

private:
    struct Part {
        Eigen::Index in, out, weights, bias;  // the latter two: where they start
    };
    std::vector<Part> parts_;
    NeuralActivation activation_;
    Eigen::Index count_ = 0;
};

}  // namespace hem
