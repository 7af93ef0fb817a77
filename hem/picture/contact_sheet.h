// SPDX-License-Identifier: Apache-2.0
// Contact sheets: many small pictures in a grid, each with a line of text under it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hem/picture/colormap.h"
#include "hem/picture/image.h"

namespace hem {

struct SheetOptions {
    int columns = 0;    // 0: a grid about as wide as it is high
    std::string title;  // above the grid; empty for none
    int gap = 8;        // pixels between cells and around them
    float label_cap_height = 8;
    Rgb paper{247, 246, 243};
    std::optional<ColorScale> scale;  // its legend stands at the right
};

// Where things stand on a sheet, in pixels.
struct SheetLayout {
    int columns = 0, rows = 0;
    int width = 0, height = 0;  // without the legend
    int cell_width = 0, cell_height = 0;
    int label_height = 0;  // of the strip under a cell; 0 where there are no labels
    int title_height = 0;  // above the first row
    int gap = 0;

    int cellLeft(int cell) const { return gap + cell % columns * (cell_width + gap); }
    int cellTop(int cell) const {
        return title_height + gap + cell / columns * (cell_height + label_height + gap);
    }
};
SheetLayout layoutSheet(int cells, int cell_width, int cell_height, bool labels,
                        const SheetOptions& options);

// Cells must be of one size, and at least one; labels one per cell, or none. Labels that are wider
// than their cell are cut.
Image contactSheet(const std::vector<Image>& cells, const std::vector<std::string>& labels,
                   const SheetOptions& options = {});

}  // namespace hem
