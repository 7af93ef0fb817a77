// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/player_time.h"

#include <algorithm>
#include <ctime>
#include <vector>

namespace hem {
namespace {

double threadSeconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// Microseconds a step; no positions are written where `positions` is empty.
double timeAStep(const hem_Garment* garment, const Recording& clip, unsigned flags,
                 std::span<Vec3> positions) {
    const size_t frames = std::min<size_t>(clip.frames(), 300);
    if (frames < 2) return 0;
    std::vector<std::byte> state(hem_stateSize(garment));
    hem_Batch batch{};
    batch.count = 1;
    batch.states = state.data();
    batch.joints = &clip.jointMatrices(0)[0].m[0][0];
    batch.positions = positions.empty() ? nullptr : &positions[0].x;
    batch.flags = flags;
    hem_reset(garment, batch);
    const double start = threadSeconds();
    for (size_t t = 1; t < frames; ++t) {
        batch.joints = &clip.jointMatrices(t)[0].m[0][0];
        hem_step(garment, batch, float(1 / clip.meta().rate));
    }
    return 1e6 * (threadSeconds() - start) / double(frames - 1);
}

}  // namespace

PlayerTime playerTime(const hem_Garment* garment, const Recording& clip) {
    constexpr int kTimes = 15;
    std::vector<Vec3> positions(hem_vertexCount(garment));
    PlayerTime least{1e30, 1e30, 1e30};
    const auto take = [&](double& time, unsigned flags, std::span<Vec3> out) {
        time = std::min(time, timeAStep(garment, clip, flags, out));
    };
    for (int i = 0; i < kTimes; ++i) {
        take(least.plain_us, 0, positions);
        take(least.push_out_us, HEM_PUSH_OUT, positions);
        take(least.latent_us, 0, {});
    }
    return least;
}

}  // namespace hem
