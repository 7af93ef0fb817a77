// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/outliers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace hem {
namespace {

size_t count(const std::vector<PoseSplit>& split, PoseSplit part) {
    return size_t(std::count(split.begin(), split.end(), part));
}

TEST(Outliers, TheThresholdIsThePapersRatioToTheMeanOfWhatIsKept) {
    const std::vector<float> distances = {1, 1, 1, 1, 1, 1, 1, 1, 1, 100};
    const std::vector<uint32_t> frames(10, 30);
    EXPECT_DOUBLE_EQ(outlierDistance(distances, frames), 0.0350 / 0.0117);
}

TEST(Outliers, ThePapersOwnSetKeepsThePapersThreshold) {
    // 9,813 kept distances of mean 0.0117 and 187 above 0.0350
    std::vector<float> distances(9813, 0.0117f);
    distances.resize(10000, 0.05f);
    const std::vector<uint32_t> frames(10000, 30);
    const double threshold = outlierDistance(distances, frames);
    EXPECT_NEAR(threshold, 0.0350, 1e-6);
    const auto split = splitPoses(distances, frames, threshold);
    EXPECT_EQ(count(split, PoseSplit::kTraining), 6000u);
    EXPECT_EQ(count(split, PoseSplit::kValidation), 2000u);
    EXPECT_EQ(count(split, PoseSplit::kTest), 1813u);
    EXPECT_EQ(count(split, PoseSplit::kNotKept), 187u);
}

TEST(Outliers, DroppingSomeMayMakeOthersOutliers) {
    // mean of all 8.5, threshold 25.4; without the 60 the mean is 3.57 and 20 is above 10.7
    const std::vector<float> distances = {1, 1, 1, 1, 1, 1, 1, 1, 20, 60};
    const std::vector<uint32_t> frames(10, 1);
    EXPECT_NEAR(outlierDistance(distances, frames), kOutlierTimesMean, 1e-9);
}

TEST(Outliers, FailedPosesDoNotCountAndAreNotKept) {
    const std::vector<float> distances = {0, 2, 2, 2};
    const std::vector<uint32_t> frames = {0, 9, 9, 9};
    const double threshold = outlierDistance(distances, frames);
    EXPECT_NEAR(threshold, 2 * kOutlierTimesMean, 1e-9);
    EXPECT_EQ(splitPoses(distances, frames, threshold)[0], PoseSplit::kNotKept);
    EXPECT_EQ(outlierDistance(distances, std::vector<uint32_t>(4, 0)), 0);
}

TEST(Outliers, TheSplitIsInOrderAndThereIsAlwaysSomethingToTestWith) {
    std::vector<float> distances(100, 1);
    for (size_t i = 0; i < 50; ++i) distances[2 * i] = 9;  // half of them outliers
    const auto split = splitPoses(distances, std::vector<uint32_t>(100, 1), 5);
    EXPECT_EQ(count(split, PoseSplit::kTraining), 33u);  // 60 % of ten ninths of 50
    EXPECT_EQ(count(split, PoseSplit::kValidation), 11u);
    EXPECT_EQ(count(split, PoseSplit::kTest), 6u);
    PoseSplit last = PoseSplit::kTraining;
    for (size_t i = 1; i < 100; i += 2) {
        EXPECT_GE(split[i], last);
        last = split[i];
    }
}

}  // namespace
}  // namespace hem
