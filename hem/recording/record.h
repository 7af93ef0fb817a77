// SPDX-License-Identifier: Apache-2.0
// record(): simulates the clips of a scene into a set of recordings, on all cores.
//
// Clips run side by side, one simulator a worker, the longest first; a clip's stops follow once it
// is there, each from the recorded state of its frame. Clips that the set has already are left
// alone, so that an interrupted recording goes on where it was, and the bytes on disk do not depend
// on threads, order or interruptions.
//
// Memory: the scene, and per worker a simulator and a handful of frames; frames go to disk as they
// come.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hem/recording/recording.h"

namespace hem {

// One simulator for one worker; called once per worker, from any thread but one at a time.
using SimulatorFactory = std::function<Result<std::unique_ptr<Simulator>>(const ClothScene& scene)>;

struct RecordOptions {
    int stops = 0;            // per clip, evenly spread over it
    double stop_seconds = 3;  // that each lasts
    int workers = 0;          // 0: as many as parallelFor() may use threads
    // Set it, from a signal handler if need be, and recording ends at the next frame; what is
    // unfinished is dropped.
    const std::atomic<bool>* cancel = nullptr;
    std::function<void(size_t)> started;   // is told once how many frames there are to simulate
    std::function<void(size_t)> progress;  // is told of n more frames, from any thread
};

struct RecordReport {
    size_t recorded = 0, skipped = 0;  // clips and stops; skipped ones were there
    size_t frames = 0;                 // simulated
    bool cancelled = false;
    std::vector<Error> failures;  // each names the clip and the frame; the other clips went on
};

// What there is to do, before it is done.
struct RecordPlan {
    struct Clip {
        std::string name;
        size_t motion = 0;  // index
        int stop = 0;       // number of the stop, from 1; 0 for the clip itself
        size_t frame = 0;   // of the clip, that a stop freezes
        size_t frames = 0;  // to record
        bool there = false;
    };
    std::vector<Clip> clips;  // stops after their clips
    size_t frames = 0;        // that are not there yet
};
// Fails where clips have bad or equal names, or motions are not on the scene's skeleton or not at
// its rate; and where a clip that is there has another motion, simulator or stop's frame than the
// one asked for: what is there would not be what was asked for.
Result<RecordPlan> planRecording(const RecordingSet& set, const std::vector<Motion>& motions,
                                 const std::string& simulator, const RecordOptions& options);

// The frame that stop `number` of `stops` freezes: number * frames / (stops + 1), rounded down.
size_t stopFrame(size_t frames, int number, int stops);

// Fails where planRecording() does or no simulator can be made; failures of clips are in the
// report.
Result<RecordReport> record(const RecordingSet& set, const std::vector<Motion>& motions,
                            const SimulatorFactory& factory, const RecordOptions& options = {});

}  // namespace hem
