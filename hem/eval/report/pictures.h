// SPDX-License-Identifier: Apache-2.0
// Worst frames as pictures: the simulation, the played garment, and its error in colours.
#pragma once

#include <string>

#include "hem/eval/report/worst.h"

namespace hem {

struct FramePictures {
    WorstFrame frame;
    std::string simulated, played, error;  // data URIs, PNG
    double largest_cm = 0;                 // of any vertex of the frame
};

// Centimetres at the end of the colours: a round number that 98 of 100 of the values are below.
double roundScale(std::vector<double> errors_cm);

// All from the side where the error is largest. `width` pixels each, a third higher.
Result<FramePictures> takePictures(const RecordingSet& set, const Entrant& entrant,
                                   const WorstFrame& frame, int width, double scale_cm);

}  // namespace hem
