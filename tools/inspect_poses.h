// SPDX-License-Identifier: Apache-2.0
// hemline inspect on a set of poses.
#pragma once

#include <string>

#include "tools/verbs.h"

namespace hem::tools {

struct InspectPosesArguments {
    std::string folder;
    int resimulate = 3;         // poses, for the cost and the bits
    std::string figure, sheet;  // pictures to write; empty: none
    int shown = 24;             // poses on the sheet
};
int inspectPoses(const InspectPosesArguments& a, const Common& common);

}  // namespace hem::tools
