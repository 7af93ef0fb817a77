// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/player_time.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "hem/core/cpu_time.h"
#include "hem/runtime/garment.h"

namespace hem {
namespace {

// The file where hem_open() would rather have it: off multiples of 64 one wearer alone can take a
// quarter longer, and where a vector lies is a matter of what was allocated before.
class Aligned {
public:
    explicit Aligned(const hem_Garment* garment) {
        const uint64_t size = runtime::garmentOf(garment).header->size;
        lines_.resize((size + sizeof(Line) - 1) / sizeof(Line));
        std::memcpy(lines_.data(), garment, size);
        garment_ = hem_open(lines_.data(), size, nullptr);
    }
    Aligned(const Aligned&) = delete;
    operator const hem_Garment*() const { return garment_; }

private:
    struct alignas(64) Line {
        std::byte bytes[64];
    };
    std::vector<Line> lines_;
    const hem_Garment* garment_;
};

// Microseconds a step; no positions are written where `positions` is empty.
double timeAStep(const hem_Garment* garment, const BodyMotion& motion, unsigned flags,
                 std::span<Vec3> positions) {
    const size_t frames = std::min<size_t>(motion.frames.size(), 300);
    if (frames < 2) return 0;
    std::vector<std::byte> state(hem_stateSize(garment));
    hem_Batch batch{};
    batch.count = 1;
    batch.states = state.data();
    batch.joints = &motion.frames[0][0].m[0][0];
    batch.positions = positions.empty() ? nullptr : &positions[0].x;
    batch.flags = flags;
    hem_reset(garment, batch);
    const double start = threadCpuSeconds();
    for (size_t t = 1; t < frames; ++t) {
        batch.joints = &motion.frames[t][0].m[0][0];
        hem_step(garment, batch, float(1 / motion.rate));
    }
    return 1e6 * (threadCpuSeconds() - start) / double(frames - 1);
}

// Wearers of one garment, each in another frame of the motion.
class Crowd {
public:
    Crowd(const hem_Garment* garment, const BodyMotion& motion, size_t count, unsigned modes = 0)
        : garment_(garment),
          states_(count * hem_stateSize(garment)),
          positions_(count * hem_vertexCount(garment)) {
        for (size_t i = 0; i < count; ++i) {
            const auto joints = motion.frames[i * motion.frames.size() / count];
            joints_.insert(joints_.end(), joints.begin(), joints.end());
        }
        batch_.count = count;
        batch_.modes = modes;
        batch_.states = states_.data();
        batch_.joints = &joints_[0].m[0][0];
        batch_.positions = &positions_[0].x;
        hem_reset(garment, batch_);
    }
    // Microseconds a step and wearer.
    double timeAStep(unsigned flags) {
        batch_.flags = flags;
        const double start = threadCpuSeconds();
        hem_step(garment_, batch_, 1 / 30.0f);
        return 1e6 * (threadCpuSeconds() - start) / double(batch_.count);
    }

private:
    const hem_Garment* garment_;
    std::vector<std::byte> states_;
    std::vector<Affine> joints_;
    std::vector<Vec3> positions_;
    hem_Batch batch_{};
};

}  // namespace

BodyMotion bodyMotionOf(const Recording& clip) {
    BodyMotion motion{.frames = {}, .rate = clip.meta().rate};
    for (size_t t = 0; t < clip.frames(); ++t) motion.frames.push_back(clip.jointMatrices(t));
    return motion;
}

PlayerTime playerTime(const hem_Garment* given, const BodyMotion& motion) {
    constexpr int kTimes = 15;
    const Aligned garment(given);
    std::vector<Vec3> positions(hem_vertexCount(garment));
    Crowd crowd(garment, motion, 128);
    PlayerTime least{1e30, 1e30, 1e30, 1e30, 1e30};
    const auto take = [](double& least_us, double us) { least_us = std::min(least_us, us); };
    for (int i = 0; i < kTimes; ++i) {
        take(least.plain_us, timeAStep(garment, motion, 0, positions));
        take(least.push_out_us, timeAStep(garment, motion, HEM_PUSH_OUT, positions));
        take(least.latent_us, timeAStep(garment, motion, 0, {}));
        take(least.crowd_plain_us, crowd.timeAStep(0));
        take(least.crowd_push_out_us, crowd.timeAStep(HEM_PUSH_OUT));
    }
    return least;
}

std::vector<PlayerTime> playerTimes(const std::vector<const hem_Garment*>& given,
                                    const Recording& clip) {
    constexpr int kTimes = 30;
    const std::vector<Aligned> garments(given.begin(), given.end());
    const BodyMotion motion = bodyMotionOf(clip);
    std::vector<Crowd> crowds;
    crowds.reserve(garments.size());
    for (const Aligned& garment : garments) crowds.emplace_back(garment, motion, 128);
    std::vector<PlayerTime> least(garments.size(), {1e30, 0, 1e30, 1e30, 0});
    for (int i = 0; i < kTimes; ++i)
        for (size_t g = 0; g < garments.size(); ++g) {
            std::vector<Vec3> positions(hem_vertexCount(garments[g]));
            PlayerTime& mine = least[g];
            mine.plain_us = std::min(mine.plain_us, timeAStep(garments[g], motion, 0, positions));
            mine.latent_us = std::min(mine.latent_us, timeAStep(garments[g], motion, 0, {}));
            crowds[g].timeAStep(0);  // its file and states are in the caches then
            mine.crowd_plain_us = std::min(mine.crowd_plain_us, crowds[g].timeAStep(0));
        }
    return least;
}

double batchTime(const hem_Garment* given, const BodyMotion& motion, size_t count, unsigned modes) {
    constexpr double kSeconds = 0.02;
    constexpr int kLeastTimes = 4, kMostTimes = 400;
    const Aligned garment(given);
    Crowd crowd(garment, motion, count, modes);
    double least_us = crowd.timeAStep(0), spent = 0;
    for (int i = 0; i < kMostTimes && (i < kLeastTimes || spent < kSeconds); ++i) {
        const double us = crowd.timeAStep(0);
        least_us = std::min(least_us, us);
        spent += 1e-6 * us * double(count);
    }
    return least_us;
}

PoseTime poseTime(const hem_Garment* given, const PoseSet& set, size_t count, unsigned flags) {
    constexpr int kTimes = 60;
    const Aligned garment(given);
    constexpr size_t kPoses = 300;
    const size_t poses = std::min(kPoses, set.count());
    std::vector<Affine> joints;  // in memory, not in a file that is mapped
    for (size_t i = 0; i < poses; ++i) {
        const auto of_pose = set.matrices(i * set.count() / poses);
        joints.insert(joints.end(), of_pose.begin(), of_pose.end());
    }
    BodyMotion motion;
    for (size_t i = 0; i < poses; ++i)
        motion.frames.push_back({&joints[i * set.joints()], set.joints()});
    std::vector<Vec3> positions(hem_vertexCount(garment));
    Crowd crowd(garment, motion, count);
    PoseTime least{1e30, 1e30};
    for (int i = 0; i < kTimes; ++i) {
        least.alone_us = std::min(least.alone_us, timeAStep(garment, motion, flags, positions));
        least.batch_us = std::min(least.batch_us, crowd.timeAStep(flags));
    }
    return least;
}

}  // namespace hem
