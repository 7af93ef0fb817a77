// SPDX-License-Identifier: Apache-2.0
// The sections of `hemline tables --set poses`: the 2021 paper's tables and figures, with its
// figures beside ours and its trends held against ours.
#pragma once

#include "tools/tables_pose_workshop.h"
#include "tools/tables_sections.h"

namespace hem::tools {

// What is trained, beside the paper's rows.
struct PosePlan {
    size_t poses = 10000;
    int vertices = 0;                   // of the coat; 0: the kind's own
    std::vector<NetworkChoice> paper;   // rows of Table 1: linear, direct, three numbers of modes
    std::vector<NetworkChoice> beyond;  // rows that the paper has not
    std::vector<NetworkChoice> grid;    // what was tried, on validation alone
    int components = 256;               // of Figure 3
    size_t batch = 1000;                // of Table 2
    size_t simulated_again = 12;        // poses, for the simulator's cost

    const NetworkChoice& network3() const { return paper[3]; }
    // Network 3 as `hemline train` makes it where nothing is said: what is timed and drawn.
    const NetworkChoice& ours() const { return beyond[0]; }
};
// `quick`: 60 poses of a small coat, a few components, hardly any training.
PosePlan posePlan(bool quick);

struct PoseSectionKind {
    const char *name, *title;
    Result<Section> (*make)(PoseWorkshop& workshop, const PosePlan& plan);
};
// distances, networks, choices, speed, components, vertices, extremes.
const std::vector<PoseSectionKind>& poseSectionKinds();

// The figures; `picture` of a section's data is the file that it drew.
Result<Section> distancesSection(PoseWorkshop& workshop, const PosePlan& plan);
Result<Section> componentsSection(PoseWorkshop& workshop, const PosePlan& plan);
Result<Section> verticesSection(PoseWorkshop& workshop, const PosePlan& plan);
Result<Section> extremesSection(PoseWorkshop& workshop, const PosePlan& plan);

}  // namespace hem::tools
