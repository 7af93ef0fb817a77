// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motion.h"

#include <algorithm>
#include <cmath>

namespace hem {

Pose sampleAt(const Motion& motion, double seconds) {
    CHECK(!motion.frames.empty());
    const double at = std::clamp(seconds * motion.rate, 0.0, double(motion.frames.size() - 1));
    const size_t low = size_t(at);
    const float fraction = float(at - double(low));
    if (fraction == 0 || low + 1 >= motion.frames.size()) return motion.frames[low];
    return interpolate(motion.frames[low], motion.frames[low + 1], fraction);
}

Motion resampled(const Motion& motion, double rate) {
    CHECK_GT(rate, 0);
    Motion result{motion.name, motion.skeleton, rate, {}};
    if (motion.frames.empty()) return result;
    // a hair of tolerance, so that 30 -> 120 -> 30 Hz keeps the last frame
    const size_t count = size_t(std::floor(motion.duration() * rate + 1e-6)) + 1;
    result.frames.reserve(count);
    for (size_t i = 0; i < count; ++i) result.frames.push_back(sampleAt(motion, double(i) / rate));
    return result;
}

Motion slice(const Motion& motion, size_t first, size_t count) {
    CHECK_LE(first + count, motion.frames.size());
    const auto begin = motion.frames.begin() + long(first);
    return {motion.name, motion.skeleton, motion.rate, {begin, begin + long(count)}};
}

}  // namespace hem
