// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/camera.h"

#include <gtest/gtest.h>

#include "hem/core/random.h"

namespace hem {
namespace {

TEST(Camera, FramingSeesEveryPointAndFillsThePictureUpToTheMargin) {
    Random random(4);
    for (int round = 0; round < 40; ++round) {
        std::vector<Vec3> points;
        for (int i = 0; i < 30; ++i)
            points.push_back({random.uniform(-1, 4), random.uniform(0, 2), random.uniform(-3, 1)});
        const int width = random.integer(100, 800), height = random.integer(100, 800);
        const View view{random.uniform(-180, 180), random.uniform(-60, 60)};
        const Camera camera =
            frameCamera(points, view, float(width) / float(height), {.margin = 0.1f});
        float left = 1e9f, right = -1e9f, top = 1e9f, bottom = -1e9f;
        for (Vec3 p : points) {
            const Vec3 pixel = projectToPixels(camera, p, width, height);
            EXPECT_GT(pixel.z, 0);
            left = std::min(left, pixel.x), right = std::max(right, pixel.x);
            top = std::min(top, pixel.y), bottom = std::max(bottom, pixel.y);
        }
        const float w = float(width), h = float(height);
        EXPECT_GE(left, 0.099f * w);
        EXPECT_LE(right, 0.901f * w);
        EXPECT_GE(top, 0.099f * h);
        EXPECT_LE(bottom, 0.901f * h);
        EXPECT_GT(std::max((right - left) / w, (bottom - top) / h), 0.799f);
    }
}

TEST(Camera, NamedViewsStandWhereTheySay) {
    const Bounds body{{-0.5f, 0, -0.2f}, {0.5f, 1.8f, 0.2f}};
    const auto eye = [&](const char* name) {
        return frameCamera(body, *parseView(name), 0.75f).eye;
    };
    EXPECT_GT(eye("front").z, 2);  // the body faces +Z
    EXPECT_LT(eye("back").z, -2);
    EXPECT_GT(eye("side").x, 2);  // its left is +X
    EXPECT_GT(eye("90,0").x, 2);
    EXPECT_LT(eye("-90").x, -2);
    EXPECT_GT(eye("0,60").y, 3);
    EXPECT_GT(eye("three-quarter").x, 0.5f);
    EXPECT_GT(eye("three-quarter").z, 1);
}

TEST(Camera, WhatIsToTheRightOfTheCameraIsOnTheRightOfThePicture) {
    const Camera front = frameCamera(Bounds{{-1, -1, -1}, {1, 1, 1}}, {0, 0}, 1);
    EXPECT_GT(projectToPixels(front, {1, 0, 0}, 100, 100).x, 60);  // the body's left
    EXPECT_LT(projectToPixels(front, {0, 1, 0}, 100, 100).y, 40);
    const Camera left_side = frameCamera(Bounds{{-1, -1, -1}, {1, 1, 1}}, {90, 0}, 1);
    EXPECT_LT(projectToPixels(left_side, {0, 0, 1}, 100, 100).x, 40);  // faces the picture's left
}

TEST(Camera, ASinglePointAndNoPointAreFramedToo) {
    const std::vector<Vec3> one{{3, 2, 1}};
    const Vec3 pixel = projectToPixels(frameCamera(one, {20, 10}, 1), one[0], 100, 100);
    EXPECT_NEAR(pixel.x, 50, 0.5f);
    EXPECT_GT(pixel.z, 0);
    EXPECT_TRUE(isFinite(frameCamera(std::span<const Vec3>{}, {20, 10}, 1).eye));
}

TEST(Camera, WrongViewsAreRefusedWithTheRightOnes) {
    for (const char* text : {"", "fornt", "1,2,3", "nan,0", "10,x", "1e9,0"}) {
        const auto view = parseView(text);
        ASSERT_FALSE(view) << text;
        EXPECT_NE(view.error().message.find("three-quarter"), std::string::npos);
    }
    EXPECT_FALSE(parseView("0,90"));
}

}  // namespace
}  // namespace hem
