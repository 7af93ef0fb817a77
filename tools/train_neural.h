// SPDX-License-Identifier: Apache-2.0
// What `hemline train --model N` does, for the verbs that train too: a pose set to a packed garment.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hem/models/neural/training.h"
#include "hem/pack/pack.h"
#include "hem/poses/pose_set.h"

namespace hem::tools {

struct NeuralTrainOptions {
    NeuralOptions network;  // its checkpoint is filled in by the caller, cancel and progress here
    RotationNumbers numbers = RotationNumbers::kQuaternion;
    std::string encoding = "mixed";
    float tolerance_um = 300;
    bool body = true;    // packs the body that HEM_PUSH_OUT needs
    bool hidden = true;  // and which of its triangles the garment always hides
    bool losses = true;  // a line on stderr now and then, besides the bar
};

struct TrainedNeural {
    NeuralFit fit;
    std::vector<std::byte> bytes;  // of the .hem file
    nlohmann::ordered_json info;   // what the file says of itself, and what making it cost
};

BasisEncoding encodingOf(const std::string& name);  // "float32", "float16", "mixed"

// Shows progress and losses; ends on Ctrl-C with an error that says how to go on.
Result<TrainedNeural> trainNeuralGarment(const PoseSet& set, const NeuralTrainOptions& options);

}  // namespace hem::tools
