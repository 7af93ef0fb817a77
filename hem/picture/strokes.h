// SPDX-License-Identifier: Apache-2.0
// Strokes: antialiased lines of any width, for lettering and plots.
#pragma once

#include <vector>

#include "hem/picture/image.h"

namespace hem {

using Stroke = std::vector<Vec2>;  // points in pixels from the top left; one point draws nothing

// Round ends and corners, at least a pixel wide. Where strokes of one call cross, the colour is not
// laid on twice. What falls outside the image is cut off; what ends in a
// number that is not finite is left out.
void drawStrokes(Image& image, const std::vector<Stroke>& strokes, float width, Rgb color);

}  // namespace hem
