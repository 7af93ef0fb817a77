// SPDX-License-Identifier: Apache-2.0
// The inputs of Model S: what a moving body tells the cloth, per frame (hem/runtime/format.h).
//
//     g = [f; v; w]      pose features, the root's velocity in its heading's frame, rate of heading
//     i = [g; g_t - g_{t-1}; v|v|; w^2; w v]
//
// The products say what a linear map of velocities cannot: drag and centrifugal force. At frame 0
// the body has moved for long as it does between frames 0 and 1, and there are no differences.
#pragma once

#include <vector>

#include "hem/models/stable_space/model.h"

namespace hem {

// PCA of the rotations of the joints that the garment hangs on and is pushed by, seen from the
// heading's frame; behind it the positions of points of the body in that frame, as they are. Gives
// fewer directions of the PCA than asked for where the motions have no more.
PoseFeatures fitPoseFeatures(const std::vector<LatentClip>& clips, std::vector<uint16_t> joints,
                             int directions, const std::vector<BodyPoint>& points = {});

// features of `pose`: as many as inputs follow from.
inline size_t modalInputCount(size_t features) { return 2 * (features + 4) + 7; }

// The raw inputs i, inputs by frames.
MatrixF modalInputs(const PoseFeatures& pose, const MatrixF& joints, const std::vector<Root>& roots,
                    double rate);

}  // namespace hem
