// SPDX-License-Identifier: Apache-2.0
// A file to be damaged, and what must hold of it then.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "hem/runtime/format.h"
#include "tests/runtime/toy_garment.h"

namespace hem {

// At a multiple of 64, exactly as long as the bytes: reading past the end is caught.
class Bytes {
public:
    explicit Bytes(const std::vector<std::byte>& bytes)
        : memory_(
              static_cast<unsigned char*>(std::aligned_alloc(64, (bytes.size() + 63) / 64 * 64))),
          size_(bytes.size()) {
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(memory_));
    }
    Bytes(const Bytes&) = delete;
    ~Bytes() { std::free(memory_); }
    unsigned char* data() { return memory_; }
    size_t size() const { return size_; }
    format::FileHeader& header() { return *reinterpret_cast<format::FileHeader*>(memory_); }
    void fixChecksum() { header().checksum = format::fileChecksum(memory_, size_t(header().size)); }
    hem_Error open() const {
        hem_Error error = HEM_OK;
        const bool opened = hem_open(memory_, size_, &error) != nullptr;
        EXPECT_EQ(opened, error == HEM_OK);
        return error;
    }
    // Where a section starts.
    unsigned char* section(format::SectionId id) {
        auto* table = reinterpret_cast<format::Section*>(memory_ + sizeof(format::FileHeader));
        for (uint32_t i = 0; i < header().section_count; ++i)
            if (table[i].id == id) return memory_ + table[i].offset;
        return nullptr;
    }

private:
    unsigned char* memory_;
    size_t size_;
};

// Cut at every length, with a header that still tells the old one and with one that agrees.
inline void expectTruncationIsRefused(const std::vector<std::byte>& file) {
    ASSERT_GT(file.size(), sizeof(format::FileHeader));
    ASSERT_EQ(Bytes(file).open(), HEM_OK);
    for (size_t size = 0; size < file.size(); ++size) {
        Bytes bytes({file.begin(), file.begin() + std::ptrdiff_t(size)});
        ASSERT_EQ(bytes.open(), HEM_ERROR_TRUNCATED) << size;
        if (size < sizeof(format::FileHeader)) continue;
        bytes.header().size = size;
        bytes.fixChecksum();
        ASSERT_NE(bytes.open(), HEM_OK) << size;
    }
}

inline void playWhatOpens(Bytes& bytes) {
    if (bytes.open() != HEM_OK) return;
    const auto* garment = reinterpret_cast<const hem_Garment*>(bytes.data());
    if (hem_vertexCount(garment) > 1000) return;
    ToyWearer wearer(garment);
    wearer.flags = HEM_PUSH_OUT;
    wearer.reset(std::vector<float>(wearer.joints.size(), 0.5f));
    for (int i = 0; i < 3; ++i)
        wearer.step(std::vector<float>(wearer.joints.size(), float(i)), 0.05f);
    for (float p : wearer.positions) ASSERT_TRUE(std::isfinite(p));
    for (size_t j = 0; hem_jointName(garment, j); ++j) ASSERT_LT(j, hem_jointCount(garment));
}

}  // namespace hem
