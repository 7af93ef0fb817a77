// SPDX-License-Identifier: Apache-2.0
// What the report's 3D view shows, as JSON: a body, and the cloth of the simulation and of the
// entrants over some seconds around the worst frame. assets/view.js reads it.
//
// Cloth is 16 bits a coordinate, about the root, in a box that holds all of it: a step is some
// 0.03 mm. The body is sent once, with four influences a vertex, and a matrix per joint and frame.
#pragma once

#include "hem/eval/report/worst.h"

namespace hem {

struct ViewRequest {
    std::string clip;
    size_t worst_frame = 0;
    std::vector<size_t> stops;        // frames of the clip
    std::vector<std::string> labels;  // of the entrants
    unsigned flags = 0;               // of hem_Batch
    double scale_cm = 1;              // at the end of the colours
    size_t cloth_bytes = 3'000'000;   // that the tracks may take together
    size_t most_seconds = 6;
};

// The first entrant is always there; later ones are left out where they would leave less than two
// seconds for all.
Result<std::string> viewJson(const RecordingSet& set, const std::vector<Entrant>& entrants,
                             const ViewRequest& request);

}  // namespace hem
