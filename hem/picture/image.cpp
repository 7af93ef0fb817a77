// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/image.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "hem/core/files.h"

namespace hem {
namespace {

float decodeTransferCurve(float code) {
    return code <= 0.04045f ? code / 12.92f : std::pow((code + 0.055f) / 1.055f, 2.4f);
}

// Upper bounds of the linear values that round to each code.
std::array<float, 255> makeCodeThresholds() {
    std::array<float, 255> thresholds;
    for (int i = 0; i < 255; ++i)
        thresholds[size_t(i)] = decodeTransferCurve((float(i) + 0.5f) / 255);
    return thresholds;
}

// png_image frees what it holds on every way out.
struct PngHandle {
    png_image png{};
    PngHandle() { png.version = PNG_IMAGE_VERSION; }
    ~PngHandle() { png_image_free(&png); }
};

}  // namespace

float linearFromSrgb(uint8_t code) { return decodeTransferCurve(float(code) / 255); }

uint8_t srgbFromLinear(float value) {
    static const std::array<float, 255> thresholds = makeCodeThresholds();
    if (!(value > 0)) return 0;
    return uint8_t(std::upper_bound(thresholds.begin(), thresholds.end(), value) -
                   thresholds.begin());
}

Vec3 linearFromSrgb(Rgb c) {
    return {linearFromSrgb(c.r), linearFromSrgb(c.g), linearFromSrgb(c.b)};
}

Rgb srgbFromLinear(Vec3 c) {
    return {srgbFromLinear(c.x), srgbFromLinear(c.y), srgbFromLinear(c.z)};
}

void paste(Image& target, const Image& source, int x, int y) {
    const int first_column = std::max(0, -x),
              last_column = std::min(source.width, target.width - x);
    const int first_row = std::max(0, -y), last_row = std::min(source.height, target.height - y);
    if (first_column >= last_column) return;
    for (int row = first_row; row < last_row; ++row)
        std::copy_n(&source.at(first_column, row), last_column - first_column,
                    &target.at(x + first_column, y + row));
}

Result<std::vector<std::byte>> encodePng(const Image& image) {
    CHECK_EQ(image.pixels.size(), size_t(image.width) * size_t(image.height));
    if (image.width < 1 || image.height < 1 || image.width > kMaxImageSide ||
        image.height > kMaxImageSide)
        return errorf("a picture of %d by %d pixels cannot be written; 1 to %d a side can",
                      image.width, image.height, kMaxImageSide);
    PngHandle handle;
    handle.png.width = png_uint_32(image.width);
    handle.png.height = png_uint_32(image.height);
    handle.png.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(handle.png);
    std::vector<std::byte> bytes(size);
    if (!png_image_write_to_memory(&handle.png, bytes.data(), &size, 0, image.pixels.data(), 0,
                                   nullptr))
        return errorf("cannot encode the PNG: %s", handle.png.message);
    bytes.resize(size);
    return bytes;
}

Result<Image> decodePng(std::span<const std::byte> bytes, const std::string& name) {
    PngHandle handle;
    if (!png_image_begin_read_from_memory(&handle.png, bytes.data(), bytes.size()))
        return errorf("%s: not a readable PNG: %s", name.c_str(), handle.png.message);
    if (handle.png.width > kMaxImageSide || handle.png.height > kMaxImageSide)
        return errorf("%s: %u by %u pixels; at most %d a side are read", name.c_str(),
                      handle.png.width, handle.png.height, kMaxImageSide);
    handle.png.format = PNG_FORMAT_RGB;
    Image image(int(handle.png.width), int(handle.png.height));
    const png_color black{};
    if (!png_image_finish_read(&handle.png, &black, image.pixels.data(), 0, nullptr))
        return errorf("%s: the PNG is damaged: %s", name.c_str(), handle.png.message);
    return image;
}

Status savePng(const std::string& path, const Image& image) {
    const auto bytes = encodePng(image);
    if (!bytes) return inContext(path, bytes.error());
    return writeFile(path, *bytes);
}

Result<Image> loadPng(const std::string& path) {
    const auto bytes = readFile(path);
    if (!bytes) return bytes.error();
    return decodePng(*bytes, path);
}

}  // namespace hem
