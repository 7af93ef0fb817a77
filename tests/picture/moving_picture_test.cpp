// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/moving_picture.h"

#include <gtest/gtest.h>
#include <webp/demux.h>

#include <cmath>

namespace hem {
namespace {

// A soft disc on a soft background, at x.
Image disc(int x) {
    Image image(96, 64);
    for (int row = 0; row < image.height; ++row)
        for (int column = 0; column < image.width; ++column) {
            const double away = std::hypot(column - x, row - 32);
            const double shade = 1 / (1 + std::exp(away - 12));
            image.at(column, row) = {uint8_t(210 - 150 * shade), uint8_t(205 - 100 * shade),
                                     uint8_t(195 + row / 4)};
        }
    return image;
}

struct Decoded {
    std::vector<Image> frames;
    std::vector<int> ends;  // milliseconds
    WebPAnimInfo info{};
};

// By the library's demultiplexer, which the product does not use.
Decoded decoded(const std::vector<std::byte>& bytes) {
    Decoded film;
    const WebPData data{reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
    WebPAnimDecoder* decoder = WebPAnimDecoderNew(&data, nullptr);
    if (!decoder) return film;
    WebPAnimDecoderGetInfo(decoder, &film.info);
    uint8_t* rgba = nullptr;
    int end = 0;
    while (WebPAnimDecoderHasMoreFrames(decoder) && WebPAnimDecoderGetNext(decoder, &rgba, &end)) {
        Image image(int(film.info.canvas_width), int(film.info.canvas_height));
        for (size_t i = 0; i < image.pixels.size(); ++i)
            image.pixels[i] = {rgba[4 * i], rgba[4 * i + 1], rgba[4 * i + 2]};
        film.frames.push_back(std::move(image));
        film.ends.push_back(end);
    }
    WebPAnimDecoderDelete(decoder);
    return film;
}

double meanDifference(const Image& a, const Image& b) {
    double sum = 0;
    for (size_t i = 0; i < a.pixels.size(); ++i)
        sum += std::abs(a.pixels[i].r - b.pixels[i].r) + std::abs(a.pixels[i].g - b.pixels[i].g) +
               std::abs(a.pixels[i].b - b.pixels[i].b);
    return sum / 3 / double(a.pixels.size());
}

TEST(MovingPicture, ADecoderSeesTheFramesInTheirTime) {
    MovingPicture film(96, 64, {.rate = 30, .quality = 90});
    for (int i = 0; i < 9; ++i) ASSERT_TRUE(film.add(disc(20 + 6 * i)));
    const auto bytes = film.finish();
    ASSERT_TRUE(bytes) << bytes.error().message;
    const Decoded back = decoded(*bytes);
    ASSERT_EQ(back.frames.size(), 9u);
    EXPECT_EQ(back.info.loop_count, 0u);  // for ever
    EXPECT_EQ(back.ends, (std::vector<int>{33, 67, 100, 133, 167, 200, 233, 267, 300}));
    for (int i = 0; i < 9; ++i) {
        EXPECT_LT(meanDifference(back.frames[size_t(i)], disc(20 + 6 * i)), 4) << i;
        EXPECT_GT(meanDifference(back.frames[size_t(i)], disc(20 + 6 * ((i + 4) % 9))), 8) << i;
    }
}

TEST(MovingPicture, TheSameFramesGiveTheSameBytes) {
    std::vector<std::byte> files[2];
    for (auto& file : files) {
        MovingPicture film(96, 64);
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(film.add(disc(20 + 6 * i)));
        file = *film.finish();
    }
    EXPECT_EQ(files[0], files[1]);
}

TEST(MovingPicture, LessQualityTakesFewerBytes) {
    size_t sizes[2];
    for (int k = 0; k < 2; ++k) {
        MovingPicture film(96, 64, {.quality = k ? 95.0f : 30.0f});
        for (int i = 0; i < 3; ++i) ASSERT_TRUE(film.add(disc(20 + 6 * i)));
        sizes[k] = film.finish()->size();
    }
    EXPECT_LT(sizes[0], sizes[1]);
}

}  // namespace
}  // namespace hem
