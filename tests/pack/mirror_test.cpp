// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/mirror.h"

#include <gtest/gtest.h>

#include "hem/pack/unpack.h"
#include "hem/runtime/garment.h"
#include "tests/runtime/toy_garment.h"

namespace hem {
namespace {

using Eigen::Index;

constexpr BasisEncoding kEncodings[] = {BasisEncoding::kFloat32, BasisEncoding::kFloat16,
                                        BasisEncoding::kMixed};

TEST(Mirror, IsFoundWithItsVerticesAndModes) {
    const Toy toy = makeToy({.mirrored = true});
    const auto mirror = mirrorOf(toy.mesh, toy.subspace);
    ASSERT_TRUE(mirror);
    const Mirror expected = toy::toyMirror(50, 7);
    EXPECT_EQ(mirror->left, expected.left);
    EXPECT_EQ(mirror->right, expected.right);
    EXPECT_EQ(mirror->is_odd, expected.is_odd);
}

TEST(Mirror, IsNotFoundWhereAVertexOrAModeHasNone) {
    const Toy toy = makeToy({.mirrored = true});
    const auto found = [&](auto change) {
        Mesh mesh = toy.mesh;
        Subspace subspace = toy.subspace;
        change(mesh, subspace);
        return mirrorOf(mesh, subspace).has_value();
    };
    EXPECT_TRUE(found([](Mesh&, Subspace&) {}));
    EXPECT_FALSE(found([](Mesh& m, Subspace&) { m.positions[3].y += 0.001f; }));
    EXPECT_FALSE(found([](Mesh&, Subspace& s) { s.mean[7] += 0.001f; }));
    EXPECT_FALSE(found([](Mesh&, Subspace& s) { s.mean[7] = NAN; }));
    EXPECT_FALSE(found([](Mesh&, Subspace& s) { s.basis(8, 2) += 0.001f; }));
    EXPECT_FALSE(found([](Mesh&, Subspace& s) { s.basis(8, 2) = NAN; }));
    // an even and an odd mode of one variance, turned into each other
    EXPECT_FALSE(found([](Mesh&, Subspace& s) {
        const VectorF even = s.basis.col(0), odd = s.basis.col(1);
        s.basis.col(0) = 0.6f * even + 0.8f * odd;
        s.basis.col(1) = 0.8f * even - 0.6f * odd;
    }));
    EXPECT_FALSE(found([](Mesh&, Subspace& s) { s.basis = MatrixF(s.basis.leftCols(1)); }));
}

TEST(Mirror, WhatIsNearlySymmetricIsMadeExactlySo) {
    Toy toy = makeToy({.mirrored = true});
    Random random(2);
    toy.subspace.basis += toy::randomMatrix(random, 150, 7, 1e-7);
    toy.subspace.mean += toy::randomMatrix(random, 150, 1, 1e-7);
    const auto mirror = mirrorOf(toy.mesh, toy.subspace);
    ASSERT_TRUE(mirror);
    const Subspace exact = mirrored(toy.subspace, *mirror);
    EXPECT_LT((exact.basis - toy.subspace.basis).cwiseAbs().maxCoeff(), 1e-6f);
    for (size_t i = 0; i < mirror->left.size(); ++i) {
        const Index left = 3 * Index(mirror->left[i]), right = 3 * Index(mirror->right[i]);
        EXPECT_EQ(exact.mean[left], -exact.mean[right]);
        for (Index m = 0; m < 7; ++m) {
            const float sign = m % 3 == 1 ? -1 : 1;
            EXPECT_EQ(exact.basis(left, m), -sign * exact.basis(right, m));
            EXPECT_EQ(exact.basis(left + 2, m), sign * exact.basis(right + 2, m));
        }
    }
}

TEST(Mirror, AFileKeepsOneHalfAndGivesBackTheWhole) {
    for (BasisEncoding encoding : kEncodings) {
        const ToyOptions options{
            .vertices = 200, .modes = 30, .encoding = encoding, .mirrored = true};
        ToyOptions kept_whole = options;
        kept_whole.halve = false;
        const Toy half = makeToy(options), whole = makeToy(kept_whole);
        const auto bytes = [](const Toy& toy) {
            const runtime::Garment g = runtime::garmentOf(toy.open());
            return g.bases[0].panels * (g.bases[0].panel_bytes + g.bases[1].panel_bytes);
        };
        EXPECT_LT(double(bytes(half)), 0.65 * double(bytes(whole)));  // a sixth is in the middle
        EXPECT_EQ(runtime::garmentOf(half.open()).header->version, format::kMirroredVersion);
        EXPECT_EQ(runtime::garmentOf(whole.open()).header->version, format::kVersion);
        const Subspace a = subspaceOf(half.open());
        if (encoding != BasisEncoding::kMixed) {
            const Subspace b = subspaceOf(whole.open());
            EXPECT_TRUE(a.mean == b.mean);
            EXPECT_TRUE(a.basis == b.basis);
        }
        EXPECT_TRUE(a.mean == half.subspace.mean);
    }
}

TEST(Mirror, TheEncodingMovesNoVertexOfEitherSideFartherThanItSays) {
    for (float tolerance_um : {1000.0f, 300.0f, 60.0f}) {
        const Toy toy = makeToy({.vertices = 90,
                                 .modes = 21,
                                 .encoding = BasisEncoding::kMixed,
                                 .tolerance_um = tolerance_um,
                                 .mirrored = true});
        const runtime::Garment g = runtime::garmentOf(toy.open());
        ASSERT_TRUE(g.mirror);
        const MatrixF off = (subspaceOf(toy.open()).basis - toy.subspace.basis) * toy.frames;
        float farthest = 0;
        for (Index f = 0; f < off.cols(); ++f)
            for (Index v = 0; v < 90; ++v)
                farthest = std::max(farthest, off.col(f).segment(3 * v, 3).norm());
        EXPECT_LE(farthest, 1e-6f * tolerance_um);
        for (const runtime::Basis& basis : g.bases)
            EXPECT_NEAR(farthest, 1e-6f * basis.header->largest_error_um, 2e-6f);
    }
}

}  // namespace
}  // namespace hem
