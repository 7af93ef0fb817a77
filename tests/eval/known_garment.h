// SPDX-License-Identifier: Apache-2.0
// A garment that does one thing: it hangs in its mean shape, always. Recordings that differ from it
// by what a test says have errors that can be told by hand.
#pragma once

#include <gtest/gtest.h>

#include "hem/pack/pack_neural.h"
#include "tests/recording/toy_scene.h"
#include "tests/temporary_folder.h"

namespace hem {

inline constexpr uint32_t kAround = 8, kRows = 4;  // of the tube: 32 vertices

inline ClothScene knownScene() {
    return {.character = toyBody(), .garments = {toyTube("tube", kAround, kRows)}};
}

// Walks along x in the rest pose: the canonical frame is the world less the root's position.
inline std::vector<Pose> straightWalk(size_t frames) {
    std::vector<Pose> poses(frames, restPose(mannequinSkeleton(Sex::kFemale)));
    for (size_t i = 0; i < frames; ++i) poses[i].root_position.x += 0.03f * float(i);
    return poses;
}

// The tube as it is at rest, `width` times as wide; one mode, that all vertices go along x.
inline std::vector<std::byte> knownGarment(float width = 1) {
    const ClothScene scene = knownScene();
    const Mesh& mesh = scene.garments[0].mesh;
    const auto n = Eigen::Index(mesh.positions.size());
    const Vec3 root = straightWalk(1)[0].root_position;
    Subspace subspace;
    subspace.mean.resize(3 * n);
    subspace.basis = MatrixF::Zero(3 * n, 1);
    subspace.variance = VectorD::Ones(1);
    for (Eigen::Index v = 0; v < n; ++v) {
        const Vec3 rest = mesh.positions[size_t(v)];
        const Vec3 p = Vec3{rest.x * width, rest.y, rest.z * width} - root;
        for (int axis = 0; axis < 3; ++axis) subspace.mean[3 * v + axis] = p[axis];
        subspace.basis(3 * v, 0) = 1 / std::sqrt(float(n));
    }
    StableSpace model{.kind = "A"};
    model.pose = {{0}, MatrixF::Zero(1, 12), VectorF::Zero(1)};
    model.range = {VectorF::Zero(1), VectorF::Ones(1), -VectorF::Ones(1), VectorF::Ones(1)};
    LinearDynamics still{.order = 0, .uses_root = false};
    still.weights = still.static_weights = MatrixF::Zero(1, 1);
    still.bias = still.static_bias = VectorF::Zero(1);
    model.dynamics = still;
    model.output_limit = VectorF::Ones(1);
    model.proof = {0.25, 1, 4};
    auto bytes = pack(scene.character, mesh, subspace, model, MatrixF::Ones(1, 1),
                      {.encoding = BasisEncoding::kFloat32, .info_json = "{}"});
    EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
    return bytes ? *bytes : std::vector<std::byte>();
}

// The same of the neural kind: the root carries the tube, the network gives nought.
inline std::vector<std::byte> knownNeuralGarment() {
    const ClothScene scene = knownScene();
    const Mesh& mesh = scene.garments[0].mesh;
    const auto n = Eigen::Index(mesh.positions.size());
    const std::vector<std::vector<Influence>> carried(size_t(n), {{0, 1.0f}});
    NeuralModel model;
    const int joints[] = {1};
    model.rotations = jointRotations(scene.character, joints);
    model.range = {VectorF::Zero(4), VectorF::Ones(4), -VectorF::Ones(4), VectorF::Ones(4)};
    model.layers = {{MatrixF::Zero(1, 4), VectorF::Zero(1)}};
    model.subspace.mean = VectorF::Zero(3 * n);
    model.subspace.basis = MatrixF::Zero(3 * n, 1);
    for (Eigen::Index v = 0; v < n; ++v) model.subspace.basis(3 * v, 0) = 1 / std::sqrt(float(n));
    model.subspace.variance = VectorD::Ones(1);
    model.output_limit = VectorF::Ones(1);
    auto bytes =
        pack(scene.character, mesh, makeSkin(carried, scene.character.skin.joint_from_rest), model,
             MatrixF::Ones(1, 1),
             {.encoding = BasisEncoding::kFloat32, .info_json = R"({"model": "N"})"});
    EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
    return bytes ? *bytes : std::vector<std::byte>();
}

// The played garment plus `offset` (frame, vertex), as a recorded clip.
template <class F>
RecordedClip offClip(const std::string& name, std::vector<Pose> poses, const F& offset) {
    const ClothScene scene = knownScene();
    RecordedClip clip{.meta = {.name = name, .motion = "made up", .simulator = "by hand"},
                      .poses = std::move(poses)};
    const std::vector<Vec3>& rest = scene.garments[0].mesh.positions;
    const Vec3 start = straightWalk(1)[0].root_position;
    for (size_t t = 0; t < clip.poses.size(); ++t) {
        ClothState state{.time = double(t) / scene.rate};
        for (size_t v = 0; v < rest.size(); ++v)
            state.positions.push_back(rest[v] + clip.poses[t].root_position - start + offset(t, v));
        state.velocities.resize(rest.size());
        clip.states.push_back(std::move(state));
    }
    return clip;
}

// A stop of `clip` at `frame`.
template <class F>
RecordedClip offStop(const RecordedClip& clip, int number, size_t frame, size_t frames,
                     const F& offset) {
    RecordedClip stop = offClip(stopName(clip.meta.name, number),
                                std::vector<Pose>(frames, clip.poses[frame]), offset);
    stop.meta.is_stop = true;
    stop.meta.stop = {clip.meta.name, frame};
    return stop;
}

}  // namespace hem
