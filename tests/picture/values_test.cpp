// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>

#include "hem/core/files.h"
#include "hem/core/random.h"

namespace hem {
namespace {

Result<std::vector<double>> loadFrom(const std::string& extension, const std::string& content) {
    const std::string path =
        std::filesystem::temp_directory_path() / ("hem_values_test." + extension);
    EXPECT_TRUE(writeFile(path, content));
    auto values = loadValues(path);
    std::filesystem::remove(path);
    return values;
}

std::string npy(const std::string& header, const std::string& data) {
    std::string bytes = "\x93NUMPY\x01";
    bytes += '\0';
    bytes += char(header.size() & 255);
    bytes += char(header.size() >> 8);
    return bytes + header + data;
}

std::string npyOf(const std::vector<float>& values) {
    std::string data(values.size() * 4, '\0');
    std::memcpy(data.data(), values.data(), data.size());
    return npy("{'descr': '<f4', 'fortran_order': False, 'shape': (" +
                   std::to_string(values.size()) + ",), }\n",
               data);
}

TEST(Values, TextHasOneNumberPerLine) {
    const auto values = loadFrom("txt", "# errors\n0.5\n\n-2e-3  # here\nNaN\n3");
    ASSERT_TRUE(values) << values.error().message;
    ASSERT_EQ(values->size(), 4u);
    EXPECT_EQ((*values)[1], -2e-3);
    EXPECT_TRUE(std::isnan((*values)[2]));
    EXPECT_EQ((*values)[3], 3);
}

TEST(Values, NumPyArraysOfBothPrecisionsAreRead) {
    const auto single = loadFrom("npy", npyOf({1, 2.5f, -3}));
    ASSERT_TRUE(single) << single.error().message;
    EXPECT_EQ(*single, (std::vector<double>{1, 2.5, -3}));
    const double pi = 3.25;
    std::string data(8, '\0');
    std::memcpy(data.data(), &pi, 8);
    const auto twice =
        loadFrom("npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", data));
    ASSERT_TRUE(twice) << twice.error().message;
    EXPECT_EQ(*twice, std::vector<double>{3.25});
}

TEST(Values, FaultsNameTheFileAndTheLine) {
    const struct {
        const char* extension;
        std::string content;
        const char* expected;
    } cases[] = {
        {"txt", "1\n2\nthree\n", ".txt:3: one number per line"},
        {"txt", "1 2\n", ".txt:1: one number per line"},
        {"txt", "1\ninf\n", ".txt:2: "},
        {"txt", "", "no numbers"},
        {"npy", "", "not a NumPy .npy file"},
        {"npy", "\x93NUMPY\x02", "not a NumPy .npy file"},
        {"npy", npyOf({1, 2}).substr(0, 40), "ends within its header"},
        {"npy", npyOf({1, 2}).substr(0, npyOf({1, 2}).size() - 3), "it is cut"},
        {"npy", npyOf({1, 2}) + "abcd", "12 bytes"},
        {"npy",
         npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", std::string(24, ' ')),
         "one dimension"},
        {"npy",
         npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", std::string(8, ' ')),
         "float32, float64"},
        {"npy",
         npy("{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }", std::string(4, ' ')),
         "float32 or float64"},
        {"npy", npy("", ""), "not a NumPy array"},
    };
    for (const auto& c : cases) {
        const auto values = loadFrom(c.extension, c.content);
        ASSERT_FALSE(values) << c.expected;
        EXPECT_NE(values.error().message.find(c.expected), std::string::npos)
            << values.error().message;
        EXPECT_NE(values.error().message.find("hem_values_test"), std::string::npos);
    }
}

TEST(Values, DamagedArraysNeverCrash) {
    Random random(2);
    for (int round = 0; round < 60; ++round) {
        std::string bytes = npyOf({1, 2, 3});
        for (int k = 0; k < 3; ++k)
            bytes[size_t(random.integer(0, int(bytes.size()) - 1))] = char(random.bits());
        const auto values = loadFrom("npy", bytes);
        EXPECT_LE(values ? values->size() : 0, bytes.size());
    }
}

}  // namespace
}  // namespace hem
