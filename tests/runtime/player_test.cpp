// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <complex>

#include "hem/runtime/hem.h"
#include "tests/runtime/reference_player.h"
#include "tests/runtime/toy_garment.h"

namespace hem {
namespace {

const std::vector<ToyOptions> kKinds = {
    {.modal = true},
    {.modal = false, .order = 2},
    {.modal = false, .order = 2, .warm_up = 0},
    {.modal = false, .order = 3, .uses_root = false},
    {.modal = false, .order = 0, .uses_root = false},
    {.modal = true, .range = 0.6},
    {.modal = true, .mirrored = true},
    {.modal = false, .vertices = 101, .modes = 19, .mirrored = true},
    {.modal = true, .vertices = 64, .modes = 12, .hidden = 32, .states = 16, .outer = 16}};

TEST(Player, PlaysWhatTheFormatSays) {
    for (const ToyOptions& options : kKinds) {
        const Toy toy = makeToy(options);
        ToyWearer wearer(toy.open());
        ReferencePlayer reference(toy, 30);
        wearer.reset(toyJoints(toy.character.skeleton, 0));
        VectorD y = reference.reset(wearer.joints);
        double movement = 0;
        for (int tick = 1; tick <= 90; ++tick) {
            const VectorD before = y;
            for (Eigen::Index m = 0; m < y.size(); ++m)
                ASSERT_NEAR(wearer.weights[size_t(m)], y[m], 2e-4) << options.modal << " " << tick;
            ASSERT_LT(largestDifference(wearer.positions, reference.positions), 2e-5);
            wearer.step(toyJoints(toy.character.skeleton, tick / 30.0), 1 / 30.0f);
            y = reference.tick(wearer.joints);
            movement += (y - before).norm();
        }
        EXPECT_GT(movement, 0.5);
    }
}

TEST(Player, RunsTheSameHoweverWearersAreDividedIntoBatches) {
    for (auto [modal, mirrored] : {std::pair(true, false), {false, false}, {true, true}}) {
        const Toy toy =
            makeToy({.modal = modal, .encoding = BasisEncoding::kMixed, .mirrored = mirrored});
        const hem_Garment* garment = toy.open();
        constexpr size_t kCrowd = 150;
        const size_t nj = 12 * hem_jointCount(garment), nv = 3 * hem_vertexCount(garment),
                     ns = hem_stateSize(garment);
        std::vector<std::byte> expected_states;
        std::vector<float> expected;
        for (size_t part : {kCrowd, size_t(1), size_t(7), size_t(64)}) {
            std::vector<std::byte> states(kCrowd * ns);
            std::vector<float> joints(kCrowd * nj), positions(kCrowd * nv);
            const auto play = [&](double time, bool reset) {
                for (size_t i = 0; i < kCrowd; ++i) {
                    const auto j = toyJoints(toy.character.skeleton, time, 0.1 * double(i));
                    std::copy(j.begin(), j.end(), joints.begin() + std::ptrdiff_t(i * nj));
                }
                for (size_t i = 0; i < kCrowd; i += part) {
                    hem_Batch batch{};
                    batch.count = std::min(part, kCrowd - i);
                    batch.states = &states[i * ns];
                    batch.joints = &joints[i * nj];
                    batch.positions = &positions[i * nv];
                    if (reset)
                        hem_reset(garment, batch);
                    else
                        hem_step(garment, batch, 0.027f);
                }
            };
            play(0, true);
            for (int i = 1; i < 6; ++i) play(0.027 * i, false);
            if (part == kCrowd) {
                expected_states = states;
                expected = positions;
            }
            EXPECT_EQ(states, expected_states) << part;
            EXPECT_EQ(positions, expected) << part;
        }
    }
}

TEST(Player, AStateThatIsCopiedBackPlaysTheSameAgain) {
    const Toy toy = makeToy();
    ToyWearer wearer(toy.open());
    wearer.reset(toyJoints(toy.character.skeleton, 0));
    for (int i = 1; i < 10; ++i) wearer.step(toyJoints(toy.character.skeleton, 0.02 * i), 0.02f);
    const std::vector<std::byte> saved = wearer.state;
    const auto play = [&] {
        for (int i = 10; i < 20; ++i)
            wearer.step(toyJoints(toy.character.skeleton, 0.02 * i), 0.02f);
        return wearer.positions;
    };
    const std::vector<float> first = play();
    wearer.state = saved;
    EXPECT_EQ(play(), first);
}

TEST(Player, AStandingWearerStaysAsItWasReset) {
    for (bool modal : {true, false}) {
        const Toy toy = makeToy({.modal = modal});
        ToyWearer wearer(toy.open());
        wearer.reset(toyJoints(toy.character.skeleton, 0.4));
        const std::vector<float> start = wearer.positions;
        for (int i = 0; i < 60; ++i) {
            wearer.step(wearer.joints, 1 / 50.0f);
            ASSERT_LT(largestDifference(wearer.positions, start), 2e-5) << modal << " " << i;
        }
    }
}

TEST(Player, ATeleportByResetGivesNoImpulse) {
    const Toy toy = makeToy();
    ToyWearer here(toy.open()), there(toy.open());
    const std::vector<float> joints = toyJoints(toy.character.skeleton, 0.4);
    here.reset(joints);
    for (int i = 0; i < 10; ++i) there.step(toyJoints(toy.character.skeleton, 0.03 * i), 0.03f);
    std::vector<float> far = joints;
    for (size_t j = 0; j < far.size(); j += 12) far[j + 3] += 8, far[j + 11] -= 4;
    there.reset(far);
    for (int i = 0; i < 5; ++i) {
        for (size_t m = 0; m < here.weights.size(); ++m)
            EXPECT_NEAR(here.weights[m], there.weights[m], 2e-5);
        here.step(joints, 1 / 60.0f);
        there.step(far, 1 / 60.0f);
    }
}

TEST(Player, AResetInFullRunStartsWithTheClothOfThatRun) {
    for (bool modal : {true, false}) {
        const Toy toy = makeToy({.modal = modal});
        const hem_Garment* garment = toy.open();
        // one wearer runs and turns for long, the other is told so at its reset
        const auto joints = [&](double t) {
            Pose pose = restPose(toy.character.skeleton);
            const float w = 0.5f, v = 3;
            const auto angle = float(w * t);
            pose.rotations[0] = fromAxisAngle({0, 1, 0}, angle);
            pose.root_position = pose.root_position +
                                 Vec3{v / w * (1 - std::cos(angle)), 0, v / w * std::sin(angle)};
            std::vector<Affine> matrices(toy.character.skeleton.size());
            skinningMatrices(toy.character.skeleton, pose,
                             inverseRestMatrices(toy.character.skeleton).data(), matrices.data());
            std::vector<float> flat(12 * matrices.size());
            std::memcpy(flat.data(), matrices.data(), flat.size() * sizeof(float));
            return flat;
        };
        ToyWearer runner(garment), starter(garment);
        runner.reset(joints(0));
        int tick = 0;
        for (; tick < 400; ++tick) runner.step(joints(tick / 30.0), 1 / 30.0f);
        const double t = (tick - 1) / 30.0;
        // the root's velocity, as a chord over the last tick
        const auto now = joints(t), before = joints(t - 1 / 30.0);
        const Vec3 rest = restPose(toy.character.skeleton).root_position;
        float motion[4] = {0, 0, 0, 0.5f};
        for (int i = 0; i < 3; ++i) {
            const auto place = [&](const std::vector<float>& j) {
                const float* m = j.data() + 4 * i;
                return m[0] * rest.x + m[1] * rest.y + m[2] * rest.z + m[3];
            };
            motion[i] = (place(now) - place(before)) * 30;
        }
        starter.joints = now;
        hem_Batch batch = starter.batch();
        batch.root_motion = motion;
        hem_reset(garment, batch);
        for (int i = 0; i < 10; ++i) {
            EXPECT_LT(largestDifference(runner.positions, starter.positions), 2e-3) << i;
            runner.step(joints(t + (i + 1) / 30.0), 1 / 30.0f);
            starter.step(joints(t + (i + 1) / 30.0), 1 / 30.0f);
        }
    }
}

TEST(Player, TheDialTakesSwayAwayAndDoublesIt) {
    for (bool modal : {true, false}) {
        const Toy toy = makeToy({.modal = modal, .outer = 1});
        ToyWearer wearer(toy.open());
        wearer.reset(toyJoints(toy.character.skeleton, 0));
        for (int i = 1; i < 20; ++i)
            wearer.step(toyJoints(toy.character.skeleton, i / 30.0), 1 / 30.0f);
        const auto at = [&](float dial) {
            std::vector<std::byte> saved = wearer.state;
            hem_Batch batch = wearer.batch();
            batch.dial = dial;
            hem_step(wearer.garment, batch, 0);
            wearer.state = saved;
            return wearer.weights;
        };
        const auto none = at(-1), as_trained = at(0), twice = at(1), beyond = at(7);
        EXPECT_EQ(twice, beyond);
        EXPECT_GT(largestDifference(none, as_trained), 1e-2);
        // the linear kind's output is linear in the dial, the modal kind's nearly
        for (size_t m = 0; m < none.size(); ++m)
            EXPECT_NEAR(twice[m] - as_trained[m], as_trained[m] - none[m], modal ? 0.2 : 1e-5);
        // a body that stands long has no sway to take away
        for (int i = 0; i < 300; ++i) wearer.step(wearer.joints, 1 / 30.0f);
        if (modal) {
            EXPECT_LT(largestDifference(at(-1), at(1)), 1e-4);
        }
    }
}

TEST(Player, FewerModesLeaveTheFirstOnesAsTheyAre) {
    const Toy toy = makeToy({.encoding = BasisEncoding::kMixed});
    ToyWearer wearer(toy.open());
    wearer.reset(toyJoints(toy.character.skeleton, 0));
    const std::vector<float> full = wearer.weights;
    const uint16_t modes = 3;
    hem_Batch batch = wearer.batch();
    batch.wearer_modes = &modes;
    hem_reset(wearer.garment, batch);
    for (size_t m = 0; m < full.size(); ++m)
        EXPECT_EQ(wearer.weights[m], m < modes ? full[m] : 0) << m;
    const std::vector<float> few = wearer.positions;
    batch.wearer_modes = nullptr;
    batch.modes = 3;
    hem_reset(wearer.garment, batch);
    EXPECT_EQ(wearer.positions, few);
    batch.modes = 1000;
    hem_reset(wearer.garment, batch);
    EXPECT_EQ(wearer.weights, full);
}

TEST(Player, CanonicalPositionsAreThoseOfTheWorldWithoutTheRoot) {
    const Toy toy = makeToy();
    ToyWearer world(toy.open()), canonical(toy.open());
    const auto joints = toyJoints(toy.character.skeleton, 2);
    world.reset(joints);
    canonical.joints = joints;
    hem_Batch batch = canonical.batch();
    batch.flags = HEM_CANONICAL;
    hem_reset(canonical.garment, batch);
    // the same shape: distances between vertices agree
    const auto distance = [](const std::vector<float>& p, size_t a, size_t b) {
        return std::hypot(p[3 * a] - p[3 * b], p[3 * a + 1] - p[3 * b + 1],
                          p[3 * a + 2] - p[3 * b + 2]);
    };
    for (size_t v = 1; v < hem_vertexCount(world.garment); ++v)
        EXPECT_NEAR(distance(world.positions, 0, v), distance(canonical.positions, 0, v), 1e-6);
    const VectorF y =
        Eigen::Map<VectorF>(canonical.weights.data(), Eigen::Index(canonical.weights.size()));
    const VectorF expected = toy.subspace.basis * y + toy.subspace.mean;
    for (size_t i = 0; i < canonical.positions.size(); ++i)
        EXPECT_NEAR(canonical.positions[i], expected[Eigen::Index(i)], 1e-5);
}

TEST(Player, NormalsAreThoseOfTheMesh) {
    const Toy toy = makeToy();
    ToyWearer wearer(toy.open());
    wearer.reset(toyJoints(toy.character.skeleton, 1));
    std::vector<Vec3> positions;
    for (size_t i = 0; i < wearer.positions.size(); i += 3)
        positions.push_back(
            {wearer.positions[i], wearer.positions[i + 1], wearer.positions[i + 2]});
    const std::vector<Vec3> expected = vertexNormals(positions, toy.mesh.triangles);
    for (size_t i = 0; i < wearer.normals.size(); ++i)
        EXPECT_NEAR(wearer.normals[i], expected[i / 3][int(i % 3)], 1e-4);
}

TEST(Player, StridesLeaveWhatLiesBetweenUntouched) {
    for (bool mirrored : {false, true}) {
        const Toy toy = makeToy({.mirrored = mirrored});
        ToyWearer tight(toy.open());
        const auto joints = toyJoints(toy.character.skeleton, 1);
        tight.reset(joints);
        const size_t vertices = hem_vertexCount(tight.garment);
        std::vector<float> positions(vertices * 8 + 5, -7), normals = positions;
        hem_Batch batch = tight.batch();
        batch.vertex_stride = 8;
        batch.positions_stride = vertices * 8 + 5;
        batch.positions = positions.data();
        batch.normals = normals.data();
        hem_reset(tight.garment, batch);
        for (size_t i = 0; i < positions.size(); ++i) {
            const bool is_there = i / 8 < vertices && i % 8 < 3;
            EXPECT_EQ(positions[i], is_there ? tight.positions[3 * (i / 8) + i % 8] : -7);
            EXPECT_EQ(normals[i], is_there ? tight.normals[3 * (i / 8) + i % 8] : -7);
        }
    }
}

TEST(Player, ConfidenceFallsWithHowFarTheInputsAreOut) {
    const Toy toy = makeToy({.range = 3});
    ToyWearer wearer(toy.open());
    auto joints = toyJoints(toy.character.skeleton, 0);
    wearer.reset(joints);
    EXPECT_EQ(wearer.confidence, 1);
    EXPECT_EQ(wearer.report, 0);
    float last = 2;
    for (float speed : {0.5f, 8.0f, 16.0f, 64.0f}) {
        wearer.reset(joints);
        auto moving = joints;
        for (int i = 0; i < 30; ++i) {
            for (size_t j = 3; j < moving.size(); j += 12) moving[j] += speed / 30;
            wearer.step(moving, 1 / 30.0f);
        }
        EXPECT_LT(wearer.confidence, last) << speed;
        EXPECT_GE(wearer.confidence, 0);
        EXPECT_EQ((wearer.report & HEM_OUT_OF_RANGE) != 0, speed > 1);
        last = speed > 1 ? wearer.confidence : 1;
    }
    EXPECT_LT(last, 0.1f);
}

}  // namespace
}  // namespace hem
