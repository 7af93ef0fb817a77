// SPDX-License-Identifier: Apache-2.0
// Image: a picture of 8-bit sRGB pixels, and PNG files of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hem/core/result.h"
#include "hem/core/vec.h"

namespace hem {

struct Rgb {
    uint8_t r = 0, g = 0, b = 0;
    friend bool operator==(const Rgb&, const Rgb&) = default;
};

struct Image {
    int width = 0, height = 0;
    std::vector<Rgb> pixels;  // row by row from the top left

    Image() = default;
    Image(int columns, int rows, Rgb fill = {})
        : width(columns), height(rows), pixels(size_t(columns) * size_t(rows), fill) {}

    Rgb& at(int x, int y) { return pixels[size_t(y) * size_t(width) + size_t(x)]; }
    const Rgb& at(int x, int y) const { return pixels[size_t(y) * size_t(width) + size_t(x)]; }
    friend bool operator==(const Image&, const Image&) = default;
};

// The side of the largest picture that is made or read. Larger ones are a typing error or an
// attack.
inline constexpr int kMaxImageSide = 16384;

// Linear light, 0 to 1 (clamped), and the sRGB transfer curve's 8-bit codes.
float linearFromSrgb(uint8_t code);
uint8_t srgbFromLinear(float value);
Vec3 linearFromSrgb(Rgb color);
Rgb srgbFromLinear(Vec3 color);

// The luminance Y of a colour in linear light: 0 for black, 1 for white.
inline float luminance(Vec3 linear) {
    return 0.2126f * linear.x + 0.7152f * linear.y + 0.0722f * linear.z;
}

// Copies `source` into `target` with its top left corner at (x, y); what falls outside is cut off.
void paste(Image& target, const Image& source, int x, int y);

// PNG, 8-bit RGB without alpha. The bytes depend on the pixels (and zlib's version) alone: no date.
Result<std::vector<std::byte>> encodePng(const Image& image);
// Any PNG, converted to RGB (alpha is dropped). Safe on untrusted bytes.
Result<Image> decodePng(std::span<const std::byte> bytes, const std::string& name);

Status savePng(const std::string& path, const Image& image);
Result<Image> loadPng(const std::string& path);

}  // namespace hem
