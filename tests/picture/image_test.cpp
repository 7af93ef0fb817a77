// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/image.h"

#include <gtest/gtest.h>
#include <png.h>

#include <cstring>
#include <filesystem>

#include "hem/core/random.h"

namespace hem {
namespace {

Image noise(int width, int height) {
    Random random(3);
    Image image(width, height);
    for (Rgb& pixel : image.pixels)
        pixel = {uint8_t(random.bits()), uint8_t(random.bits()), uint8_t(random.bits())};
    return image;
}

// libpng's row-by-row interface, which the library does not use.
Image decodeByRows(const std::string& path) {
    FILE* file = std::fopen(path.c_str(), "rb");
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_read_info(png, info);
    EXPECT_EQ(png_get_bit_depth(png, info), 8);
    EXPECT_EQ(png_get_color_type(png, info), PNG_COLOR_TYPE_RGB);
    Image image(int(png_get_image_width(png, info)), int(png_get_image_height(png, info)));
    for (int y = 0; y < image.height; ++y)
        png_read_row(png, reinterpret_cast<png_bytep>(&image.at(0, y)), nullptr);
    png_destroy_read_struct(&png, &info, nullptr);
    std::fclose(file);
    return image;
}

TEST(Png, AnotherDecoderSeesTheSamePixels) {
    const std::string path = std::filesystem::temp_directory_path() / "hem_image_test.png";
    const Image image = noise(37, 21);
    ASSERT_TRUE(savePng(path, image));
    EXPECT_EQ(decodeByRows(path), image);
    const auto back = loadPng(path);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, image);
    std::filesystem::remove(path);
}

TEST(Png, EncodingTwiceGivesTheSameBytes) {
    EXPECT_EQ(*encodePng(noise(64, 48)), *encodePng(noise(64, 48)));
}

TEST(Png, ACutFileIsAnErrorThatNamesIt) {
    const auto bytes = *encodePng(noise(16, 16));
    for (size_t length = 0; length + 1 < bytes.size() - 12; length += 7) {
        const auto image = decodePng(std::span(bytes).first(length), "cut.png");
        ASSERT_FALSE(image) << length;
        EXPECT_TRUE(image.error().message.starts_with("cut.png: "));
    }
}

TEST(Png, DamagedBytesNeverCrash) {
    const auto whole = *encodePng(noise(16, 16));
    Random random(5);
    int refused = 0;
    for (int round = 0; round < 500; ++round) {
        auto bytes = whole;
        bytes[size_t(random.integer(0, int(bytes.size()) - 1))] ^=
            std::byte(1u << random.integer(0, 7));
        refused += !decodePng(bytes, "damaged.png");
    }
    EXPECT_GT(refused, 300);
}

TEST(Png, AHeaderThatClaimsAHugePictureIsRefusedBeforeMemoryIsTaken) {
    auto bytes = *encodePng(Image(1, 1));
    bytes[16] = std::byte{0x00}, bytes[17] = std::byte{0x0f};  // width 0x000f0001
    png_byte chunk[17];
    std::memcpy(chunk, bytes.data() + 12, 17);
    uint32_t crc = 0xffffffffu;  // CRC-32 of the IHDR chunk, as the PNG specification has it
    for (png_byte b : chunk) {
        crc ^= b;
        for (int k = 0; k < 8; ++k) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
    }
    crc = ~crc;
    for (int k = 0; k < 4; ++k) bytes[size_t(29 + k)] = std::byte(crc >> (24 - 8 * k));
    const auto image = decodePng(bytes, "huge.png");
    ASSERT_FALSE(image);
    EXPECT_NE(image.error().message.find("983041 by 1 pixels"), std::string::npos)
        << image.error().message;
}

TEST(Png, AFolderThatIsNotThereIsAnErrorThatNamesTheFile) {
    const Status status = savePng("/nonexistent/folder/a.png", Image(2, 2));
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("/nonexistent/folder/a.png"), std::string::npos);
}

TEST(Srgb, EveryCodeSurvivesTheWayThroughLinearLight) {
    for (int code = 0; code < 256; ++code)
        EXPECT_EQ(srgbFromLinear(linearFromSrgb(uint8_t(code))), code);
    EXPECT_EQ(srgbFromLinear(-1.0f), 0);
    EXPECT_EQ(srgbFromLinear(2.0f), 255);
    EXPECT_EQ(srgbFromLinear(std::nanf("")), 0);
    // the standard's own example: middle grey
    EXPECT_NEAR(linearFromSrgb(uint8_t(188)), 0.503f, 0.001f);
}

TEST(Paste, WhatFallsOutsideIsCutOff) {
    Image target(4, 4), source(3, 3, {9, 9, 9});
    paste(target, source, -2, 2);
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 4; ++x) EXPECT_EQ(target.at(x, y).r, x == 0 && y >= 2 ? 9 : 0);
    paste(target, source, 100, 0);
    paste(target, source, 0, -100);
}

}  // namespace
}  // namespace hem
