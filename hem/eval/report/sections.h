// SPDX-License-Identifier: Apache-2.0
// The report's sections, as HTML, in the order of the page.
#pragma once

#include <string>

#include "hem/eval/report/findings.h"

namespace hem {

// Tables: score_sections.cpp.
std::string headSection(const Findings& f);     // title, what this is, the first entrant's figures
std::string scoreSection(const Findings& f);    // side by side
std::string trainedSection(const Findings& f);  // what was trained on what
std::string clipSection(const Findings& f);     // clip by clip

// Pictures: picture_sections.cpp.
std::string viewSection(const Findings& f);    // the worst clip in 3D
std::string framesSection(const Findings& f);  // the worst frames

// Plots: plot_sections.cpp.
std::string timeSection(const Findings& f);       // error over time
std::string stopSection(const Findings& f);       // after stops; empty where there are none
std::string modesSection(const Findings& f);      // error by dimension and by order
std::string stabilitySection(const Findings& f);  // eigenvalues, energy
std::string speedSection(const Findings& f);

}  // namespace hem
