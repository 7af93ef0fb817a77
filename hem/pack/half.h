// SPDX-License-Identifier: Apache-2.0
// float16 (IEEE binary16), rounded to nearest, ties to even.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace hem {

// |x| up to 65504, which larger ones become.
inline uint16_t halfFromFloat(float x) {
    const uint32_t bits = std::bit_cast<uint32_t>(x), sign = bits >> 16 & 0x8000;
    const float size = std::fabs(x);
    if (!(size < 65520)) return uint16_t(sign | 0x7bff);
    // below 2^-14, subnormal: steps of 2^-24, which the addition rounds to
    if (size < 0x1p-14f) return uint16_t(sign | (std::bit_cast<uint32_t>(size + 0.5f) & 0x7ff));
    const uint32_t magnitude = bits & 0x7fffffff;
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return uint16_t(sign | ((rounded >> 13) - (112 << 10)));
}

inline float floatFromHalf(uint16_t half) {
    const uint32_t magnitude = uint32_t(half & 0x7fff) << 13;
    const float size = std::bit_cast<float>(magnitude) * 0x1p112f;
    return half & 0x8000 ? -size : size;
}

}  // namespace hem
