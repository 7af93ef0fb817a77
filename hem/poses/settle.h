// SPDX-License-Identifier: Apache-2.0
// settleOnPose(): brings a garment to rest on a body that stands still in some pose.
//
// The body goes from the rest pose, on which the garment has been put on once and for all, straight
// to the pose (onTheWay()), starting and ending without a jerk; sleeves and tails are then where
// dressing would have them, on the right side of every limb, which a skinned garment pushed out of
// the body is not. Then it stands, and the cloth loses some of its speed every frame, until what is
// left is little. Where cloth comes to rest depends a little on how it got there; as every pose
// is reached the same way, a pose has one garment.
#pragma once

#include "hem/cloth/simulator.h"

namespace hem {

struct SettleOptions {
    int way_frames = 16;                     // from the rest pose to the pose
    int least_frames = 8, most_frames = 60;  // that the body then stands
    float keep = 0.85f;                      // of the cloth's speed, a frame
    double at_rest = 1.5e-4;                 // joules a kilogram: what ends it

    friend bool operator==(const SettleOptions&, const SettleOptions&) = default;
};

struct SettledCloth {
    std::vector<Vec3> positions;
    double energy = 0;    // kinetic, joules a kilogram, of the last frame
    uint32_t frames = 0;  // simulated
};

// `start`: the garment at rest on the rest pose, from drape(). `masses` from vertexMasses(). Fails
// where the simulator does. About 40 frames' time.
Result<SettledCloth> settleOnPose(Simulator& simulator, const ClothScene& scene,
                                  const std::vector<float>& masses, const ClothState& start,
                                  const Pose& pose, const SettleOptions& options = {});

}  // namespace hem
