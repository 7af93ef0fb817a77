// SPDX-License-Identifier: Apache-2.0
// Batches of eight constraints that share no particle, so that their lanes do not disturb each
// other. Gauss-Seidel runs from batch to batch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hem/cloth/built_in/lanes.h"

namespace hem::built_in {

inline constexpr size_t kLanes = 8;
inline constexpr uint32_t kEmptyLane = UINT32_MAX;

// Constraint numbers, kEmptyLane where there is none.
using BatchLanes = std::array<uint32_t, kLanes>;

// `particles` holds `arity` indices per constraint. Constraints stay near their place in the order
// given.
std::vector<BatchLanes> makeBatches(const std::vector<uint32_t>& particles, size_t arity);

// The particle indices of a batch, corner by corner. Empty lanes point to dummies, behind
// `particle_count` true particles.
template <size_t kArity>
struct BatchIndices {
    uint32_t of[kArity][kLanes];
};

template <size_t kArity>
BatchIndices<kArity> batchIndices(const BatchLanes& batch, const std::vector<uint32_t>& particles,
                                  size_t particle_count) {
    static_assert(kLanes * kArity <= kDummies);
    BatchIndices<kArity> index{};
    for (size_t lane = 0; lane < kLanes; ++lane) {
        for (size_t k = 0; k < kArity; ++k) {
            index.of[k][lane] = batch[lane] == kEmptyLane
                                    ? uint32_t(particle_count + lane * kArity + k)
                                    : particles[batch[lane] * kArity + k];
        }
    }
    return index;
}

}  // namespace hem::built_in
