// SPDX-License-Identifier: Apache-2.0
// What the judge of cloth found (hem/cloth/judge.h), as lines and as JSON: of recordings and of poses.
#pragma once

#include <nlohmann/json.hpp>

#include "hem/cloth/judge.h"

namespace hem::tools {

nlohmann::ordered_json verdictJson(const Verdict& verdict);
// A line of `hemline inspect`.
void printLine(const char* what, const char* format, double value, const char* meaning);
// The lines after that of the deepest vertex.
void printVerdictEnd(const Verdict& verdict);

}  // namespace hem::tools
