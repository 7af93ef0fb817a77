// SPDX-License-Identifier: Apache-2.0
// stopCurve(): what happens around an abrupt stop (the 2010 paper's Figure 3), frame by frame.
//
// The body freezes in mid-stride; real cloth swings on and settles, and a model without dynamics
// freezes with the body. Means over many stops, free-running as in evaluate().
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hem/core/result.h"
#include "hem/recording/recording.h"

namespace hem {

struct StopCurveOptions {
    std::vector<std::string> clips;  // whose stops; empty: all of the set
    int before = 15, after = 60;     // frames
};

// Entry `before` of each list is the stop's frame, the last in which the body has moved.
// Centimetres, means over vertices and stops.
struct StopCurve {
    int before = 0;
    size_t stops = 0;
    std::vector<double> error_cm;           // distance from the recording
    std::vector<double> moved_cm;           // how far the played cloth came in this frame
    std::vector<double> recorded_moved_cm;  // and the recorded
};

// Stops nearer to the start of their clip than `before`, or shorter than `after`, are left out.
// Fails as evaluate() does, and where no stop is left.
Result<StopCurve> stopCurve(std::span<const std::byte> garment, const RecordingSet& set,
                            const StopCurveOptions& options = {});

}  // namespace hem
