// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/player_time.h"

#include <algorithm>
#include <ctime>

#include "hem/eval/play.h"

namespace hem {
namespace {

double threadSeconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double secondsAStep(const hem_Garment* garment, const Recording& clip, unsigned flags) {
    const size_t frames = std::min<size_t>(clip.frames(), 300);
    if (frames < 2) return 0;
    Wearer wearer(garment, flags);
    wearer.reset(clip.jointMatrices(0));
    const double start = threadSeconds();
    for (size_t t = 1; t < frames; ++t)
        wearer.step(clip.jointMatrices(t), float(1 / clip.meta().rate));
    return (threadSeconds() - start) / double(frames - 1);
}

}  // namespace

PlayerTime playerTime(const hem_Garment* garment, const Recording& clip) {
    constexpr int kTimes = 15;
    PlayerTime least{1e30, 1e30};
    for (int i = 0; i < kTimes; ++i) {
        least.plain_us = std::min(least.plain_us, 1e6 * secondsAStep(garment, clip, 0));
        least.push_out_us =
            std::min(least.push_out_us, 1e6 * secondsAStep(garment, clip, HEM_PUSH_OUT));
    }
    return least;
}

}  // namespace hem
