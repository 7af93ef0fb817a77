// SPDX-License-Identifier: Apache-2.0
// Pictures of a set of poses.
#pragma once

#include "hem/picture/image.h"
#include "hem/picture/shots.h"
#include "hem/poses/pose_set.h"

namespace hem {

// The body in a pose of the set and `cloth` on it, in the colour of all pictures of poses.
Shot poseShot(const PoseSet& set, size_t pose, std::span<const Vec3> cloth);
// One picture each, by one camera at `yaw` degrees that sees all of them; they stand on the ground.
std::vector<Image> renderPoses(const PoseSet& set, const std::vector<Shot>& shots, float yaw,
                               const RenderOptions& render);

// Figure 2 of the 2021 paper: how many poses lie at which distance between skinned and simulated
// garment, the outliers' threshold marked; below it the garment by skinning and as it was
// simulated, of the lowest and of the highest distance that is kept. Needs a kept pose (CHECK). A
// few seconds.
Image distanceFigure(const PoseSet& set);

// `count` poses, evenly spread over those that did not fail, as simulated, each with its number and
// its distance; seen from `yaw` degrees. About half a second of one core each.
Image poseSheet(const PoseSet& set, size_t count, float yaw = 35);

}  // namespace hem
