// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/solver.h"

namespace hem {
namespace {

constexpr double kPutOnSeconds = 1;   // from the rest pose to the first pose
constexpr double kSettleSeconds = 5;  // at most, then as it is
constexpr double kAtRest = 1e-6;      // joules per kilogram
constexpr float kSettleDamping = 3;   // per second

class BuiltInSimulator : public Simulator {
public:
    explicit BuiltInSimulator(const ClothScene& scene) : scene_(scene), solver_(scene_) {}

    std::string name() const override { return "hemline"; }

    Result<ClothState> drape(const Pose& pose) override;
    Status advance(const ClothState& state, std::span<const Pose> poses,
                   const FrameSink& sink) override;

private:
    Status checkPose(const Pose& pose) const;

    const ClothScene scene_;
    built_in::Solver solver_;
};

Status BuiltInSimulator::checkPose(const Pose& pose) const {
    if (pose.rotations.size() != scene_.character.skeleton.size())
        return errorf("a pose of %zu joints for a character of %zu", pose.rotations.size(),
                      scene_.character.skeleton.size());
    bool finite = isFinite(pose.root_position);
    for (const Quat& q : pose.rotations) finite &= std::abs(dot(q, q) - 1) < 0.01f;
    if (!finite) return errorf("a pose is not finite, or its rotations are not of unit length");
    return Done{};
}

// The garment goes rigidly with the root to where the pose has it; then the joints turn from the
// rest pose to the pose, and the cloth comes to rest.
Result<ClothState> BuiltInSimulator::drape(const Pose& pose) {
    if (const Status good = checkPose(pose); !good) return good.error();
    Pose start = restPose(scene_.character.skeleton);
    start.root_position = pose.root_position;
    start.rotations[0] = pose.rotations[0];
    std::vector<Affine> matrices(scene_.character.skeleton.size());
    skinningMatrices(scene_.character.skeleton, start, scene_.character.skin.joint_from_rest.data(),
                     matrices.data());
    ClothState state;
    for (const Vec3 p : solver_.mesh().rest)
        state.positions.push_back(transformPoint(matrices[0], p));
    state.velocities.resize(state.positions.size());
    const int put_on = std::max(1, int(kPutOnSeconds * scene_.rate));
    Pose last = start;
    for (int frame = 1; frame <= put_on; ++frame) {
        // in and out without a jerk
        const float t = float(frame) / float(put_on), eased = t * t * (3 - 2 * t);
        const Pose next =
            frame == put_on ? pose : built_in::portableInterpolate(start, pose, eased);
        if (const Status done = solver_.step(state, last, next, kSettleDamping); !done)
            return inContext("putting the garments on", done.error());
        last = next;
    }
    const int settle = int(kSettleSeconds * scene_.rate);
    for (int frame = 0; frame < settle; ++frame) {
        if (const Status done = solver_.step(state, pose, pose, kSettleDamping); !done)
            return inContext("putting the garments on", done.error());
        if (frame > scene_.rate / 2 && solver_.kineticEnergy(state) < kAtRest) break;
    }
    state.time = 0;
    return state;
}

Status BuiltInSimulator::advance(const ClothState& state, std::span<const Pose> poses,
                                 const FrameSink& sink) {
    const size_t count = solver_.mesh().size();
    if (state.positions.size() != count || state.velocities.size() != count)
        return errorf("a state of %zu positions and %zu velocities for garments of %zu vertices",
                      state.positions.size(), state.velocities.size(), count);
    for (size_t i = 0; i < count; ++i)
        if (!isFinite(state.positions[i]) || !isFinite(state.velocities[i]))
            return errorf("vertex %zu of the state is not finite", i);
    for (const Pose& pose : poses)
        if (const Status good = checkPose(pose); !good) return good;
    ClothState now = state;
    for (size_t frame = 1; frame < poses.size(); ++frame) {
        if (Status done = solver_.step(now, poses[frame - 1], poses[frame]); !done) return done;
        if (!sink(now)) break;
    }
    return Done{};
}

}  // namespace

Result<std::unique_ptr<Simulator>> makeBuiltInSimulator(const ClothScene& scene) {
    if (const Status good = validate(scene); !good) return good.error();
    return std::unique_ptr<Simulator>(std::make_unique<BuiltInSimulator>(scene));
}

}  // namespace hem
