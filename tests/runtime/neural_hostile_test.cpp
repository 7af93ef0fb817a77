// SPDX-License-Identifier: Apache-2.0
// hem_open() and files of the neural kind: a reason, or a garment that is safe to play.
#include <gtest/gtest.h>

#include <limits>

#include "hem/runtime/garment.h"
#include "tests/runtime/hostile_bytes.h"
#include "tests/runtime/neural_toy.h"

namespace hem {
namespace {

using format::FileHeader;
using format::NetworkHeader;
using G = runtime::Garment;

std::vector<std::byte> smallFile(BasisEncoding encoding = BasisEncoding::kMixed,
                                 bool body = false) {
    return makeNeuralToy(
               {.vertices = 5, .modes = 3, .hidden = {4}, .encoding = encoding, .body = body})
        .file;
}

TEST(HostileNeuralFile, TruncationAtEveryLengthIsRefused) {
    expectTruncationIsRefused(smallFile(BasisEncoding::kMixed, true));
}

TEST(HostileNeuralFile, FlippedBitsUnderAGoodChecksumAreSafe) {
    for (BasisEncoding encoding :
         {BasisEncoding::kFloat32, BasisEncoding::kFloat16, BasisEncoding::kMixed}) {
        Bytes bytes(smallFile(encoding));
        size_t refused = 0;
        for (size_t i = 0; i < 8 * bytes.size(); i += 3) {
            unsigned char& byte = bytes.data()[i / 8];
            byte ^= 1 << i % 8;
            if (bytes.header().size <= bytes.size() && bytes.header().size >= sizeof(FileHeader))
                bytes.fixChecksum();
            refused += bytes.open() != HEM_OK;
            playWhatOpens(bytes);
            byte ^= 1 << i % 8;
        }
        EXPECT_GT(refused, bytes.size() / 10);
    }
}

TEST(HostileNeuralFile, WhatDoesNotHoldTogetherIsRefusedWithItsReason) {
    const std::vector<std::byte> file = smallFile(), floats = smallFile(BasisEncoding::kFloat32);
    const auto afterIn = [&](const std::vector<std::byte>& of, auto change) {
        Bytes bytes(of);
        G garment;
        EXPECT_EQ(runtime::lay(bytes.data(), bytes.size(), &garment), HEM_OK);
        change(const_cast<NetworkHeader&>(*garment.network), garment);
        bytes.fixChecksum();
        playWhatOpens(bytes);
        return bytes.open();
    };
    const auto after = [&](auto change) { return afterIn(file, change); };
    const auto put = [](const auto* at, auto value) {
        *const_cast<std::remove_const_t<std::remove_pointer_t<decltype(at)>>*>(at) = value;
    };
    const float nan = std::numeric_limits<float>::quiet_NaN();
    EXPECT_EQ(after([](NetworkHeader&, G&) {}), HEM_OK);
    for (uint32_t NetworkHeader::*count :
         {&NetworkHeader::joints_read, &NetworkHeader::rotations, &NetworkHeader::layers})
        for (uint32_t value : {0u, 1u << 10, 1u << 31, 0xffffffffu})
            EXPECT_EQ(after([&](NetworkHeader& h, G&) { h.*count = value; }), HEM_ERROR_LIMIT);
    for (uint32_t value : {0u, 5u, 1u << 31})
        EXPECT_EQ(after([&](NetworkHeader& h, G&) { h.numbers = value; }), HEM_ERROR_LAYOUT);
    EXPECT_EQ(after([](NetworkHeader& h, G&) { h.activation = 2; }), HEM_ERROR_LAYOUT);
    EXPECT_EQ(after([](NetworkHeader& h, G&) { h.widths[0] = 1u << 20; }), HEM_ERROR_LIMIT);
    EXPECT_EQ(after([](NetworkHeader& h, G&) { h.widths[0] = 400; }), HEM_ERROR_LAYOUT);
    EXPECT_EQ(after([](NetworkHeader& h, G&) { h.widths[1] = 2; }), HEM_ERROR_LAYOUT);
    EXPECT_EQ(after([&](NetworkHeader&, G& g) { put(g.joints, uint16_t(99)); }), HEM_ERROR_VALUE);
    EXPECT_EQ(
        after([&](NetworkHeader& h, G& g) { put(g.rotation_joints, uint16_t(h.joints_read)); }),
        HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](NetworkHeader& h, G& g) {
                  put(g.rotation_parents + 1, uint16_t(h.joints_read));
              }),
              HEM_ERROR_VALUE);
    for (float value : {nan, 2.0f, std::numeric_limits<float>::infinity()})
        EXPECT_EQ(after([&](NetworkHeader&, G& g) { put(g.rotation_turns + 8, value); }),
                  HEM_ERROR_VALUE);
    for (float value : {nan, 1e5f})
        for (int layer : {0, 1}) {
            EXPECT_EQ(afterIn(floats, [&](NetworkHeader&,
                                          G& g) { put(g.layers[layer].panels + 2, value); }),
                      HEM_ERROR_VALUE);
            EXPECT_EQ(after([&](NetworkHeader&, G& g) { put(g.layers[layer].scale + 2, value); }),
                      HEM_ERROR_VALUE);
            EXPECT_EQ(after([&](NetworkHeader&, G& g) { put(g.layers[layer].bias, value); }),
                      HEM_ERROR_VALUE);
        }
    // times the largest integer it would be past kMaxWeight
    EXPECT_EQ(after([&](NetworkHeader&, G& g) { put(g.layers[0].scale, 0.7f); }), HEM_ERROR_VALUE);
    for (int32_t value : {16384, -16384 * 65536, 0x8000})
        EXPECT_EQ(after([&](NetworkHeader&, G& g) { put(g.layers[1].pairs + 5, value); }),
                  HEM_ERROR_VALUE);
    EXPECT_EQ(after([](NetworkHeader& h, G&) { h.weights = 2; }), HEM_ERROR_LAYOUT);
    EXPECT_EQ(after([](NetworkHeader& h, G&) { h.weights = 0; }), HEM_ERROR_LAYOUT);
    EXPECT_EQ(afterIn(floats, [](NetworkHeader& h, G&) { h.weights = 1; }), HEM_ERROR_LAYOUT);
    EXPECT_EQ(after([&](NetworkHeader& h, G& g) { put(g.carriers, uint16_t(h.joints_read)); }),
              HEM_ERROR_VALUE);
    for (float value : {nan, 1e3f})
        EXPECT_EQ(after([&](NetworkHeader&, G& g) { put(g.carried + 17, value); }),
                  HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](NetworkHeader&, G& g) { put(g.first_carrier, 1u); }), HEM_ERROR_VALUE);
    EXPECT_EQ(after([&](NetworkHeader&, G& g) { put(g.first_carrier + 1, g.carrier_count + 1); }),
              HEM_ERROR_VALUE);
    // without kSkin
    Bytes bytes(file);
    auto* table = reinterpret_cast<format::Section*>(bytes.data() + sizeof(FileHeader));
    for (uint32_t i = 0; i < bytes.header().section_count; ++i)
        if (table[i].id == format::kSkin) table[i].id = 1000;
    bytes.fixChecksum();
    EXPECT_EQ(bytes.open(), HEM_ERROR_LAYOUT);
}

}  // namespace
}  // namespace hem
