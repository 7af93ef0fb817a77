// SPDX-License-Identifier: Apache-2.0
#include "hem/core/point_cache.h"

#include <gtest/gtest.h>

#include <limits>

#include "hem/core/files.h"
#include "hem/core/random.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytesOf(std::initializer_list<int> values) {
    Bytes bytes;
    for (int v : values) bytes.push_back(std::byte(v));
    return bytes;
}

// Two samples of one vertex: (1, 2, -0.5), then (0, 0, 1). Start frame 3, one frame per sample.
const Bytes kPc2 = bytesOf({
    'P', 'O', 'I',  'N',  'T', 'C', 'A', 'C',  'H', 'E', '2',  0,     //
    1,   0,   0,    0,                                                // version
    1,   0,   0,    0,                                                // vertices
    0,   0,   0x40, 0x40,                                             // start 3
    0,   0,   0x80, 0x3f,                                             // sampling 1
    2,   0,   0,    0,                                                // samples
    0,   0,   0x80, 0x3f, 0,   0,   0,   0x40, 0,   0,   0,    0xbf,  // 1 2 -0.5
    0,   0,   0,    0,    0,   0,   0,   0,    0,   0,   0x80, 0x3f,  // 0 0 1
});

// The same samples at 0.5 s and 0.75 s.
const Bytes kMdd = bytesOf({
    0,    0,    0, 2,                                      // samples
    0,    0,    0, 1,                                      // vertices
    0x3f, 0,    0, 0, 0x3f, 0x40, 0, 0,                    // 0.5 0.75
    0x3f, 0x80, 0, 0, 0x40, 0,    0, 0, 0xbf, 0,    0, 0,  // 1 2 -0.5
    0,    0,    0, 0, 0,    0,    0, 0, 0x3f, 0x80, 0, 0,  // 0 0 1
});

const std::vector<Vec3> kPositions{{1, 2, -0.5f}, {0, 0, 1}};

PointCache wavingCache(size_t samples, size_t vertices, double rate, double start) {
    Random random(3, "point cache");
    PointCache cache{.rate = rate, .start = start, .vertices = vertices};
    for (size_t i = 0; i < samples * vertices; ++i)
        cache.positions.push_back(
            {random.uniform(-9, 9), random.uniform(), random.uniform(-1e-6f, 1e-6f)});
    return cache;
}

std::string pc2Fault(const Bytes& bytes) {
    const auto cache = parsePc2(bytes, "bad.pc2");
    return cache ? "accepted" : cache.error().message;
}

std::string mddFault(const Bytes& bytes) {
    const auto cache = parseMdd(bytes, "bad.mdd");
    return cache ? "accepted" : cache.error().message;
}

// `bytes` with those from `at` on replaced.
Bytes with(Bytes bytes, size_t at, std::initializer_list<int> values) {
    for (int v : values) bytes[at++] = std::byte(v);
    return bytes;
}

void expectHas(const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), text.npos) << text << "\nlacks\n" << part;
}

TEST(PointCache, Pc2IsReadFromItsByteLayout) {
    const auto cache = parsePc2(kPc2, "two.pc2", 24);
    ASSERT_TRUE(cache) << cache.error().message;
    EXPECT_EQ(cache->vertices, 1u);
    EXPECT_EQ(cache->samples(), 2u);
    EXPECT_EQ(cache->rate, 24);
    EXPECT_EQ(cache->start, 3);
    EXPECT_EQ(cache->positions, kPositions);
}

TEST(PointCache, Pc2OfEverySecondFrameHasHalfTheRate) {
    const auto cache = parsePc2(with(kPc2, 24, {0, 0, 0, 0x40}), "two.pc2", 30);
    ASSERT_TRUE(cache) << cache.error().message;
    EXPECT_EQ(cache->rate, 15);
}

TEST(PointCache, Pc2IsWrittenInItsByteLayout) {
    EXPECT_EQ(pc2Bytes({.rate = 24, .start = 3, .vertices = 1, .positions = kPositions}), kPc2);
}

TEST(PointCache, MddIsReadFromItsByteLayout) {
    const auto cache = parseMdd(kMdd, "two.mdd");
    ASSERT_TRUE(cache) << cache.error().message;
    EXPECT_EQ(cache->vertices, 1u);
    EXPECT_EQ(cache->samples(), 2u);
    EXPECT_EQ(cache->rate, 4);
    EXPECT_EQ(cache->start, 0.5);
    EXPECT_EQ(cache->positions, kPositions);
}

TEST(PointCache, MddIsWrittenInItsByteLayout) {
    EXPECT_EQ(mddBytes({.rate = 4, .start = 0.5, .vertices = 1, .positions = kPositions}), kMdd);
}

TEST(PointCache, WhatIsWrittenAsPc2IsReadBackExactly) {
    const TemporaryFolder folder;
    const PointCache cache = wavingCache(5, 7, 25, 1);
    ASSERT_TRUE(savePc2(folder.path("a.pc2"), cache));
    const auto back = loadPc2(folder.path("a.pc2"), 25);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->positions, cache.positions);
    EXPECT_EQ(back->vertices, cache.vertices);
    EXPECT_EQ(back->rate, 25);
    EXPECT_EQ(back->start, 1);
}

TEST(PointCache, WhatIsWrittenAsMddIsReadBackExactly) {
    const TemporaryFolder folder;
    for (double rate : {24.0, 30.0, 60.0, 120.0}) {
        const PointCache cache = wavingCache(500, 3, rate, 100);
        ASSERT_TRUE(saveMdd(folder.path("a.mdd"), cache));
        const auto back = loadMdd(folder.path("a.mdd"));
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(back->positions, cache.positions);
        EXPECT_EQ(back->vertices, cache.vertices);
        EXPECT_EQ(back->rate, rate);
        EXPECT_EQ(back->start, 100);
    }
}

TEST(PointCache, MddKeepsARateThatIsNotWhole) {
    const auto back = parseMdd(mddBytes(wavingCache(200, 1, 29.97, 0)), "ntsc.mdd");
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_NEAR(back->rate, 29.97, 1e-4);
}

TEST(PointCache, FilesOfAnotherKindAreRefusedWithTheirName) {
    expectHas(pc2Fault({}), "bad.pc2: not a PC2 point cache");
    expectHas(pc2Fault(kMdd), "bad.pc2: not a PC2 point cache");
    expectHas(mddFault(kPc2), "is this an MDD point cache?");
    expectHas(mddFault({}), "bad.mdd: cut short");
    expectHas(loadPc2("/nowhere/a.pc2").error().message, "/nowhere/a.pc2");
    expectHas(loadMdd("/nowhere/a.mdd").error().message, "/nowhere/a.mdd");
}

TEST(PointCache, AHeaderThatPromisesMoreThanTheFileHoldsIsRefused) {
    const auto huge = {0xff, 0xff, 0xff, 0x7f};
    const auto huge_big_endian = {0x7f, 0xff, 0xff, 0xff};
    expectHas(pc2Fault(with(kPc2, 16, huge)), "cut short");
    expectHas(pc2Fault(with(kPc2, 28, huge)), "cut short");
    expectHas(pc2Fault(with(with(kPc2, 16, huge), 28, huge)), "cut short");
    expectHas(mddFault(with(kMdd, 0, huge_big_endian)), "cut short");
    expectHas(mddFault(with(kMdd, 4, huge_big_endian)), "cut short");
    expectHas(mddFault(with(with(kMdd, 0, huge_big_endian), 4, huge_big_endian)), "cut short");
}

TEST(PointCache, NegativeAndZeroCountsAreRefused) {
    const auto minus_one = {0xff, 0xff, 0xff, 0xff};
    for (const auto& count : {minus_one, {0, 0, 0, 0}}) {
        for (size_t at : {16, 28}) expectHas(pc2Fault(with(kPc2, at, count)), "at least 1");
        for (size_t at : {0, 4}) expectHas(mddFault(with(kMdd, at, count)), "at least 1");
    }
}

TEST(PointCache, BytesAfterTheLastSampleAreRefused) {
    Bytes longer = kPc2;
    longer.push_back(std::byte(0));
    expectHas(pc2Fault(longer), "1 bytes stand after");
    longer = kMdd;
    longer.push_back(std::byte(0));
    expectHas(mddFault(longer), "1 bytes stand after");
}

TEST(PointCache, AnotherVersionOfPc2IsRefused) {
    expectHas(pc2Fault(with(kPc2, 12, {2, 0, 0, 0})), "version 2");
}

TEST(PointCache, HeaderNumbersThatAreNotFiniteAreRefused) {
    const auto nan = {0, 0, 0xc0, 0x7f};
    expectHas(pc2Fault(with(kPc2, 20, nan)), "start frame");
    expectHas(pc2Fault(with(kPc2, 24, nan)), "frames per sample");
    expectHas(pc2Fault(with(kPc2, 24, {0, 0, 0, 0})), "frames per sample");
    expectHas(mddFault(with(kMdd, 12, {0x7f, 0x80, 0, 0})), "the time of sample 1");
}

TEST(PointCache, PositionsThatAreNotFiniteAreRefusedWithTheirPlace) {
    expectHas(pc2Fault(with(kPc2, 44, {0, 0, 0x80, 0x7f})), "sample 1, vertex 0");
    expectHas(mddFault(with(kMdd, 16, {0x7f, 0xc0, 0, 0})), "sample 0, vertex 0");
}

TEST(PointCache, MddWithUnevenTimesIsRefused) {
    PointCache cache = wavingCache(3, 1, 30, 0);
    Bytes bytes = mddBytes(cache);
    expectHas(mddFault(with(bytes, 12, {0x3d, 0x4c, 0xcc, 0xcd})), "sample 1 stands at 0.05 s");
    expectHas(mddFault(with(bytes, 16, {0, 0, 0, 0})), "must grow evenly");
}

TEST(PointCache, AFileThatIsCutAnywhereIsRefused) {
    for (size_t length = 0; length < kPc2.size(); ++length)
        EXPECT_NE(pc2Fault(Bytes(kPc2.begin(), kPc2.begin() + long(length))), "accepted");
    for (size_t length = 0; length < kMdd.size(); ++length)
        EXPECT_NE(mddFault(Bytes(kMdd.begin(), kMdd.begin() + long(length))), "accepted");
}

TEST(PointCache, RandomlyDamagedFilesGiveSoundCachesOrErrors) {
    Random random(11, "damage");
    for (int round = 0; round < 4000; ++round) {
        const bool pc2 = round % 2 == 0;
        Bytes bytes = pc2 ? kPc2 : kMdd;
        for (int k = random.integer(1, 4); k > 0; --k)
            bytes[size_t(random.integer(0, int(bytes.size()) - 1))] =
                std::byte(random.integer(0, 255));
        const auto cache = pc2 ? parsePc2(bytes, "damaged") : parseMdd(bytes, "damaged");
        if (!cache) {
            EXPECT_NE(cache.error().message.find("damaged"), std::string::npos);
            continue;
        }
        EXPECT_EQ(cache->positions.size(), cache->samples() * cache->vertices);
        EXPECT_TRUE(std::isfinite(cache->rate) && cache->rate > 0);
        for (Vec3 p : cache->positions) ASSERT_TRUE(isFinite(p));
    }
}

}  // namespace
}  // namespace hem
