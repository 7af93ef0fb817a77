// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/blender/blender.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "hem/core/files.h"
#include "tests/cloth/plain_bodies.h"
#include "tests/temporary_folder.h"

#define HEM_SKIP_WITHOUT_BLENDER()                         \
    if (const auto found = blender::findBlender(); !found) \
    GTEST_SKIP() << "needs Blender: " << found.error().message

namespace hem {
namespace {

constexpr float kRadius = 0.2f;

// A ball at (0, 1, 0) and a sheet of 0.48 m over it, one edge of which may be pinned.
ClothScene sheetOverBall(float height, float pin) {
    ClothScene scene;
    scene.character = rigidCharacter(sphereMesh({0, 1, 0}, kRadius, 16));
    scene.garments.push_back(sheet({-0.24f, height, -0.24f}, 0.06f, 8, 8));
    for (size_t i = 0; i < 9; ++i) scene.garments[0].pins[i] = pin;
    return scene;
}

ClothState atRest(const ClothScene& scene) {
    const auto& positions = scene.garments[0].mesh.positions;
    return {positions, std::vector<Vec3>(positions.size())};
}

// The body moves along x at half a metre a second and turns, for `frames` new frames.
std::vector<Pose> moving(int frames) {
    std::vector<Pose> poses;
    for (int i = 0; i <= frames; ++i)
        poses.push_back(
            {{0.5f * float(i) / 30, 0, 0}, {fromAxisAngle({0, 1, 0}, 0.05f * float(i))}});
    return poses;
}

std::unique_ptr<Simulator> simulatorOf(const ClothScene& scene, const TemporaryFolder& folder) {
    auto simulator = makeBlenderSimulator(scene, folder.path("work"));
    EXPECT_TRUE(simulator) << simulator.error().message;
    return simulator ? std::move(*simulator) : nullptr;
}

std::vector<ClothState> statesOf(Simulator& simulator, const ClothState& from,
                                 std::span<const Pose> poses) {
    std::vector<ClothState> states;
    const Status status = simulator.advance(from, poses, [&](const ClothState& state) {
        states.push_back(state);
        return true;
    });
    EXPECT_TRUE(status) << status.error().message;
    return states;
}

bool isEmpty(const std::string& folder) {
    return !std::filesystem::exists(folder) || std::filesystem::is_empty(folder);
}

void expectHas(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), text.npos) << text << "\nlacks\n" << part;
}

// A program that stands in for Blender: a shell script that is given the job's folder as $F.
blender::Program standIn(const TemporaryFolder& folder, const std::string& commands) {
    const std::string path = folder.path("blender");
    EXPECT_TRUE(writeFile(path, "#!/bin/sh\nfor F; do :; done\n" + commands));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return {path, "0"};
}

std::string faultWith(const TemporaryFolder& folder, const std::string& commands) {
    auto simulator = blender::makeSimulator(sheetOverBall(2, 0), folder.path("work"),
                                            standIn(folder, commands), {.silence_seconds = 1});
    EXPECT_TRUE(simulator) << simulator.error().message;
    const Status status =
        (*simulator)->advance(atRest(sheetOverBall(2, 0)), moving(4), [](const ClothState&) {
            return true;
        });
    return status ? "succeeded" : status.error().message;
}

TEST(Blender, ClothInTheAirFallsAsGravitySays) {
    HEM_SKIP_WITHOUT_BLENDER();
    const TemporaryFolder folder;
    ClothScene scene = sheetOverBall(3, 0);
    scene.rate = 60;
    scene.garments[0].fabric.air_drag = 0;
    const auto simulator = simulatorOf(scene, folder);
    ASSERT_TRUE(simulator);
    const auto states = statesOf(*simulator, atRest(scene), std::vector<Pose>(7, moving(0)[0]));
    ASSERT_EQ(states.size(), 6u);
    const double t = states.back().time;
    EXPECT_NEAR(t, 0.1, 1e-12);
    const double step = 1.0 / 60 / blender::Settings{}.quality;
    for (size_t v = 0; v < 81; ++v) {
        EXPECT_NEAR(states.back().velocities[v].y, -9.81 * t, 1e-3);
        // implicit Euler is ahead by half a step
        EXPECT_NEAR(states.back().positions[v].y, 3 - 0.5 * 9.81 * t * (t + step), 1e-4);
    }
    EXPECT_TRUE(isEmpty(folder.path("work")));
}

TEST(Blender, ARestartContinuesBitForBit) {
    HEM_SKIP_WITHOUT_BLENDER();
    const TemporaryFolder folder;
    const ClothScene scene = sheetOverBall(1 + kRadius + 0.02f, 0.5f);
    const auto simulator = simulatorOf(scene, folder);
    ASSERT_TRUE(simulator);
    const auto poses = moving(8);
    const auto whole = statesOf(*simulator, atRest(scene), poses);
    ASSERT_EQ(whole.size(), 8u);
    // four more in two runs of Blender
    auto cutting = blender::makeSimulator(scene, folder.path("work"), *blender::findBlender(),
                                          {.frames_a_job = 2});
    ASSERT_TRUE(cutting);
    const auto rest = statesOf(**cutting, whole[3], std::span(poses).subspan(4));
    ASSERT_EQ(rest.size(), 4u);
    for (size_t i = 0; i < 4; ++i) EXPECT_EQ(rest[i], whole[i + 4]) << i;
}

TEST(Blender, ClothFallsOntoTheBodyAndRests) {
    HEM_SKIP_WITHOUT_BLENDER();
    const TemporaryFolder folder;
    const ClothScene scene = sheetOverBall(1 + kRadius + 0.02f, 0);
    const auto simulator = simulatorOf(scene, folder);
    ASSERT_TRUE(simulator);
    // The body stands elsewhere, turned: the cloth comes along.
    const Pose pose{{3, 0, -2}, {fromAxisAngle({0, 1, 0}, 1)}};
    const auto state = simulator->drape(pose);
    ASSERT_TRUE(state) << state.error().message;
    EXPECT_EQ(state->time, 0);
    float nearest = 1, lowest = 9;
    for (size_t v = 0; v < state->positions.size(); ++v) {
        nearest = std::min(nearest, distance(state->positions[v], Vec3{3, 1, -2}));
        lowest = std::min(lowest, state->positions[v].y);
        EXPECT_LT(length(state->velocities[v]), 0.1f) << v;
    }
    EXPECT_GT(nearest, kRadius - 0.003f);
    EXPECT_LT(nearest, kRadius + 0.02f);
    EXPECT_LT(lowest, 1.1f) << "the corners hang down";
    EXPECT_GT(lowest, 0.7f);
}

TEST(Blender, PinnedVerticesFollowTheBody) {
    HEM_SKIP_WITHOUT_BLENDER();
    const TemporaryFolder folder;
    const ClothScene scene = sheetOverBall(1.5f, 1);
    const auto simulator = simulatorOf(scene, folder);
    ASSERT_TRUE(simulator);
    const auto poses = moving(6);
    const auto states = statesOf(*simulator, atRest(scene), poses);
    ASSERT_EQ(states.size(), 6u);
    const auto& rest = scene.garments[0].mesh.positions;
    for (size_t v = 0; v < 9; ++v) {
        const Vec3 carried = rotate(poses[6].rotations[0], rest[v]) + poses[6].root_position;
        EXPECT_LT(distance(states[5].positions[v], carried), 1e-5f) << v;
    }
    EXPECT_LT(states[5].positions[80].y, 1.49f) << "the free edge falls";
    // and a sink that has enough ends the run, leaving nothing behind
    int frames = 0;
    EXPECT_TRUE(
        simulator->advance(atRest(scene), poses, [&](const ClothState&) { return ++frames < 2; }));
    EXPECT_EQ(frames, 2);
    EXPECT_TRUE(isEmpty(folder.path("work")));
}

TEST(Blender, ItsAbsenceIsAnErrorThatSaysHowToGetIt) {
    const char* before = std::getenv("HEM_BLENDER");
    const std::string kept = before ? before : "";
    ::setenv("HEM_BLENDER", "/nowhere/blender", 1);
    const TemporaryFolder folder;
    const auto simulator = makeBlenderSimulator(sheetOverBall(2, 0), folder.path("work"));
    before ? ::setenv("HEM_BLENDER", kept.c_str(), 1) : ::unsetenv("HEM_BLENDER");
    ASSERT_FALSE(simulator);
    expectHas(simulator.error().message, "/nowhere/blender");
    expectHas(simulator.error().message, "apt-get install blender");
    expectHas(simulator.error().message, "HEM_BLENDER");
}

TEST(Blender, OneThatFailsIsAnErrorThatNamesItsLog) {
    const TemporaryFolder folder;
    const std::string fault = faultWith(folder, "echo no GPU, no luck; exit 3\n");
    expectHas(fault, "exit code 3");
    expectHas(fault, "after 0 of 4 frames");
    const size_t at = fault.find("its log: ");
    ASSERT_NE(at, fault.npos) << fault;
    const auto log = readTextFile(fault.substr(at + 9));
    ASSERT_TRUE(log) << log.error().message;
    EXPECT_EQ(*log, "no GPU, no luck\n");
}

TEST(Blender, OneThatEndsTooEarlyIsAnError) {
    const TemporaryFolder folder;
    expectHas(faultWith(folder, "exit 0\n"), "after 0 of 4 frames");
}

TEST(Blender, OneThatHangsIsEndedWithAnError) {
    const TemporaryFolder folder;
    expectHas(faultWith(folder, "sleep 100\n"), "silent for 1 s");
}

TEST(Blender, AWrongNumberOfVerticesIsAnError) {
    const TemporaryFolder folder;
    const std::string fault =
        faultWith(folder,
                  "mkdir $F/blendcache_job\n"
                  "printf 'BPHYSICS\\002\\0\\0\\0\\007\\0\\0\\0\\026\\0\\0\\0'"
                  " > $F/blendcache_job/636C6F7468_000003_00.bphys\n"
                  "echo hem: frame 3\n");
    expectHas(fault, "7 points where the garments have 81 vertices");
    expectHas(fault, "its log: ");
}

TEST(Blender, WhatItCannotDoIsSaidPlainly) {
    const TemporaryFolder folder;
    ClothScene windy = sheetOverBall(2, 0);
    windy.wind.velocity = {1, 0, 0};
    const auto wind = blender::makeSimulator(windy, folder.path("work"), {"/bin/false", "0"}, {});
    ASSERT_FALSE(wind);
    expectHas(wind.error().message, "wind is not supported with Blender");

    ClothScene passing = sheetOverBall(2, 0);
    passing.arms_pass = true;
    const auto arms = blender::makeSimulator(passing, folder.path("work"), {"/bin/false", "0"}, {});
    ASSERT_FALSE(arms);
    expectHas(arms.error().message, "arms_pass is not supported with Blender");
    ClothScene layers = sheetOverBall(2, 0);
    layers.garments.push_back(layers.garments[0]);
    layers.garments[1].fabric.name = "denim";
    const auto mixed = blender::makeSimulator(layers, folder.path("work"), {"/bin/false", "0"}, {});
    ASSERT_FALSE(mixed);
    expectHas(mixed.error().message, "the same fabric");
}

TEST(Blender, ACacheIsReadBackAsWrittenToTheBit) {
    const ClothState state{{{1, 2, 3}, {0.1f, -0.2f, 0.3f}}, {{0.7f, 1e-3f, -9}, {1e-9f, 0, 3e5f}}};
    const auto bytes = blender::bphysBytes(state, state.positions);
    ASSERT_EQ(bytes.size(), 20 + 2 * 36u);
    const auto back = blender::parseBphys(bytes, 2, "a.bphys");
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, state);
}

TEST(Blender, ADamagedCacheIsRefused) {
    ClothState state{{{1, 2, 3}}, {{0, 0, 0}}};
    const auto whole = blender::bphysBytes(state, state.positions);
    for (size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(blender::parseBphys(std::span(whole).first(size), 1, "cut.bphys"));
    auto other = whole;
    other[16] = std::byte(0x17);
    EXPECT_FALSE(blender::parseBphys(other, 1, "other.bphys"));
    state.positions[0].y = std::numeric_limits<float>::quiet_NaN();
    const auto exploded = blender::parseBphys(blender::bphysBytes(state, state.positions), 1, "x");
    ASSERT_FALSE(exploded);
    expectHas(exploded.error().message, "vertex 0");
}

TEST(Blender, AHeavierFabricHasHeavierVerticesAndPinsUndoTheFourthPower) {
    ClothScene scene = sheetOverBall(2, 0);
    const Mesh& mesh = scene.garments[0].mesh;
    scene.garments[0].fabric.density = 0.162f;
    const auto settings = blender::settingsFor(scene, mesh);
    ASSERT_TRUE(settings);
    EXPECT_NEAR(settings->mass * 81, 0.48 * 0.48 * 0.162, 1e-6);
    for (float pin : {0.0f, 0.1f, 0.5f, 1.0f}) {
        const float weight = blender::groupWeightOf(pin);
        EXPECT_NEAR(weight * weight * weight * weight, pin, 1e-6);
    }
}

}  // namespace
}  // namespace hem
