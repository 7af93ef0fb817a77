// SPDX-License-Identifier: Apache-2.0
// Lettering: text in pictures, in a small stroke font of our own.
//
// The glyphs of ASCII are lines and curves on a grid, drawn antialiased at any size: no font file,
// the same pixels everywhere. Other bytes show as a box.
#pragma once

#include <string_view>

#include "hem/picture/image.h"

namespace hem {

struct TextStyle {
    float cap_height = 9;  // of capitals and digits, in pixels; a line is about 1.7 times as high
    Rgb color{70, 68, 66};
    float weight = 0.13f;  // stroke width as a share of the cap height
};

// In pixels, without the blank after the last letter.
float textWidth(std::string_view text, const TextStyle& style = {});

// (x, y) is the left end and the top of the capitals. What falls outside the image is cut off.
void drawText(Image& image, float x, float y, std::string_view text, const TextStyle& style = {});

// `text` cut to what fits into `width` pixels, with ".." at the cut.
std::string fittedText(std::string_view text, float width, const TextStyle& style = {});

}  // namespace hem
