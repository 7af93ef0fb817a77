// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files: one array each, written whole or piece by piece, mapped on read.
//
//     np.load("positions.npy", mmap_mode="r")      # what one line of Python makes of them
//
// Format version 1.0, little-endian, C order, float32, float64, uint32, uint16 or uint8. The data
// starts at a multiple of 64 bytes, as NumPy's own does, so that a mapping can be used in place.
// Readers are safe on untrusted bytes: whatever the header promises is held against the file's size.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "hem/core/result.h"

namespace hem {

enum class NpyType { kFloat32, kFloat64, kUint32, kUint16, kUint8 };
const char* nameOf(NpyType type);  // "float32"
size_t sizeOf(NpyType type);       // bytes

// Any rank up to kMaxNpyRank; of rank 0 is a single number.
struct NpyHeader {
    NpyType type = NpyType::kFloat32;
    std::vector<size_t> shape;

    friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};
inline constexpr size_t kMaxNpyRank = 8;
// "float32 (3, 4)"
std::string describe(const NpyHeader& header);
// The bytes of the data; the product must not overflow (readers see to that).
size_t dataSize(const NpyHeader& header);

// Everything of a file that stands before the data; a multiple of 64 bytes.
std::string npyPreamble(const NpyHeader& header);

struct NpyView {
    NpyHeader header;
    std::span<const std::byte> data;  // dataSize(header) of them, within the bytes given
};
// `name` stands for the file in messages. The bytes must end where the data does.
Result<NpyView> parseNpy(std::span<const std::byte> bytes, const std::string& name);

// `data` must have dataSize(header) bytes. Atomic, as writeFile().
Status saveNpy(const std::string& path, const NpyHeader& header, std::span<const std::byte> data);
// The whole file's bytes, for those who write several files in their own way.
std::vector<std::byte> npyBytes(const NpyHeader& header, std::span<const std::byte> data);

// A file, mapped. Copies share the mapping; spans live as long as any copy. A file that someone
// cuts short while it is mapped ends the process (SIGBUS): replace files, do not write into them.
class MappedNpy {
public:
    static Result<MappedNpy> open(const std::string& path);

    const NpyHeader& header() const;
    const std::vector<size_t>& shape() const { return header().shape; }
    std::span<const std::byte> data() const;
    std::span<const std::byte> file() const;  // the whole of it
    // CHECKs the type: look at header() first.
    std::span<const float> floats() const;
    std::span<const double> doubles() const;
    std::span<const uint32_t> integers() const;
    std::span<const uint8_t> bytes() const;

private:
    struct Mapping;
    std::shared_ptr<const Mapping> mapping_;
};

}  // namespace hem
