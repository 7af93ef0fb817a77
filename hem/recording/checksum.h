// SPDX-License-Identifier: Apache-2.0
// Checksums of recordings' files: FNV-1a over all bytes, 64 bits, written "fnv1a64:" and 16 digits.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "hem/core/random.h"
#include "hem/core/text.h"

namespace hem {

inline std::string checksumText(uint64_t hash) {
    return format("fnv1a64:%016llx", static_cast<unsigned long long>(hash));
}
inline std::string checksumOf(std::span<const std::byte> bytes) {
    return checksumText(hashBytes(bytes.data(), bytes.size()));
}

}  // namespace hem
