// SPDX-License-Identifier: Apache-2.0
// The built-in simulator on people: what a recording needs of it.
#include <gtest/gtest.h>

#include <thread>

#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/motion_sets.h"
#include "hem/cloth/judge.h"
#include "hem/core/random.h"
#include "hem/garment/made_to_measure.h"
#include "tests/cloth/plain_bodies.h"

namespace hem {
namespace {

ClothScene dressScene() {
    static const ClothScene scene = [] {
        ClothScene s{mannequin(Sex::kFemale), {}};
        s.garments.push_back(orExit(makeGarment(s.character, "dress", {766, "cotton"})));
        return s;
    }();
    return scene;
}

std::vector<Pose> posesOf(const std::string& clip, size_t first, size_t count) {
    const Motion motion = resampled(orExit(makeMotion(clip, mannequinSkeleton(Sex::kFemale))), 30);
    return {motion.frames.begin() + long(first), motion.frames.begin() + long(first + count)};
}

std::vector<ClothState> statesOf(Simulator& simulator, const ClothState& start,
                                 std::span<const Pose> poses) {
    std::vector<ClothState> states{start};
    const Status done = simulator.advance(start, poses, [&](const ClothState& state) {
        states.push_back(state);
        return true;
    });
    EXPECT_TRUE(done) << done.error().message;
    return states;
}

TEST(BuiltInSimulator, ADressOnAWalkingMannequinIsClothAndStaysOutside) {
    const ClothScene scene = dressScene();
    const std::vector<Pose> poses = posesOf("train_02_walk_normal", 30, 90);
    auto simulator = orExit(makeBuiltInSimulator(scene));
    const ClothState draped = orExit(simulator->drape(poses[0]));
    ClothJudge judge(scene, {.self_contact_every = 30});
    const std::vector<ClothState> states = statesOf(*simulator, draped, poses);
    for (size_t f = 0; f < states.size(); ++f) judge.add(poses[f], states[f].positions);
    const Verdict verdict = judge.verdict();
    EXPECT_TRUE(verdict.finite);
    EXPECT_LT(verdict.stretch_p99, 0.05);
    EXPECT_LT(verdict.penetration_rate_3mm, 0.001);
    EXPECT_LT(verdict.penetration_max_mm, 15);
    // it does move: the hem swings against the pelvis
    double farthest = 0;
    for (size_t v = 0; v < draped.positions.size(); ++v)
        farthest =
            std::max(farthest, double(distance(states[60].positions[v] - poses[60].root_position,
                                               states[75].positions[v] - poses[75].root_position)));
    EXPECT_GT(farthest, 0.05);
}

TEST(BuiltInSimulator, ARestartFromASavedStateContinuesBitForBit) {
    const ClothScene scene = dressScene();
    const std::vector<Pose> poses = posesOf("train_05_run_normal", 0, 17);
    auto simulator = orExit(makeBuiltInSimulator(scene));
    const std::vector<ClothState> whole =
        statesOf(*simulator, orExit(simulator->drape(poses[0])), poses);
    auto other = orExit(makeBuiltInSimulator(scene));
    const std::vector<ClothState> rest = statesOf(*other, whole[8], std::span(poses).subspan(8));
    ASSERT_EQ(rest.size(), 9u);
    for (size_t f = 0; f < rest.size(); ++f) EXPECT_EQ(rest[f], whole[8 + f]) << "frame " << f;
}

TEST(BuiltInSimulator, ThreadsSideBySideGiveTheSameBits) {
    const ClothScene scene = dressScene();
    const std::vector<Pose> poses = posesOf("train_05_run_normal", 0, 6);
    std::vector<ClothState> results(3);
    const auto run = [&](size_t i) {
        auto simulator = orExit(makeBuiltInSimulator(scene));
        results[i] = statesOf(*simulator, orExit(simulator->drape(poses[0])), poses).back();
    };
    run(0);
    std::thread first(run, 1), second(run, 2);
    first.join();
    second.join();
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
}

TEST(BuiltInSimulator, ClothComesToRestAfterAStop) {
    const ClothScene scene = dressScene();
    std::vector<Pose> poses = posesOf("train_05_run_normal", 0, 45);
    auto simulator = orExit(makeBuiltInSimulator(scene));
    poses.resize(45 + 90, poses.back());
    const std::vector<ClothState> states =
        statesOf(*simulator, orExit(simulator->drape(poses[0])), poses);
    const std::vector<float> masses = vertexMasses(scene.garments);
    EXPECT_GT(kineticEnergyPerKilogram(masses, states[44].velocities), 1);
    EXPECT_LT(kineticEnergyPerKilogram(masses, states.back().velocities), 1e-4);
}

// Edges of 2 cm, sleeves: fine cloth, whose bending damper is strong against its masses.
TEST(BuiltInSimulator, AShirtHangsStillOnAStillBody) {
    ClothScene scene{mannequin(Sex::kMale), {}};
    scene.garments.push_back(orExit(makeGarment(scene.character, "shirt")));
    const std::vector<Pose> still(31, restPose(scene.character.skeleton));
    auto simulator = orExit(makeBuiltInSimulator(scene));
    ClothState start{.positions = scene.garments[0].mesh.positions};
    start.velocities.resize(start.positions.size());
    const std::vector<ClothState> states = statesOf(*simulator, start, still);
    ASSERT_EQ(states.size(), still.size());
    ClothJudge judge(scene);
    judge.add(still[0], states.back().positions);
    EXPECT_LT(judge.verdict().stretch_p99, 0.05);
    EXPECT_LT(kineticEnergyPerKilogram(vertexMasses(scene.garments), states.back().velocities),
              1e-2);
}

TEST(BuiltInSimulator, ClothThatBlowsUpIsAnErrorThatNamesTheGarment) {
    const ClothScene scene{rigidCharacter(sphereMesh({0, -50, 0}, 0.1f, 8)),
                           {sheet({0, 0, 0}, 0.05f, 4, 4)}};
    auto simulator = orExit(makeBuiltInSimulator(scene));
    ClothState state{scene.garments[0].mesh.positions, {}, 0};
    state.velocities.assign(25, {500, 0, 0});
    const std::vector<Pose> poses(3, restPose(scene.character.skeleton));
    const Status done = simulator->advance(state, poses, [](const ClothState&) { return true; });
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("sheet"), std::string::npos) << done.error().message;
}

TEST(BuiltInSimulator, StatesAndPosesThatDoNotFitAreErrors) {
    const ClothScene scene{rigidCharacter(sphereMesh({0, -50, 0}, 0.1f, 8)),
                           {sheet({0, 0, 0}, 0.05f, 4, 4)}};
    auto simulator = orExit(makeBuiltInSimulator(scene));
    const std::vector<Pose> poses(2, restPose(scene.character.skeleton));
    const auto sink = [](const ClothState&) { return true; };
    EXPECT_FALSE(simulator->advance({}, poses, sink));
    ClothState state{scene.garments[0].mesh.positions, {}, 0};
    state.velocities.resize(25);
    EXPECT_TRUE(simulator->advance(state, poses, sink));
    EXPECT_FALSE(simulator->advance(state, std::vector<Pose>(2), sink));
    state.positions[3].x = std::nanf("");
    EXPECT_FALSE(simulator->advance(state, poses, sink));
    EXPECT_FALSE(simulator->drape(Pose{}));
}

}  // namespace
}  // namespace hem
