// SPDX-License-Identifier: Apache-2.0
// Worst frames as pictures: the simulation, the played garment, and its error in colours.
#pragma once

#include <string>

#include "hem/eval/report/worst.h"

namespace hem {

struct FramePictures {
    WorstFrame frame;
    std::string simulated, played, error;  // data URIs, PNG
    double mean_cm = 0, largest_cm = 0;    // of the cloth as it is shown
};

// Centimetres at the end of the colours: a round number that 98 of 100 of the values are below.
double roundScale(std::vector<double> errors_cm);

struct PictureLook {
    int width = 300;  // pixels of each; they are a third higher
    double scale_cm = 1;
    unsigned flags = 0;  // of hem_Batch
};
// All from the side where the error is largest.
Result<FramePictures> takePictures(const RecordingSet& set, const Entrant& entrant,
                                   const WorstFrame& frame, const PictureLook& look);

}  // namespace hem
