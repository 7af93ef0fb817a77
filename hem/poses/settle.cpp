// SPDX-License-Identifier: Apache-2.0
#include "hem/poses/settle.h"

#include "hem/cloth/judge.h"
#include "hem/poses/draw_pose.h"

namespace hem {

Result<SettledCloth> settleOnPose(Simulator& simulator, const ClothScene& scene,
                                  const std::vector<float>& masses, const ClothState& start,
                                  const Pose& pose, const SettleOptions& options) {
    const Skeleton& skeleton = scene.character.skeleton;
    ClothState state = start;
    SettledCloth settled;
    Pose last = restPose(skeleton);
    auto step = [&](const Pose& next) {
        const Pose two[] = {last, next};
        last = next;
        ++settled.frames;
        return simulator.advance(state, two, [&](const ClothState& now) {
            state = now;
            return true;
        });
    };
    for (int frame = 1; frame <= options.way_frames; ++frame) {
        const float t = float(frame) / float(options.way_frames), eased = t * t * (3 - 2 * t);
        if (const Status done = step(onTheWay(skeleton, pose, eased)); !done) return done.error();
    }
    for (int frame = 1; frame <= options.most_frames; ++frame) {
        if (const Status done = step(pose); !done) return done.error();
        settled.energy = kineticEnergyPerKilogram(masses, state.velocities);
        if (frame >= options.least_frames && settled.energy < options.at_rest) break;
        for (Vec3& v : state.velocities) v = v * options.keep;
    }
    settled.positions = std::move(state.positions);
    return settled;
}

}  // namespace hem
