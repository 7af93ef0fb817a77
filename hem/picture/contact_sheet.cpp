// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/contact_sheet.h"

#include <cmath>

#include "hem/picture/lettering.h"

namespace hem {
namespace {

constexpr float kTitleCapHeight = 12;

// The number of columns that makes the sheet nearest to a square from below.
int chooseColumns(int cells, int cell_width, int cell_height) {
    const double columns = std::sqrt(double(cells) * cell_height / cell_width);
    return std::clamp(int(std::lround(columns)), 1, cells);
}

}  // namespace

SheetLayout layoutSheet(int cells, int cell_width, int cell_height, bool labels,
                        const SheetOptions& options) {
    CHECK(cells >= 1 && cell_width >= 1 && cell_height >= 1 && options.gap >= 0);
    SheetLayout layout{.cell_width = cell_width, .cell_height = cell_height, .gap = options.gap};
    layout.columns =
        options.columns > 0 ? options.columns : chooseColumns(cells, cell_width, cell_height);
    layout.rows = (cells + layout.columns - 1) / layout.columns;
    layout.label_height = labels ? int(std::ceil(options.label_cap_height * 2.1f)) : 0;
    layout.title_height = options.title.empty() ? 0 : int(kTitleCapHeight * 2.2f);
    layout.width = options.gap + layout.columns * (cell_width + options.gap);
    layout.height = layout.title_height + options.gap +
                    layout.rows * (cell_height + layout.label_height + options.gap);
    return layout;
}

Image contactSheet(const std::vector<Image>& cells, const std::vector<std::string>& labels,
                   const SheetOptions& options) {
    CHECK(!cells.empty());
    CHECK(labels.empty() || labels.size() == cells.size());
    const SheetLayout layout =
        layoutSheet(int(cells.size()), cells[0].width, cells[0].height, !labels.empty(), options);
    Image sheet(layout.width, layout.height, options.paper);
    const TextStyle title_style{.cap_height = kTitleCapHeight},
        label_style{.cap_height = options.label_cap_height};
    const float title_top = float(options.gap + layout.title_height) / 2 - kTitleCapHeight / 2 + 2;
    const float title_room = float(layout.width - 2 * options.gap);
    drawText(sheet, float(options.gap) + 2, title_top,
             fittedText(options.title, title_room, title_style), title_style);
    for (int i = 0; i < int(cells.size()); ++i) {
        const Image& cell = cells[size_t(i)];
        CHECK(cell.width == layout.cell_width && cell.height == layout.cell_height);
        const int left = layout.cellLeft(i), top = layout.cellTop(i);
        paste(sheet, cell, left, top);
        if (labels.empty()) continue;
        const std::string text = fittedText(labels[size_t(i)], float(cell.width) - 2, label_style);
        const float text_top =
            float(top + cell.height) + (float(layout.label_height) - options.label_cap_height) / 2;
        drawText(sheet, float(left) + 2, text_top, text, label_style);
    }
    return options.scale ? withLegend(sheet, *options.scale, options.paper) : sheet;
}

}  // namespace hem
