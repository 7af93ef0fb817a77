// SPDX-License-Identifier: Apache-2.0
// Garments of which the file keeps one half (hem/runtime/format.h, kMirror).
#include <gtest/gtest.h>

#include "hem/pack/unpack.h"
#include "hem/runtime/garment.h"
#include "tests/runtime/toy_garment.h"

namespace hem {
namespace {

constexpr BasisEncoding kEncodings[] = {BasisEncoding::kFloat32, BasisEncoding::kFloat16,
                                        BasisEncoding::kMixed};

struct Played {
    std::vector<std::byte> state;  // without the file's mark
    std::vector<float> positions, normals, weights;
};
Played played(const Toy& toy, unsigned flags, unsigned modes) {
    ToyWearer wearer(toy.open());
    wearer.reset(toyJoints(toy.character.skeleton, 0));
    for (int i = 1; i < 12; ++i) {
        wearer.joints = toyJoints(toy.character.skeleton, 0.02 * i);
        hem_Batch batch = wearer.batch();
        batch.flags = flags;
        batch.modes = modes;
        hem_step(wearer.garment, batch, 0.02f);
    }
    wearer.state.erase(wearer.state.begin(), wearer.state.begin() + 4);
    return {wearer.state, wearer.positions, wearer.normals, wearer.weights};
}

TEST(Mirrored, AHalfPlaysWhatTheWholePlays) {
    for (BasisEncoding encoding : {BasisEncoding::kFloat32, BasisEncoding::kFloat16})
        for (bool modal : {true, false})
            for (int vertices : {5, 50, 333}) {
                const ToyOptions options{.modal = modal,
                                         .vertices = vertices,
                                         .encoding = encoding,
                                         .body = true,
                                         .mirrored = true};
                ToyOptions kept_whole = options;
                kept_whole.halve = false;
                const Toy half = makeToy(options), whole = makeToy(kept_whole);
                ASSERT_TRUE(runtime::garmentOf(half.open()).mirror);
                ASSERT_FALSE(runtime::garmentOf(whole.open()).mirror);
                for (unsigned flags : {0, int(HEM_CANONICAL), int(HEM_PUSH_OUT)})
                    for (unsigned modes : {0u, 1u, 2u, 3u, 5u}) {
                        const Played a = played(half, flags, modes),
                                     b = played(whole, flags, modes);
                        EXPECT_EQ(a.state, b.state);
                        EXPECT_EQ(a.weights, b.weights);
                        EXPECT_LT(largestDifference(a.positions, b.positions), 1e-6)
                            << flags << ", " << modes << " modes";
                        EXPECT_LT(largestDifference(a.normals, b.normals), 1e-2);
                    }
            }
}

TEST(Mirrored, PositionsAreThoseOfTheFilesOwnNumbers) {
    for (BasisEncoding encoding : kEncodings)
        for (float tolerance_um : {1000.0f, 200.0f, 50.0f})
            for (int modes : {2, 7, 19, 64}) {
                const Toy toy = makeToy({.vertices = 101,
                                         .modes = modes,
                                         .encoding = encoding,
                                         .tolerance_um = tolerance_um,
                                         .mirrored = true});
                const Subspace s = subspaceOf(toy.open());
                for (unsigned approximate : {0, int(HEM_APPROXIMATE)}) {
                    const Played p = played(toy, HEM_CANONICAL | approximate, 0);
                    const VectorF y = Eigen::Map<const VectorF>(p.weights.data(), modes),
                                  expected = s.basis * y + s.mean;
                    const std::vector<float> wanted(expected.begin(), expected.end());
                    EXPECT_LT(largestDifference(p.positions, wanted), approximate ? 2e-4 : 2e-6)
                        << int(encoding) << ", " << modes << " modes";
                }
            }
}

TEST(Mirrored, VerticesInTheMiddleStayThereWhereOnlyEvenModesAreSeen) {
    const Toy toy = makeToy({.mirrored = true});
    const Played p = played(toy, HEM_CANONICAL, 1);  // the first mode is even
    for (size_t v : {1u, 4u, 7u}) EXPECT_EQ(p.positions[3 * v], 0) << v;
}

// Vertices of a half in any order, those on one side not one after another.
TEST(Mirrored, VerticesMayBeNumberedInAnyWay) {
    Toy toy = makeToy({.vertices = 120, .mirrored = true, .halve = false});
    std::vector<size_t> number(120);
    Random random(5);
    for (size_t v = 0; v < 120; ++v) {
        number[v] = v;
        std::swap(number[v], number[size_t(random.integer(0, int(v)))]);
    }
    const Toy whole = toy;
    for (size_t v = 0; v < 120; ++v) {
        const Eigen::Index to = 3 * Eigen::Index(number[v]), from = 3 * Eigen::Index(v);
        toy.mesh.positions[number[v]] = whole.mesh.positions[v];
        toy.subspace.mean.segment<3>(to) = whole.subspace.mean.segment<3>(from);
        toy.subspace.basis.middleRows<3>(to) = whole.subspace.basis.middleRows<3>(from);
    }
    toy.file = *pack(toy.character, toy.mesh, toy.subspace, toy.model, toy.frames,
                     {.encoding = BasisEncoding::kFloat32});
    ASSERT_TRUE(runtime::garmentOf(toy.open()).mirror);
    const Played a = played(toy, 0, 0), b = played(whole, 0, 0);
    for (size_t v = 0; v < 120; ++v)
        for (size_t axis = 0; axis < 3; ++axis)
            EXPECT_NEAR(a.positions[3 * number[v] + axis], b.positions[3 * v + axis], 1e-6) << v;
}

}  // namespace
}  // namespace hem
