// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/outliers.h"

#include <algorithm>

#include "hem/core/check.h"

namespace hem {

double outlierDistance(std::span<const float> distances, std::span<const uint32_t> frames) {
    CHECK_EQ(distances.size(), frames.size());
    std::vector<float> sorted;
    for (size_t i = 0; i < distances.size(); ++i)
        if (frames[i] > 0) sorted.push_back(distances[i]);
    std::sort(sorted.begin(), sorted.end());
    // from the whole set down: each round drops what lies above, until nothing does
    size_t kept = sorted.size();
    double threshold = 0;
    for (size_t before = kept + 1; kept < before && kept > 0;) {
        before = kept;
        double sum = 0;
        for (size_t i = 0; i < kept; ++i) sum += double(sorted[i]);
        threshold = kOutlierTimesMean * sum / double(kept);
        while (kept > 0 && double(sorted[kept - 1]) > threshold) --kept;
    }
    return threshold;
}

std::vector<PoseSplit> splitPoses(std::span<const float> distances,
                                  std::span<const uint32_t> frames, double outlier_distance) {
    CHECK_EQ(distances.size(), frames.size());
    auto keeps = [&](size_t i) {
        return frames[i] > 0 && double(distances[i]) <= outlier_distance;
    };
    size_t kept = 0;
    for (size_t i = 0; i < distances.size(); ++i) kept += keeps(i);
    const size_t basis = std::min(distances.size(), kept * 10 / 9);
    const size_t training = basis * 6 / 10, validation = basis * 2 / 10;
    std::vector<PoseSplit> split(distances.size(), PoseSplit::kNotKept);
    size_t rank = 0;
    for (size_t i = 0; i < split.size(); ++i) {
        if (!keeps(i)) continue;
        split[i] = rank < training                ? PoseSplit::kTraining
                   : rank < training + validation ? PoseSplit::kValidation
                                                  : PoseSplit::kTest;
        ++rank;
    }
    return split;
}

}  // namespace hem
