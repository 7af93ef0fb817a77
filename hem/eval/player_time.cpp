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

class Crowd {
public:
    Crowd(const hem_Garment* garment, const Recording& clip)
        : garment_(garment),
          states_(kCount * hem_stateSize(garment)),
          positions_(kCount * hem_vertexCount(garment)) {
        for (size_t i = 0; i < kCount; ++i) {
            const auto joints = clip.jointMatrices(i * clip.frames() / kCount);
            joints_.insert(joints_.end(), joints.begin(), joints.end());
        }
        batch_.count = kCount;
        batch_.states = states_.data();
        batch_.joints = &joints_[0].m[0][0];
        batch_.positions = &positions_[0].x;
        hem_reset(garment, batch_);
    }
    double secondsAStep(unsigned flags) {
        batch_.flags = flags;
        const double start = threadSeconds();
        hem_step(garment_, batch_, 1 / 30.0f);
        return (threadSeconds() - start) / double(kCount);
    }

private:
    static constexpr size_t kCount = 128;
    const hem_Garment* garment_;
    std::vector<std::byte> states_;
    std::vector<Affine> joints_;
    std::vector<Vec3> positions_;
    hem_Batch batch_{};
};

void keepLeast(double& least_us, double seconds) { least_us = std::min(least_us, 1e6 * seconds); }

}  // namespace

PlayerTime playerTime(const hem_Garment* garment, const Recording& clip) {
    constexpr int kTimes = 15;
    PlayerTime least{1e30, 1e30, 1e30, 1e30};
    Crowd crowd(garment, clip);
    for (int i = 0; i < kTimes; ++i) {
        keepLeast(least.plain_us, secondsAStep(garment, clip, 0));
        keepLeast(least.push_out_us, secondsAStep(garment, clip, HEM_PUSH_OUT));
        keepLeast(least.crowd_plain_us, crowd.secondsAStep(0));
        keepLeast(least.crowd_push_out_us, crowd.secondsAStep(HEM_PUSH_OUT));
    }
    return least;
}

}  // namespace hem
