// SPDX-License-Identifier: Apache-2.0
// poseReportPage(): how well a garment hangs on poses, as one HTML page that holds everything it shows
// (docs/report.md). Like reportPage(): nothing is loaded, what comes from outside is escaped, and
// what the scores do not have is measured by playing the same bytes with the shipping player.
#pragma once

#include <functional>
#include <string>

#include "hem/eval/evaluate_poses.h"

namespace hem {

struct PoseReportInput {
    std::string file;                  // as it was given
    std::span<const std::byte> bytes;  // of the .hem file
    const PoseSet& set;
    PoseSplit part = PoseSplit::kTest;
    const PoseScore& score;  // of evaluatePoses() on the two
};

struct PoseReportOptions {
    bool push_out = true;            // shows cloth with HEM_PUSH_OUT, as a game would
    int picture_width = 300;         // pixels
    std::function<void()> progress;  // called kPoseReportSteps times
};
inline constexpr size_t kPoseReportSteps = 8;

// Fails where the bytes are no garment or a picture cannot be made. Some seconds of one core.
Result<std::string> poseReportPage(const PoseReportInput& input,
                                   const PoseReportOptions& options = {});

}  // namespace hem
