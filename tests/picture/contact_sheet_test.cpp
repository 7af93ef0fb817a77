// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/contact_sheet.h"

#include <gtest/gtest.h>

#include <map>

#include "hem/picture/lettering.h"

namespace hem {
namespace {

std::vector<Image> coloredCells(int count, int width, int height) {
    std::vector<Image> cells;
    for (int i = 0; i < count; ++i)
        cells.emplace_back(width, height, Rgb{uint8_t(10 * i + 5), 0, 0});
    return cells;
}

int inkIn(const Image& image, Rgb paper, int left, int top, int right, int bottom) {
    int ink = 0;
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) ink += image.at(x, y) != paper;
    return ink;
}

TEST(ContactSheet, CellsStandInReadingOrderWithGapsBetween) {
    const SheetOptions options{.columns = 3, .gap = 5};
    const Image sheet = contactSheet(coloredCells(5, 40, 20), {}, options);
    EXPECT_EQ(sheet.width, 5 + 3 * 45);
    EXPECT_EQ(sheet.height, 5 + 2 * 25);
    for (int i = 0; i < 5; ++i) {
        const int left = 5 + i % 3 * 45, top = 5 + i / 3 * 25;
        EXPECT_EQ(sheet.at(left, top).r, 10 * i + 5);
        EXPECT_EQ(sheet.at(left + 39, top + 19).r, 10 * i + 5);
        EXPECT_EQ(sheet.at(left - 1, top), options.paper);
        EXPECT_EQ(sheet.at(left, top - 1), options.paper);
    }
    EXPECT_EQ(sheet.at(5 + 2 * 45 + 10, 5 + 25 + 10), options.paper);  // the sixth place is empty
}

TEST(ContactSheet, LabelsStandUnderTheirCellsAndTheTitleAbove) {
    const SheetOptions options{.columns = 2, .title = "walk"};
    const Image sheet = contactSheet(coloredCells(2, 80, 30), {"0.50 s", ""}, options);
    const SheetLayout layout = layoutSheet(2, 80, 30, true, options);
    EXPECT_EQ(sheet.width, layout.width);
    EXPECT_EQ(sheet.height, layout.height);
    const auto strip = [&](int cell) {
        const int left = layout.cellLeft(cell), top = layout.cellTop(cell) + 30;
        return inkIn(sheet, options.paper, left, top, left + 80, top + layout.label_height);
    };
    EXPECT_GT(strip(0), 40);
    EXPECT_EQ(strip(1), 0);
    EXPECT_GT(inkIn(sheet, options.paper, 0, 0, sheet.width, layout.cellTop(0)), 40);
}

TEST(ContactSheet, ALabelThatIsTooLongStaysWithinItsCell) {
    const SheetOptions options{.columns = 2};
    const std::string text(200, 'W');
    const Image sheet = contactSheet(coloredCells(2, 80, 30), {text, ""}, options);
    const SheetLayout layout = layoutSheet(2, 80, 30, true, options);
    const int top = layout.cellTop(0) + 30;
    EXPECT_GT(
        inkIn(sheet, options.paper, layout.cellLeft(0), top, layout.cellLeft(0) + 80, top + 15),
        40);
    EXPECT_EQ(inkIn(sheet, options.paper, layout.cellLeft(0) + 81, top, sheet.width, top + 15), 0);
}

TEST(ContactSheet, TheLegendStandsAtTheRight) {
    SheetOptions options{.columns = 2};
    const Image plain = contactSheet(coloredCells(2, 80, 200), {}, options);
    options.scale = ColorScale{.low = 0, .high = 5, .label = "error [cm]"};
    const Image with = contactSheet(coloredCells(2, 80, 200), {}, options);
    EXPECT_GT(with.width, plain.width + 40);
    EXPECT_EQ(with.height, plain.height);
    EXPECT_GT(inkIn(with, options.paper, plain.width, 0, with.width, with.height), 1000);
}

TEST(ContactSheet, WithoutAGivenWidthTheGridIsAboutSquareAndHoldsAllCells) {
    for (int count : {1, 2, 3, 7, 12, 50}) {
        const SheetLayout layout = layoutSheet(count, 60, 90, false, {});
        EXPECT_GE(layout.columns * layout.rows, count);
        EXPECT_LT((layout.rows - 1) * layout.columns, count);
        if (count >= 12) {
            EXPECT_LT(layout.width, 2 * layout.height);
            EXPECT_LT(layout.height, 2 * layout.width);
        }
    }
}

TEST(Lettering, EveryCharacterHasAGlyphOfItsOwn) {
    std::map<std::vector<uint8_t>, char> seen;
    for (char c = '!'; c <= '~'; ++c) {
        Image image(60, 60, {255, 255, 255});
        drawText(image, 15, 15, std::string(1, c), {.cap_height = 24, .color = {0, 0, 0}});
        std::vector<uint8_t> pixels;
        for (Rgb pixel : image.pixels) pixels.push_back(pixel.r);
        EXPECT_LT(*std::min_element(pixels.begin(), pixels.end()), 40) << c << " has no ink";
        const auto [other, fresh] = seen.insert({pixels, c});
        EXPECT_TRUE(fresh) << c << " looks like " << other->second;
    }
}

TEST(Lettering, InkStaysWithinTheMeasuredWidth) {
    const TextStyle style{.cap_height = 12, .color = {0, 0, 0}};
    const std::string text = "Walk 12.5 s [cm] gjpqy";
    Image image(400, 40, {255, 255, 255});
    drawText(image, 20, 12, text, style);
    const int width = int(std::ceil(textWidth(text, style)));
    EXPECT_EQ(inkIn(image, {255, 255, 255}, 0, 0, 18, 40), 0);
    EXPECT_GT(inkIn(image, {255, 255, 255}, 20 + width - 8, 0, 20 + width + 2, 40), 0);
    EXPECT_EQ(inkIn(image, {255, 255, 255}, 20 + width + 2, 0, 400, 40), 0);
}

TEST(Lettering, TextBeyondTheImageIsCutOff) {
    Image image(20, 10);
    for (float x : {-1000.0f, -5.0f, 15.0f, 1000.0f}) drawText(image, x, x, "beyond");
}

TEST(Lettering, TextIsCutToFit) {
    EXPECT_EQ(fittedText("short", 500), "short");
    const std::string cut = fittedText("a rather long line of text", 60);
    EXPECT_LE(textWidth(cut), 60);
    EXPECT_TRUE(cut.starts_with("a ra"));
    EXPECT_TRUE(cut.ends_with(".."));
}

}  // namespace
}  // namespace hem
