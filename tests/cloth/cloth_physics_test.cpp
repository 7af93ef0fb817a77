// SPDX-License-Identifier: Apache-2.0
// The built-in simulator against physics that is known without it.
#include <cmath>

#include "hem/cloth/built_in/air.h"
#include "hem/cloth/built_in/bending.h"
#include "hem/cloth/judge.h"
#include "tests/cloth/cloth_frames.h"

namespace hem {
namespace {

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

double mechanicalEnergy(const ClothScene& scene, const ClothState& state) {
    const std::vector<float> masses = vertexMasses(scene.garments);
    double sum = 0;
    for (size_t v = 0; v < masses.size(); ++v)
        sum += double(masses[v]) * (double(lengthSquared(state.velocities[v])) / 2 +
                                    9.81 * double(state.positions[v].y));
    return sum;
}

TEST(ClothPhysics, TheEnergyOfASheetThatSwingsInAVacuumDoesNotGrow) {
    ClothScene scene{farAway(), {sheet({0, 0, 0}, 0.05f, 8, 8)}};
    scene.garments[0].fabric.air_drag = 0;
    for (size_t v = 0; v < 9; ++v) scene.garments[0].pins[v] = 1;
    const ClothState start = asMade(scene);
    double last = mechanicalEnergy(scene, start);
    for (const ClothState& state : framesFrom(scene, start, 120)) {
        const double energy = mechanicalEnergy(scene, state);
        EXPECT_LT(energy, last + 1e-6);  // joules
        last = energy;
    }
    // hanging at rest: its weight times half its height
    EXPECT_GT(last, -0.15 * 0.16 * 9.81 * 0.2);
}

// Metres by which a strip of half a metre, cut in `rows` squares, becomes longer under its weight.
double elongation(float stretch, int substeps, int rows = 10) {
    ClothScene scene{farAway(), {sheet({0, 0, 0}, 0.5f / float(rows), 2, rows)}};
    Garment& strip = scene.garments[0];
    addGrainAlongZ(strip);
    strip.fabric.stretch_warp = stretch;
    strip.fabric.stretch_weft = 3000;
    strip.fabric.density = 0.2f;
    for (size_t v = 0; v < 3; ++v) strip.pins[v] = 1;
    scene.gravity = {0, 0, 9.81f};
    scene.substeps = substeps;
    const std::vector<Vec3> p = framesFrom(scene, asMade(scene), 40).back().positions;
    return double(meanOf({p.end() - 3, p.end()}).z) - 0.5;
}

TEST(ClothPhysics, AStripStretchesUnderItsWeightAsItsModulusSays) {
    // rho g L^2 / 2k
    const double expected = 0.2 * 9.81 * 0.25 / (2 * 400);
    EXPECT_NEAR(elongation(400, 300), expected, 0.1 * expected);
    EXPECT_NEAR(elongation(800, 300), expected / 2, 0.1 * expected);
}

// One sweep a substep does not converge, so by default the hierarchy's limit rules, not the
// modulus.
TEST(ClothPhysics, ByDefaultAStripStretchesByLessThanHalfAPercentAtAnyModulusAndResolution) {
    for (const float modulus : {400.0f, 3000.0f, 21000.0f})
        for (const int rows : {5, 10, 20, 40})
            EXPECT_LT(elongation(modulus, 0, rows), 0.005 * 0.5) << modulus << " N/m, " << rows;
}

// A sheet of even triangles, 20 cm across.
Garment evenSheet() {
    Garment garment = sheet({0, 0, 0}, 0.005f, 40, 40);
    for (Vec3& p : garment.mesh.positions) p = {p.x - 0.5f * p.z, 0, 0.8660254f * p.z};
    return garment;
}

// The sum over hinges is three times the integral that it stands for: see bending.h.
TEST(ClothPhysics, ARolledSheetHasThreeTimesTheBendingEnergyOfItsCurvatureInAnyDirection) {
    const Garment flat = evenSheet();
    const built_in::Bending bending(built_in::makeClothMesh({flat}));
    EXPECT_NEAR(bending.energy(flat.mesh.positions), 0, 1e-12);
    const double radius = 0.1, area = 0.2 * 0.2 * 0.8660254;
    const double expected = 3 * double(flat.fabric.bend) / 2 * area / (radius * radius);
    for (const double degrees : {0, 20, 45, 90}) {
        const double across = std::cos(degrees * 0.0174533), along = std::sin(degrees * 0.0174533);
        std::vector<Vec3> rolled;
        for (const Vec3 p : flat.mesh.positions) {
            const double u = double(p.x) * across + double(p.z) * along;
            const double v = double(p.z) * across - double(p.x) * along;
            rolled.push_back({float(radius * std::sin(u / radius)),
                              float(radius * std::cos(u / radius)), float(v)});
        }
        // a little less, for what the border has no hinges for
        EXPECT_NEAR(bending.energy(rolled), expected, 0.05 * expected) << degrees << " degrees";
    }
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

}  // namespace
}  // namespace hem
