// SPDX-License-Identifier: Apache-2.0
// playerCost(): what one wearer costs a frame, as in the 2010 paper's Table 1.
#pragma once

#include <span>

#include "hem/core/result.h"
#include "hem/recording/recording.h"

namespace hem {

// CPU time of one core, the file hot in its caches; the fastest of several passes over the clip.
struct PlayerCost {
    double step_us = 0;   // the latent step alone: the paper's "Simul"
    double total_us = 0;  // with all vertices in the world: the paper's "Total"
};

// Fails as evaluate() does.
Result<PlayerCost> playerCost(std::span<const std::byte> garment, const RecordingSet& set,
                              const std::string& clip);

}  // namespace hem
