// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/garment_parts.h"

#include <gtest/gtest.h>

#include "hem/eval/pose_error_figure.h"
#include "tests/poses/small_pose_set.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

TEST(GarmentParts, ErrorsOfPartsAreRootsOfMeanSquares) {
    using enum GarmentPart;
    const std::vector<GarmentPart> parts = {kTails, kTrunk, kTails, kTails};
    const std::vector<float> square = {0.0001f, 0.0004f, 0.0009f, 0.0002f};
    const auto errors = errorsOfParts(parts, square);
    EXPECT_EQ(errors[size_t(kTails)].vertices, 3u);
    EXPECT_NEAR(errors[size_t(kTails)].rms_cm, 2, 1e-5);
    EXPECT_NEAR(errors[size_t(kTrunk)].rms_cm, 2, 1e-5);
    EXPECT_NEAR(errors[size_t(kTails)].share, 0.75, 1e-5);
    EXPECT_EQ(errors[size_t(kSleeves)].vertices, 0u);
    EXPECT_EQ(errors[size_t(kSleeves)].rms_cm, 0);
}

TEST(GarmentParts, ACoatHasASleeveOnEitherSideAndTailsBelowTheHips) {
    const TemporaryFolder folder;
    ClothScene scene;
    scene.character = mannequin(Sex::kFemale);
    scene.garments.push_back(makeGarment(scene.character, "coat", {.vertices = 300}).value());
    scene.substeps = 4;
    ASSERT_TRUE(makePoseSet(scene, folder.path("set"), quickly(2)));
    const PoseSet set = PoseSet::open(folder.path("set")).value();
    const auto parts = garmentParts(set).value();
    int left = 0, right = 0;
    float lowest_trunk = 10, highest_tail = 0;
    for (size_t v = 0; v < parts.size(); ++v) {
        const Vec3 p = set.garmentRest()[v];
        if (parts[v] == GarmentPart::kSleeves) ++(p.x > 0 ? left : right);
        if (parts[v] == GarmentPart::kTrunk) lowest_trunk = std::min(lowest_trunk, p.y);
        if (parts[v] == GarmentPart::kTails) highest_tail = std::max(highest_tail, p.y);
    }
    EXPECT_GT(left, 20);
    EXPECT_EQ(left, right);
    EXPECT_GE(lowest_trunk, highest_tail);
    EXPECT_NEAR(highest_tail, 0.9, 0.1);  // hips of a body of 1.68 m

    // and a figure whose colours follow the errors: tails alone are off
    std::vector<float> square(parts.size());
    const Image none = vertexErrorFigure(set, square);
    for (size_t v = 0; v < parts.size(); ++v)
        if (parts[v] == GarmentPart::kTails) square[v] = 0.01f;
    const Image tails = vertexErrorFigure(set, square);
    ASSERT_EQ(tails.width, none.width);
    const auto differs = [&](int from, int to) {
        size_t count = 0;
        for (int y = from; y < to; ++y)
            for (int x = 0; x < 360; ++x) count += tails.at(x, y) != none.at(x, y);
        return count;
    };
    EXPECT_GT(differs(tails.height / 2, tails.height), 5000u);
    EXPECT_LT(differs(0, tails.height / 3), 1000u);
}

}  // namespace
}  // namespace hem
