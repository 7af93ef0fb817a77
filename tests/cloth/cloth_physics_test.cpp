// SPDX-License-Identifier: Apache-2.0
// The built-in simulator against physics that is known without it.
#include <gtest/gtest.h>

#include <cmath>

#include "hem/cloth/built_in/air.h"
#include "hem/cloth/judge.h"
#include "tests/cloth/plain_bodies.h"

namespace hem {
namespace {

Character farAway() { return rigidCharacter(sphereMesh({0, -50, 0}, 0.1f, 8)); }

std::unique_ptr<Simulator> simulatorOf(const ClothScene& scene) {
    return orExit(makeBuiltInSimulator(scene));
}

ClothState asMade(const ClothScene& scene) {
    ClothState state{joinedMesh(scene.garments).positions, {}, 0};
    state.velocities.resize(state.positions.size());
    return state;
}

// The states after 1, 2, ... frames, the body at rest.
std::vector<ClothState> framesFrom(const ClothScene& scene, const ClothState& start, size_t count) {
    const std::vector<Pose> poses(count + 1, restPose(scene.character.skeleton));
    std::vector<ClothState> states;
    const Status done = simulatorOf(scene)->advance(start, poses, [&](const ClothState& state) {
        states.push_back(state);
        return true;
    });
    EXPECT_TRUE(done) << done.error().message;
    return states;
}

Vec3 meanOf(const std::vector<Vec3>& values) {
    Vec3 sum{};
    for (const Vec3 v : values) sum += v;
    return sum / float(values.size());
}

// Corner coordinates for a level sheet: warp along z, weft along x.
void addGrainAlongZ(Garment& garment) {
    for (const Triangle& t : garment.mesh.triangles)
        for (const uint32_t v : t)
            garment.corner_uvs.push_back(
                {garment.mesh.positions[v].x, garment.mesh.positions[v].z});
}

// Two bodies: `fixed` on the root at the origin, `turning` on a joint at `hinge`.
Character hingedCharacter(const Mesh& fixed, const Mesh& turning, Vec3 hinge) {
    Character body;
    body.name = "hinged";
    body.skeleton.joints = {{"Hips", kNoParent, {}}, {"Hinge", 0, {Quat{}, hinge}}};
    std::vector<std::vector<Influence>> weights(fixed.positions.size(), {{0, 1.0f}});
    weights.resize(fixed.positions.size() + turning.positions.size(), {{1, 1.0f}});
    body.skin = makeSkin(weights, inverseRestMatrices(body.skeleton), 1);
    body.mesh = joined(fixed, turning);
    return body;
}

TEST(ClothPhysics, AnUnpinnedSheetInAVacuumFallsAsGalileoSays) {
    ClothScene scene{farAway(), {sheet({0, 0, 0}, 0.05f, 6, 6)}};
    scene.garments[0].fabric.air_drag = 0;
    const std::vector<ClothState> states = framesFrom(scene, asMade(scene), 30);
    EXPECT_NEAR(meanOf(states.back().velocities).y, -9.81f, 0.01f);
    EXPECT_NEAR(meanOf(states.back().positions).y, -9.81f / 2, 0.03f);
    EXPECT_NEAR(meanOf(states.back().positions).x, 0.15f, 1e-3f);
}

TEST(ClothPhysics, ALevelSheetFallsNoFasterThanDragAndWeightBalance) {
    ClothScene scene{farAway(), {sheet({0, 0, 0}, 0.05f, 6, 6)}};
    const Fabric& fabric = scene.garments[0].fabric;
    scene.substeps = 60;
    // long enough to reach it, too short for the flutter that such a fall ends in
    const std::vector<ClothState> states = framesFrom(scene, asMade(scene), 12);
    // rho/2 c (v + eddies) v = density g
    const double eddies = built_in::Air::kEddies;
    const double q = 2 * double(fabric.density) * 9.81 /
                     (double(built_in::Air::kDensity) * double(fabric.air_drag));
    const double terminal = (-eddies + std::sqrt(eddies * eddies + 4 * q)) / 2;
    EXPECT_NEAR(-double(meanOf(states.back().velocities).y), terminal, 0.02 * terminal);
}

TEST(ClothPhysics, AHangingStripTakesTheShapeOfACatenary) {
    // a metre of strip whose ends come to stand 0.7 m apart: the far one is carried over by a joint
    // that turns half round at x = 0.85
    ClothScene scene{hingedCharacter(sphereMesh({-0.5f, 0, 0}, 0.1f, 8),
                                     sphereMesh({1.5f, 0, 0}, 0.1f, 8), {0.85f, 0, 0}),
                     {sheet({0, 0, 0}, 0.05f, 20, 1)}};
    Garment& strip = scene.garments[0];
    strip.fabric.bend = 1e-8f;
    for (const size_t v : {0, 20, 21, 41}) strip.pins[v] = 1;
    Pose pose = restPose(scene.character.skeleton);
    pose.rotations[1] = Quat{0, 0, 0, 1};
    const Result<ClothState> state = simulatorOf(scene)->drape(pose);
    ASSERT_TRUE(state) << state.error().message;
    // half the length is a sinh(span / 2a)
    double low = 0.01, high = 10;
    for (int i = 0; i < 60; ++i) {
        const double a = (low + high) / 2;
        (2 * a * std::sinh(0.35 / a) > 1 ? low : high) = a;
    }
    for (size_t v = 0; v < 21; ++v) {
        const Vec3 p = state->positions[v];
        const double y = low * (std::cosh((double(p.x) - 0.35) / low) - std::cosh(0.35 / low));
        EXPECT_NEAR(double(p.y), y, 0.012) << "vertex " << v << " at x = " << p.x;
    }
    EXPECT_LT(state->positions[10].y, -0.25f);
}

// The x by which a sheet on a level floor moves in a second, gravity tilted by `degrees`.
double slideOn(float degrees, float friction) {
    Mesh floor;
    floor.positions = {{-3, 0, -3}, {3, 0, -3}, {3, 0, 3}, {-3, 0, 3}};
    floor.triangles = {{0, 2, 1}, {0, 3, 2}};
    ClothScene scene{rigidCharacter(floor), {sheet({0, 0.003f, 0}, 0.05f, 4, 4)}};
    scene.garments[0].fabric.friction = friction;
    scene.garments[0].fabric.air_drag = 0;
    const float angle = degreesToRadians(degrees);
    scene.gravity = {9.81f * std::sin(angle), -9.81f * std::cos(angle), 0};
    const ClothState start = asMade(scene);
    const std::vector<ClothState> states = framesFrom(scene, start, 30);
    EXPECT_GT(meanOf(states.back().positions).y, 0.001f);
    return double(meanOf(states.back().positions).x - meanOf(start.positions).x);
}

TEST(ClothPhysics, ClothSlidesOnASlopeSteeperThanItsFrictionAngleOnly) {
    // tan 26.6 degrees = 0.5
    EXPECT_LT(slideOn(23, 0.5f), 0.003);
    const double sliding = 9.81 * (std::sin(0.6109) - 0.5 * std::cos(0.6109)) / 2;
    EXPECT_NEAR(slideOn(35, 0.5f), sliding, 0.05 * sliding);
}

TEST(ClothPhysics, FrictionDoesNotDependOnTheSubstepCount) {
    const auto slid = [](int substeps) {
        Mesh floor;
        floor.positions = {{-3, 0, -3}, {3, 0, -3}, {3, 0, 3}, {-3, 0, 3}};
        floor.triangles = {{0, 2, 1}, {0, 3, 2}};
        ClothScene scene{rigidCharacter(floor), {sheet({0, 0.0023f, 0}, 0.05f, 4, 4)}};
        scene.garments[0].fabric.air_drag = 0;
        scene.substeps = substeps;
        ClothState start = asMade(scene);
        for (Vec3& v : start.velocities) v = {1, 0, 0};
        const std::vector<ClothState> states = framesFrom(scene, start, 30);
        return double(meanOf(states.back().positions).x - meanOf(start.positions).x);
    };
    // v^2 / (2 mu g)
    const double expected = 1 / (2 * 0.3 * 9.81);
    EXPECT_NEAR(slid(8), expected, 0.05 * expected);
    EXPECT_NEAR(slid(40), expected, 0.05 * expected);
}

double mechanicalEnergy(const ClothScene& scene, const ClothState& state) {
    const std::vector<float> masses = vertexMasses(scene.garments);
    double sum = 0;
    for (size_t v = 0; v < masses.size(); ++v)
        sum += double(masses[v]) * (double(lengthSquared(state.velocities[v])) / 2 +
                                    9.81 * double(state.positions[v].y));
    return sum;
}

TEST(ClothPhysics, TheEnergyOfASwingingSheetDoesNotGrow) {
    ClothScene scene{farAway(), {sheet({0, 0, 0}, 0.05f, 8, 8)}};
    for (size_t v = 0; v < 9; ++v) scene.garments[0].pins[v] = 1;
    const ClothState start = asMade(scene);
    double last = mechanicalEnergy(scene, start), lowest = last;
    for (const ClothState& state : framesFrom(scene, start, 120)) {
        const double energy = mechanicalEnergy(scene, state);
        EXPECT_LT(energy, last + 0.002);  // joules, of 0.24 kg m/s^2 times half a metre
        last = energy;
        lowest = std::min(lowest, energy);
    }
    EXPECT_LT(lowest, -0.01);
}

// Metres by which a strip of half a metre becomes longer under its weight.
double elongation(float stretch, float density, int substeps) {
    ClothScene scene{farAway(), {sheet({0, 0, 0}, 0.05f, 2, 10)}};
    Garment& strip = scene.garments[0];
    addGrainAlongZ(strip);
    strip.fabric.stretch_warp = stretch;
    strip.fabric.stretch_weft = 3000;
    strip.fabric.density = density;
    for (size_t v = 0; v < 3; ++v) strip.pins[v] = 1;
    scene.gravity = {0, 0, 9.81f};
    scene.substeps = substeps;
    const std::vector<ClothState> states = framesFrom(scene, asMade(scene), 40);
    const std::vector<Vec3>& p = states.back().positions;
    return double(meanOf({p[30], p[31], p[32]}).z) - 0.5;
}

TEST(ClothPhysics, AStripStretchesUnderItsWeightAsItsModulusSays) {
    // rho g L^2 / 2k
    const double expected = 0.2 * 9.81 * 0.25 / (2 * 400);
    EXPECT_NEAR(elongation(400, 0.2f, 300), expected, 0.1 * expected);
    EXPECT_NEAR(elongation(800, 0.2f, 300), expected / 2, 0.1 * expected);
}

TEST(ClothPhysics, WhatHangsOnSmallTrianglesStretchesThemLittleAndHangsStill) {
    // rows 3 mm deep carry rows of 50 mm
    ClothScene scene{farAway(), {sheet({0, 0, 0}, 0.03f, 4, 30)}};
    Garment& strip = scene.garments[0];
    for (size_t v = 0; v < strip.mesh.positions.size(); ++v) {
        const size_t row = v / 5;
        strip.pins[v] = row == 0;
        const float down = row <= 15 ? 0.003f * float(row) : 0.045f + 0.05f * float(row - 15);
        strip.mesh.positions[v] = {strip.mesh.positions[v].x, -down, 0};
    }
    ClothJudge judge(scene);
    const ClothState state = framesFrom(scene, asMade(scene), 60).back();
    judge.add(restPose(scene.character.skeleton), state.positions);
    EXPECT_LT(judge.verdict().stretch_max, 0.08);
    EXPECT_LT(kineticEnergyPerKilogram(vertexMasses(scene.garments), state.velocities), 1e-4);
}

TEST(ClothPhysics, TheResultConvergesWithTheSubsteps) {
    const auto swung = [](int substeps) {
        ClothScene scene{farAway(), {sheet({0, 0, 0}, 0.05f, 6, 6)}};
        for (size_t v = 0; v < 7; ++v) scene.garments[0].pins[v] = 1;
        scene.substeps = substeps;
        return framesFrom(scene, asMade(scene), 8).back().positions;
    };
    const std::vector<Vec3> reference = swung(320);
    const auto error = [&](int substeps) {
        const std::vector<Vec3> positions = swung(substeps);
        double sum = 0;
        for (size_t v = 0; v < positions.size(); ++v)
            sum += double(distance(positions[v], reference[v]));
        return sum / double(positions.size());
    };
    const double coarse = error(10), middle = error(40), fine = error(160);
    EXPECT_LT(middle, 0.6 * coarse);
    EXPECT_LT(fine, middle);
    EXPECT_LT(fine, 0.001);  // metres
}

TEST(ClothPhysics, GustsAreAFunctionOfTimeAndBlowClothDownwind) {
    ClothScene scene{farAway(), {sheet({0, 0, 0}, 0.05f, 6, 6)}};
    for (size_t v = 0; v < 7; ++v) scene.garments[0].pins[v] = 1;
    scene.wind = {{5, 0, 5}, 0.5f, 7};
    const built_in::ClothMesh mesh = built_in::makeClothMesh(scene.garments);
    const built_in::Air air(mesh, scene.wind), same(mesh, scene.wind);
    for (double t = 0; t < 20; t += 0.37) {
        EXPECT_EQ(air.windAt(t), same.windAt(t));
        EXPECT_GE(air.windAt(t).x, 2.4f);
        EXPECT_LE(air.windAt(t).x, 7.6f);
    }
    EXPECT_NE(air.windAt(1), air.windAt(2));
    const std::vector<ClothState> states = framesFrom(scene, asMade(scene), 60);
    EXPECT_GT(meanOf(states.back().positions).x - 0.15f, 0.01f);
}

TEST(ClothPhysics, AClubThatSwingsFastDoesNotPassThroughACurtain) {
    // a ball at the end of a metre turns at 8 radians a second into a sheet that hangs in its way
    ClothScene scene{hingedCharacter(sphereMesh({0, 3, 0}, 0.05f, 8),
                                     sphereMesh({0, 1, 1}, 0.08f, 16), {0, 1, 0}),
                     {sheet({-0.3f, 0, 0}, 0.04f, 15, 15)}};
    Garment& curtain = scene.garments[0];
    for (Vec3& p : curtain.mesh.positions) p = {p.x, 1.3f - p.z, 0.6f};
    for (size_t v = 0; v < 16; ++v) curtain.pins[v] = 1;
    std::vector<Pose> poses;
    for (int f = 0; f <= 12; ++f) {
        poses.push_back(restPose(scene.character.skeleton));
        // from overhead at the back down to the front and through
        poses.back().rotations[1] = fromAxisAngle({1, 0, 0}, -1.5f + 8 * float(f) / 30);
    }
    ClothJudge judge(scene);
    ClothState state = asMade(scene);
    auto simulator = simulatorOf(scene);
    size_t frame = 0;
    const Status done = simulator->advance(state, poses, [&](const ClothState& s) {
        judge.add(poses[++frame], s.positions);
        return true;
    });
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_LT(judge.verdict().penetration_max_mm, 5);
}

TEST(ClothPhysics, TwoSheetsThatFallOnABallStayApartInTheirOrder) {
    ClothScene scene{
        rigidCharacter(sphereMesh({0, 0, 0}, 0.2f, 16)),
        {sheet({-0.3f, 0.21f, -0.3f}, 0.05f, 12, 12), sheet({-0.3f, 0.22f, -0.3f}, 0.05f, 12, 12)}};
    scene.garments[1].name = "upper";
    const std::vector<ClothState> states = framesFrom(scene, asMade(scene), 45);
    const Mesh mesh = joinedMesh(scene.garments);
    const auto edges = uniqueEdges(mesh.triangles);
    // vertices keep off triangles; two edges of such coarse cloth may still cross
    for (const size_t frame : {10u, 25u, 44u})
        EXPECT_LT(countPiercingEdges(states[frame].positions, mesh.triangles, edges),
                  edges.size() / 50)
            << "frame " << frame;
    // on the crown the upper one lies above
    EXPECT_GT(states.back().positions[169 + 84].y, states.back().positions[84].y + 0.0005f);
}

TEST(ClothPhysics, SymmetricClothInASymmetricSwingStaysSymmetric) {
    ClothScene scene{farAway(), {sheet({-0.3f, 0, 0}, 0.05f, 12, 12)}};
    // the other diagonal on the right half
    std::vector<Triangle>& triangles = scene.garments[0].mesh.triangles;
    for (size_t square = 0; square < 144; ++square) {
        if (square % 12 < 6) continue;
        const auto [a, b, c] = triangles[2 * square];
        const uint32_t d = triangles[2 * square + 1][2];
        triangles[2 * square] = {a, b, d};
        triangles[2 * square + 1] = {b, c, d};
    }
    for (size_t v = 0; v < 13; ++v) scene.garments[0].pins[v] = 1;
    const std::vector<ClothState> states = framesFrom(scene, asMade(scene), 20);
    double sum = 0;
    for (size_t v = 0; v < 169; ++v) {
        const Vec3 p = states.back().positions[v];
        const Vec3 q = states.back().positions[v / 13 * 13 + 12 - v % 13];
        sum += double(distance(p, {-q.x, q.y, q.z}));
    }
    EXPECT_LT(sum / 169, 0.003);  // metres; a sweep over constraints has an order
}

}  // namespace
}  // namespace hem
