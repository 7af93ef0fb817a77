// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/pack.h"

#include <gtest/gtest.h>

#include "hem/pack/basis_encoding.h"
#include "hem/pack/half.h"
#include "hem/runtime/garment.h"
#include "tests/runtime/toy_garment.h"

namespace hem {
namespace {

const format::BasisHeader& basisOf(const Toy& toy) {
    return *runtime::garmentOf(toy.open()).bases[0].header;
}

TEST(Pack, TellsTheGarmentsNames) {
    const Toy toy = makeToy();
    const hem_Garment* garment = toy.open();
    EXPECT_EQ(hem_vertexCount(garment), 50u);
    EXPECT_EQ(hem_modeCount(garment), 7u);
    EXPECT_EQ(hem_rate(garment), 30);
    EXPECT_EQ(hem_triangleCount(garment), toy.mesh.triangles.size());
    EXPECT_EQ(hem_triangles(garment)[4], toy.mesh.triangles[1][1]);
    EXPECT_EQ(hem_cornerTextureCoordinates(garment), nullptr);
    EXPECT_STREQ(hem_info(garment), "{\"name\": \"toy\"}");
    ASSERT_EQ(hem_jointCount(garment), toy.character.skeleton.size());
    for (size_t j = 0; j < hem_jointCount(garment); ++j)
        EXPECT_EQ(hem_jointName(garment, j), toy.character.skeleton.joints[j].name);
    EXPECT_EQ(hem_jointName(garment, hem_jointCount(garment)), nullptr);
}

TEST(Pack, KeepsTextureCoordinatesByCorner) {
    const Toy toy = makeToy();
    std::vector<Vec2> uvs;
    for (size_t i = 0; i < 3 * toy.mesh.triangles.size(); ++i)
        uvs.push_back({0.25f * float(i), 7 - float(i)});
    const auto file =
        pack(toy.character, toy.mesh, toy.subspace, toy.model, toy.frames, {.corner_uvs = uvs});
    ASSERT_TRUE(file) << file.error().message;
    const hem_Garment* garment = hem_open(file->data(), file->size(), nullptr);
    ASSERT_TRUE(garment);
    const float* back = hem_cornerTextureCoordinates(garment);
    ASSERT_TRUE(back);
    for (size_t i = 0; i < uvs.size(); ++i) {
        EXPECT_EQ(back[2 * i], uvs[i].x);
        EXPECT_EQ(back[2 * i + 1], uvs[i].y);
    }
    uvs.pop_back();
    EXPECT_FALSE(
        pack(toy.character, toy.mesh, toy.subspace, toy.model, toy.frames, {.corner_uvs = uvs}));
}

TEST(Pack, HiddenTrianglesComeBack) {
    const Toy toy = makeToy();
    EXPECT_EQ(hem_hiddenTriangles(toy.open()), nullptr);
    EXPECT_EQ(hem_bodyTriangleCount(toy.open()), 0u);
    std::vector<uint8_t> hidden(toy.character.mesh.triangles.size());
    for (size_t t = 0; t < hidden.size(); t += 3) hidden[t] = 1;
    const auto file = pack(toy.character, toy.mesh, toy.subspace, toy.model, toy.frames,
                           {.encoding = BasisEncoding::kFloat32, .hidden = hidden});
    ASSERT_TRUE(file);
    const hem_Garment* garment = hem_open(file->data(), file->size(), nullptr);
    ASSERT_NE(garment, nullptr);
    ASSERT_EQ(hem_bodyTriangleCount(garment), hidden.size());
    for (size_t t = 0; t < hidden.size(); ++t)
        EXPECT_EQ(hem_hiddenTriangles(garment)[t / 8] >> t % 8 & 1, hidden[t]) << t;
    hidden.push_back(0);
    EXPECT_FALSE(pack(toy.character, toy.mesh, toy.subspace, toy.model, toy.frames,
                      {.encoding = BasisEncoding::kFloat32, .hidden = hidden}));
}

TEST(Pack, GivesTheSameBytesEveryTime) {
    for (BasisEncoding encoding :
         {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed})
        EXPECT_EQ(makeToy({.encoding = encoding}).file, makeToy({.encoding = encoding}).file);
}

// Positions as packed against basis * weights + mean, over frames given to pack().
TEST(Pack, ItsErrorIsTheOneItReports) {
    for (BasisEncoding encoding : {BasisEncoding::kFloat16, BasisEncoding::kMixed}) {
        const Toy toy = makeToy({.encoding = encoding});
        const auto encoded = encodeBasis(toy.subspace.basis, toy.frames, encoding, 300);
        ASSERT_TRUE(encoded);
        const MatrixF exact = toy.subspace.basis * toy.frames;
        const format::BasisHeader& header = basisOf(toy);
        EXPECT_EQ(header.largest_error_um, encoded->largest_error_um);
        // through the player's own decoding: a weight of 1 for each mode in turn
        ToyWearer wearer(toy.open());
        wearer.reset(toyJoints(toy.character.skeleton, 0));
        EXPECT_GT(header.largest_error_um, 0);
        EXPECT_LE(header.largest_error_um, 300);
        hem_Batch batch = wearer.batch();
        batch.flags = HEM_CANONICAL;
        hem_reset(wearer.garment, batch);
        const VectorF y = Eigen::Map<VectorF>(wearer.weights.data(), 7);
        const VectorF expected = toy.subspace.basis * y + toy.subspace.mean;
        float largest = 0;
        for (size_t i = 0; i < wearer.positions.size(); ++i)
            largest = std::max(largest, std::abs(wearer.positions[i] - expected[Eigen::Index(i)]));
        EXPECT_GT(largest, 1e-7f);
        EXPECT_LT(largest, 3e-6f * header.largest_error_um);
    }
}

TEST(Pack, ATighterToleranceTakesMoreWideModes) {
    Random random(9);
    MatrixF basis = toy::randomMatrix(random, 300, 20, 0.05);
    MatrixF frames = toy::randomMatrix(random, 20, 500, 1);
    for (int m = 0; m < 20; ++m) frames.row(m) *= std::pow(0.7f, float(m));
    int last = -1;
    for (float tolerance : {5000.0f, 1000.0f, 300.0f, 100.0f}) {
        const auto encoded = encodeBasis(basis, frames, BasisEncoding::kMixed, tolerance);
        ASSERT_TRUE(encoded) << tolerance;
        EXPECT_LE(encoded->largest_error_um, tolerance);
        EXPECT_GT(encoded->wide_modes, last);
        EXPECT_EQ(encoded->wide_modes % 2, 0);
        last = encoded->wide_modes;
        // one pair fewer would not do
        if (encoded->wide_modes == 0) continue;
        const auto looser =
            encodeBasis(basis, frames, BasisEncoding::kMixed, encoded->largest_error_um * 0.999f);
        if (looser) {
            EXPECT_GT(looser->wide_modes, encoded->wide_modes);
        }
    }
    const auto impossible = encodeBasis(basis, frames, BasisEncoding::kMixed, 0.01f);
    ASSERT_FALSE(impossible);
    EXPECT_NE(impossible.error().message.find("float32"), std::string::npos);
}

TEST(Pack, RefusesWhatDoesNotFitTogether) {
    const Toy toy = makeToy();
    const auto packed = [&](auto change) {
        Toy t = toy;
        change(t);
        const auto file = pack(t.character, t.mesh, t.subspace, t.model, t.frames);
        return file ? std::string() : file.error().message;
    };
    EXPECT_EQ(packed([](Toy&) {}), "");
    EXPECT_NE(packed([](Toy& t) { t.mesh.positions.pop_back(); }).find("vertices"),
              std::string::npos);
    EXPECT_NE(packed([](Toy& t) { t.model.output_limit.resize(3); }).find("limit"),
              std::string::npos);
    EXPECT_NE(packed([](Toy& t) { t.subspace.basis(0, 0) = NAN; }).find("finite"),
              std::string::npos);
    EXPECT_NE(packed([](Toy& t) { t.model.range.high[2] = -1e5f; }).find("refuses"),
              std::string::npos);
    EXPECT_NE(packed([](Toy& t) {
                  std::get<ModalDynamics>(t.model.dynamics).drive.weights.conservativeResize(3, 3);
              }).find("drive"),
              std::string::npos);
    EXPECT_NE(packed([](Toy& t) {
                  std::get<ModalDynamics>(t.model.dynamics).log_decay[0] = -20;
              }).find("blow up"),
              std::string::npos);
}

TEST(Half, RoundsToTheNearest) {
    for (uint32_t h = 0; h < 0x7c00; ++h) {
        const float x = floatFromHalf(uint16_t(h));
        EXPECT_EQ(halfFromFloat(x), h);
        EXPECT_EQ(halfFromFloat(-x), h | 0x8000);
        const float up = floatFromHalf(uint16_t(h + 1));
        if (h == 0x7bff) break;
        EXPECT_EQ(halfFromFloat(x + (up - x) * 0.49f), h);
        EXPECT_EQ(halfFromFloat(x + (up - x) * 0.51f), h + 1);
        EXPECT_EQ(halfFromFloat(x + (up - x) * 0.5f), h % 2 ? h + 1 : h);
    }
    EXPECT_EQ(halfFromFloat(1e9f), 0x7bff);
}

}  // namespace
}  // namespace hem
