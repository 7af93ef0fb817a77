// SPDX-License-Identifier: Apache-2.0
// evaluate(): plays the packed bytes with the shipping player, free-running, against recordings.
//
// Every clip starts from a reset in its first pose, knowing the body's velocity, and never sees the
// recorded cloth again. Stops branch off where the recording froze the body. Errors are distances
// of vertices in the world, centimetres, as in the 2010 paper: what the subspace cannot express
// counts too.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hem/core/result.h"
#include "hem/eval/player_time.h"
#include "hem/recording/recording.h"

namespace hem {

struct EvaluateOptions {
    std::vector<std::string> clips;  // without stops; empty: all of the set
    bool push_out = true;            // play again with HEM_PUSH_OUT, where the file has a body
    int penetration_every = 5;       // frames: looking is dear; 0: never
    int chaos_clips = 3;             // simulated again for the chaos floor; 0: none
    double chaos_seconds = 10;       // of each, at most
    std::function<void(size_t)> progress;  // n more frames, from any thread
};

struct Errors {
    size_t frames = 0;
    double mean_cm = 0;  // over frames and vertices
    double p95_cm = 0, max_cm = 0;
    double velocity_cm = 0;  // of the displacements from frame to frame
    // Over the kAfterStop frames after the stops; empty where there are none.
    std::optional<double> after_stops_cm;
    // The share of vertices more than 1 mm inside the body, of the frames looked at.
    std::optional<double> penetration_rate_1mm;
    // the part of it that is in folds of the body, where no cloth can be outside (cloth/judge.h)
    std::optional<double> penetration_in_folds_1mm;
    double pca_floor_cm = 0;  // of the nearest shape that the subspace has
    double confidence = 0;    // mean of the player's
};

// Of one frame, over its vertices.
struct FrameError {
    float mean_cm = 0, p95_cm = 0, max_cm = 0;
};

// A stop, frame by frame from the one after it on, kAfterStop frames or as many as there are. Means
// over the vertices, centimetres.
struct StopTrace {
    size_t frame = 0;                      // of the clip
    std::vector<float> error_cm;           // distance from the recording
    std::vector<float> moved_cm;           // how far the played cloth came in this frame
    std::vector<float> recorded_moved_cm;  // and the recorded
};

struct ClipScore {
    std::string name;
    Errors errors;
    std::vector<FrameError> frames;
    std::vector<StopTrace> stops;  // in the order of their frames
};

struct Score {
    bool learned = true;  // false: plain skinning, and what a file would say is nought
    Errors all;
    double clip_mean_cm = 0;  // mean of the clips' means: long clips count no more than short ones
    std::optional<double> chaos_floor_cm;
    // False: it has no state that decays (Model N, plain skinning), and the two below are nought.
    bool remembers = true;
    double lambda = 0, energy_bound = 0;  // from the file
    std::vector<ClipScore> clips;
    // The same clips with HEM_PUSH_OUT; empty where the file has no body or it was not asked for.
    std::optional<Errors> pushed_out;
    PlayerTime time;  // on the first clip
};

inline constexpr size_t kAfterStop = 30;

// Fails where the bytes are no garment, the recordings have other vertices or joints than it, or a
// clip is not there.
Result<Score> evaluate(std::span<const std::byte> garment, const RecordingSet& set,
                       const EvaluateOptions& options = {});

// The same of plain skinning of the garment (GarmentSkinning): what an engine does without any of
// this. No player's time, no chaos floor, lambda 0.
Result<Score> evaluateSkinning(const RecordingSet& set, const EvaluateOptions& options = {});

}  // namespace hem
