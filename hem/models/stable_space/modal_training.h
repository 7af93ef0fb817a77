// SPDX-License-Identifier: Apache-2.0
// Training Model S: stable by parametrisation, trained on what it is used for, free-running motion.
//
// Windows of the recordings, at random, each started from the resting state of its first frame, of
// which the first frames are burn-in and count for nothing; a share of the windows holds a stop.
// AdamW with a cosine schedule; the result is the running mean of the last parameters. The same
// bits for any number of threads: windows are dealt to a fixed number of shards, whose gradients
// are added in order.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hem/models/stable_space/modal_network.h"

namespace hem {

struct ModalOptions {
    std::vector<uint16_t> joints;  // whose rotations are inputs: jointsThatMatter()
    int directions = 24;           // of the PCA of these rotations
    // Whose positions are inputs: boneEnds(). They follow from the rotations, but are what pushes
    // cloth; with them the model learns more from as much motion.
    std::vector<BodyPoint> ends;
    // Likewise where there is enough motion to learn from what they do: brushingPoints(). With little
    // motion they are noise, like all that matters seldom.
    std::vector<BodyPoint> points;
    size_t frames_for_points = 40000;  // of motion, stops not counted
    int hidden = 128, states = 32, outer = 128;
    int iterations = 0;  // steps; 0: modalSteps() of the motion
    int windows = 32;    // a step
    int window_frames = 96, burn_in = 32;
    float stop_share = 0.25f;  // of the windows
    float rate = 6e-3f;        // of Adam, at its highest
    // AdamW's: of the matrices, per unit of rate. Unset: modalWeightDecay() of the motion.
    std::optional<float> weight_decay;
    float velocity_weight = 1;
    int error_vertices = 64;   // that a shard's error is measured on, others at every step
    float averaging = 0.998f;  // of the running mean, per step
    uint64_t seed = 1;
    double recording_rate = 30;  // frames a second

    // A file that is written every `checkpoint_every` steps and when cancelled, and removed at the
    // end. A run goes on from it where it is there and of the same options and data, to the same
    // bits as one that was never interrupted. Empty: none.
    std::string checkpoint;
    int checkpoint_every = 250;
    const std::atomic<bool>* cancel = nullptr;
    // Is told, after every step and once at the start, the steps done and the last windows' mean
    // error, metres.
    std::function<void(int steps, double error)> progress;
};

// What is right for so much motion, stops not counted: the more there is, the longer there is
// something to learn from it, and the less the weights have to be held back. How both were chosen:
// docs/stable_space.md.
int modalSteps(const std::vector<LatentClip>& clips);
float modalWeightDecay(const std::vector<LatentClip>& clips);

// `clips`: training's, stops after their clips; `basis`: of their subspace. Fails where there is
// nothing to train on, the checkpoint cannot be written, or training was cancelled.
Result<StableSpace> trainModal(const std::vector<LatentClip>& clips, const MatrixF& basis,
                               const ModalOptions& options);

}  // namespace hem
