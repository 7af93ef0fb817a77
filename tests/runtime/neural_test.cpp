// SPDX-License-Identifier: Apache-2.0
// The neural kind: what it plays is the pose's alone, and what the trainer's own arithmetic gives.
#include <gtest/gtest.h>

#include "hem/runtime/kernels.h"
#include "tests/runtime/neural_toy.h"

namespace hem {
namespace {

// The vertices by the offline side's own code.
std::vector<float> expectedPositions(const NeuralToy& toy, const std::vector<float>& joints) {
    const std::vector<Affine> matrices = asAffine(joints);
    const auto hips = findHipJoints(toy.character.skeleton);
    const CanonicalPose pose = canonicalPose(toy.character, *hips, matrices);
    MatrixF inputs(int(toy.model.numbers) * Eigen::Index(toy.model.rotations.size()), 1);
    readRotations(toy.model.rotations, toy.model.numbers, pose.matrices, inputs.data());
    const MatrixF moved = offsets(toy.model, inputs);
    std::vector<Vec3> skinned(toy.mesh.positions.size());
    skinLinear(toy.skin, toy.mesh.positions.data(), matrices.data(), skinned.data());
    const Affine back = worldFromCanonical(pose.root);
    std::vector<float> positions;
    for (size_t v = 0; v < skinned.size(); ++v) {
        const auto at = Eigen::Index(3 * v);
        const Vec3 p =
            skinned[v] + transformVector(back, {moved(at, 0), moved(at + 1, 0), moved(at + 2, 0)});
        positions.insert(positions.end(), {p.x, p.y, p.z});
    }
    return positions;
}

TEST(Neural, ThePlayerGivesWhatTheTrainerGives) {
    for (const NeuralToyOptions& options :
         {NeuralToyOptions{}, NeuralToyOptions{.hidden = {}},
          NeuralToyOptions{.numbers = RotationNumbers::kTwoColumns},
          NeuralToyOptions{.hidden = {64}, .activation = NeuralActivation::kSilu},
          NeuralToyOptions{.vertices = 33, .modes = 18, .hidden = {5, 7, 9}}}) {
        const NeuralToy toy = makeNeuralToy(options);
        ToyWearer wearer(toy.open());
        wearer.reset(toyJoints(toy.character.skeleton, 0));
        for (int i = 0; i < 40; ++i) {
            const auto joints = toyJoints(toy.character.skeleton, 0.11 * i);
            wearer.step(joints, 0.11f);
            ASSERT_LT(largestDifference(wearer.positions, expectedPositions(toy, joints)), 1e-5)
                << i;
        }
    }
}

TEST(Neural, RotationsReadFromMatricesAreThoseOfThePose) {
    const Character body = askewBody();
    const std::vector<int> joints = {0, 1, 3, 4, 9, 10};
    const auto rotations = jointRotations(body, joints);
    Random random(4);
    for (int i = 0; i < 50; ++i) {
        Pose pose = restPose(body.skeleton);
        for (size_t j = 1; j < pose.rotations.size(); ++j) {
            Quat& q = pose.rotations[j];
            q = normalized({random.normal(), random.normal(), random.normal(), random.normal()});
        }
        std::vector<Affine> matrices(body.skeleton.size());
        skinningMatrices(body.skeleton, pose, body.skin.joint_from_rest.data(), matrices.data());
        std::vector<float> read(24);
        readRotations(rotations, RotationNumbers::kQuaternion, matrices, read.data());
        for (size_t k = 1; k < joints.size(); ++k) {
            const Quat q = pose.rotations[size_t(joints[k])];
            const Quat is = {read[4 * k], read[4 * k + 1], read[4 * k + 2], read[4 * k + 3]};
            EXPECT_GE(is.w, 0);
            EXPECT_NEAR(std::abs(dot(q, is)), 1, 1e-6);
        }
    }
}

// Two joints, one of which is bent by a right angle about x; weights that a person can follow.
TEST(Neural, KnownWeightsGiveValuesComputedByHand) {
    NeuralToy toy = makeNeuralToy();
    toy.character = tBody();
    NeuralModel& m = toy.model;
    m.rotations = jointRotations(toy.character, std::vector<int>{3, 4});  // left thigh and shin
    m.range = {VectorF::Zero(8), VectorF::Ones(8), VectorF::Constant(8, -2),
               VectorF::Constant(8, 2)};
    // hidden: relu(2 w_thigh - 1), relu(-x_thigh), relu(3 x_shin + 1)
    Layer first{MatrixF::Zero(3, 8), VectorF::Zero(3)};
    first.weights(0, 0) = 2, first.bias[0] = -1;
    first.weights(1, 1) = -1;
    first.weights(2, 5) = 3, first.bias[2] = 1;
    // y = [h0 + 2 h2; 5 h1 - h2]
    Layer last{MatrixF::Zero(2, 3), VectorF::Zero(2)};
    last.weights(0, 0) = 1, last.weights(0, 2) = 2;
    last.weights(1, 1) = 5, last.weights(1, 2) = -1;
    m.layers = {first, last};
    m.output_limit = VectorF::Constant(2, 10);
    // one vertex a metre above the hips' rest, carried by the hips alone
    toy.mesh = {};
    toy.mesh.positions = {{0, 2, 0}};
    toy.skin = makeSkin({{{0, 1.0f}}}, toy.character.skin.joint_from_rest);
    m.subspace.mean = VectorF::Zero(3);
    m.subspace.mean[2] = 0.5f;
    m.subspace.basis = MatrixF::Zero(3, 2);
    m.subspace.basis(0, 0) = 0.1f, m.subspace.basis(1, 1) = 0.01f;
    toy.file = orExit(pack(toy.character, toy.mesh, toy.skin, m, MatrixF::Zero(2, 1),
                           {.encoding = BasisEncoding::kFloat32}));

    // the thigh bends by a right angle about x, the shin stays as it is
    Pose pose = restPose(toy.character.skeleton);
    pose.root_position = {5, 1, 0};
    pose.rotations[3] = fromAxisAngle({1, 0, 0}, 1.57079633f);
    std::vector<Affine> matrices(toy.character.skeleton.size());
    skinningMatrices(toy.character.skeleton, pose, toy.character.skin.joint_from_rest.data(),
                     matrices.data());
    std::vector<float> joints(12 * matrices.size());
    std::memcpy(joints.data(), matrices.data(), joints.size() * sizeof(float));
    ToyWearer wearer(toy.open());
    wearer.reset(joints);
    // w = x = sqrt(1/2): h = (sqrt 2 - 1, 0, 1), y = (sqrt 2 + 1, -1)
    EXPECT_NEAR(wearer.weights[0], 2.41421356, 1e-6);
    EXPECT_NEAR(wearer.weights[1], -1, 1e-6);
    EXPECT_NEAR(wearer.positions[0], 5 + 0.241421356, 2e-6);
    EXPECT_NEAR(wearer.positions[1], 2 - 0.01, 1e-6);
    EXPECT_NEAR(wearer.positions[2], 0.5, 1e-6);
    EXPECT_EQ(wearer.confidence, 1);
    EXPECT_EQ(wearer.report, 0);
}

// Of a crowd, too, each wearer looks as it does alone, whatever detail the others have.
TEST(Neural, AWearersDetailDoesNotShowInTheOthers) {
    for (BasisEncoding encoding :
         {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed})
        for (unsigned flags : {0u, unsigned(HEM_APPROXIMATE)}) {
            const NeuralToy toy =
                makeNeuralToy({.vertices = 75, .modes = 13, .encoding = encoding});
            const hem_Garment* garment = toy.open();
            const uint16_t detail[] = {13, 4, 9, 2};
            const size_t count = std::size(detail), numbers = 3 * hem_vertexCount(garment);
            std::vector<float> joints, together(count * numbers), alone(numbers);
            for (size_t i = 0; i < count; ++i) {
                const auto one = toyJoints(toy.character.skeleton, 0.4 * double(i));
                joints.insert(joints.end(), one.begin(), one.end());
            }
            std::vector<std::byte> states(count * hem_stateSize(garment));
            hem_Batch batch{};
            batch.count = count;
            batch.states = states.data();
            batch.joints = joints.data();
            batch.positions = together.data();
            batch.wearer_modes = detail;
            batch.flags = flags;
            hem_reset(garment, batch);
            batch.count = 1;
            batch.positions = alone.data();
            for (size_t i = 0; i < count; ++i) {
                batch.joints = &joints[i * 12 * hem_jointCount(garment)];
                batch.wearer_modes = detail + i;
                hem_reset(garment, batch);
                EXPECT_TRUE(std::equal(alone.begin(), alone.end(), &together[i * numbers]))
                    << "wearer " << i << ", encoding " << int(encoding) << ", flags " << flags;
            }
        }
}

TEST(Neural, TheSameBitsOnAllSetsOfAKindAndInAllBatches) {
    for (BasisEncoding encoding :
         {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed})
        for (unsigned flags : {0u, unsigned(HEM_APPROXIMATE)}) {
            const NeuralToy toy =
                makeNeuralToy({.vertices = 75, .modes = 13, .encoding = encoding});
            std::vector<float> expected[2];  // fused or not
            for (size_t n = 0; const runtime::Kernels* set = runtime::kernelsNumber(n); ++n) {
                runtime::forceKernels(set);
                const bool fused = std::string(set->name).starts_with("AVX");
                constexpr size_t kCrowd = 41;
                const hem_Garment* garment = toy.open();
                std::vector<std::byte> states(kCrowd * hem_stateSize(garment));
                std::vector<float> joints, positions(kCrowd * 3 * hem_vertexCount(garment));
                for (size_t i = 0; i < kCrowd; ++i) {
                    const auto one = toyJoints(toy.character.skeleton, 0.4 * double(i));
                    joints.insert(joints.end(), one.begin(), one.end());
                }
                for (size_t part : {kCrowd, size_t(1), size_t(7)}) {
                    for (size_t i = 0; i < kCrowd; i += part) {
                        hem_Batch batch{};
                        batch.count = std::min(part, kCrowd - i);
                        batch.states = &states[i * hem_stateSize(garment)];
                        batch.joints = &joints[i * 12 * hem_jointCount(garment)];
                        batch.positions = &positions[i * 3 * hem_vertexCount(garment)];
                        batch.flags = flags;
                        hem_reset(garment, batch);
                        hem_step(garment, batch, 0.02f);
                    }
                    if (expected[fused].empty()) expected[fused] = positions;
                    EXPECT_EQ(positions, expected[fused]) << set->name << " " << part;
                }
            }
            EXPECT_LT(largestDifference(expected[0], expected[1]), 1e-5);
            runtime::forceKernels(nullptr);
        }
}

TEST(Neural, TheFrameRateDoesNotShow) {
    const NeuralToy toy = makeNeuralToy();
    ToyWearer often(toy.open()), seldom(toy.open());
    often.reset(toyJoints(toy.character.skeleton, 0));
    seldom.reset(toyJoints(toy.character.skeleton, 0));
    for (int i = 1; i <= 40; ++i) {
        often.step(toyJoints(toy.character.skeleton, 0.05 * i), 0.05f);
        if (i % 4 == 0) seldom.step(toyJoints(toy.character.skeleton, 0.05 * i), 0.2f);
    }
    EXPECT_LT(largestDifference(often.positions, seldom.positions), 1e-5);
}

TEST(Neural, EncodingsAndApproximationStayNearTheExactShape) {
    const NeuralToy exact = makeNeuralToy();
    ToyWearer expected(exact.open());
    for (BasisEncoding encoding : {BasisEncoding::kFloat16, BasisEncoding::kMixed})
        for (unsigned flags : {0u, unsigned(HEM_APPROXIMATE)}) {
            const NeuralToy toy = makeNeuralToy({.encoding = encoding});
            ToyWearer wearer(toy.open());
            wearer.flags = flags;
            for (int i = 0; i < 10; ++i) {
                const auto joints = toyJoints(exact.character.skeleton, 0.3 * i);
                expected.reset(joints);
                wearer.reset(joints);
                ASSERT_LT(largestDifference(wearer.positions, expected.positions), 2e-3);
            }
        }
}

TEST(Neural, CanonicalPositionsAreTheWorldsAboutTheRoot) {
    const NeuralToy toy = makeNeuralToy();
    ToyWearer world(toy.open()), canonical(toy.open());
    canonical.flags = HEM_CANONICAL;
    const auto joints = toyJoints(toy.character.skeleton, 1.7);
    world.reset(joints);
    canonical.reset(joints);
    const CanonicalPose pose =
        canonicalPose(toy.character, *findHipJoints(toy.character.skeleton), asAffine(joints));
    const Affine turn = canonicalFromWorld(pose.root);
    for (size_t v = 0; v < toy.mesh.positions.size(); ++v) {
        const Vec3 p = transformPoint(
            turn, {world.positions[3 * v], world.positions[3 * v + 1], world.positions[3 * v + 2]});
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(canonical.positions[3 * v + size_t(c)], p[c], 1e-5);
    }
}

TEST(Neural, FewerModesLeaveTheSkinnedGarmentWhereItIs) {
    const NeuralToy toy = makeNeuralToy();
    ToyWearer wearer(toy.open());
    const auto joints = toyJoints(toy.character.skeleton, 0.9);
    wearer.joints = joints;
    hem_Batch batch = wearer.batch();
    batch.modes = 3;
    hem_reset(wearer.garment, batch);
    for (size_t m = 3; m < 7; ++m) EXPECT_EQ(wearer.weights[m], 0);
    NeuralToy less = toy;
    less.model.layers.back().weights.bottomRows(4).setZero();
    less.model.layers.back().bias.tail(4).setZero();
    EXPECT_LT(largestDifference(wearer.positions, expectedPositions(less, joints)), 1e-5);
}

TEST(Neural, BadJointsAreReportedAndTheLastGoodOnesWorn) {
    const NeuralToy toy = makeNeuralToy();
    ToyWearer wearer(toy.open());
    auto bad = toyJoints(toy.character.skeleton, 0.5);
    bad[12 * 3 + 5] = std::numeric_limits<float>::quiet_NaN();
    wearer.reset(bad);  // never had good ones: the rest pose
    EXPECT_EQ(wearer.report & HEM_BAD_JOINTS, HEM_BAD_JOINTS);
    for (float p : wearer.positions) ASSERT_TRUE(std::isfinite(p));
    wearer.step(toyJoints(toy.character.skeleton, 0.4), 0.1f);
    EXPECT_EQ(wearer.report, 0);
    const std::vector<float> good = wearer.positions;
    wearer.step(bad, 0.1f);
    EXPECT_EQ(wearer.report, HEM_BAD_JOINTS);
    EXPECT_EQ(wearer.positions, good);
}

TEST(Neural, ADamagedStateIsResetAndReported) {
    const NeuralToy toy = makeNeuralToy();
    ToyWearer wearer(toy.open()), fresh(toy.open());
    const auto joints = toyJoints(toy.character.skeleton, 0.5);
    for (float value : {std::numeric_limits<float>::quiet_NaN(), 1e20f, -1e30f})
        for (size_t at = 80; at < wearer.state.size(); at += 44) {
            wearer.reset(joints);
            fresh.reset(joints);
            // past what the state holds there are noughts, which must stay
            std::memcpy(&wearer.state[at], &value, sizeof value);
            wearer.step(joints, 0.02f);
            EXPECT_EQ(wearer.report, HEM_BAD_STATE) << at;
            EXPECT_EQ(wearer.positions, fresh.positions);
        }
}

TEST(Neural, PosesOutOfRangeAreClampedAndConfidenceFallsAtOnce) {
    const NeuralToy toy = makeNeuralToy({.range = 0.2f});
    ToyWearer wearer(toy.open());
    wearer.reset(toyJoints(toy.character.skeleton, 0.5));
    EXPECT_EQ(wearer.report, HEM_OUT_OF_RANGE);
    EXPECT_LT(wearer.confidence, 0.5f);
    const float before = wearer.confidence;
    wearer.step(toyJoints(toy.character.skeleton, 2.5), 0.001f);
    EXPECT_NE(wearer.confidence, before);
}

TEST(Neural, VerticesInsideTheBodyAreMovedOut) {
    const NeuralToy toy = makeNeuralToy({.body = true});
    ToyWearer plain(toy.open()), pushed(toy.open());
    EXPECT_EQ(hem_pushesOut(toy.open()), 1);
    pushed.flags = HEM_PUSH_OUT;
    const auto joints = toyJoints(toy.character.skeleton, 0.5);
    plain.reset(joints);
    pushed.reset(joints);
    EXPECT_EQ(plain.weights, pushed.weights);
    EXPECT_NE(plain.positions, pushed.positions);
    EXPECT_LT(largestDifference(plain.positions, pushed.positions), 0.2);
}

TEST(Neural, AnyJointsLeaveFiniteVertices) {
    const NeuralToy toy = makeNeuralToy({.range = 2, .body = true});
    ToyWearer wearer(toy.open());
    Random random(9);
    for (int i = 0; i < 3000; ++i) {
        std::vector<float> joints(wearer.joints.size());
        const float size = i % 3 == 0 ? 1e3f : i % 3 == 1 ? 1.0f : 1e-30f;
        for (float& x : joints) x = random.chance(0.2f) ? 0.0f : size * random.uniform(-1, 1);
        if (i % 5 == 0)
            for (size_t j = 3; j < joints.size(); j += 4) joints[j] *= 1e3f;
        wearer.flags = i % 2 ? HEM_PUSH_OUT : 0;
        wearer.step(joints, 0.02f);
        for (float p : wearer.positions) ASSERT_TRUE(std::isfinite(p)) << i;
        for (float w : wearer.weights) ASSERT_LE(std::abs(w), 20);
    }
}

}  // namespace
}  // namespace hem
