// SPDX-License-Identifier: Apache-2.0
// Recordings of moving cloth as Model N learns from them: every frame is a pose and the garment
// that was on it, with nothing said of what came before.
//
// A stop is one pose, which many frames show: few of them are taken, spread over its first second.
// All of them would outnumber those in which the body moves, and a network that can tell neither
// from the other would learn the garment at rest.
#pragma once

#include <string>
#include <vector>

#include "hem/models/neural/training.h"
#include "hem/recording/recording.h"
#include "hem/subspace/mirror.h"

namespace hem {

// How the body carries a garment, and which joints' rotations tell how it hangs.
struct WornSkin {
    std::vector<Vec3> rest;   // of all garments' vertices joined
    Skin skin;                // attachToSkin()
    std::vector<int> joints;  // of the skeleton: the network's inputs
};

struct MovingOptions {
    RotationNumbers numbers = RotationNumbers::kQuaternion;
    int stop_frames = 3;          // of each stop; 0: none
    size_t most_frames = 20'000;  // of longer recordings every second, third, ... frame is taken
    // Where not null, every frame is taken mirrored, too, but of clips whose mirrored twin is
    // among them.
    const MirrorPartners* partners = nullptr;
};

// Inputs and offsets of the named clips and of their stops, in the canonical frame of each. 4 bytes
// a number: 26 kB a frame of 2,156 vertices. In parallel. Fails where a clip does not open, there
// are no frames, or a number is not finite.
Result<PoseExamples> readExamples(const RecordingSet& set, const std::vector<std::string>& clips,
                                  const WornSkin& worn, const MovingOptions& options = {});

// What suits recordings: neighbouring frames are much alike, and the network has learned what there
// is after a few epochs.
inline constexpr int kMovingEpochs = 40;     // NeuralOptions::epochs
inline constexpr float kMovingRate = 1e-3f;  // NeuralOptions::rate
inline constexpr float kMovingDecay = 0.3f;  // NeuralOptions::weight_decay

// Clips to learn from, and others to tell by when to stop learning: every sixth motion, or the last
// where there are fewer, mirrored twins together. Fails on a single motion.
struct ClipSplit {
    std::vector<std::string> training, validation;
};
Result<ClipSplit> leaveMotionsOut(const std::vector<std::string>& clips);

}  // namespace hem
