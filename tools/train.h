// SPDX-License-Identifier: Apache-2.0
// What `hemline train` does, for the verbs that train too: recordings to a packed garment.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hem/models/stable_space/modal_training.h"
#include "hem/pack/body_proxy.h"
#include "hem/recording/recording.h"
#include "hem/subspace/latent_clip.h"
#include "hem/subspace/mirror.h"

namespace hem::tools {

struct TrainOptions {
    std::string model = "S";  // or the 2010 paper's A, B or C
    int modes = 64;           // of the training data
    int order = 2;            // of B and C
    // Of A, B and C (linear_fit.h); unset: chosen on motions left out.
    std::optional<double> ridge, stop_weight;
    std::string encoding = "mixed";
    float tolerance_um = 300;
    bool body = true;        // packs the body that HEM_PUSH_OUT needs
    bool hidden = true;      // packs which of the body's triangles the garment always hides
    bool arms = true;        // Model S is told where elbows and wrists are (brushingPoints())
    ModalOptions modal;      // of S; its joints, rate, checkpoint and progress are filled in
    std::string checkpoint;  // where an interrupted training of S goes on from
};

// Several trainings may share it.
struct TrainingData {
    std::vector<std::string> names;  // of the clips, without stops
    bool stops = true;               // whether the stops of the clips are among `clips`
    bool mirrored = false;           // whether their mirror images are
    Subspace subspace;               // of the clips without stops
    std::vector<LatentClip> clips;
};

struct ReadOptions {
    int modes = 64;
    bool stops = true;
    bool mirror = false;  // also the clips' mirror images, where the scene is symmetric: for S
};

// Which skin a garment is not pushed out of: that of arms which the scene lets pass.
BodyProxyOptions bodyOptionsOf(const ClothScene& scene);

// Who takes whose place in mirror images, where the scene has no left and right of its own.
std::optional<MirrorPartners> partnersOf(const ClothScene& scene);

// PCA of the named clips, and their frames in its subspace.
Result<TrainingData> readTrainingData(const RecordingSet& set,
                                      const std::vector<std::string>& names,
                                      const ReadOptions& options);
// The same in the first `modes` modes.
TrainingData truncated(const TrainingData& data, int modes);

struct TrainedGarment {
    StableSpace model;
    std::vector<std::byte> bytes;  // of the .hem file
    nlohmann::ordered_json info;   // what the file says of itself, and what making it cost
};

// Shows progress; ends on Ctrl-C with an error that says how to go on.
Result<TrainedGarment> trainGarment(const RecordingSet& set, const TrainingData& data,
                                    const TrainOptions& options);

}  // namespace hem::tools
