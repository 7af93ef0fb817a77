// SPDX-License-Identifier: Apache-2.0
// Drawings as figures of the page, with their numbers for those who do not see them.
#pragma once

#include <string>

#include "hem/eval/report/svg_plot.h"

namespace hem {

// `caption` and `more` are HTML.
std::string figureHtml(const std::string& drawing, const std::string& caption,
                       const std::string& more = "");

// The plot's numbers as a table, a row per x; formats take one double.
std::string plotNumbers(const SvgPlot& plot, const char* x_format, const char* y_format);
// The same, folded.
std::string foldedNumbers(const SvgPlot& plot, const char* x_format, const char* y_format);

}  // namespace hem
