// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <set>

#include "hem/core/text.h"
#include "hem/eval/report/html.h"
#include "hem/eval/report/plot_html.h"
#include "hem/eval/report/sections.h"
#include "hem/eval/report/svg_plot.h"

namespace hem {
namespace {

constexpr size_t kMostClips = 12;  // with a plot of their own

bool isLearned(const EntrantFindings& e) { return e.garment != nullptr; }
// Model N has no memory, and so no eigenvalues, no energy and no bound.
bool remembers(const EntrantFindings& e) { return e.garment && e.kind != "N"; }
bool isAny(const EntrantFindings&) { return true; }

std::string legendOf(const Findings& f, bool (*is_in)(const EntrantFindings&),
                     const char* reference = nullptr) {
    std::vector<LegendEntry> entries;
    for (const EntrantFindings& e : f.each)
        if (is_in(e)) entries.push_back({e.label, e.color});
    if (reference) entries.push_back({reference, 0, true});
    return legendHtml(entries);
}

// "S 0.97, C 1.40"
template <class F>
std::string sentence(const Findings& f, const char* number_format, const F& value) {
    std::string out;
    for (size_t i = 0; i < f.each.size(); ++i) {
        const std::optional<double> v = value(i);
        if (v)
            out += (out.empty() ? "" : ", ") + f.each[i].label + " " + numberText(v, number_format);
    }
    return out;
}

template <class T>
std::vector<double> doubles(const std::vector<T>& values) {
    return {values.begin(), values.end()};
}

// --- Error over time -----------------------------------------------------------------------------

SvgPlot clipPlot(const Findings& f, size_t clip) {
    const ClipScore& first = f.score(0).clips[clip];
    SvgPlot plot{.title = "Error over time in " + first.name,
                 .x = {"time [s]"},
                 .y = {"error [cm]"},
                 .height = 230};
    plot.description =
        "Mean error of the clip, cm: " +
        sentence(f, "%.2f",
                 [&](size_t i) { return std::optional(f.score(i).clips[clip].errors.mean_cm); }) +
        format(". %zu stops are marked.", first.stops.size());
    for (size_t i = 0; i < f.each.size(); ++i) {
        PlotSeries s{.name = f.each[i].label, .color = f.each[i].color};
        const auto& frames = f.score(i).clips[clip].frames;
        for (size_t t = 0; t < frames.size(); ++t) {
            s.x.push_back(double(t) / f.rate);
            s.y.push_back(double(frames[t].mean_cm));
            if (i == 0) s.upper.push_back(double(frames[t].p95_cm));
        }
        plot.series.push_back(std::move(s));
    }
    for (const StopTrace& stop : first.stops) plot.x_marks.push_back(double(stop.frame) / f.rate);
    return plot;
}

// --- Stops ---------------------------------------------------------------------------------------

// Mean over the stops that have the frame.
std::vector<double> meanOverStops(const Score& score, std::vector<float> StopTrace::*list) {
    std::vector<double> sum(kAfterStop), count(kAfterStop);
    for (const ClipScore& clip : score.clips)
        for (const StopTrace& stop : clip.stops)
            for (size_t t = 0; t < (stop.*list).size(); ++t)
                sum[t] += double((stop.*list)[t]), count[t] += 1;
    std::vector<double> mean;
    for (size_t t = 0; t < kAfterStop && count[t] > 0; ++t) mean.push_back(sum[t] / count[t]);
    return mean;
}

SvgPlot stopPlot(const Findings& f, std::vector<float> StopTrace::*list, const char* title,
                 const char* y_label) {
    SvgPlot plot{.title = title, .x = {"time after the stop [s]"}, .y = {y_label}};
    const auto add = [&](PlotSeries s) {
        for (size_t t = 0; t < s.y.size(); ++t) s.x.push_back(double(t + 1) / f.rate);
        plot.series.push_back(std::move(s));
    };
    for (size_t i = 0; i < f.each.size(); ++i)
        add({.name = f.each[i].label,
             .color = f.each[i].color,
             .y = meanOverStops(f.score(i), list)});
    if (list == &StopTrace::moved_cm)
        add({.name = "simulation",
             .y = meanOverStops(f.score(0), &StopTrace::recorded_moved_cm),
             .recorded = true});
    return plot;
}

// --- Dimension and order -------------------------------------------------------------------------

SvgPlot modesPlot(const Findings& f) {
    SvgPlot plot{.title = "Error by number of modes",
                 .x = {"modes shown", AxisScale::kLog2},
                 .y = {"mean error [cm]"}};
    for (const EntrantFindings& e : f.each)
        if (e.garment)
            plot.series.push_back({.name = e.label,
                                   .color = e.color,
                                   .x = doubles(e.by_modes.modes),
                                   .y = e.by_modes.error_cm,
                                   .points = true});
    const auto first = std::find_if(f.each.begin(), f.each.end(), isLearned);
    plot.series.push_back({.name = "floor of " + first->label,
                           .x = doubles(first->by_modes.modes),
                           .y = first->by_modes.floor_cm,
                           .recorded = true});
    plot.description =
        "With all of their modes: " +
        sentence(f, "%.2f cm",
                 [&](size_t i) {
                     const auto& errors = f.each[i].by_modes.error_cm;
                     return errors.empty() ? std::nullopt : std::optional(errors.back());
                 }) +
        ".";
    return plot;
}

// Linear models of one letter and number of modes with several orders; A is the order 0 of all.
std::optional<SvgPlot> orderPlot(const Findings& f) {
    SvgPlot plot{.title = "Error by order",
                 .x = {.label = "order: frames of the past that are read", .whole = true},
                 .y = {"mean error [cm]"}};
    for (const char* kind : {"B", "C"}) {
        PlotSeries s{.name = kind, .color = int(plot.series.size()), .points = true};
        std::vector<std::pair<int, double>> found;
        std::set<int> orders;
        std::optional<size_t> modes;
        for (size_t i = 0; i < f.each.size(); ++i) {
            const EntrantFindings& e = f.each[i];
            if (!e.order || (e.kind != kind && e.kind != "A")) continue;
            if (!modes) modes = hem_modeCount(e.garment);
            if (hem_modeCount(e.garment) != *modes) continue;
            found.emplace_back(*e.order, f.score(i).all.mean_cm);
            if (e.kind == kind) orders.insert(*e.order);
        }
        if (orders.size() < 2) continue;
        std::sort(found.begin(), found.end());
        for (const auto& [order, error] : found) {
            s.x.push_back(order);
            s.y.push_back(error);
        }
        plot.series.push_back(std::move(s));
    }
    if (plot.series.empty()) return std::nullopt;
    plot.description = "Mean error of the files that were given, by model and order.";
    return plot;
}

// --- Stability -----------------------------------------------------------------------------------

std::string eigenvalueFigures(const Findings& f) {
    std::string out = "<div class=\"circles\">";
    for (size_t i = 0; i < f.each.size(); ++i) {
        const EntrantFindings& e = f.each[i];
        if (!remembers(e)) continue;
        const std::string what =
            e.eigenvalues.empty()
                ? "no eigenvalues: it has no memory"
                : format("%zu eigenvalues, λ = %.4f", e.eigenvalues.size(), f.score(i).lambda);
        out += figureHtml(drawUnitCircle({e.label, e.color, e.eigenvalues, f.score(i).lambda},
                                         "Eigenvalues of " + e.label + " in the unit circle", what),
                          "<b>" + escaped(e.label) + "</b> " + escaped(what));
    }
    return out + "</div>\n";
}

std::string energyTable(const Findings& f) {
    HtmlTable table{.caption = "Energy over all clips",
                    .head = {"Model", "λ", "Bound", "Largest E", "Share"}};
    for (size_t i = 0; i < f.each.size(); ++i) {
        const EntrantFindings& e = f.each[i];
        if (!remembers(e)) continue;
        table.rows.push_back({escaped(e.label), numberText(f.score(i).lambda, "%.4f"),
                              shortNumber(e.energy.bound), shortNumber(e.largest_energy),
                              numberText(100 * e.largest_energy / e.energy.bound, "%.2g") + " %"});
    }
    return tableHtml(table);
}

SvgPlot energyPlot(const Findings& f) {
    SvgPlot plot{.title = "Energy over time in " + f.worst().name,
                 .x = {"time [s]"},
                 .y = {"energy E", AxisScale::kLog10}};
    for (const EntrantFindings& e : f.each) {
        if (!remembers(e)) continue;
        PlotSeries s{.name = e.label, .color = e.color, .y = e.energy.energy};
        for (size_t t = 0; t < s.y.size(); ++t) s.x.push_back(double(t) / f.rate);
        plot.series.push_back(std::move(s));
        plot.levels.push_back({e.energy.bound, "bound of " + e.label, e.color});
    }
    plot.description = "Largest energy over all clips as a share of its bound: " +
                       sentence(f, "%.3g",
                                [&](size_t i) -> std::optional<double> {
                                    const EntrantFindings& e = f.each[i];
                                    if (!remembers(e)) return std::nullopt;
                                    return e.largest_energy / e.energy.bound;
                                }) +
                       ".";
    return plot;
}

// --- Speed ---------------------------------------------------------------------------------------

SvgPlot speedPlot(const Findings& f, bool by_batch) {
    SvgPlot plot{.title = by_batch ? "Player’s time by wearers in a batch"
                                   : "Player’s time by modes, in a batch of 64",
                 .x = {by_batch ? "wearers in a batch" : "modes shown", AxisScale::kLog2},
                 .y = {"time a wearer and step [µs]"}};
    for (const EntrantFindings& e : f.each) {
        if (!e.garment) continue;
        plot.series.push_back({.name = e.label,
                               .color = e.color,
                               .x = by_batch ? doubles(e.speed.batch) : doubles(e.speed.modes),
                               .y = by_batch ? e.speed.by_batch_us : e.speed.by_modes_us,
                               .points = true});
    }
    plot.description = "Microseconds, from the left to the right end: ";
    for (const PlotSeries& s : plot.series)
        plot.description += format("%s %.1f to %.1f. ", s.name.c_str(), s.y.front(), s.y.back());
    return plot;
}

bool anyLearned(const Findings& f) { return std::any_of(f.each.begin(), f.each.end(), isLearned); }

}  // namespace

std::string timeSection(const Findings& f) {
    const std::vector<ClipScore>& clips = f.score(0).clips;
    std::vector<size_t> order(clips.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return clips[a].errors.mean_cm > clips[b].errors.mean_cm;
    });
    order.resize(std::min(order.size(), kMostClips));
    std::string out =
        "<section id=\"time\"><h2>Error over time</h2>\n<p>Lines are means over the vertices of a "
        "frame; 95 % of the vertices of <b>" +
        escaped(f.each[0].label) +
        "</b> are below the top of its band. Dotted uprights: abrupt stops branch off there.";
    if (order.size() < clips.size())
        out += format(" The %zu clips of largest error, of %zu.", order.size(), clips.size());
    out += "</p>\n" + legendOf(f, isAny) + "<div class=\"pairs\">";
    for (const size_t clip : order)
        out += figureHtml(drawSvg(clipPlot(f, clip)),
                          "<b>" + escaped(clips[clip].name) + "</b>" +
                              format(" %.2f cm in the mean", clips[clip].errors.mean_cm));
    return out + "</div></section>\n";
}

std::string stopSection(const Findings& f) {
    size_t stops = 0;
    for (const ClipScore& clip : f.score(0).clips) stops += clip.stops.size();
    if (!stops) return "";
    SvgPlot error = stopPlot(f, &StopTrace::error_cm, "Error after abrupt stops", "error [cm]");
    SvgPlot moved = stopPlot(f, &StopTrace::moved_cm, "Motion of the cloth after abrupt stops",
                             "moved in a frame [cm]");
    error.description =
        "Mean over the frames after stops, cm: " +
        sentence(f, "%.2f", [&](size_t i) { return f.score(i).all.after_stops_cm; }) + ".";
    moved.description =
        "How far the cloth moves in each frame after the body has frozen; plain skinning and "
        "models without dynamics freeze with it.";
    return "<section id=\"stops\"><h2>After abrupt stops</h2>\n<p>The body freezes in mid-motion; "
           "cloth swings on and settles. " +
           format("Means over %zu stops.", stops) + "</p>\n" + legendOf(f, isAny, "simulation") +
           "<div class=\"pairs\">" +
           figureHtml(drawSvg(error), "How far off", foldedNumbers(error, "%.3f", "%.3f")) +
           figureHtml(drawSvg(moved), "How much it still moves",
                      foldedNumbers(moved, "%.3f", "%.3f")) +
           "</div></section>\n";
}

std::string modesSection(const Findings& f) {
    if (!anyLearned(f)) return "";
    const SvgPlot modes = modesPlot(f);
    const auto order = orderPlot(f);
    std::string out =
        std::string("<section id=\"modes\"><h2>Error by dimension") +
        (order ? " and by order" : "") +
        "</h2>\n<p>The same files shown with fewer of their modes (level of detail), on every "
        "fifth frame. Below the floor no weights of so many modes can go.</p>\n" +
        legendOf(f, isLearned, modes.series.back().name.c_str()) + "<div class=\"pairs\">" +
        figureHtml(drawSvg(modes), "By modes", order ? foldedNumbers(modes, "%.0f", "%.3f") : "");
    out += !order ? plotNumbers(modes, "%.0f", "%.3f")
                  : figureHtml(drawSvg(*order), "By order", foldedNumbers(*order, "%.0f", "%.3f"));
    return out + "</div></section>\n";
}

std::string stabilitySection(const Findings& f) {
    if (std::none_of(f.each.begin(), f.each.end(), remembers)) return "";
    std::string others;
    for (const EntrantFindings& e : f.each)
        if (isLearned(e) && !remembers(e))
            others +=
                " <b>" + escaped(e.label) + "</b> has no memory: there is nothing to die out.";
    return "<section id=\"stability\"><h2>Stability</h2>\n<p>Free motion dies out where all "
           "eigenvalues are inside the unit circle; λ is the size of the largest. The energy E of "
           "the player’s state then stays under its bound, whatever the body does (section 6.1 of "
           "the 2010 paper). Each model has a norm of its own: only the distance of a curve from "
           "its bound counts." +
           others + "</p>\n" + eigenvalueFigures(f) + legendOf(f, remembers) +
           "<div class=\"pairs\">" +
           figureHtml(drawSvg(energyPlot(f)), "<b>" + escaped(f.worst().name) + "</b>") +
           energyTable(f) + "</div></section>\n";
}

std::string speedSection(const Findings& f) {
    if (!anyLearned(f)) return "";
    const SvgPlot batch = speedPlot(f, true), modes = speedPlot(f, false);
    return "<section id=\"speed\"><h2>Speed</h2>\n<p>CPU time of a step with positions, one "
           "thread, measured while this page was made, on this machine.</p>\n" +
           legendOf(f, isLearned) + "<div class=\"pairs\">" +
           figureHtml(drawSvg(batch), "By wearers in a batch",
                      foldedNumbers(batch, "%.0f", "%.2f")) +
           figureHtml(drawSvg(modes), "By modes, 64 wearers",
                      foldedNumbers(modes, "%.0f", "%.2f")) +
           "</div></section>\n";
}

}  // namespace hem
