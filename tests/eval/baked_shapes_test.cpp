// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/baked_shapes.h"

#include <gtest/gtest.h>

#include "hem/core/random.h"

namespace hem {
namespace {

// Frames that three shapes span, each a tenth as large as the one before.
MatrixF framesOfThree(Eigen::Index vertices, Eigen::Index count) {
    Random random(3);
    const auto filled = [&](Eigen::Index rows, Eigen::Index columns) {
        MatrixF m(rows, columns);
        for (float& value : m.reshaped()) value = random.uniform(-1, 1);
        return m;
    };
    MatrixF weights = filled(3, count);
    for (Eigen::Index k = 0; k < 3; ++k) weights.row(k) *= std::pow(0.1f, float(k));
    const VectorF mean = filled(3 * vertices, 1);
    return (filled(3 * vertices, 3) * weights).colwise() + mean;
}

double farthestOf(const MatrixF& frames, const BakedShapes& baked) {
    const MatrixF off =
        ((baked.shapes.basis * baked.weights).colwise() + baked.shapes.mean) - frames;
    double largest = 0;
    for (Eigen::Index i = 0; i < off.size(); i += 3)
        largest = std::max(largest, double(off.reshaped().segment<3>(i).norm()));
    return largest;
}

TEST(BakedShapes, AsManyModesAsTheFramesSpanAreExact) {
    const MatrixF frames = framesOfThree(20, 40);
    const BakedShapes baked = bakeShapes(frames, 1e-5, 256);
    EXPECT_EQ(baked.shapes.modes(), 3u);
    EXPECT_LT(farthestOf(frames, baked), 1e-5);
    const MatrixF gram = baked.shapes.basis.transpose() * baked.shapes.basis;
    EXPECT_LT((gram - MatrixF::Identity(3, 3)).norm(), 1e-5);
    EXPECT_GT(baked.shapes.variance[0], baked.shapes.variance[1]);
}

TEST(BakedShapes, AToleranceTakesFewerAndTellsWhatIsLeft) {
    const MatrixF frames = framesOfThree(20, 40);
    const BakedShapes coarse = bakeShapes(frames, 0.03, 256);
    EXPECT_EQ(coarse.shapes.modes(), 2u);
    EXPECT_LT(coarse.largest_error, 0.03);
    EXPECT_NEAR(farthestOf(frames, coarse), coarse.largest_error, 1e-5);
    const BakedShapes capped = bakeShapes(frames, 1e-5, 1);
    EXPECT_EQ(capped.shapes.modes(), 1u);
    EXPECT_GT(capped.largest_error, 0.03);
}

TEST(BakedShapes, OfManyFramesTheErrorIsOfAll) {
    MatrixF frames = framesOfThree(4, 2500);
    frames(5, 1001) += 0.5f;  // between those that modes are taken from, and the mean is as it was
    frames(5, 1003) -= 0.5f;
    const BakedShapes baked = bakeShapes(frames, 1e-5, 256);
    EXPECT_GT(baked.largest_error, 0.1);
    EXPECT_NEAR(farthestOf(frames, baked), baked.largest_error, 1e-5);
}

TEST(BakedShapes, WhatDoesNotMoveIsItsMean) {
    const MatrixF frames = framesOfThree(20, 1);
    const BakedShapes baked = bakeShapes(frames, 1e-5, 256);
    EXPECT_EQ(baked.shapes.modes(), 1u);
    EXPECT_EQ(baked.weights.norm(), 0);
    EXPECT_LT(farthestOf(frames, baked), 1e-6);
}

}  // namespace
}  // namespace hem
