// SPDX-License-Identifier: Apache-2.0
#include "hem/core/random.h"

#include "hem/core/check.h"

namespace hem {

Random::Random(uint64_t seed, uint64_t stream) : state_(0), increment_((stream << 1) | 1) {
    bits();
    state_ += seed;
    bits();
}

Random::Random(uint64_t seed, std::string_view stream_name)
    : Random(seed, hashBytes(stream_name.data(), stream_name.size())) {}

uint32_t Random::bits() {
    const uint64_t old = state_;
    state_ = old * 6364136223846793005u + increment_;
    const uint32_t shifted = uint32_t(((old >> 18) ^ old) >> 27);
    const uint32_t turn = uint32_t(old >> 59);
    return (shifted >> turn) | (shifted << ((32 - turn) & 31));
}

float Random::uniform() { return float(bits() >> 8) * 0x1p-24f; }

float Random::uniform(float low, float high) { return low + (high - low) * uniform(); }

int Random::integer(int low, int high) {
    CHECK_LE(low, high);
    const uint32_t range = uint32_t(high - low) + 1;
    if (range == 0) return int(bits());
    const uint32_t reject_below = (0u - range) % range;
    uint32_t draw = bits();
    while (draw < reject_below) draw = bits();
    return low + int(draw % range);
}

bool Random::chance(float probability) { return uniform() < probability; }

float Random::normal() {
    float sum = 0;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum - 6;
}

uint64_t hashBytes(const void* data, size_t size, uint64_t seed) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    uint64_t hash = seed;
    for (size_t i = 0; i < size; ++i) hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

}  // namespace hem
