// SPDX-License-Identifier: Apache-2.0
// Frames of the built-in simulator on plain bodies, for tests that know the physics by hand.
#pragma once

#include <gtest/gtest.h>

#include "tests/cloth/plain_bodies.h"

namespace hem {

inline Character farAway() { return rigidCharacter(sphereMesh({0, -50, 0}, 0.1f, 8)); }

inline std::unique_ptr<Simulator> simulatorOf(const ClothScene& scene) {
    return orExit(makeBuiltInSimulator(scene));
}

inline ClothState asMade(const ClothScene& scene) {
    ClothState state{joinedMesh(scene.garments).positions, {}, 0};
    state.velocities.resize(state.positions.size());
    return state;
}

// The states after 1, 2, ... frames, the body at rest.
inline std::vector<ClothState> framesFrom(const ClothScene& scene, const ClothState& start,
                                          size_t count) {
    const std::vector<Pose> poses(count + 1, restPose(scene.character.skeleton));
    std::vector<ClothState> states;
    const Status done = simulatorOf(scene)->advance(start, poses, [&](const ClothState& state) {
        states.push_back(state);
        return true;
    });
    EXPECT_TRUE(done) << done.error().message;
    return states;
}

inline Vec3 meanOf(const std::vector<Vec3>& values) {
    Vec3 sum{};
    for (const Vec3 v : values) sum += v;
    return sum / float(values.size());
}

// Corner coordinates for a level sheet: warp along z, weft along x.
inline void addGrainAlongZ(Garment& garment) {
    for (const Triangle& t : garment.mesh.triangles)
        for (const uint32_t v : t)
            garment.corner_uvs.push_back(
                {garment.mesh.positions[v].x, garment.mesh.positions[v].z});
}

// Two bodies: `fixed` on the root at the origin, `turning` on a joint at `hinge`.
inline Character hingedCharacter(const Mesh& fixed, const Mesh& turning, Vec3 hinge) {
    Character body;
    body.name = "hinged";
    body.skeleton.joints = {{"Hips", kNoParent, {}}, {"Hinge", 0, {Quat{}, hinge}}};
    std::vector<std::vector<Influence>> weights(fixed.positions.size(), {{0, 1.0f}});
    weights.resize(fixed.positions.size() + turning.positions.size(), {{1, 1.0f}});
    body.skin = makeSkin(weights, inverseRestMatrices(body.skeleton), 1);
    body.mesh = joined(fixed, turning);
    return body;
}

}  // namespace hem
