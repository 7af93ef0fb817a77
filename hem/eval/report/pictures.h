// SPDX-License-Identifier: Apache-2.0
// Worst frames as pictures: the simulation, the played garment, and its error in colours.
#pragma once

#include <string>

#include "hem/eval/report/worst.h"
#include "hem/picture/camera.h"

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
// Cloth as it was simulated and as it is played, on a body.
struct PosedCloth {
    const ClothScene& scene;
    Pose pose;
    Vec3 root;  // position
    std::span<const Vec3> simulated, played;
};
// All from the side where the error is largest.
Result<FramePictures> takePictures(const PosedCloth& posed, const PictureLook& look);
// Cloth in the colours of numbers, one a vertex, centimetres, from `view`: a data URI.
Result<std::string> takeColored(const ClothScene& scene, const Pose& pose,
                                std::span<const Vec3> cloth, const std::vector<double>& numbers,
                                View view, const PictureLook& look);

// The colours from 0 to `scale_cm`, with their numbers; `what` they show, text.
std::string colorBarHtml(double scale_cm, const char* what = "error");
// `what` and `alt` are text.
std::string pictureHtml(const std::string& uri, const std::string& what, const std::string& alt);

// Of a frame of a recording.
Result<FramePictures> takePictures(const RecordingSet& set, const Entrant& entrant,
                                   const WorstFrame& frame, const PictureLook& look);

}  // namespace hem
