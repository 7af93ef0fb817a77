// SPDX-License-Identifier: Apache-2.0
// evaluatePoses(): plays the packed bytes with the shipping player, pose by pose, against a garment
// come to rest on each.
//
// Costs are the 2021 paper's loss: the mean over poses, vertices and axes of the squared difference,
// square metres. Its "squared per-vertex error" is three times that, a vector's squared length.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "hem/core/result.h"
#include "hem/poses/pose_set.h"

namespace hem {

struct PoseScore {
    size_t poses = 0;
    double cost = 0;                                 // square metres
    double mean_cm = 0;                              // mean distance of a vertex
    double p95_cm = 0, max_cm = 0;                   // of the vertices' distances
    double skinning_cost = 0, skinning_mean_cm = 0;  // of the garment by skinning alone
    double floor_cost = 0;                           // what the modes cannot express
    double confidence = 0;                           // mean of the player's
    // Mean over the poses of a vertex's squared distance, square metres; and of skinning's.
    std::vector<float> vertex_square, skinning_vertex_square;
    // Mean over the vertices of the squared distance, and of which pose of the set.
    struct Pose {
        uint32_t pose;
        double square;
        double skinning_square = 0;  // of the garment by skinning alone
    };
    std::vector<Pose> each;  // of the part, in its order
    Pose best{}, worst{};
};

// Fails where the bytes are no garment, the set has other vertices or joints than it, or the part
// is empty. `flags` of hem_Batch. `progress` is told n more poses, from any thread. The same bits for
// any number of threads.
Result<PoseScore> evaluatePoses(std::span<const std::byte> garment, const PoseSet& set,
                                PoseSplit part, unsigned flags = 0,
                                const std::function<void(size_t)>& progress = {});

}  // namespace hem
