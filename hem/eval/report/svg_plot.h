// SPDX-License-Identifier: Apache-2.0
// Plots as inline SVG: axes with units, lines, marks, and a text alternative.
//
// Colours are classes (s0, s1, ...) that the page's style gives values to, so that one drawing is
// right in light, in dark and on paper. Legends are HTML beside the drawing: they wrap.
#pragma once

#include <complex>
#include <string>
#include <vector>

namespace hem {

enum class AxisScale { kLinear, kLog2, kLog10 };

struct PlotAxis {
    std::string label;  // with its unit: "time [s]"
    AxisScale scale = AxisScale::kLinear;
    bool from_zero = true;  // linear axes: starts at 0 where no value is below
    bool whole = false;     // linear axes: ticks at whole numbers only
};

struct PlotSeries {
    std::string name;           // in the legend; text
    int color = 0;              // of the style's classes s0, s1, ...
    std::vector<double> x, y;   // as many; the line breaks where one is not finite
    bool points = false;        // a dot at every value
    bool recorded = false;      // the reference: black, dashed
    std::vector<double> upper;  // of a band above the line; empty, or as many
};

// A horizontal line with a word.
struct PlotLevel {
    double y = 0;
    std::string label;
    int color = 0;
};

struct SvgPlot {
    std::string title, description;  // the text alternative; text
    PlotAxis x, y;
    std::vector<PlotSeries> series;
    std::vector<double> x_marks;  // vertical lines: stops
    std::vector<PlotLevel> levels;
    int width = 480, height = 280;  // units of the drawing, about pixels
};

// A series without finite values draws nothing; a plot without any still has its axes.
std::string drawSvg(const SvgPlot& plot);

// Eigenvalues in the complex plane: the unit circle, and per set the circle of its largest.
struct EigenvalueSet {
    std::string name;
    int color = 0;
    std::vector<std::complex<double>> values;
    double lambda = 0;
};
std::string drawUnitCircle(const EigenvalueSet& set, const std::string& title,
                           const std::string& description);

// A <ul> of names with their colours.
struct LegendEntry {
    std::string name;
    int color = 0;
    bool recorded = false;
};
std::string legendHtml(const std::vector<LegendEntry>& entries);

}  // namespace hem
