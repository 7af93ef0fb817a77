// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/batches.h"

#include <algorithm>

namespace hem::built_in {
namespace {

// The order in which constraints are solved is that of batches of four, taken one after the other.
// As many of these are kept open as give full ones on meshes of any order, and no more, so that
// neighbours in the order stay neighbours in memory.
constexpr size_t kOpenBatches = 48;
constexpr size_t kFour = 4;
// Of that order, so many constraints are looked at to fill a batch of eight.
constexpr size_t kWindow = 512;

struct OpenBatch {
    std::array<uint32_t, kFour> lanes{};
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

std::vector<uint32_t> solvingOrder(const std::vector<uint32_t>& particles, size_t arity) {
    std::vector<uint32_t> order;
    std::vector<OpenBatch> open;
    const auto close = [&](const OpenBatch& batch) {
        order.insert(order.end(), batch.lanes.begin(), batch.lanes.begin() + batch.count);
    };
    for (uint32_t constraint = 0; constraint < particles.size() / arity; ++constraint) {
        auto place = std::find_if(open.begin(), open.end(), [&](const OpenBatch& batch) {
            return !clashes(batch, constraint, particles, arity);
        });
        if (place == open.end()) {
            if (open.size() == kOpenBatches) {
                close(open.front());
                open.erase(open.begin());
            }
            open.emplace_back();
            place = open.end() - 1;
        }
        place->lanes[place->count++] = constraint;
        if (place->count < kFour) continue;
        close(*place);
        open.erase(place);
    }
    for (const OpenBatch& batch : open) close(batch);
    return order;
}

}  // namespace

// A constraint may be solved before others only where it shares no particle with them: then nothing
// changes, whatever the number of lanes.
std::vector<BatchLanes> makeBatches(const std::vector<uint32_t>& particles, size_t arity) {
    const std::vector<uint32_t> order = solvingOrder(particles, arity);
    const uint32_t count = particles.empty() ? 0 : 1 + *std::ranges::max_element(particles);
    std::vector<size_t> met_by(count, 0);  // per particle: the last batch, from 1, that has met it
    std::vector<uint8_t> taken(order.size(), 0);
    std::vector<BatchLanes> result;
    for (size_t first = 0; first < order.size();) {
        BatchLanes& batch = result.emplace_back();
        batch.fill(kEmptyLane);
        size_t filled = 0;
        const size_t end = std::min(order.size(), first + kWindow);
        for (size_t i = first; i < end && filled < kLanes; ++i) {
            if (taken[i]) continue;
            bool free = true;
            for (size_t k = 0; k < arity; ++k) {
                size_t& met = met_by[particles[order[i] * arity + k]];
                free = free && met != result.size();
                met = result.size();
            }
            if (!free) continue;
            batch[filled++] = order[i];
            taken[i] = 1;
        }
        while (first < order.size() && taken[first]) ++first;
    }
    return result;
}

}  // namespace hem::built_in
