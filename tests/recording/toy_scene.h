// SPDX-License-Identifier: Apache-2.0
// A scene that simulates in no time: a box with hips and legs, a tube of cloth about it, and a
// simulator that draws the cloth to the body with damped springs.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/portable_math.h"
#include "hem/recording/recording.h"

namespace hem {

inline Character toyBody() {
    Character body{.name = "toy", .skeleton = mannequinSkeleton(Sex::kFemale)};
    const std::vector<Affine> inverse = inverseRestMatrices(body.skeleton);
    std::vector<std::vector<Influence>> influences;
    for (int corner = 0; corner < 8; ++corner) {
        body.mesh.positions.push_back(
            {corner & 1 ? 0.1f : -0.1f, corner & 2 ? 1.2f : 0.8f, corner & 4 ? 0.1f : -0.1f});
        influences.push_back({{0, 0.75f}, {1, 0.25f}});
    }
    for (const auto& [a, b, c, d] : {std::array<uint32_t, 4>{0, 2, 3, 1},
                                     {4, 5, 7, 6},
                                     {0, 1, 5, 4},
                                     {2, 6, 7, 3},
                                     {0, 4, 6, 2},
                                     {1, 3, 7, 5}}) {
        body.mesh.triangles.push_back({a, b, c});
        body.mesh.triangles.push_back({a, c, d});
    }
    body.skin = makeSkin(influences, inverse, 2);
    return body;
}

// `around` by `rows` vertices.
inline Garment toyTube(const std::string& name, uint32_t around = 8, uint32_t rows = 4) {
    Garment garment{.name = name};
    for (uint32_t r = 0; r < rows; ++r)
        for (uint32_t i = 0; i < around; ++i) {
            const double angle = 2 * portable::kPi * i / around;
            garment.mesh.positions.push_back({float(0.2 * portable::sin(angle)),
                                              1.2f - 0.1f * float(r),
                                              float(0.2 * portable::cos(angle))});
            garment.pins.push_back(r == 0 ? 1 : 0);
        }
    auto quad = [&](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
        garment.mesh.triangles.push_back({a, b, c});
        garment.mesh.triangles.push_back({a, c, d});
        for (float u : {0.0f, 1.0f, 1.0f, 0.0f, 1.0f, 0.0f})
            garment.corner_uvs.push_back({u * 0.1f, float(a) * 0.01f});
    };
    for (uint32_t r = 0; r + 1 < rows; ++r)
        for (uint32_t i = 0; i < around; ++i) {
            const uint32_t next = (i + 1) % around;
            quad(r * around + i, (r + 1) * around + i, (r + 1) * around + next, r * around + next);
        }
    garment.fabric.name = "toy";
    return garment;
}

inline ClothScene toyScene() {
    ClothScene scene{.character = toyBody(),
                     .garments = {toyTube("inner"), toyTube("outer", 6, 3)}};
    scene.garments[1].corner_uvs.clear();
    scene.garments[1].fabric.density = 0.31f;
    for (Vec3& p : scene.garments[1].mesh.positions) p = {p.x * 1.1f, p.y, p.z * 1.1f};
    scene.wind = {.velocity = {1, 0, 0.1f}, .gusts = 0.3f, .seed = 0xfedcba9876543210u};
    return scene;
}

// Walks along x and turns.
inline Motion toyMotion(const std::string& name, size_t frames) {
    Motion motion{.name = name, .skeleton = mannequinSkeleton(Sex::kFemale)};
    for (size_t i = 0; i < frames; ++i) {
        Pose pose = restPose(motion.skeleton);
        pose.root_position.x += 0.03f * float(i);
        const double angle = 0.1 * double(i) + double(name.size());
        pose.rotations[0] = {float(portable::cos(angle / 2)), 0, float(portable::sin(angle / 2)),
                             0};
        motion.frames.push_back(pose);
    }
    return motion;
}

// What a toy simulator does on purpose.
struct ToyBehaviour {
    std::chrono::microseconds frame_time{0};  // sleeps so long in each frame
    float blow_up_beyond_x = 1e9f;            // not finite once the body is farther
    std::function<void()> on_frame;
};

class ToySimulator : public Simulator {
public:
    ToySimulator(const ClothScene& scene, ToyBehaviour behaviour)
        : scene_(scene), behaviour_(std::move(behaviour)) {}

    std::string name() const override { return "toy"; }

    Result<ClothState> drape(const Pose& pose) override {
        ClothState state{.positions = carried(pose)};
        state.velocities.resize(state.positions.size());
        return state;
    }

    Status advance(const ClothState& start, std::span<const Pose> poses,
                   const FrameSink& sink) override {
        ClothState state = start;
        const float h = float(1 / scene_.rate);
        for (size_t f = 1; f < poses.size(); ++f) {
            const std::vector<Vec3> target = carried(poses[f]);
            for (size_t i = 0; i < target.size(); ++i) {
                Vec3& v = state.velocities[i];
                v += ((target[i] - state.positions[i]) * 60.0f - v * 6.0f) * h;
                state.positions[i] += v * h;
            }
            state.time += 1 / scene_.rate;
            if (poses[f].root_position.x > behaviour_.blow_up_beyond_x)
                state.positions[0].x = std::numeric_limits<float>::quiet_NaN();
            std::this_thread::sleep_for(behaviour_.frame_time);
            if (behaviour_.on_frame) behaviour_.on_frame();
            if (!sink(state)) break;
        }
        return Done{};
    }

private:
    std::vector<Vec3> carried(const Pose& pose) const {
        const Affine world_from_rest = worldFromJoints(scene_.character.skeleton, pose)[0] *
                                       inverseRestMatrices(scene_.character.skeleton)[0];
        std::vector<Vec3> positions;
        for (const Garment& garment : scene_.garments)
            for (Vec3 p : garment.mesh.positions)
                positions.push_back(transformPoint(world_from_rest, p));
        return positions;
    }

    ClothScene scene_;
    ToyBehaviour behaviour_;
};

// Clip of `frames` frames as a ToySimulator makes it.
inline RecordedClip toyClip(const std::string& name, size_t frames) {
    RecordedClip clip{.meta = {.name = name, .motion = "made up", .simulator = "toy"},
                      .poses = toyMotion(name, frames).frames};
    ToySimulator simulator(toyScene(), {});
    clip.states.push_back(*simulator.drape(clip.poses[0]));
    (void)simulator.advance(clip.states[0], clip.poses, [&](const ClothState& state) {
        clip.states.push_back(state);
        return true;
    });
    return clip;
}

}  // namespace hem
