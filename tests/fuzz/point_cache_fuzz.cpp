// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the readers of point caches. The first byte chooses the format.
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. \
//         tests/fuzz/point_cache_fuzz.cpp hem/core/{check,files,point_cache,result,text}.cpp \
//         -o point_cache_fuzz
//     ./point_cache_fuzz -max_total_time=60 corpus/
#include <cstddef>
#include <cstdint>

#include "hem/core/point_cache.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size == 0) return 0;
    const auto bytes = std::as_bytes(std::span(data, size)).subspan(1);
    const auto cache =
        data[0] % 2 ? hem::parsePc2(bytes, "fuzz.pc2") : hem::parseMdd(bytes, "fuzz.mdd");
    if (cache) CHECK_EQ(cache->positions.size(), cache->samples() * cache->vertices);
    return 0;
}
