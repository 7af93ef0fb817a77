// SPDX-License-Identifier: Apache-2.0
// hem_open() takes any bytes: it gives a reason, or a garment that is safe to play.
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "hem/core/files.h"
#include "hem/runtime/format.h"
#include "hem/runtime/garment.h"
#include "tests/runtime/hostile_bytes.h"

namespace hem {
namespace {

using format::FileHeader;

ToyOptions smallToy(bool modal, BasisEncoding encoding = BasisEncoding::kMixed, bool body = false,
                    bool mirrored = false) {
    return {.modal = modal,
            .vertices = 5,
            .modes = 3,
            .features = 2,
            .hidden = 3,
            .states = 2,
            .outer = 3,
            .encoding = encoding,
            .body = body,
            .mirrored = mirrored};
}

TEST(HostileFile, TheToyItselfOpens) {
    for (bool modal : {true, false}) EXPECT_EQ(Bytes(makeToy(smallToy(modal)).file).open(), HEM_OK);
}

TEST(HostileFile, TruncationAtEveryLengthIsRefused) {
    for (bool modal : {true, false})
        expectTruncationIsRefused(makeToy(smallToy(modal, BasisEncoding::kMixed, true)).file);
    expectTruncationIsRefused(makeToy(smallToy(false, BasisEncoding::kFloat16, false, true)).file);
}

TEST(HostileFile, EveryFlippedBitIsNoticed) {
    const std::vector<std::byte> file = makeToy(smallToy(true)).file;
    Bytes bytes(file);
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes.data()[i] ^= 1 << (i % 8);
        ASSERT_NE(bytes.open(), HEM_OK) << i;
        bytes.data()[i] ^= 1 << (i % 8);
    }
    EXPECT_EQ(bytes.open(), HEM_OK);
}

TEST(HostileFile, FlippedBitsUnderAGoodChecksumAreSafe) {
    for (auto [modal, mirrored] : {std::pair(true, false), {false, false}, {false, true}})
        for (BasisEncoding encoding :
             {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed}) {
            Bytes bytes(makeToy(smallToy(modal, encoding, modal, mirrored)).file);
            size_t refused = 0;
            for (size_t i = 0; i < 8 * bytes.size(); i += 3) {
                unsigned char& byte = bytes.data()[i / 8];
                byte ^= 1 << i % 8;
                if (bytes.header().size <= bytes.size() &&
                    bytes.header().size >= sizeof(FileHeader))
                    bytes.fixChecksum();
                refused += bytes.open() != HEM_OK;
                playWhatOpens(bytes);
                byte ^= 1 << i % 8;
            }
            EXPECT_GT(refused, bytes.size() / 10);
        }
}

// What the fuzzer found worth keeping (tests/fuzz/hem_fuzz.cpp): a byte, then a file.
TEST(HostileFile, TheFuzzersCorpusIsSafe) {
    size_t opened = 0, count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("tests/fuzz/corpus/hem")) {
        auto file = readFile(entry.path().string());
        ASSERT_TRUE(file);
        if (file->size() <= sizeof(FileHeader)) continue;
        file->erase(file->begin());
        Bytes bytes(*file);
        std::memcpy(bytes.header().magic, format::kMagic, 8);
        if (bytes.header().version != format::kMirroredVersion)
            bytes.header().version = format::kVersion;
        bytes.header().size = std::min<uint64_t>(bytes.header().size, bytes.size());
        if (bytes.header().size >= sizeof(FileHeader)) bytes.fixChecksum();
        opened += bytes.open() == HEM_OK;
        playWhatOpens(bytes);
        ++count;
    }
    EXPECT_GT(count, 100u);
    EXPECT_GT(opened, 10u);
}

TEST(HostileFile, HugeCountsAreRefused) {
    const std::vector<std::byte> file = makeToy(smallToy(true)).file;
    for (uint32_t count : {0u, 1u << 20, 1u << 30, 0xffffffffu, 0x80000000u})
        for (uint32_t FileHeader::*field :
             {&FileHeader::vertices, &FileHeader::triangles, &FileHeader::joints,
              &FileHeader::modes, &FileHeader::section_count, &FileHeader::kind}) {
            Bytes bytes(file);
            bytes.header().*field = count;
            bytes.fixChecksum();
            EXPECT_NE(bytes.open(), HEM_OK) << count;
        }
}

TEST(HostileFile, HiddenTrianglesThatDoNotAddUpAreRefused) {
    const Toy toy = makeToy(smallToy(true));
    std::vector<uint8_t> hidden(toy.character.mesh.triangles.size());
    for (size_t t = 0; t < hidden.size(); t += 3) hidden[t] = 1;
    ASSERT_NE(hidden.size() % 8, 0u);
    const auto file = pack(toy.character, toy.mesh, toy.subspace, toy.model, toy.frames,
                           {.encoding = BasisEncoding::kMixed, .hidden = hidden});
    ASSERT_TRUE(file);
    const auto after = [&](auto change) {
        Bytes bytes(*file);
        unsigned char* section = bytes.section(format::kHidden);
        change(*reinterpret_cast<format::HiddenHeader*>(section),
               section + sizeof(format::HiddenHeader));
        bytes.fixChecksum();
        const hem_Error error = bytes.open();
        playWhatOpens(bytes);
        return error;
    };
    using format::HiddenHeader;
    EXPECT_EQ(after([](HiddenHeader&, unsigned char*) {}), HEM_OK);
    for (uint32_t count : {0u, 1u << 22, 0xffffffffu})
        EXPECT_EQ(after([&](HiddenHeader& h, unsigned char*) { h.body_triangles = count; }),
                  HEM_ERROR_LIMIT)
            << count;
    for (uint32_t count : {1u, 1u << 20})
        EXPECT_EQ(after([&](HiddenHeader& h, unsigned char*) { h.body_triangles = count; }),
                  HEM_ERROR_LAYOUT)
            << count;
    EXPECT_EQ(after([](HiddenHeader& h, unsigned char*) { ++h.hidden; }), HEM_ERROR_VALUE);
    EXPECT_EQ(after([](HiddenHeader&, unsigned char* bits) { bits[0] ^= 2; }), HEM_ERROR_VALUE);
    const size_t last = (hidden.size() + 7) / 8 - 1;
    EXPECT_EQ(after([&](HiddenHeader& h, unsigned char* bits) { bits[last] |= 0x80, ++h.hidden; }),
              HEM_ERROR_VALUE);
}

TEST(HostileFile, AMirrorThatDoesNotHoldTogetherIsRefused) {
    // vertices 0 2 on the left, 3 4 on the right, 1 in the middle; mode 1 of three is odd
    const std::vector<std::byte> file =
        makeToy(smallToy(true, BasisEncoding::kMixed, false, true)).file;
    const auto after = [&](auto change) {
        Bytes bytes(file);
        unsigned char* section = bytes.section(format::kMirror);
        change(bytes, *reinterpret_cast<format::MirrorHeader*>(section),
               reinterpret_cast<uint32_t*>(section + 64), section + 3 * 64);
        bytes.fixChecksum();
        const hem_Error error = bytes.open();
        playWhatOpens(bytes);
        return error;
    };
    using format::MirrorHeader;
    using Odd = unsigned char;
    EXPECT_EQ(after([](Bytes&, MirrorHeader&, uint32_t*, Odd*) {}), HEM_OK);
    // a player of version 1 alone, and a file that is not what its version says
    EXPECT_EQ(after([](Bytes& b, MirrorHeader&, uint32_t*, Odd*) { b.header().version = 1; }),
              HEM_ERROR_LAYOUT);
    EXPECT_EQ(after([](Bytes& b, MirrorHeader&, uint32_t*, Odd*) {
                  b.header().kind = format::kNeuralKind;
              }),
              HEM_ERROR_LAYOUT);
    for (uint32_t half : {0u, 2u, 6u, 1u << 20, 0xffffffffu})
        EXPECT_EQ(after([&](Bytes&, MirrorHeader& h, uint32_t*, Odd*) { h.half = half; }),
                  HEM_ERROR_LIMIT)
            << half;
    for (uint32_t odd : {0u, 3u, 0xffffffffu})
        EXPECT_EQ(after([&](Bytes&, MirrorHeader& h, uint32_t*, Odd*) { h.odd_modes = odd; }),
                  HEM_ERROR_LIMIT)
            << odd;
    EXPECT_EQ(after([](Bytes&, MirrorHeader& h, uint32_t*, Odd*) { h.odd_modes = 2; }),
              HEM_ERROR_VALUE);
    // out of range, written twice and so never
    for (uint32_t vertex : {5u, 0xffffffffu, 1u, 2u, 3u}) {
        EXPECT_EQ(after([&](Bytes&, MirrorHeader&, uint32_t* left, Odd*) { left[0] = vertex; }),
                  HEM_ERROR_VALUE)
            << vertex;
        EXPECT_EQ(
            after([&](Bytes&, MirrorHeader&, uint32_t* left, Odd*) { left[16 + 2] = vertex; }),
            HEM_ERROR_VALUE)
            << vertex;
    }
    EXPECT_EQ(after([](Bytes&, MirrorHeader&, uint32_t*, Odd* odd) { odd[0] = 1; }),
              HEM_ERROR_VALUE);
    EXPECT_EQ(after([](Bytes&, MirrorHeader&, uint32_t*, Odd* odd) { odd[1] = 0, odd[2] = 2; }),
              HEM_ERROR_VALUE);
    EXPECT_EQ(after([](Bytes&, MirrorHeader&, uint32_t*, Odd* odd) { std::swap(odd[0], odd[1]); }),
              HEM_OK);
    // the odd modes' own header
    const auto odd_basis = [](Bytes& b) {
        return reinterpret_cast<format::BasisHeader*>(b.section(format::kOddBasis));
    };
    for (uint32_t encoding : {0u, 1u, 3u})
        EXPECT_EQ(after([&](Bytes& b, MirrorHeader&, uint32_t*, Odd*) {
                      odd_basis(b)->encoding = encoding;
                  }),
                  HEM_ERROR_LAYOUT);
    for (uint32_t wide : {1u, 4u, 0xfffffffeu})
        EXPECT_EQ(after([&](Bytes& b, MirrorHeader&, uint32_t*, Odd*) {
                      odd_basis(b)->wide_modes = wide;
                  }),
                  HEM_ERROR_LAYOUT);
    EXPECT_EQ(after([&](Bytes& b, MirrorHeader&, uint32_t*, Odd*) {
                  odd_basis(b)->largest_error_um = std::numeric_limits<float>::infinity();
              }),
              HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](Bytes& b, MirrorHeader&, uint32_t*, Odd*) {
                  const float scale = 2;
                  std::memcpy(b.section(format::kOddBasis) + 64, &scale, 4);
              }),
              HEM_ERROR_VALUE);
}

TEST(HostileFile, ABodyThatDoesNotHoldTogetherIsRefused) {
    const std::vector<std::byte> file = makeToy(smallToy(true, BasisEncoding::kMixed, true)).file;
    const auto after = [&](auto change) {
        Bytes bytes(file);
        auto* header = reinterpret_cast<format::BodyHeader*>(bytes.section(format::kBody));
        runtime::Garment garment;
        EXPECT_EQ(runtime::lay(bytes.data(), bytes.size(), &garment), HEM_OK);
        change(*header, garment);
        bytes.fixChecksum();
        const hem_Error error = bytes.open();
        playWhatOpens(bytes);
        return error;
    };
    using format::BodyHeader;
    using G = runtime::Garment;
    const auto put = [](const auto* at, auto value) {
        *const_cast<std::remove_const_t<std::remove_pointer_t<decltype(at)>>*>(at) = value;
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(after([](BodyHeader&, G&) {}), HEM_OK);
    for (uint32_t BodyHeader::*count :
         {&BodyHeader::joints, &BodyHeader::points, &BodyHeader::worn_points,
          &BodyHeader::influences, &BodyHeader::tiles})
        for (uint32_t value : {0u, 1u << 10, 1u << 31, 0xffffffffu})
            EXPECT_NE(after([&](BodyHeader& h, G&) { h.*count = value; }), HEM_OK) << value;
    for (float value : {nan, -1.0f, 0.0f, 1e30f})
        EXPECT_EQ(after([&](BodyHeader& h, G&) { h.reach = value; }), HEM_ERROR_VALUE) << value;
    for (float value : {nan, -2.0f, 2.0f}) {
        EXPECT_EQ(after([&](BodyHeader& h, G&) { h.distance = value; }), HEM_ERROR_VALUE);
        EXPECT_EQ(after([&](BodyHeader& h, G&) { h.most = value; }), HEM_ERROR_VALUE);
    }
    EXPECT_EQ(after([&](BodyHeader&, G& g) { put(g.body_joints, uint16_t(99)); }), HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](BodyHeader&, G& g) { put(g.influence_joints, uint16_t(2)); }),
              HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](BodyHeader&, G& g) { put(g.influence_weights, 1.5f); }), HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](BodyHeader&, G& g) { put(g.body_points + 20, nan); }), HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](BodyHeader&, G& g) { put(g.first_influence, 1u); }), HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](BodyHeader& h, G& g) { put(g.first_influence + 1, h.influences + 1); }),
              HEM_ERROR_VALUE);
    for (uint32_t value : {2u, 0xffffffffu})
        EXPECT_EQ(after([&](BodyHeader& h, G&) { h.worn_tiles = h.tiles - 1 + value; }),
                  HEM_ERROR_LIMIT);
    EXPECT_EQ(after([&](BodyHeader&, G& g) { put(g.tile_vertices + 3, 5u); }), HEM_ERROR_VALUE);
}

TEST(HostileFile, EveryReasonIsGiven) {
    const std::vector<std::byte> file = makeToy(smallToy(true)).file;
    const auto after = [&](auto change) {
        Bytes bytes(file);
        change(bytes);
        bytes.fixChecksum();
        return bytes.open();
    };
    const auto floatAt = [](unsigned char* at, float value) { std::memcpy(at, &value, 4); };
    EXPECT_EQ(after([](Bytes&) {}), HEM_OK);
    EXPECT_EQ(after([](Bytes& b) { b.header().magic[0] = 'X'; }), HEM_ERROR_NOT_HEM);
    EXPECT_EQ(after([](Bytes& b) { b.header().version = 3; }), HEM_ERROR_VERSION);
    EXPECT_EQ(after([](Bytes& b) { b.header().vertices = 1 << 21; }), HEM_ERROR_LIMIT);
    EXPECT_EQ(after([](Bytes& b) { b.header().vertices = 40; }), HEM_ERROR_LAYOUT);
    EXPECT_EQ(after([](Bytes& b) { b.header().rate = 0; }), HEM_ERROR_VALUE);
    EXPECT_EQ(after([](Bytes& b) { b.section(format::kTriangles)[0] = 5; }), HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](Bytes& b) {
                  floatAt(b.section(format::kBasis) + 64, std::numeric_limits<float>::quiet_NaN());
              }),
              HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](Bytes& b) { floatAt(b.section(format::kModal) + 64, -20); }),
              HEM_ERROR_UNSTABLE);
    EXPECT_EQ(after([&](Bytes& b) { floatAt(b.section(format::kOutput), 0); }), HEM_ERROR_VALUE);
    Bytes damaged(file);
    damaged.data()[damaged.size() - 1] ^= 1;
    EXPECT_EQ(damaged.open(), HEM_ERROR_CHECKSUM);
    hem_Error error;
    EXPECT_EQ(hem_open(damaged.data() + 4, damaged.size() - 4, &error), nullptr);
    EXPECT_EQ(error, HEM_ERROR_ALIGNMENT);
    EXPECT_EQ(hem_open(nullptr, 0, nullptr), nullptr);
    for (int e = 0; e <= HEM_ERROR_UNSTABLE + 1; ++e)
        EXPECT_GT(std::strlen(hem_errorText(hem_Error(e))), 5u);
}

}  // namespace
}  // namespace hem
