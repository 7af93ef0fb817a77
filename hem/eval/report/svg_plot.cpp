// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/svg_plot.h"

#include <algorithm>
#include <cmath>

#include "hem/core/text.h"
#include "hem/eval/report/html.h"
#include "hem/picture/colormap.h"

namespace hem {
namespace {

constexpr double kLeft = 54, kRight = 14, kTop = 12, kBottom = 46;

struct Interval {
    double low = 1e300, high = -1e300;
    void take(double value) {
        if (!std::isfinite(value)) return;
        low = std::min(low, value), high = std::max(high, value);
    }
    bool empty() const { return low > high; }
};

// Values to positions, and where ticks stand.
class Axis {
public:
    Axis(const PlotAxis& axis, Interval values, double from, double to, int most_ticks)
        : scale_(axis.scale), from_(from), to_(to) {
        if (values.empty()) values = {isLog() ? 1.0 : 0.0, isLog() ? 10.0 : 1.0};
        if (isLog())
            layLog(values, most_ticks);
        else
            layLinear(axis, values, most_ticks);
    }
    double at(double value) const {
        const double t = (scaled(value) - low_) / (high_ - low_);
        return from_ + (to_ - from_) * t;
    }
    bool shows(double value) const { return std::isfinite(value) && (!isLog() || value > 0); }
    const std::vector<double>& ticks() const { return ticks_; }

private:
    bool isLog() const { return scale_ != AxisScale::kLinear; }
    double scaled(double value) const {
        if (!isLog()) return value;
        return scale_ == AxisScale::kLog2 ? std::log2(value) : std::log10(value);
    }
    void layLinear(const PlotAxis& axis, Interval values, int most_ticks) {
        low_ = axis.from_zero ? std::min(0.0, values.low) : values.low;
        high_ = values.high > low_ ? values.high : low_ + 1;
        ticks_ = niceTicks(low_, high_, most_ticks);
        if (axis.whole) std::erase_if(ticks_, [](double t) { return t != std::round(t); });
        const double step = ticks_.size() > 1 ? ticks_[1] - ticks_[0] : high_ - low_;
        if (most_ticks <= 6) {  // the values' axis ends on a tick above them
            while (ticks_.back() < high_ - 1e-9 * step) ticks_.push_back(ticks_.back() + step);
            high_ = ticks_.back();
        }
    }
    void layLog(Interval values, int most_ticks) {
        const double base = scale_ == AxisScale::kLog2 ? 2 : 10;
        low_ = scaled(values.low), high_ = scaled(values.high);
        if (scale_ == AxisScale::kLog10) low_ = std::floor(low_), high_ = std::ceil(high_);
        if (high_ <= low_) high_ = low_ + 1;
        const int first = int(std::ceil(low_ - 1e-9)), last = int(std::floor(high_ + 1e-9));
        const int every = std::max(1, (last - first) / most_ticks + 1);
        for (int i = first; i <= last; i += every) ticks_.push_back(std::pow(base, i));
    }

    AxisScale scale_;
    double from_, to_, low_ = 0, high_ = 1;
    std::vector<double> ticks_;
};

std::string tickText(double value) {
    if (value == 0) return "0";
    const double size = std::abs(value);
    if (size >= 1e5 || size < 1e-3) {
        const int power = int(std::floor(std::log10(size) + 1e-9));
        const double mantissa = value / std::pow(10, power);
        const std::string ten = format("10<tspan dy=\"-4\" class=\"power\">%d</tspan>", power);
        return std::abs(mantissa - 1) < 1e-6 ? ten : format("%g·", mantissa) + ten;
    }
    return format("%.6g", value);
}

std::string textAt(double x, double y, const char* anchor, const std::string& inside,
                   const std::string& more = "") {
    return format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, more.c_str()) +
           inside + "</text>";
}

std::string lineAt(double x1, double y1, double x2, double y2, const std::string& kind) {
    return format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>", x1, y1,
                  x2, y2, kind.c_str());
}

std::string opening(int width, int height, const std::string& title,
                    const std::string& description) {
    return format("<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", width, height) +
           escaped(title + ". " + description) + "\"><title>" + escaped(title) + "</title><desc>" +
           escaped(description) + "</desc>";
}

class Drawing {
public:
    explicit Drawing(const SvgPlot& plot)
        : plot_(plot),
          x_(plot.x, range(true), kLeft, plot.width - kRight, 7),
          y_(plot.y, range(false), plot.height - kBottom, kTop, 5) {}

    std::string draw() const {
        std::string out = opening(plot_.width, plot_.height, plot_.title, plot_.description);
        out += axes() + marks();
        for (const PlotSeries& s : plot_.series) out += band(s);
        for (size_t i = 0; i < plot_.levels.size(); ++i) out += levelLine(plot_.levels[i], i);
        // later ones first: the first entrant lies on top
        for (size_t i = plot_.series.size(); i-- > 0;) out += line(plot_.series[i]);
        return out + "</svg>\n";
    }

private:
    Interval range(bool of_x) const {
        Interval all;
        const PlotAxis& axis = of_x ? plot_.x : plot_.y;
        const auto take = [&](double v) {
            if (axis.scale == AxisScale::kLinear || v > 0) all.take(v);
        };
        for (const PlotSeries& s : plot_.series) {
            for (const double v : of_x ? s.x : s.y) take(v);
            if (!of_x)
                for (const double v : s.upper) take(v);
        }
        if (!of_x)
            for (const PlotLevel& level : plot_.levels) take(level.y);
        return all;
    }

    std::string axes() const {
        const double bottom = plot_.height - kBottom, right = plot_.width - kRight;
        std::string out;
        for (const double tick : y_.ticks()) {
            const double y = y_.at(tick);
            out += lineAt(kLeft, y, right, y, "grid");
            out += textAt(kLeft - 8, y + 4, "end", tickText(tick));
        }
        for (const double tick : x_.ticks()) {
            const double x = x_.at(tick);
            if (x > right + 0.5) continue;
            out += lineAt(x, bottom, x, bottom + 4, "axis");
            out += textAt(x, bottom + 18, "middle", tickText(tick));
        }
        out += lineAt(kLeft, bottom, right, bottom, "axis");
        out += textAt((kLeft + right) / 2, plot_.height - 8, "middle", escaped(plot_.x.label),
                      " class=\"label\"");
        const double middle = (kTop + bottom) / 2;
        return out + textAt(13, middle, "middle", escaped(plot_.y.label),
                            format(" class=\"label\" transform=\"rotate(-90 13 %.1f)\"", middle));
    }

    std::string marks() const {
        std::string out;
        for (const double mark : plot_.x_marks)
            out += lineAt(x_.at(mark), kTop, x_.at(mark), plot_.height - kBottom, "mark");
        return out;
    }

    // Words stand beside each other where lines are near.
    std::string levelLine(const PlotLevel& level, size_t place) const {
        if (!y_.shows(level.y)) return "";
        const double y = y_.at(level.y), right = plot_.width - kRight;
        const double above = y < kTop + 14 ? y + 13 : y - 5;
        return lineAt(kLeft, y, right, y, format("level s%d", level.color)) +
               textAt(right - 4 - 92 * double(place % 4), above, "end", escaped(level.label),
                      format(" class=\"word s%d\"", level.color));
    }

    bool shows(const PlotSeries& s, size_t i) const { return x_.shows(s.x[i]) && y_.shows(s.y[i]); }

    std::string band(const PlotSeries& s) const {
        if (s.upper.empty()) return "";
        std::string there, back;
        for (size_t i = 0; i < s.x.size(); ++i) {
            if (!shows(s, i) || !y_.shows(s.upper[i])) continue;
            there +=
                format("%s%.1f %.1f", there.empty() ? "M" : "L", x_.at(s.x[i]), y_.at(s.upper[i]));
            back = format("L%.1f %.1f", x_.at(s.x[i]), y_.at(s.y[i])) + back;
        }
        if (there.empty()) return "";
        return "<path class=\"band s" + std::to_string(s.color) + "\" d=\"" + there + back +
               "Z\"/>";
    }

    std::string line(const PlotSeries& s) const {
        const std::string color = s.recorded ? "recorded" : format("s%d", s.color);
        std::string path, dots;
        bool down = false;
        for (size_t i = 0; i < s.x.size(); ++i) {
            if (!shows(s, i)) {
                down = false;
                continue;
            }
            const double x = x_.at(s.x[i]), y = y_.at(s.y[i]);
            path += format("%s%.1f %.1f", down ? "L" : "M", x, y);
            if (s.points) dots += format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>", x, y);
            down = true;
        }
        if (path.empty()) return "";
        std::string out = "<path class=\"line " + color + "\" d=\"" + path + "\"/>";
        if (!dots.empty()) out += "<g class=\"dots " + color + "\">" + dots + "</g>";
        return out;
    }

    const SvgPlot& plot_;
    Axis x_, y_;
};

}  // namespace

std::string drawSvg(const SvgPlot& plot) { return Drawing(plot).draw(); }

std::string drawUnitCircle(const EigenvalueSet& set, const std::string& title,
                           const std::string& description) {
    constexpr int kSide = 220;
    constexpr double kCentre = 110, kRadius = 88;
    const auto circle = [](double x, double y, double r, const std::string& kind) {
        return format("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", x, y, r) +
               (kind.empty() ? "/>" : " class=\"" + kind + "\"/>");
    };
    const std::string color = format("s%d", set.color);
    std::string out = opening(kSide, kSide, title, description);
    out += lineAt(kCentre - kRadius - 14, kCentre, kCentre + kRadius + 14, kCentre, "grid");
    out += lineAt(kCentre, kCentre - kRadius - 14, kCentre, kCentre + kRadius + 14, "grid");
    out += circle(kCentre, kCentre, kRadius, "unit");
    if (set.lambda > 0) out += circle(kCentre, kCentre, kRadius * set.lambda, "lambda " + color);
    out += textAt(kCentre + kRadius + 5, kCentre + 14, "start", "1");
    out += textAt(kCentre + 5, kCentre - kRadius - 6, "start", "i");
    std::string dots, largest;
    for (const std::complex<double>& value : set.values) {
        const double x = kCentre + kRadius * value.real(), y = kCentre - kRadius * value.imag();
        dots += circle(x, y, 2, "");
        if (std::abs(std::abs(value) - set.lambda) < 1e-6) largest += circle(x, y, 5, "largest");
    }
    return out + "<g class=\"dots " + color + "\">" + dots + largest + "</g></svg>\n";
}

std::string legendHtml(const std::vector<LegendEntry>& entries) {
    std::string out = "<ul class=\"legend\">";
    for (const LegendEntry& entry : entries)
        out += "<li><svg viewBox=\"0 0 26 10\" aria-hidden=\"true\"><path class=\"line " +
               (entry.recorded ? std::string("recorded") : format("s%d", entry.color)) +
               "\" d=\"M1 5L25 5\"/></svg>" + escaped(entry.name) + "</li>";
    return out + "</ul>\n";
}

}  // namespace hem
