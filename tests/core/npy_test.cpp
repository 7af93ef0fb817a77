// SPDX-License-Identifier: Apache-2.0
#include "hem/core/npy.h"

#include <gtest/gtest.h>

#include <cstring>

#include "hem/core/files.h"
#include "hem/core/random.h"
#include "tests/numpy.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

template <class Number>
std::span<const std::byte> bytesOf(const std::vector<Number>& numbers) {
    return std::as_bytes(std::span(numbers));
}

// A file with any header text, for what no writer of ours would write.
std::vector<std::byte> fileWith(const std::string& header, size_t data) {
    std::string text("\x93NUMPY\x01\x00", 8);
    text += char(header.size() & 0xff);
    text += char(header.size() >> 8);
    text += header + std::string(data, '\0');
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

TEST(Npy, WhatIsWrittenIsReadBack) {
    const TemporaryFolder folder;
    const std::vector<float> numbers{1, -2.5f, 3e-30f, 4, 5, 6};
    ASSERT_TRUE(saveNpy(folder.path("a.npy"), {NpyType::kFloat32, {2, 3}}, bytesOf(numbers)));
    const auto array = MappedNpy::open(folder.path("a.npy"));
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_EQ(array->shape(), (std::vector<size_t>{2, 3}));
    EXPECT_TRUE(std::ranges::equal(array->floats(), numbers));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array->data().data()) % 64, 0u);
}

TEST(Npy, EveryRankAndTypeKeepsItsShapeAndAlignment) {
    std::vector<size_t> shape;
    for (size_t rank = 0; rank <= kMaxNpyRank; ++rank, shape.push_back(rank))
        for (NpyType type : {NpyType::kFloat32, NpyType::kFloat64, NpyType::kUint32,
                             NpyType::kUint16, NpyType::kUint8}) {
            const NpyHeader header{type, shape};
            const std::vector<std::byte> data(dataSize(header));
            const auto bytes = npyBytes(header, data);
            EXPECT_EQ((bytes.size() - data.size()) % 64, 0u);
            const auto view = parseNpy(bytes, "x.npy");
            ASSERT_TRUE(view) << view.error().message;
            EXPECT_EQ(view->header, header) << describe(header);
        }
}

TEST(Npy, AnEmptyArrayIsAnArray) {
    const TemporaryFolder folder;
    ASSERT_TRUE(saveNpy(folder.path("a.npy"), {NpyType::kUint32, {0, 3}}, {}));
    const auto array = MappedNpy::open(folder.path("a.npy"));
    ASSERT_TRUE(array) << array.error().message;
    EXPECT_TRUE(array->integers().empty());
}

TEST(Npy, HostileFilesAreNamedAndRefused) {
    const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
    auto with = [&](const std::string& from, const std::string& to) {
        std::string header = good;
        header.replace(header.find(from), from.size(), to);
        return fileWith(header, 24);
    };
    ASSERT_TRUE(parseNpy(fileWith(good, 24), "x.npy"));
    const struct {
        std::vector<std::byte> bytes;
        const char* expected;
    } cases[] = {
        {{}, "not a NumPy"},
        {fileWith(good, 23), "23 bytes"},
        {fileWith(good, 25), "25 bytes"},
        {with("<f4", ">f4"), "little-endian"},
        {with("<f4", "|O"), "float32"},
        {with("False", "True"), "Fortran"},
        {with("(2, 3)", "(-2, -3)"), "no shape"},
        {with("(2, 3)", "(2, x)"), "no shape"},
        {with("(2, 3)", "(2 3)"), "no shape"},
        {with("(2, 3)", "6"), "lacks"},
        {with("(2, 3)", "(1, 1, 1, 1, 1, 1, 1, 1, 6)"), "no shape"},
        {with("(2, 3)", "(4611686018427387910,)"), "promises"},
        {with("(2, 3)", "(4294967296, 4294967296, 6)"), "promises"},
        {with("(2, 3)", "(99999999999999999999,)"), "no shape"},
        {with("'shape'", "'shap'"), "lacks"},
        {with("}", ""), nullptr},
    };
    for (const auto& c : cases) {
        const auto view = parseNpy(c.bytes, "x.npy");
        if (!c.expected) continue;  // either way, as long as it does not crash
        ASSERT_FALSE(view) << c.expected;
        EXPECT_TRUE(view.error().message.starts_with("x.npy: "));
        EXPECT_NE(view.error().message.find(c.expected), std::string::npos) << view.error().message;
    }
}

TEST(Npy, EveryTruncationIsRefused) {
    const TemporaryFolder folder;
    const auto whole = npyBytes({NpyType::kFloat32, {3}}, bytesOf(std::vector<float>{1, 2, 3}));
    for (size_t size = 0; size < whole.size(); ++size) {
        ASSERT_TRUE(writeFile(folder.path("a.npy"), std::span(whole).first(size)));
        EXPECT_FALSE(MappedNpy::open(folder.path("a.npy"))) << size;
    }
}

TEST(Npy, DamagedFilesNeverPromiseMoreThanTheyHold) {
    Random random(5);
    const auto whole = npyBytes({NpyType::kFloat32, {3}}, bytesOf(std::vector<float>{1, 2, 3}));
    for (int round = 0; round < 20000; ++round) {
        auto bytes = whole;
        for (int k = random.integer(1, 4); k > 0; --k)
            bytes[size_t(random.integer(0, 90))] = std::byte(random.bits());
        const auto view = parseNpy(bytes, "x.npy");
        EXPECT_TRUE(!view || dataSize(view->header) == view->data.size());
    }
}

TEST(Npy, AFolderIsNoArray) {
    const TemporaryFolder folder;
    EXPECT_FALSE(MappedNpy::open(folder.path("")));
    EXPECT_FALSE(MappedNpy::open(folder.path("nothing.npy")));
}

TEST(Npy, NumPyReadsWhatWeWriteAndWritesWhatWeRead) {
    HEM_SKIP_WITHOUT_NUMPY();
    const TemporaryFolder folder;
    std::vector<float> numbers(24);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = float(i) * 0.5f;
    ASSERT_TRUE(saveNpy(folder.path("ours.npy"), {NpyType::kFloat32, {2, 3, 4}}, bytesOf(numbers)));
    const std::string program =
        "import numpy as np, sys\n"
        "a = np.load(sys.argv[1] + 'ours.npy', mmap_mode='r')\n"
        "assert a.shape == (2, 3, 4) and a.dtype == np.float32 and a[1, 2, 3] == 11.5, a\n"
        "np.save(sys.argv[1] + 'f4.npy', a * 2)\n"
        "np.save(sys.argv[1] + 'u4.npy', np.arange(5, dtype=np.uint32))\n"
        "np.save(sys.argv[1] + 'f8.npy', np.float64(0.1))\n"
        "np.save(sys.argv[1] + 'fortran.npy', np.asfortranarray(a[0]))\n"
        "np.save(sys.argv[1] + 'i8.npy', np.arange(5))\n";
    ASSERT_TRUE(writeFile(folder.path("check.py"), program));
    const std::string command =
        pythonWithNumPy() + " " + folder.path("check.py") + " " + folder.path("");
    ASSERT_EQ(std::system(command.c_str()), 0);
    const auto singles = MappedNpy::open(folder.path("f4.npy"));
    ASSERT_TRUE(singles) << singles.error().message;
    EXPECT_EQ(singles->shape(), (std::vector<size_t>{2, 3, 4}));
    EXPECT_EQ(singles->floats()[23], 23);
    const auto integers = MappedNpy::open(folder.path("u4.npy"));
    ASSERT_TRUE(integers) << integers.error().message;
    EXPECT_EQ(integers->integers()[4], 4u);
    const auto scalar = MappedNpy::open(folder.path("f8.npy"));
    ASSERT_TRUE(scalar) << scalar.error().message;
    EXPECT_EQ(scalar->doubles()[0], 0.1);
    EXPECT_FALSE(MappedNpy::open(folder.path("fortran.npy")));
    EXPECT_FALSE(MappedNpy::open(folder.path("i8.npy")));
}

}  // namespace
}  // namespace hem
