// SPDX-License-Identifier: Apache-2.0
// Plots: lines over axes, with a legend, for result pages and reports.
#pragma once

#include <string>
#include <vector>

#include "hem/picture/image.h"

namespace hem {

struct PlotLine {
    std::string name;          // in the legend
    std::vector<double> x, y;  // as many; where y is not finite the line is broken
    Rgb color;
};

struct Plot {
    std::string title, x_label, y_label;  // with units: "error [cm]"
    std::vector<PlotLine> lines;          // at least one; later ones lie on top
    std::vector<double> marks;            // vertical lines at these x
    bool from_zero = true;                // the y axis starts at 0 where no value is below
};

struct PlotStyle {
    int width = 560, height = 360;  // pixels
    float cap_height = 9;
    Rgb paper{247, 246, 243};
};

// Colours that differ for colour-blind eyes too (Okabe and Ito 2008), the first one dark; they
// repeat after eight.
Rgb seriesColor(size_t index);

Image drawPlot(const Plot& plot, const PlotStyle& style = {});

}  // namespace hem
