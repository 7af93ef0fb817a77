// SPDX-License-Identifier: Apache-2.0
#include "hem/runtime/kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <set>

#include "hem/runtime/math.h"
#include "tests/runtime/toy_garment.h"

namespace hem {
namespace {

using runtime::Kernels;

std::vector<const Kernels*> allKernels() {
    std::vector<const Kernels*> all;
    for (size_t i = 0; const Kernels* k = runtime::kernelsNumber(i); ++i) all.push_back(k);
    return all;
}
bool isFused(const Kernels* k) {
    const std::string name = k->name;
    return name.starts_with("AVX") || name == "NEON";
}

struct ForcedKernels {
    explicit ForcedKernels(const Kernels* kernels) { runtime::forceKernels(kernels); }
    ~ForcedKernels() { runtime::forceKernels(nullptr); }
};

// Rows of 13 columns times 3.x panels, by std::fma or by rounding twice.
TEST(Kernels, SumOverColumnsInOrderFusedOrNotAtAll) {
    Random random(3);
    constexpr size_t kIn = 13, kOut = 60, kRows = 15, kStride = 80;
    const MatrixF weights = toy::randomMatrix(random, kOut, kIn, 1);
    const VectorF bias = toy::randomMatrix(random, kOut, 1, 1);
    const MatrixF x = toy::randomMatrix(random, kIn, kRows, 1);
    std::vector<float> panels(4 * kIn * 16), padded(64);
    for (size_t o = 0; o < kOut; ++o) {
        padded[o] = bias[Eigen::Index(o)];
        for (size_t k = 0; k < kIn; ++k)
            panels[(o / 16 * kIn + k) * 16 + o % 16] = weights(Eigen::Index(o), Eigen::Index(k));
    }
    const runtime::Matrix matrix{padded.data(), panels.data(), kIn, kOut};
    for (const Kernels* kernels : allKernels())
        for (size_t rows : {size_t(1), size_t(3), size_t(4), kRows}) {
            std::vector<float> y(kRows * kStride);
            kernels->layer(matrix,
                           {x.data(), kIn, y.data(), kStride, rows, runtime::Activation::kNone});
            for (size_t r = 0; r < rows; ++r)
                for (size_t o = 0; o < kOut; ++o) {
                    float sum = bias[Eigen::Index(o)];
                    for (size_t k = 0; k < kIn; ++k) {
                        const float a = x(Eigen::Index(k), Eigen::Index(r)),
                                    b = weights(Eigen::Index(o), Eigen::Index(k));
                        sum = isFused(kernels) ? std::fma(a, b, sum) : sum + a * b;
                    }
                    ASSERT_EQ(y[r * kStride + o], sum) << kernels->name << " " << rows;
                }
        }
}

// Weights of 16 bits, of an odd number of columns, against doubles; and as many rows as there may be
// in a tile, each to the bits of one alone.
TEST(Kernels, LayersOfSixteenBitWeightsAreNearTheirFloats) {
    Random random(4);
    constexpr size_t kIn = 13, kOut = 60, kRows = 15, kStride = 80, kPanels = 4;
    const MatrixF x = toy::randomMatrix(random, kIn, kRows, 1);
    std::vector<int16_t> integers(kPanels * (kIn + 1) * 16);
    std::vector<float> bias(64), scale(64), rows(kRows * kStride, NAN);
    for (size_t o = 0; o < kOut; ++o) {
        bias[o] = random.uniform(-1, 1);
        scale[o] = random.uniform(1e-5f, 1e-4f);
        for (size_t k = 0; k <= kIn; ++k)  // the last one is to be of no account
            integers[(o / 16 * (kIn + 1) / 2 + k / 2) * 32 + o % 16 * 2 + k % 2] =
                int16_t(random.uniform(-8191, 8191));
    }
    for (size_t r = 0; r < kRows; ++r)
        for (size_t k = 0; k < kIn; ++k)
            rows[r * kStride + k] = x(Eigen::Index(k), Eigen::Index(r));
    const runtime::Matrix matrix{
        bias.data(), nullptr, kIn, kOut, reinterpret_cast<const int32_t*>(integers.data()),
        scale.data()};
    for (bool approximate : {false, true}) {
        std::vector<float> expected[2];
        for (const Kernels* kernels : allKernels()) {
            for (size_t count : {kRows, size_t(1)}) {
                std::vector<float> y(kRows * kStride), units(kRows * kStride);
                std::vector<int32_t> pairs(kRows * kStride);
                for (size_t r = 0; r < kRows; r += count) {
                    runtime::LayerJob job{
                        &rows[r * kStride],        kStride, &y[r * kStride], kStride, count,
                        runtime::Activation::kNone};
                    if (approximate) job.pairs = pairs.data(), job.units = units.data();
                    kernels->layer(matrix, job);
                }
                for (size_t r = 0; r < kRows; ++r)
                    for (size_t o = 0; o < kOut; ++o) {
                        double sum = bias[o];
                        for (size_t k = 0; k < kIn; ++k)
                            sum += double(x(Eigen::Index(k), Eigen::Index(r))) * double(scale[o]) *
                                   integers[(o / 16 * (kIn + 1) / 2 + k / 2) * 32 + o % 16 * 2 +
                                            k % 2];
                        ASSERT_NEAR(y[r * kStride + o], sum, approximate ? 2e-4 : 2e-6)
                            << kernels->name;
                    }
                std::vector<float>& family = expected[isFused(kernels)];
                if (family.empty()) family = y;
                EXPECT_EQ(y, family) << kernels->name << ", " << count << " at a time";
            }
        }
    }
}

TEST(Kernels, SiluIsAccurateAndSurvivesTheLargestNumbers) {
    std::vector<float> panels(16), bias(16, 0), y(16);
    panels[0] = 1;
    const runtime::Matrix one{bias.data(), panels.data(), 1, 1};
    for (const Kernels* kernels : allKernels()) {
        const auto silu = [&](float x) {
            kernels->layer(one, {&x, 1, y.data(), 16, 1, runtime::Activation::kSilu});
            return y[0];
        };
        for (float x = -20; x < 20; x += 0.0371f) {
            const double expected = x / (1 + std::exp(-double(x)));
            EXPECT_NEAR(silu(x), expected, 1e-6 * (1 + std::abs(expected))) << kernels->name;
        }
        EXPECT_EQ(silu(1e30f), 1e30f);
        EXPECT_NEAR(silu(-1e30f), 0, 1e-5);
    }
}

TEST(Kernels, PowersAreThoseOfLambda) {
    constexpr size_t kCount = 21;
    float decay[kCount], angle[kCount], re[kCount], im[kCount];
    for (size_t i = 0; i < kCount; ++i) {
        decay[i] = -8 + 0.45f * float(i);
        angle[i] = -3.1f + 0.31f * float(i);
    }
    for (const Kernels* kernels : allKernels())
        for (float s : {1.0f, 0.5f, 0.001f}) {
            kernels->powers(decay, angle, s, kCount, re, im);
            for (size_t i = 0; i < kCount; ++i) {
                const auto expected = std::exp(
                    double(s) * std::complex<double>(-std::exp(double(decay[i])), angle[i]));
                EXPECT_NEAR(re[i], expected.real(), 5e-7) << kernels->name;
                EXPECT_NEAR(im[i], expected.imag(), 5e-7) << kernels->name;
            }
        }
}

// A whole play by every set: state and positions.
TEST(Kernels, AllFusedSetsAgreeToTheBitAndSoDoTheOthers) {
    for (BasisEncoding encoding :
         {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed})
        for (unsigned flags : {0, int(HEM_APPROXIMATE), int(HEM_PUSH_OUT)})
            for (auto [modal, mirrored] :
                 {std::pair(true, false), {false, false}, {true, true}, {false, true}}) {
                const Toy toy = makeToy(
                    {.modal = modal, .encoding = encoding, .body = true, .mirrored = mirrored});
                std::vector<float> expected[2];
                for (const Kernels* kernels : allKernels()) {
                    const ForcedKernels forced(kernels);
                    ToyWearer wearer(toy.open());
                    wearer.joints = toyJoints(toy.character.skeleton, 0);
                    hem_Batch batch = wearer.batch();
                    batch.flags = flags;
                    hem_reset(wearer.garment, batch);
                    for (int i = 1; i < 9; ++i) {
                        wearer.joints = toyJoints(toy.character.skeleton, 0.02 * i);
                        batch = wearer.batch();
                        batch.flags = flags;
                        hem_step(wearer.garment, batch, 0.02f);
                    }
                    std::vector<float>& family = expected[isFused(kernels)];
                    if (family.empty()) family = wearer.positions;
                    EXPECT_EQ(wearer.positions, family) << kernels->name;
                }
                EXPECT_LT(largestDifference(expected[0], expected[1]), 1e-5);
            }
}

TEST(Kernels, ManyWearersAndOneAloneGiveTheSameBits) {
    for (BasisEncoding encoding :
         {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed})
        for (unsigned flags : {0, int(HEM_APPROXIMATE), int(HEM_PUSH_OUT)})
            for (const Kernels* kernels : allKernels())
                for (bool mirrored : {false, true}) {
                    const ForcedKernels forced(kernels);
                    const Toy toy =
                        makeToy({.encoding = encoding, .body = true, .mirrored = mirrored});
                    ToyWearer alone(toy.open());
                    alone.joints = toyJoints(toy.character.skeleton, 0.3);
                    hem_Batch batch = alone.batch();
                    batch.flags = flags;
                    hem_reset(alone.garment, batch);
                    constexpr size_t kCount = 13;
                    std::vector<std::byte> states(kCount * alone.state.size());
                    std::vector<float> joints, positions(kCount * alone.positions.size());
                    for (size_t i = 0; i < kCount; ++i)
                        joints.insert(joints.end(), alone.joints.begin(), alone.joints.end());
                    hem_Batch many{};
                    many.count = kCount;
                    many.states = states.data();
                    many.joints = joints.data();
                    many.positions = positions.data();
                    many.flags = flags;
                    hem_reset(alone.garment, many);
                    for (size_t i = 0; i < positions.size(); ++i)
                        ASSERT_EQ(positions[i], alone.positions[i % alone.positions.size()])
                            << kernels->name << (mirrored ? ", mirrored" : "");
                }
}

// Modes in 8 bits are multiplied four at a time where a set can: whatever their number, and whatever
// level of detail leaves of them, all sets and all batches give the bits of one wearer alone.
TEST(Kernels, NarrowModesGiveTheSameBitsHoweverTheyAreMultiplied) {
    std::set<size_t> narrow_left;  // of four
    for (auto [tolerance_um, mirrored] : {std::pair(2000.0f, false),
                                          {600.0f, false},
                                          {300.0f, false},
                                          {150.0f, false},
                                          {40.0f, false},
                                          {2000.0f, true},
                                          {300.0f, true},
                                          {100.0f, true},
                                          {40.0f, true}}) {
        const Toy toy = makeToy({.vertices = 41,
                                 .modes = 19,
                                 .encoding = BasisEncoding::kMixed,
                                 .tolerance_um = tolerance_um,
                                 .mirrored = mirrored});
        const size_t wide = runtime::garmentOf(toy.open()).bases[0].header->wide_modes;
        for (unsigned modes : {19u, 18u, 17u, 16u, 6u, 3u}) {
            if (modes > wide && !mirrored) narrow_left.insert((modes - wide) % 4);
            std::vector<float> expected[2];
            for (const Kernels* kernels : allKernels()) {
                const ForcedKernels forced(kernels);
                ToyWearer alone(toy.open());
                alone.joints = toyJoints(toy.character.skeleton, 0.3);
                hem_Batch batch = alone.batch();
                batch.flags = HEM_APPROXIMATE | HEM_CANONICAL;
                batch.modes = modes;
                hem_reset(alone.garment, batch);
                std::vector<float>& family = expected[isFused(kernels)];
                if (family.empty()) family = alone.positions;
                EXPECT_EQ(alone.positions, family) << kernels->name << ", " << modes << " modes";

                constexpr size_t kCount = 11;
                std::vector<float> joints, positions(kCount * alone.positions.size());
                for (size_t i = 0; i < kCount; ++i)
                    joints.insert(joints.end(), alone.joints.begin(), alone.joints.end());
                std::vector<std::byte> states(kCount * alone.state.size());
                hem_Batch many{};
                many.count = kCount;
                many.states = states.data();
                many.joints = joints.data();
                many.positions = positions.data();
                many.flags = batch.flags;
                many.modes = modes;
                hem_reset(alone.garment, many);
                for (size_t i = 0; i < positions.size(); ++i)
                    ASSERT_EQ(positions[i], family[i % family.size()])
                        << kernels->name << ", " << modes << " modes, " << wide << " wide";
            }
        }
    }
    EXPECT_EQ(narrow_left.size(), 4u);  // every way to end was tried
}

TEST(Kernels, SixteenBitProductsAreWithinMicrometres) {
    for (BasisEncoding encoding :
         {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed}) {
        const Toy toy = makeToy({.vertices = 300, .modes = 64, .encoding = encoding});
        ToyWearer exact(toy.open()), fast(toy.open());
        exact.reset(toyJoints(toy.character.skeleton, 0));
        fast.joints = exact.joints;
        hem_Batch batch = fast.batch();
        batch.flags = HEM_APPROXIMATE;
        hem_reset(fast.garment, batch);
        EXPECT_LT(largestDifference(exact.positions, fast.positions), 100e-6);
        EXPECT_GT(largestDifference(exact.positions, fast.positions), 0);
    }
}

TEST(RuntimeMath, AgreesWithTheCLibrary) {
    for (float x = -40; x < 40; x += 0.013f) {
        EXPECT_NEAR(runtime::sinCos(x).sin, std::sin(double(x)), 1e-7);
        EXPECT_NEAR(runtime::sinCos(x).cos, std::cos(double(x)), 1e-7);
        EXPECT_NEAR(runtime::wrapAngle(x), std::remainder(x, 6.2831855f), 1e-6);
        for (float y : {-3.0f, -0.4f, 0.0f, 0.3f, 1.0f, 17.0f})
            EXPECT_NEAR(runtime::arcTangent2(y, x), std::atan2(double(y), double(x)), 3e-7);
    }
    EXPECT_EQ(runtime::arcTangent2(0, 0), 0);
    EXPECT_NEAR(runtime::arcTangent2(1, 0), 1.5707963, 1e-6);
}

}  // namespace
}  // namespace hem
