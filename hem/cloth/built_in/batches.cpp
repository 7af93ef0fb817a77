// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/batches.h"

#include <algorithm>

namespace hem::built_in {
namespace {

// As many batches are kept open as give full lanes on meshes of any order, and no more, so that
// neighbours in the order stay neighbours in memory.
constexpr size_t kOpenBatches = 48;

struct OpenBatch {
    std::array<uint32_t, 4> lanes{kEmptyLane, kEmptyLane, kEmptyLane, kEmptyLane};
    size_t count = 0;
};

bool clashes(const OpenBatch& batch, uint32_t constraint, const std::vector<uint32_t>& particles,
             size_t arity) {
    for (size_t lane = 0; lane < batch.count; ++lane) {
        for (size_t i = 0; i < arity; ++i) {
            for (size_t j = 0; j < arity; ++j) {
                if (particles[batch.lanes[lane] * arity + i] == particles[constraint * arity + j])
                    return true;
            }
        }
    }
    return false;
}

}  // namespace

std::vector<std::array<uint32_t, 4>> makeBatches(const std::vector<uint32_t>& particles,
                                                 size_t arity) {
    std::vector<std::array<uint32_t, 4>> result;
    std::vector<OpenBatch> open;
    for (uint32_t constraint = 0; constraint < particles.size() / arity; ++constraint) {
        auto place = std::find_if(open.begin(), open.end(), [&](const OpenBatch& batch) {
            return !clashes(batch, constraint, particles, arity);
        });
        if (place == open.end()) {
            if (open.size() == kOpenBatches) {
                result.push_back(open.front().lanes);
                open.erase(open.begin());
            }
            open.emplace_back();
            place = open.end() - 1;
        }
        place->lanes[place->count++] = constraint;
        if (place->count < 4) continue;
        result.push_back(place->lanes);
        open.erase(place);
    }
    for (const OpenBatch& batch : open) result.push_back(batch.lanes);
    return result;
}

}  // namespace hem::built_in
