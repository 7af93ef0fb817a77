// SPDX-License-Identifier: Apache-2.0
// What the network of Model N learns to give, and how its last layer becomes the player's.
#pragma once

#include "hem/models/neural/training.h"

namespace hem {

// Outputs in units of their own: offsets = mean + basis * (unit * output), without a basis where
// the offsets themselves are learned.
struct NeuralTargets {
    Subspace subspace;             // modes: those learned, or none
    VectorF unit;                  // metres, per output
    VectorF weight;                // of the squared errors: unit^2, summing to 1
    double cost_scale = 0;         // cost = cost_scale * sum of weighted squares + rest
    MatrixF training, validation;  // outputs by examples
    double training_rest = 0, validation_rest = 0;  // costs of what the modes leave out
};
// `modes` as in NeuralOptions. Fails where there are fewer examples than modes.
Result<NeuralTargets> makeTargets(const PoseExamples& training, const PoseExamples& validation,
                                  int modes);

// A last layer that gives the offsets themselves, as the player wants it: modes, and the layer that
// gives their weights. The same function of the layer's inputs; `hidden`, those of training, decide
// on the order of the modes, largest variance first.
struct OutputModes {
    Subspace subspace;
    Layer layer;
};
OutputModes throughModes(const Layer& direct, const MatrixF& hidden);

}  // namespace hem
