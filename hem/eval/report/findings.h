// SPDX-License-Identifier: Apache-2.0
// Everything that the report shows, found before a line of it is written.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hem/eval/report/measure.h"
#include "hem/eval/report/pictures.h"
#include "hem/eval/report/report.h"

namespace hem {

// What plain skinning has not is empty.
struct EntrantFindings {
    std::string label;  // short, of its own: "S", or the file's name where that is not
    int color = 0;      // of the style's classes s0, s1, ...
    const hem_Garment* garment = nullptr;  // null: plain skinning
    std::string kind;                      // "A", "B", "C", "S"; empty for skinning
    std::optional<int> order;              // of linear models
    unsigned states = 0, joints_read = 0;  // states of modal ones
    nlohmann::ordered_json info;           // what the file says of itself; an object
    std::vector<std::complex<double>> eigenvalues;
    ErrorByModes by_modes;
    EnergyTrace energy;         // on the worst clip
    double largest_energy = 0;  // on all clips
    SpeedCurves speed;
};

struct Findings {
    const RecordingSet* set = nullptr;
    const std::vector<Entrant>* entrants = nullptr;
    std::vector<EntrantFindings> each;  // of the entrants
    double rate = 30;                   // frames a second
    size_t worst_clip = 0;              // of the first entrant
    double scale_cm = 1;                // at the end of the error's colours
    bool pushed_out = false;            // the first entrant's cloth, where it is shown
    std::vector<FramePictures> pictures;
    std::string view_json;

    const Score& score(size_t entrant) const { return (*entrants)[entrant].score; }
    // The clip that the 3D view and the energy show, as the first entrant played it.
    const ClipScore& worst() const { return score(0).clips[worst_clip]; }
};

inline constexpr int kGrey = 9;  // the style's class of plain skinning

Result<Findings> findAll(const RecordingSet& set, const std::vector<Entrant>& entrants,
                         const ReportOptions& options);

}  // namespace hem
