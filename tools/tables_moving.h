// SPDX-License-Identifier: Apache-2.0
// The section `moving` of `hemline tables`: the coat of the 2021 paper on moving test sets, by that
// paper's network and by the 2010 paper's models, at equal cost of playing.
#pragma once

#include <string>
#include <vector>

#include "tools/tables_pose_sections.h"
#include "tools/tables_sections.h"

namespace hem::tools {

// What is recorded and tried.
struct MovingPlan {
    Outfit coat;     // the garment of the poses: as many vertices, made alike
    PosePlan poses;  // its network 3 is one of the rows
    // Dimensions whose cost is looked at, to find those of a given cost: of A, C and S, and of N.
    // The last of N's is network 3's.
    std::vector<int> dimensions, network_modes;
    int usual = 64;       // dimensions of Model S
    bool shipped = true;  // files as `hemline train` makes them, with the body
};
MovingPlan movingPlan(bool quick);

Result<Section> movingSection(Workshop& workshop, const TablesPlan& plan);

}  // namespace hem::tools
