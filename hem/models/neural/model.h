// SPDX-License-Identifier: Apache-2.0
// NeuralModel: a garment that hangs as the pose alone tells, ready to be packed. The equations are
// at kNeuralKind in hem/runtime/format.h; hem/pack writes them, the player plays them.
//
// Based on: Xue, Wu, "Data-driven clothing for interactive applications" (2021).
#pragma once

#include <string>
#include <vector>

#include "hem/models/neural/rotation_inputs.h"
#include "hem/models/training/input_range.h"
#include "hem/models/training/layer.h"
#include "hem/subspace/subspace.h"

namespace hem {

enum class NeuralActivation { kRelu, kSilu };

struct NeuralModel {
    std::vector<JointRotation> rotations;
    RotationNumbers numbers = RotationNumbers::kQuaternion;
    InputRange range;
    NeuralActivation activation = NeuralActivation::kRelu;  // after all layers but the last
    std::vector<Layer> layers;                              // one at least
    // Of the offsets from the skinned garment, canonical axes, metres.
    Subspace subspace;
    VectorF output_limit;  // modes: |y| stays within
    std::string report;    // what was done on the way, for people, a sentence a line
};

// y of raw inputs, a column a pose: the player's arithmetic but for the order of its sums.
MatrixF latentOffsets(const NeuralModel& model, MatrixF inputs);
// The offsets that they stand for, 3 * vertices by poses.
MatrixF offsets(const NeuralModel& model, const MatrixF& inputs);

}  // namespace hem
