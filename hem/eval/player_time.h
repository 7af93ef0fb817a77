// SPDX-License-Identifier: Apache-2.0
// How long the player takes for one wearer.
#pragma once

#include "hem/recording/recording.h"
#include "hem/runtime/hem.h"

namespace hem {

struct PlayerTime {
    double plain_us = 0;     // CPU time of a hem_step() with positions, microseconds
    double push_out_us = 0;  // ... with HEM_PUSH_OUT
    double latent_us = 0;    // ... without positions: the step alone
};

// The least of several plays of up to 300 frames, all kinds in turn: other work on the machine can
// only make it longer.
PlayerTime playerTime(const hem_Garment* garment, const Recording& clip);

}  // namespace hem
