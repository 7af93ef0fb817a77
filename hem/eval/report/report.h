// SPDX-License-Identifier: Apache-2.0
// reportPage(): an evaluation as one HTML page that holds everything it shows (docs/report.md).
//
// The page loads nothing: style, script, pictures and the cloth of its 3D view are inside, and a
// content-security policy forbids the rest. What comes from files and from the command line is
// escaped. Scores are those of evaluate(); what else the page shows (error by modes, energy, speed,
// pictures) is measured here, by playing the same bytes with the shipping player.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "hem/eval/evaluate.h"

namespace hem {

// One of those that are compared.
struct Entrant {
    std::string file;              // as it was given: "dress_S.hem", or "skinning"
    std::vector<std::byte> bytes;  // of the .hem file; empty: plain skinning
    Score score;                   // on the clips of the report, all entrants on the same
};

struct ReportOptions {
    bool push_out = true;            // shows cloth with HEM_PUSH_OUT, as a game would
    int pictures = 3;                // of worst frames
    int picture_width = 300;         // pixels, of each of the three pictures of a frame
    size_t view_bytes = 3'000'000;   // of cloth in the 3D view, before base64
    std::function<void()> progress;  // called reportSteps() times
};

// The first entrant is the one whose worst frames and worst clip are shown. Fails where there are
// none, or a file does not fit the recordings. About 10 s of one core for five entrants and six
// clips.
Result<std::string> reportPage(const RecordingSet& set, const std::vector<Entrant>& entrants,
                               const ReportOptions& options = {});

// How often reportPage() calls `progress`.
size_t reportSteps(const std::vector<Entrant>& entrants, const ReportOptions& options);

}  // namespace hem
