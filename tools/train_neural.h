// SPDX-License-Identifier: Apache-2.0
// What `hemline train --model N` does, for the verbs that train too: a pose set, moving recordings or
// both to a packed garment.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hem/models/neural/moving_examples.h"
#include "hem/models/neural/training.h"
#include "hem/pack/body_proxy.h"
#include "hem/pack/pack.h"
#include "hem/poses/pose_set.h"

namespace hem::tools {

struct NeuralTrainOptions {
    NeuralOptions network;  // its checkpoint is filled in by the caller, cancel and progress here
    RotationNumbers numbers = RotationNumbers::kQuaternion;
    bool mirror = true;  // of pose sets: learns mirror images as well, where all is symmetric
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

// What a network learns from. Several trainings may share it.
struct NeuralData {
    ClothScene scene;  // character and garments
    WornSkin worn;
    RotationNumbers numbers = RotationNumbers::kQuaternion;
    PoseExamples training;
    Eigen::Index unmirrored =
        0;  // training's first so many are no mirror images; 0: not told apart
    PoseExamples validation;
    nlohmann::ordered_json about;  // for the file: "poses", or "trained_on" and the like
    // Frames of training for fitBodyProxy(), as a garment that was packed plays them.
    std::function<Result<std::vector<BodyFrame>>(const std::vector<std::byte>& garment)>
        body_frames;
};
// `mirror`: also the poses' mirror images, where the scene is symmetric.
Result<NeuralData> readNeuralData(const PoseSet& set, RotationNumbers numbers, bool mirror);
// Of the named clips every sixth motion is kept for validation. `options`: its partners are filled
// in where `mirror` and the scene is symmetric.
Result<NeuralData> readNeuralData(const RecordingSet& set, const std::vector<std::string>& clips,
                                  MovingOptions options, bool mirror);
// Both together; fails where they are not of one character and garment.
Result<NeuralData> joined(NeuralData poses, const NeuralData& moving);

// The file, and then away with FILE.checkpoint.
Status writeGarment(const std::string& file, const std::vector<std::byte>& bytes);

BasisEncoding encodingOf(const std::string& name);  // "float32", "float16", "mixed"

// Shows progress and losses; ends on Ctrl-C with an error that says how to go on.
Result<TrainedNeural> trainNeuralGarment(const NeuralData& data, const NeuralTrainOptions& options);
Result<TrainedNeural> trainNeuralGarment(const PoseSet& set, const NeuralTrainOptions& options);

}  // namespace hem::tools
