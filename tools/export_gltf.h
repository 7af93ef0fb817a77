// SPDX-License-Identifier: Apache-2.0
// hemline export --gltf: a garment, played, as a GLB.
#pragma once

#include <string>

#include "tools/verbs.h"
#include "tools/wearing.h"

namespace hem::tools {

struct GltfArguments {
    WearingOptions wearing;
    std::string output;
    int modes = 0;              // 0: all
    double tolerance_mm = 0.5;  // of Model N
    bool body = true;
    bool hidden = false;  // parts of the body that the garment always hides, too

    void addTo(CLI::App* verb);
};

// Writes the file and reports; returns the exit code.
int exportGltf(const GltfArguments& a, const Common& common);

}  // namespace hem::tools
