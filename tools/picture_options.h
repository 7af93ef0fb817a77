// SPDX-License-Identifier: Apache-2.0
// The options of `hemline picture`: as typed, and read strictly.
#pragma once

#include <optional>
#include <string>

#include "hem/picture/colormap.h"
#include "hem/picture/shots.h"

namespace hem::tools {

// As typed.
struct PictureArguments {
    std::string input, output, motion, time, frame, sheet, color_by, range, title;
    std::string view = "three-quarter", size, quality = "normal", background = "paper";
    std::string unit = "cm", map = "sequential";
    int frames = 0;
    bool follow = false, wire = false;

    bool isSheet() const { return !sheet.empty() || frames > 0; }
};

struct Size {
    int width = 0, height = 0;
};
// "480x640": pixels.
Result<Size> parseSize(const std::string& text);

struct Grid {
    int columns = 0, rows = 0;
};
// "6x2": columns by rows, at most kMaxCells.
Result<Grid> parseGrid(const std::string& text);
inline constexpr int kMaxCells = 400;

struct Range {
    double first = 0, last = 0;
};
// "2" (both ends the same) or "1:2.5"; `option` stands in the message.
Result<Range> parseRange(const std::string& text, const char* option);

// paper, white, grey, black, or #rrggbb; linear light.
Result<Vec3> parseBackground(const std::string& text);

// Metres to the unit that a legend prints: "m", "cm", "mm"; "none" leaves the numbers as they are.
struct Unit {
    double per_metre = 1;
    std::string suffix;  // " [cm]"
};
Result<Unit> parseUnit(const std::string& text);

// "sequential" or "cold-hot".
Result<ColorMap> parseColorMap(const std::string& text);

// All of the above, understood. What does not depend on the input is checked here, before any file
// is read.
struct PictureRequest {
    ShotOptions shot;
    int columns = 0;  // of a sheet; 0: as fits
    int cells = 1;
    Unit unit;
    ColorMap map = ColorMap::kSequential;
    std::optional<Range> color_range;
    std::optional<Range> time;   // seconds
    std::optional<Range> frame;  // of the motion
};
Result<PictureRequest> understand(const PictureArguments& arguments);

}  // namespace hem::tools
