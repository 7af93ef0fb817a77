// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/unpack.h"

#include <gtest/gtest.h>

#include "hem/runtime/garment.h"
#include "tests/runtime/neural_toy.h"

namespace hem {
namespace {

// Vertices and modes that fill no panel and no pair.
constexpr ToyOptions kOdd{.vertices = 53, .modes = 9};

Toy toyWith(BasisEncoding encoding) {
    ToyOptions options = kOdd;
    options.encoding = encoding;
    return makeToy(options);
}

TEST(Unpack, Float32ComesBackToTheBit) {
    const Toy toy = toyWith(BasisEncoding::kFloat32);
    const Subspace s = subspaceOf(toy.open());
    EXPECT_EQ(s.vertices(), 53);
    EXPECT_EQ(s.modes(), 9);
    EXPECT_TRUE(s.mean == toy.subspace.mean);
    EXPECT_TRUE(s.basis == toy.subspace.basis);
}

TEST(Unpack, Float16ComesBackWithinElevenBits) {
    const Toy toy = toyWith(BasisEncoding::kFloat16);
    const Subspace s = subspaceOf(toy.open());
    EXPECT_TRUE(s.mean == toy.subspace.mean);
    const MatrixF off = (s.basis - toy.subspace.basis).cwiseAbs();
    // half a unit in the last of 11 binary digits; of the smallest numbers half of 2^-24
    const MatrixF most = (toy.subspace.basis.cwiseAbs() * 0x1p-11f).cwiseMax(0x1p-25f);
    EXPECT_TRUE((off.array() <= most.array() * 1.0001f).all());
    EXPECT_GT(off.maxCoeff(), 0);
}

TEST(Unpack, TheMixComesBackWithinAStepOfEachModesScale) {
    const Toy toy = toyWith(BasisEncoding::kMixed);
    const runtime::Garment g = runtime::garmentOf(toy.open());
    const Subspace s = subspaceOf(toy.open());
    EXPECT_TRUE(s.mean == toy.subspace.mean);
    ASSERT_GT(g.bases[0].header->wide_modes, 0);
    for (Eigen::Index m = 0; m < 9; ++m) {
        const VectorF off = (s.basis.col(m) - toy.subspace.basis.col(m)).cwiseAbs();
        EXPECT_LE(off.maxCoeff(), 0.5001f * g.bases[0].scale[m]) << m;
        EXPECT_GT(off.maxCoeff(), 0) << m;
    }
}

// The tolerance is stated for the frames given to pack().
TEST(Unpack, TheMixMovesNoVertexFartherThanItsTolerance) {
    const Toy toy = toyWith(BasisEncoding::kMixed);
    const Subspace s = subspaceOf(toy.open());
    const MatrixF off = (s.basis - toy.subspace.basis) * toy.frames;
    float farthest = 0;
    for (Eigen::Index f = 0; f < off.cols(); ++f)
        for (Eigen::Index v = 0; v < 53; ++v)
            farthest = std::max(farthest, off.col(f).segment(3 * v, 3).norm());
    EXPECT_LE(farthest, 300e-6f);
    EXPECT_NEAR(farthest, 1e-6f * runtime::garmentOf(toy.open()).bases[0].header->largest_error_um,
                2e-6f);
}

TEST(Unpack, LinearDynamicsComeBackToTheBit) {
    const Toy toy = makeToy({.modal = false, .order = 3, .modes = 9, .features = 18});
    const StableSpace model = modelOf(toy.open());
    EXPECT_EQ(model.kind, "C");
    const auto& is = std::get<LinearDynamics>(model.dynamics);
    const auto& was = std::get<LinearDynamics>(toy.model.dynamics);
    EXPECT_EQ(is.order, 3);
    EXPECT_EQ(is.warm_up, was.warm_up);
    EXPECT_TRUE(is.weights == was.weights && is.bias == was.bias);
    EXPECT_TRUE(is.static_weights == was.static_weights && is.static_bias == was.static_bias);
    EXPECT_TRUE(model.pose.from_joints == toy.model.pose.from_joints);
    EXPECT_EQ(model.pose.joints, toy.model.pose.joints);
    EXPECT_TRUE(model.range.low == toy.model.range.low && model.range.high == toy.model.range.high);
    EXPECT_TRUE(model.output_limit == toy.model.output_limit);
    EXPECT_EQ(modelOf(makeToy({.modal = false, .order = 0, .uses_root = false}).open()).kind, "A");
}

TEST(Unpack, ModalDynamicsComeBackToTheBit) {
    const Toy toy = makeToy({.hidden = 21, .states = 17, .outer = 5});
    const StableSpace model = modelOf(toy.open());
    EXPECT_EQ(model.kind, "S");
    const auto& is = std::get<ModalDynamics>(model.dynamics);
    const auto& was = std::get<ModalDynamics>(toy.model.dynamics);
    EXPECT_TRUE(is.log_decay == was.log_decay && is.angle == was.angle);
    for (Layer ModalDynamics::*layer :
         {&ModalDynamics::input, &ModalDynamics::input_residual, &ModalDynamics::drive,
          &ModalDynamics::outer, &ModalDynamics::outer_residual, &ModalDynamics::output})
        EXPECT_TRUE((is.*layer).weights == (was.*layer).weights &&
                    (is.*layer).bias == (was.*layer).bias);
}

TEST(Unpack, WhatTheJointsCarryComesBack) {
    const NeuralToy toy = makeNeuralToy({.vertices = 53});
    const CarriedGarment carried = carriedOf(toy.open());
    ASSERT_EQ(carried.rest.size(), 53u);
    EXPECT_LE(carried.skin.influences, Skin::kMaxInfluences);
    const Skeleton& skeleton = toy.character.skeleton;
    std::vector<Affine> matrices(skeleton.size());
    skinningMatrices(skeleton, toyPose(skeleton, 0.7), toy.character.skin.joint_from_rest.data(),
                     matrices.data());
    std::vector<Vec3> expected(53), got(53);
    skinLinear(toy.skin, toy.mesh.positions.data(), matrices.data(), expected.data());
    skinLinear(carried.skin, carried.rest.data(), matrices.data(), got.data());
    for (size_t v = 0; v < 53; ++v) {
        EXPECT_LT(distance(carried.rest[v], toy.mesh.positions[v]), 1e-5f);
        EXPECT_LT(distance(got[v], expected[v]), 1e-5f);
    }
}

}  // namespace
}  // namespace hem
