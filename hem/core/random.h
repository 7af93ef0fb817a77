// SPDX-License-Identifier: Apache-2.0
// Random: seeded numbers that are the same bits on every platform and compiler.
//
// PCG-XSH-RR 64/32 (O'Neill 2014). The standard library's engines are portable but its
// distributions are not; these use integer arithmetic and exactly rounded operations only.
#pragma once

#include <cstdint>
#include <string_view>

namespace hem {

class Random {
public:
    // Different seeds, and different streams of one seed, give unrelated sequences.
    explicit Random(uint64_t seed, uint64_t stream = 0);
    // A stream named after what it is for: adding another user does not disturb this one.
    Random(uint64_t seed, std::string_view stream_name);

    uint32_t bits();
    float uniform();                       // 0 <= u < 1, on the grid of 2^-24
    float uniform(float low, float high);  // low <= u < high
    int integer(int low, int high);        // low <= i <= high, unbiased
    bool chance(float probability);
    // Mean 0, variance 1: twelve uniforms less six, so within -6 and 6, and exact on every machine.
    float normal();

private:
    uint64_t state_;
    uint64_t increment_;
};

// FNV-1a, for naming streams and pinning outputs in tests.
uint64_t hashBytes(const void* data, size_t size, uint64_t seed = 0xcbf29ce484222325u);

}  // namespace hem
