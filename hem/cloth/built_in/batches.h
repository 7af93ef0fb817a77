// SPDX-License-Identifier: Apache-2.0
// Batches of four constraints that share no particle, so that their lanes do not disturb each
// other. Gauss-Seidel runs from batch to batch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hem/cloth/built_in/lanes.h"

namespace hem::built_in {

inline constexpr uint32_t kEmptyLane = UINT32_MAX;

// Constraint numbers, four per batch, kEmptyLane where there is none. `particles` holds `arity`
// indices per constraint. Constraints stay near their place in the order given.
std::vector<std::array<uint32_t, 4>> makeBatches(const std::vector<uint32_t>& particles,
                                                 size_t arity);

// The particle indices of a batch, corner by corner: index[k * 4 + lane]. Empty lanes point to
// dummies, behind `particle_count` true particles.
template <size_t kArity>
std::array<uint32_t, 4 * kArity> batchIndices(const std::array<uint32_t, 4>& batch,
                                              const std::vector<uint32_t>& particles,
                                              size_t particle_count) {
    static_assert(4 * kArity <= kDummies);
    std::array<uint32_t, 4 * kArity> index{};
    for (size_t lane = 0; lane < 4; ++lane) {
        for (size_t k = 0; k < kArity; ++k) {
            index[k * 4 + lane] = batch[lane] == kEmptyLane
                                      ? uint32_t(particle_count + lane * kArity + k)
                                      : particles[batch[lane] * kArity + k];
        }
    }
    return index;
}

}  // namespace hem::built_in
