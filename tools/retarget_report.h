// SPDX-License-Identifier: Apache-2.0
// What `hemline retarget --report` prints: the quality of every clip on every character.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hem/character/retarget/motion_quality.h"

namespace hem::tools {

struct ReportRow {
    std::string clip, character;
    size_t frames = 0;
    MotionQuality quality;  // in the source's stances
    MotionQuality own;      // in the stances found on the result itself
};

// A table, a line per clip and character, then the totals per character and in all.
std::string reportTable(const std::vector<ReportRow>& rows);
// The same as JSON: {"clips": [...], "totals": [...]}.
nlohmann::json reportJson(const std::vector<ReportRow>& rows);

}  // namespace hem::tools
