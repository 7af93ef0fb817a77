// SPDX-License-Identifier: Apache-2.0
// Which poses are kept, and which of those are for training: the rules of the 2021 paper.
//
// The paper (section 2) takes the squared distance between the simulated and the skinned garment,
// averaged over the vertices, and drops poses above 0.0350, in units that it does not name; the
// average of its distances is 0.0117. So the rule here is free of units: dropped is what lies above
// 0.0350 / 0.0117 = 2.99 times the average of what is kept. The rest is split 6,000 to 2,000 to
// what is left of 10,000 poses, in the order in which they were drawn, which is random already.
#pragma once

#include <span>
#include <vector>

#include "hem/poses/pose_set.h"

namespace hem {

inline constexpr double kOutlierTimesMean = 0.0350 / 0.0117;

// Above it, a distance is an outlier's: the largest t with t <= kOutlierTimesMean * mean of the
// distances that are at most t. Poses with frames 0 have failed and do not count. 0 for none.
double outlierDistance(std::span<const float> distances, std::span<const uint32_t> frames);

// The part of every pose. Of n poses, 60 % train and 20 % validate, the rest of those that are kept
// test; where fewer than nine in ten are kept, n stands for ten ninths of them, so that there is
// always something to test with.
std::vector<PoseSplit> splitPoses(std::span<const float> distances,
                                  std::span<const uint32_t> frames, double outlier_distance);

}  // namespace hem
