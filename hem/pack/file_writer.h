// SPDX-License-Identifier: Apache-2.0
// Puts a .hem file together, section by section (hem/runtime/format.h).
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "hem/core/matrix.h"
#include "hem/runtime/format.h"

namespace hem {

class FileWriter {
public:
    // Everything until the next call belongs to this section.
    void startSection(format::SectionId id) { sections_.push_back({id, {}}); }

    // At the next multiple of 64 of the section.
    void align();
    template <class T>
    void add(const T& value) {
        addBytes(&value, sizeof value);
    }
    template <class T>
    void addArray(std::span<const T> values) {
        addBytes(values.data(), values.size_bytes());
    }
    void addText(std::string_view text) { addBytes(text.data(), text.size()), add('\0'); }
    // Padded with zeros to a multiple of 16 numbers.
    void addPadded(const VectorF& values);
    // Bias, then panels, each at a multiple of 64.
    void addMatrix(const MatrixF& weights, const VectorF& bias);
    // Bias, scale, then panels of int16 pairs: kInt16Weights.
    void addPairs(const MatrixF& weights, const VectorF& bias);

    // The whole file; sizes, checksum and state_magic are filled into the header.
    std::vector<std::byte> finish(format::FileHeader header) const;

private:
    struct Part {
        format::SectionId id;
        std::vector<std::byte> bytes;
    };
    void addBytes(const void* data, size_t size);

    std::vector<Part> sections_;
};

}  // namespace hem
