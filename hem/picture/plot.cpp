// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hem/core/check.h"
#include "hem/core/text.h"
#include "hem/picture/colormap.h"
#include "hem/picture/lettering.h"
#include "hem/picture/strokes.h"

namespace hem {
namespace {

constexpr Rgb kInk{70, 68, 66}, kFaint{222, 220, 214}, kMark{168, 162, 152};

struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();

    void add(double value) {
        if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    }
    // Never empty.
    Range widened(double share) const {
        if (!(low <= high)) return {0, 1};
        const double room = high > low ? share * (high - low) : std::max(0.5, std::abs(low) / 2);
        return {low - room, high + room};
    }
};

Range xRange(const Plot& plot) {
    Range range;
    for (const PlotLine& line : plot.lines)
        for (const double x : line.x) range.add(x);
    return range.low < range.high ? range : range.widened(0);
}

Range yRange(const Plot& plot) {
    Range range;
    for (const PlotLine& line : plot.lines)
        for (const double y : line.y) range.add(y);
    const bool positive = range.low >= 0;
    Range wide = range.widened(0.06);
    if (plot.from_zero && positive) wide.low = 0;
    return wide;
}

// The plot's frame and what it shows.
class Canvas {
public:
    Canvas(const Plot& plot, const PlotStyle& style)
        : plot_(plot),
          text_{.cap_height = style.cap_height},
          x_(xRange(plot)),
          y_(yRange(plot)),
          image_(style.width, style.height, style.paper) {
        const float line = 1.9f * style.cap_height;
        left_ = 4.8f * style.cap_height;
        right_ = float(style.width) - 1.8f * style.cap_height;
        top_ = line * (plot.title.empty() ? 2.2f : 3.5f);
        bottom_ = float(style.height) - 2.2f * line - 8;
    }

    Image draw() {
        axes();
        for (const double x : plot_.marks)
            drawStrokes(image_, {{{across(x), top_}, {across(x), bottom_}}}, 1.3f, kMark);
        for (const PlotLine& line : plot_.lines) draw(line);
        words();
        return std::move(image_);
    }

private:
    float across(double x) const {
        return left_ + (right_ - left_) * float((x - x_.low) / (x_.high - x_.low));
    }
    float down(double y) const {
        return bottom_ - (bottom_ - top_) * float((y - y_.low) / (y_.high - y_.low));
    }

    void axes() {
        const float cap = text_.cap_height;
        for (const double y : niceTicks(y_.low, y_.high, 6)) {
            drawStrokes(image_, {{{left_, down(y)}, {right_, down(y)}}}, 1, kFaint);
            const std::string label = format("%g", y);
            drawText(image_, left_ - cap * 0.8f - textWidth(label, text_), down(y) - cap / 2, label,
                     text_);
        }
        for (const double x : niceTicks(x_.low, x_.high, 8)) {
            drawStrokes(image_, {{{across(x), bottom_}, {across(x), bottom_ + 4}}}, 1, kInk);
            const std::string label = format("%g", x);
            drawText(image_, across(x) - textWidth(label, text_) / 2, bottom_ + 4 + 0.7f * cap,
                     label, text_);
        }
        drawStrokes(image_, {{{left_, bottom_}, {right_, bottom_}}}, 1, kInk);
    }

    void draw(const PlotLine& line) {
        CHECK_EQ(line.x.size(), line.y.size());
        std::vector<Stroke> pieces(1);
        for (size_t i = 0; i < line.x.size(); ++i) {
            if (!std::isfinite(line.x[i]) || !std::isfinite(line.y[i]))
                pieces.emplace_back();
            else
                pieces.back().push_back({across(line.x[i]), down(line.y[i])});
        }
        drawStrokes(image_, pieces, 2, line.color);
    }

    void words() {
        const float cap = text_.cap_height, line = 1.9f * cap;
        float y = 0.8f * cap;
        if (!plot_.title.empty()) {
            TextStyle heading = text_;
            heading.cap_height *= 1.1f;
            heading.weight = 0.17f;
            drawText(image_, 0.9f * cap, y, plot_.title, heading);
            y += 1.3f * line;
        }
        drawText(image_, 0.9f * cap, y, plot_.y_label, text_);
        legend(y);
        drawText(image_, right_ - textWidth(plot_.x_label, text_), bottom_ + 4 + 0.7f * cap + line,
                 plot_.x_label, text_);
    }

    // In one row at the right, above the frame.
    void legend(float y) {
        const float cap = text_.cap_height, sample = 2.2f * cap, gap = 1.6f * cap;
        float width = -gap;
        for (const PlotLine& line : plot_.lines)
            width += sample + 0.6f * cap + textWidth(line.name, text_) + gap;
        float x = right_ - width;
        for (const PlotLine& line : plot_.lines) {
            drawStrokes(image_, {{{x, y + cap / 2}, {x + sample, y + cap / 2}}}, 2.4f, line.color);
            x += sample + 0.6f * cap;
            drawText(image_, x, y, line.name, text_);
            x += textWidth(line.name, text_) + gap;
        }
    }

    const Plot& plot_;
    TextStyle text_;
    Range x_, y_;
    Image image_;
    float left_, right_, top_, bottom_;
};

}  // namespace

Rgb seriesColor(size_t index) {
    constexpr Rgb kColors[] = {{40, 40, 40},    {213, 94, 0},  {0, 114, 178},  {0, 158, 115},
                               {204, 121, 167}, {230, 159, 0}, {86, 180, 233}, {150, 130, 60}};
    return kColors[index % std::size(kColors)];
}

Image drawPlot(const Plot& plot, const PlotStyle& style) {
    CHECK(!plot.lines.empty());
    return Canvas(plot, style).draw();
}

}  // namespace hem
