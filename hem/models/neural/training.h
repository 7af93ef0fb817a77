// SPDX-License-Identifier: Apache-2.0
// Training Model N: the 2021 paper's network from rotations to offsets from the skinned garment.
//
// The paper's loss is the mean over examples, vertices and axes of the squared difference of the
// offsets, "cost" below, square metres. Its "PC layer" is fixed and orthonormal, so that the
// gradient of that loss by the coefficients is that of their own squared difference: the layer need
// not be passed through, and training is some fifty times cheaper for it. Outputs are learned in
// units of their own, one for each, with their squares as weights: the same loss, in which Adam's
// steps, as long for every weight, are as long for large modes as for small ones.
//
// Without hidden layers the minimum of the loss is known: linear regression by least squares.
//
// The same bits for any number of threads: a batch is dealt to a fixed number of shards, whose
// gradients are added in order.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "hem/core/result.h"
#include "hem/models/neural/model.h"

namespace hem {

// A column an example.
struct PoseExamples {
    MatrixF inputs;   // raw: numbers times rotations
    MatrixF offsets;  // 3 * vertices, canonical axes, metres
};

struct NeuralOptions {
    int modes = 128;  // PCA coefficients that are learned; 0: the offsets themselves
    std::vector<int> hidden = {128, 256};  // widths of the layers between; empty: linear regression
    NeuralActivation activation = NeuralActivation::kRelu;
    int epochs = 200;    // at most
    int patience = 50;   // epochs without a better validation cost, after which training ends
    int batch = 32;      // examples a step
    float rate = 3e-3f;  // of Adam, at its highest
    bool cosine = true;  // the rate falls along a cosine over `epochs`; false: it stays
    float weight_decay = 0.1f;  // of the weights, per unit of rate
    float averaging = 0.998f;   // of the running mean of the parameters, per step: what is kept
    float ridge = 1e-6f;        // of linear regression, relative to the inputs' variance
    uint64_t seed = 1;

    // A file that is written every `checkpoint_every` epochs, when cancelled and at the end. A run
    // goes on from it where it is there and of the same options and data, to the same bits as one
    // that was never interrupted. Whoever has put the fit into safety removes it. Empty: none.
    std::string checkpoint;
    int checkpoint_every = 10;
    const std::atomic<bool>* cancel = nullptr;
    // Is told, after every epoch and once at the start, the epochs done and the costs of the last:
    // training's as it went, and validation's.
    std::function<void(int epochs, double training, double validation)> progress;
};

struct NeuralFit {
    NeuralModel model;  // all but its rotations
    struct Epoch {
        double training, validation;  // costs
    };
    std::vector<Epoch> epochs;                      // none of linear regression
    int best_epoch = 0;                             // whose parameters were kept, counted from 1
    double training_cost = 0, validation_cost = 0;  // of the model
};

// Fails where there are fewer examples than modes, sizes do not agree, a number is not finite, the
// checkpoint cannot be written, or training was cancelled.
Result<NeuralFit> trainNeural(const PoseExamples& training, const PoseExamples& validation,
                              const NeuralOptions& options);

// Mean over examples, vertices and axes of (offset - the model's)^2, square metres.
double costOf(const NeuralModel& model, const PoseExamples& examples);

}  // namespace hem
