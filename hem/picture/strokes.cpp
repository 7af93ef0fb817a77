// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/strokes.h"

#include <algorithm>
#include <cmath>

namespace hem {
namespace {

float distanceToSegment(Vec2 p, Vec2 a, Vec2 b) {
    const Vec2 ab{b.x - a.x, b.y - a.y}, ap{p.x - a.x, p.y - a.y};
    const float squared = ab.x * ab.x + ab.y * ab.y;
    const float t = squared > 0 ? std::clamp((ap.x * ab.x + ap.y * ab.y) / squared, 0.0f, 1.0f) : 0;
    const Vec2 d{ap.x - t * ab.x, ap.y - t * ab.y};
    return std::sqrt(d.x * d.x + d.y * d.y);
}

void blend(Rgb& pixel, Rgb ink, float share) {
    const auto mix = [&](uint8_t a, uint8_t b) {
        return uint8_t(std::lround(float(a) + (float(b) - float(a)) * share));
    };
    pixel = {mix(pixel.r, ink.r), mix(pixel.g, ink.g), mix(pixel.b, ink.b)};
}

// A piece of the image, ends included.
struct Box {
    int left, right, top, bottom;
};

// The pixel that a coordinate is in, or one just outside of 0 to `last`.
int pixelAt(float coordinate, int last) {
    return int(std::clamp(std::floor(coordinate), -1.0f, float(last) + 1));
}

Box boxAbout(Vec2 a, Vec2 b, float reach, const Image& image) {
    const int last_x = image.width - 1, last_y = image.height - 1;
    return {std::max(0, pixelAt(std::min(a.x, b.x) - reach, last_x)),
            std::min(last_x, pixelAt(std::max(a.x, b.x) + reach, last_x)),
            std::max(0, pixelAt(std::min(a.y, b.y) - reach, last_y)),
            std::min(last_y, pixelAt(std::max(a.y, b.y) + reach, last_y))};
}

bool isFinite(Vec2 p) { return std::isfinite(p.x) && std::isfinite(p.y); }

Box boxAbout(const std::vector<Stroke>& strokes, float reach, const Image& image) {
    Box all{image.width, -1, image.height, -1};
    for (const Stroke& stroke : strokes)
        for (const Vec2 p : stroke) {
            if (!isFinite(p)) continue;
            const Box box = boxAbout(p, p, reach, image);
            all = {std::min(all.left, box.left), std::max(all.right, box.right),
                   std::min(all.top, box.top), std::max(all.bottom, box.bottom)};
        }
    return all;
}

}  // namespace

void drawStrokes(Image& image, const std::vector<Stroke>& strokes, float width, Rgb color) {
    const float reach = std::max(0.5f, width / 2) + 0.5f;
    const Box all = boxAbout(strokes, reach, image);
    if (all.left > all.right || all.top > all.bottom) return;
    const size_t columns = size_t(all.right - all.left + 1);
    std::vector<float> cover(columns * size_t(all.bottom - all.top + 1));
    for (const Stroke& stroke : strokes)
        for (size_t i = 1; i < stroke.size(); ++i) {
            if (!isFinite(stroke[i - 1]) || !isFinite(stroke[i])) continue;
            const Box box = boxAbout(stroke[i - 1], stroke[i], reach, image);
            for (int y = box.top; y <= box.bottom; ++y)
                for (int x = box.left; x <= box.right; ++x) {
                    const Vec2 centre{float(x) + 0.5f, float(y) + 0.5f};
                    const float far = distanceToSegment(centre, stroke[i - 1], stroke[i]);
                    float& c = cover[size_t(y - all.top) * columns + size_t(x - all.left)];
                    c = std::max(c, std::min(1.0f, reach - far));
                }
        }
    for (int y = all.top; y <= all.bottom; ++y)
        for (int x = all.left; x <= all.right; ++x) {
            const float c = cover[size_t(y - all.top) * columns + size_t(x - all.left)];
            if (c > 0) blend(image.at(x, y), color, c);
        }
}

}  // namespace hem
