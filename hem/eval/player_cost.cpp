// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/player_cost.h"

#include <algorithm>
#include <ctime>
#include <limits>

#include "hem/eval/play_clip.h"

namespace hem {
namespace {

constexpr int kPasses = 7;
constexpr size_t kMostFrames = 300;

double threadSeconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// Microseconds a frame of the fastest pass. No positions are written where there is no room for
// them.
double fastestPass(const hem_Garment* garment, const Recording& clip, std::vector<Vec3> positions) {
    std::vector<std::byte> state(hem_stateSize(garment));
    const size_t frames = std::min(clip.frames(), kMostFrames);
    double fastest = std::numeric_limits<double>::infinity();
    for (int pass = 0; pass < kPasses; ++pass) {
        double start = 0;
        for (size_t t = 0; t < frames; ++t) {
            hem_Batch batch{};
            batch.count = 1;
            batch.states = state.data();
            batch.joints = &clip.jointMatrices(t)[0].m[0][0];
            batch.positions = positions.empty() ? nullptr : &positions[0].x;
            if (t) {
                hem_step(garment, batch, float(1 / clip.meta().rate));
            } else {
                hem_reset(garment, batch);
                start = threadSeconds();
            }
        }
        fastest = std::min(fastest, (threadSeconds() - start) / double(frames - 1));
    }
    return 1e6 * fastest;
}

}  // namespace

Result<PlayerCost> playerCost(std::span<const std::byte> bytes, const RecordingSet& set,
                              const std::string& name) {
    hem_Error reason = HEM_OK;
    const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), &reason);
    if (!garment) return errorf("not a garment that can be played: %s", hem_errorText(reason));
    if (const Status good = checkFits(garment, set); !good) return good.error();
    const auto clip = set.clip(name);
    if (!clip) return clip.error();
    if (clip->frames() < 2)
        return errorf("%s: two frames are needed to time a step", set.clipFolder(name).c_str());
    return PlayerCost{fastestPass(garment, *clip, {}),
                      fastestPass(garment, *clip, std::vector<Vec3>(hem_vertexCount(garment)))};
}

}  // namespace hem
