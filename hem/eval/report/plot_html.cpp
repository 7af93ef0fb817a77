// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/plot_html.h"

#include <algorithm>
#include <set>

#include "hem/eval/report/html.h"

namespace hem {

std::string figureHtml(const std::string& drawing, const std::string& caption,
                       const std::string& more) {
    return "<figure>" + drawing + "<figcaption>" + caption + "</figcaption>" + more + "</figure>\n";
}

std::string plotNumbers(const SvgPlot& plot, const char* x_format, const char* y_format) {
    HtmlTable table{.caption = plot.title, .head = {escaped(plot.x.label)}};
    std::set<double> all_x;
    for (const PlotSeries& s : plot.series) {
        table.head.push_back(escaped(s.name));
        all_x.insert(s.x.begin(), s.x.end());
    }
    for (const double x : all_x) {
        std::vector<std::string> row{numberText(x, x_format)};
        for (const PlotSeries& s : plot.series) {
            const auto at = std::find(s.x.begin(), s.x.end(), x);
            row.push_back(at == s.x.end() ? "–"
                                          : numberText(s.y[size_t(at - s.x.begin())], y_format));
        }
        table.rows.push_back(std::move(row));
    }
    return tableHtml(table);
}

std::string foldedNumbers(const SvgPlot& plot, const char* x_format, const char* y_format) {
    return "<details class=\"numbers\"><summary>Numbers, " + escaped(plot.y.label) + "</summary>" +
           plotNumbers(plot, x_format, y_format) + "</details>";
}

}  // namespace hem
