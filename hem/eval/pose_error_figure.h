// SPDX-License-Identifier: Apache-2.0
// Pictures of how near the player comes to a garment at rest: Figures 4 and 5 of the 2021 paper.
#pragma once

#include <string>

#include "hem/picture/image.h"
#include "hem/poses/pose_set.h"

namespace hem {

// The garment at rest, front and back, coloured by the root of each vertex's mean squared distance,
// with a legend in centimetres. `vertex_square`: square metres, PoseScore's. A second or two.
Image vertexErrorFigure(const PoseSet& set, std::span<const float> vertex_square);

struct ShownPose {
    uint32_t pose;     // of the set
    std::string name;  // "lowest"
};
// A row a pose: by skinning, as the player gives it, as it was simulated, each with its mean
// squared distance from the latter. The bytes must be a garment of the set's vertices and joints
// (CHECK). About a second of one core a picture.
Image comparedPosesFigure(std::span<const std::byte> garment, const PoseSet& set,
                          const std::vector<ShownPose>& poses);

}  // namespace hem
