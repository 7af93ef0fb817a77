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

// What the player is told in turn.
struct Frames {
    std::vector<const Affine*> joints;  // of every frame, as many as the skeleton has
    float seconds;                      // from one to the next
};

Frames framesOf(const Recording& clip) {
    Frames frames{{}, float(1 / clip.meta().rate)};
    for (size_t t = 0; t < clip.frames(); ++t)
        frames.joints.push_back(clip.jointMatrices(t).data());
    return frames;
}

// Microseconds a step; no positions are written where `positions` is empty.
double timeAStep(const hem_Garment* garment, const Frames& all, unsigned flags,
                 std::span<Vec3> positions) {
    const size_t frames = std::min<size_t>(all.joints.size(), 300);
    if (frames < 2) return 0;
    std::vector<std::byte> state(hem_stateSize(garment));
    hem_Batch batch{};
    batch.count = 1;
    batch.states = state.data();
    batch.joints = &all.joints[0]->m[0][0];
    batch.positions = positions.empty() ? nullptr : &positions[0].x;
    batch.flags = flags;
    hem_reset(garment, batch);
    const double start = threadSeconds();
    for (size_t t = 1; t < frames; ++t) {
        batch.joints = &all.joints[t]->m[0][0];
        hem_step(garment, batch, all.seconds);
    }
    return 1e6 * (threadSeconds() - start) / double(frames - 1);
}

// Wearers of one garment, each in another frame.
class Crowd {
public:
    Crowd(const hem_Garment* garment, const Frames& frames, size_t count, unsigned modes = 0)
        : garment_(garment),
          states_(count * hem_stateSize(garment)),
          positions_(count * hem_vertexCount(garment)) {
        for (size_t i = 0; i < count; ++i) {
            const Affine* joints = frames.joints[i * frames.joints.size() / count];
            joints_.insert(joints_.end(), joints, joints + hem_jointCount(garment));
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
        const double start = threadSeconds();
        hem_step(garment_, batch_, 1 / 30.0f);
        return 1e6 * (threadSeconds() - start) / double(batch_.count);
    }

private:
    const hem_Garment* garment_;
    std::vector<std::byte> states_;
    std::vector<Affine> joints_;
    std::vector<Vec3> positions_;
    hem_Batch batch_{};
};

}  // namespace

PlayerTime playerTime(const hem_Garment* garment, const Recording& clip) {
    constexpr int kTimes = 15;
    std::vector<Vec3> positions(hem_vertexCount(garment));
    const Frames frames = framesOf(clip);
    Crowd crowd(garment, frames, 128);
    PlayerTime least{1e30, 1e30, 1e30, 1e30, 1e30};
    const auto take = [](double& least_us, double us) { least_us = std::min(least_us, us); };
    for (int i = 0; i < kTimes; ++i) {
        take(least.plain_us, timeAStep(garment, frames, 0, positions));
        take(least.push_out_us, timeAStep(garment, frames, HEM_PUSH_OUT, positions));
        take(least.latent_us, timeAStep(garment, frames, 0, {}));
        take(least.crowd_plain_us, crowd.timeAStep(0));
        take(least.crowd_push_out_us, crowd.timeAStep(HEM_PUSH_OUT));
    }
    return least;
}

double batchTime(const hem_Garment* garment, const Recording& clip, size_t count, unsigned modes) {
    constexpr double kSeconds = 0.02;
    constexpr int kLeastTimes = 4, kMostTimes = 400;
    Crowd crowd(garment, framesOf(clip), count, modes);
    double least_us = crowd.timeAStep(0), spent = 0;
    for (int i = 0; i < kMostTimes && (i < kLeastTimes || spent < kSeconds); ++i) {
        const double us = crowd.timeAStep(0);
        least_us = std::min(least_us, us);
        spent += 1e-6 * us * double(count);
    }
    return least_us;
}

PoseTime poseTime(const hem_Garment* garment, const PoseSet& set, size_t count, unsigned flags) {
    constexpr int kTimes = 15;
    constexpr size_t kPoses = 300;
    const size_t poses = std::min(kPoses, set.count());
    std::vector<Affine> joints;  // in memory, not in a file that is mapped
    for (size_t i = 0; i < poses; ++i) {
        const auto of_pose = set.matrices(i * set.count() / poses);
        joints.insert(joints.end(), of_pose.begin(), of_pose.end());
    }
    Frames frames{{}, 1 / 30.0f};
    for (size_t i = 0; i < poses; ++i) frames.joints.push_back(&joints[i * set.joints()]);
    std::vector<Vec3> positions(hem_vertexCount(garment));
    Crowd crowd(garment, frames, count);
    PoseTime least{1e30, 1e30};
    for (int i = 0; i < kTimes; ++i) {
        least.alone_us = std::min(least.alone_us, timeAStep(garment, frames, flags, positions));
        least.batch_us = std::min(least.batch_us, crowd.timeAStep(flags));
    }
    return least;
}

}  // namespace hem
