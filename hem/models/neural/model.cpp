// SPDX-License-Identifier: Apache-2.0
#include "hem/models/neural/model.h"

#include "hem/models/neural/perceptron.h"

namespace hem {

MatrixF latentOffsets(const NeuralModel& model, MatrixF inputs) {
    applyRange(model.range, inputs);
    for (size_t i = 0; i < model.layers.size(); ++i) {
        const Layer& layer = model.layers[i];
        MatrixF next = (layer.weights * inputs).colwise() + layer.bias;
        if (i + 1 < model.layers.size()) activate(model.activation, next, nullptr);
        inputs = std::move(next);
    }
    for (auto column : inputs.colwise())
        column = column.cwiseMin(model.output_limit).cwiseMax(-model.output_limit);
    return inputs;
}

MatrixF offsets(const NeuralModel& model, const MatrixF& inputs) {
    return (model.subspace.basis * latentOffsets(model, inputs)).colwise() + model.subspace.mean;
}

}  // namespace hem
