// SPDX-License-Identifier: Apache-2.0
// Where an interrupted training of Model N goes on from.
#pragma once

#include "hem/models/neural/training.h"
#include "hem/models/training/adam.h"

namespace hem {

// Everything that later epochs depend on, but for what the options and the data tell.
struct NeuralProgress {
    std::vector<NeuralFit::Epoch> epochs;  // done
    int best_epoch = 0;                    // counted from 1; 0: none yet
    double best_cost = 0;
    VectorF best;  // parameters
};

// Of options and data: a checkpoint of another run is none.
uint64_t runKey(const NeuralOptions& options, const PoseExamples& training,
                const PoseExamples& validation);

Status saveCheckpoint(const std::string& path, uint64_t key, const NeuralProgress& progress,
                      const Adam& adam);
// False, and nothing changes, where there is no checkpoint of this run, or a damaged one.
bool loadCheckpoint(const std::string& path, uint64_t key, NeuralProgress& progress, Adam& adam);

}  // namespace hem
