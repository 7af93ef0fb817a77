// SPDX-License-Identifier: Apache-2.0
// HEM_PUSH_OUT: vertices inside the body move out of it, and nothing else changes.
#include <gtest/gtest.h>

#include <limits>

#include "hem/runtime/kernels.h"
#include "tests/runtime/toy_garment.h"

namespace hem {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

std::vector<float> restJoints(const Toy& toy) {
    std::vector<float> joints(12 * toy.character.skeleton.size());
    for (size_t i = 0; i < joints.size(); ++i) joints[i] = i % 12 % 5 == 0;
    return joints;
}

// Of the player's formula (format.h, BodyHeader), in double, step by step.
struct Reference {
    const BodyProxy& body;
    const float* joints;

    struct Posed {
        double centre[3], normal[3], offset;
    };
    Posed posed(const BodyProxy::Point& p) const {
        Posed result{{0, 0, 0}, {0, 0, 0}, double(p.offset)};
        for (const Influence& i : p.influences)
            for (int r = 0; r < 3; ++r) {
                const float* row = joints + 12 * i.joint + 4 * r;
                for (int c = 0; c < 3; ++c) {
                    result.centre[r] += double(i.weight) * double(row[c]) * double(p.centre[c]);
                    result.normal[r] += double(i.weight) * double(row[c]) * double(p.normal[c]);
                }
                result.centre[r] += double(i.weight) * double(row[3]);
            }
        return result;
    }
    // One round; whether it moved, and by how much.
    double moveOut(size_t tile, double* x) const {
        double weight = 0, distance = 0, normal[3] = {};
        const bool worn = tile < body.worn_tiles;
        for (size_t k = 0; k < (worn ? body.points.size() : body.common_points); ++k) {
            const Posed p = posed(body.points[k]);
            double square = 0, height = -p.offset;
            for (int c = 0; c < 3; ++c) {
                square += (x[c] - p.centre[c]) * (x[c] - p.centre[c]);
                height += p.normal[c] * (x[c] - p.centre[c]);
            }
            const double t = std::max(0.0, 1 - square / double(body.reach * body.reach));
            const double g = t * t * t * t;
            weight += g;
            distance += g * height;
            for (int c = 0; c < 3; ++c) normal[c] += g * p.normal[c];
        }
        if (weight <= 1e-12 || distance / weight >= double(body.distance)) return 0;
        const double length = std::hypot(normal[0], normal[1], normal[2]);
        if (length < 0.2 * weight) return 0;
        const double far = std::min(double(body.distance) - distance / weight, double(body.most));
        for (int c = 0; c < 3; ++c) x[c] += far * normal[c] / length;
        return far;
    }
    std::vector<float> pushed(std::vector<float> positions) const {
        for (size_t tile = 0; tile < body.tiles.size(); ++tile)
            for (const uint32_t v : body.tiles[tile]) {
                double x[3];
                for (size_t c = 0; c < 3; ++c) x[c] = double(positions[3 * v + c]);
                for (int round = 0; round < 3; ++round)
                    if (moveOut(tile, x) <= 4 * double(body.distance)) break;
                for (size_t c = 0; c < 3; ++c) positions[3 * v + c] = float(x[c]);
            }
        return positions;
    }
};

TEST(PushOut, VerticesInsideEndAtTheDistanceFromTheSkinAndOthersStay) {
    const Toy toy = makeToy({.body = true});
    ToyWearer plain(toy.open()), pushed(toy.open());
    pushed.flags = HEM_PUSH_OUT;
    EXPECT_EQ(hem_pushesOut(plain.garment), 1);
    plain.reset(restJoints(toy));
    pushed.reset(restJoints(toy));
    size_t moved = 0, stayed = 0;
    const float least = kToySkin + toy.body.distance;
    for (size_t v = 0; v < toy.mesh.positions.size(); ++v) {
        const float before = plain.positions[3 * v + 2], after = pushed.positions[3 * v + 2];
        if (before < least - 1e-5f) {
            EXPECT_NEAR(after, std::min(least, before + toy.body.most), 1e-5);
            ++moved;
        } else if (before > least + 1e-5f) {
            EXPECT_EQ(after, before);
            ++stayed;
        }
        EXPECT_NEAR(pushed.positions[3 * v], plain.positions[3 * v], 1e-5);  // along the normal
    }
    EXPECT_GT(moved, 10u);
    EXPECT_GT(stayed, 3u);
}

TEST(PushOut, IsWhatTheFormatSays) {
    for (bool modal : {true, false}) {
        const Toy toy = makeToy({.modal = modal, .body = true});
        ToyWearer plain(toy.open()), pushed(toy.open());
        pushed.flags = HEM_PUSH_OUT;
        plain.reset(toyJoints(toy.character.skeleton, 0));
        pushed.reset(toyJoints(toy.character.skeleton, 0));
        double largest = 0;
        for (int i = 1; i < 60; ++i) {
            plain.step(toyJoints(toy.character.skeleton, 0.03 * i), 0.03f);
            pushed.step(toyJoints(toy.character.skeleton, 0.03 * i), 0.03f);
            const Reference reference{toy.body, plain.joints.data()};
            EXPECT_LT(largestDifference(pushed.positions, reference.pushed(plain.positions)), 1e-4);
            largest = std::max(largest, largestDifference(pushed.positions, plain.positions));
        }
        EXPECT_GT(largest, 0.02);
    }
}

TEST(PushOut, LeavesStatesWeightsAndConfidenceAlone) {
    const Toy toy = makeToy({.body = true});
    ToyWearer plain(toy.open()), pushed(toy.open());
    pushed.flags = HEM_PUSH_OUT;
    plain.reset(toyJoints(toy.character.skeleton, 0));
    pushed.reset(toyJoints(toy.character.skeleton, 0));
    for (int i = 1; i < 40; ++i) {
        plain.step(toyJoints(toy.character.skeleton, 0.017 * i), 0.017f);
        pushed.step(toyJoints(toy.character.skeleton, 0.017 * i), 0.017f);
        ASSERT_EQ(plain.state, pushed.state);
        ASSERT_EQ(plain.weights, pushed.weights);
        ASSERT_EQ(plain.confidence, pushed.confidence);
        ASSERT_NE(plain.positions, pushed.positions);
        ASSERT_NE(plain.normals, pushed.normals);
    }
}

TEST(PushOut, DoesNothingWhereTheFileHasNoBody) {
    const Toy toy = makeToy();
    ToyWearer plain(toy.open()), pushed(toy.open());
    EXPECT_EQ(hem_pushesOut(plain.garment), 0);
    pushed.flags = HEM_PUSH_OUT;
    plain.reset(toyJoints(toy.character.skeleton, 0));
    pushed.reset(toyJoints(toy.character.skeleton, 0));
    EXPECT_EQ(plain.positions, pushed.positions);
    EXPECT_EQ(pushed.report & HEM_BAD_JOINTS, 0);
}

TEST(PushOut, CanonicalPositionsArePushedLikeThoseInTheWorld) {
    const Toy toy = makeToy({.body = true});
    ToyWearer world(toy.open()), canonical(toy.open());
    world.flags = HEM_PUSH_OUT;
    canonical.flags = HEM_PUSH_OUT | HEM_CANONICAL;
    for (int i = 0; i < 20; ++i) {
        world.reset(toyJoints(toy.character.skeleton, 0.2 * i));
        canonical.reset(toyJoints(toy.character.skeleton, 0.2 * i));
        // distances between vertices are the same in both
        for (size_t v = 1; v < toy.mesh.positions.size(); ++v) {
            const auto distance = [&](const std::vector<float>& p) {
                return std::hypot(p[3 * v] - p[0], p[3 * v + 1] - p[1], p[3 * v + 2] - p[2]);
            };
            ASSERT_NEAR(distance(world.positions), distance(canonical.positions), 2e-5);
        }
    }
}

TEST(PushOut, AJointThatOnlyTheBodyReadsIsReportedWhereItIsBadAndDoesNoHarm) {
    const Toy toy = makeToy({.body = true});
    ToyWearer plain(toy.open()), pushed(toy.open());
    pushed.flags = HEM_PUSH_OUT;
    std::vector<float> joints = toyJoints(toy.character.skeleton, 0.4);
    joints[12 * size_t(toy.character.skeleton.find("LeftHand")) + 5] = kNan;
    plain.reset(joints);
    pushed.reset(joints);
    EXPECT_EQ(plain.report & HEM_BAD_JOINTS, 0);
    EXPECT_EQ(pushed.report & HEM_BAD_JOINTS, HEM_BAD_JOINTS);
    EXPECT_EQ(plain.positions, pushed.positions);
    EXPECT_EQ(plain.state, pushed.state);
}

TEST(PushOut, StridesAndManyWearersGiveTheSameBits) {
    const Toy toy = makeToy({.body = true});
    ToyWearer alone(toy.open());
    alone.flags = HEM_PUSH_OUT;
    alone.reset(toyJoints(toy.character.skeleton, 0.7));
    constexpr size_t kCount = 5, kStride = 4;
    const size_t vertices = toy.mesh.positions.size();
    std::vector<std::byte> states(kCount * alone.state.size());
    std::vector<float> joints, positions(kCount * vertices * kStride, 77);
    for (size_t i = 0; i < kCount; ++i)
        joints.insert(joints.end(), alone.joints.begin(), alone.joints.end());
    hem_Batch batch{};
    batch.count = kCount;
    batch.states = states.data();
    batch.joints = joints.data();
    batch.positions = positions.data();
    batch.vertex_stride = kStride;
    batch.flags = HEM_PUSH_OUT;
    hem_reset(alone.garment, batch);
    for (size_t i = 0; i < kCount * vertices; ++i) {
        for (size_t c = 0; c < 3; ++c)
            ASSERT_EQ(positions[i * kStride + c], alone.positions[i % vertices * 3 + c]);
        ASSERT_EQ(positions[i * kStride + 3], 77);
    }
}

TEST(PushOut, FarFromTheOriginItIsAsFineAsFloatsAre) {
    const Toy toy = makeToy({.body = true});
    ToyWearer near(toy.open()), far(toy.open());
    near.flags = far.flags = HEM_PUSH_OUT;
    std::vector<float> joints = toyJoints(toy.character.skeleton, 0.3);
    near.reset(joints);
    for (size_t i = 3; i < joints.size(); i += 12) joints[i] += 1024;
    far.reset(joints);
    for (size_t i = 0; i < far.positions.size(); i += 3) far.positions[i] -= 1024;
    EXPECT_LT(largestDifference(near.positions, far.positions), 5e-4);
}

}  // namespace
}  // namespace hem
