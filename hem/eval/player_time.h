// SPDX-License-Identifier: Apache-2.0
// How long the player takes for a wearer, alone and in a crowd.
#pragma once

#include <span>
#include <vector>

#include "hem/poses/pose_set.h"
#include "hem/recording/recording.h"
#include "hem/runtime/hem.h"

namespace hem {

// CPU time of a hem_step() with positions, microseconds a wearer.
struct PlayerTime {
    double plain_us = 0, push_out_us = 0;              // a batch of one
    double latent_us = 0;                              // ... without positions: the step alone
    double crowd_plain_us = 0, crowd_push_out_us = 0;  // a batch of 128, each in another frame
};

// What is played: skinning matrices, frame by frame, that lie elsewhere.
struct BodyMotion {
    std::vector<std::span<const Affine>> frames;
    double rate = 30;  // frames a second
};
BodyMotion bodyMotionOf(const Recording& clip);

// The least of several plays of up to 300 frames of the motion, all kinds in turn: other work on the
// machine can only make it longer.
PlayerTime playerTime(const hem_Garment* garment, const BodyMotion& motion);

// The same of several garments on one clip, without HEM_PUSH_OUT, whose figures are nought: each in
// turn, again and again, so that what else the machine does meets all of them alike.
std::vector<PlayerTime> playerTimes(const std::vector<const hem_Garment*>& garments,
                                    const Recording& clip);

// Microseconds a wearer of a step with positions, in a batch of `count` that are each in another
// frame of the motion, rebuilt from `modes` of the garment's (0: all). The least of several, which
// together take some 20 ms.
double batchTime(const hem_Garment* garment, const BodyMotion& motion, size_t count,
                 unsigned modes = 0);

// CPU time of a hem_step() with positions and `flags`, microseconds a wearer, on up to 300 poses of
// the set, evenly spread: one wearer who goes through them, and a batch of `count`. The least of
// several plays of both in turn.
struct PoseTime {
    double alone_us = 0, batch_us = 0;
};
PoseTime poseTime(const hem_Garment* garment, const PoseSet& set, size_t count, unsigned flags = 0);

}  // namespace hem
