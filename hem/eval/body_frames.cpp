// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/body_frames.h"

#include <algorithm>

#include "hem/eval/play.h"

namespace hem {
namespace {

template <class T>
std::vector<T> copyOf(std::span<const T> values) {
    return {values.begin(), values.end()};
}

}  // namespace

Result<std::vector<BodyFrame>> bodyFrames(const RecordingSet& set,
                                          const std::vector<std::string>& clips,
                                          std::span<const std::byte> garment, size_t count) {
    hem_Error reason = HEM_OK;
    const hem_Garment* opened = hem_open(garment.data(), garment.size(), &reason);
    if (!opened) return errorf("not a garment that can be played: %s", hem_errorText(reason));
    std::vector<Recording> recordings;
    size_t total = 0, at = 0;
    for (const std::string& name : clips) {
        const auto clip = set.clip(name);
        if (!clip) return clip.error();
        recordings.push_back(*clip);
        total += clip->frames();
    }
    const size_t every = std::max<size_t>(1, total / std::max<size_t>(1, count));
    std::vector<BodyFrame> frames;
    Wearer wearer(opened);
    for (const Recording& clip : recordings)
        for (size_t t = 0; t < clip.frames(); ++t, ++at) {
            startOrStep(wearer, clip, t);
            if (at % every) continue;
            frames.push_back({copyOf(clip.jointMatrices(t)), copyOf(clip.positions(t)),
                              copyOf(wearer.positions())});
        }
    return frames;
}

}  // namespace hem
