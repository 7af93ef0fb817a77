// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the BVH reader:
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz/bvh_fuzz.cpp \
//         hem/character/formats/{bvh,bvh_file}.cpp hem/character/{motion,skeleton}.cpp \
//         hem/core/{check,files,result,text,transform}.cpp -o bvh_fuzz
//     ./bvh_fuzz -max_total_time=60 corpus/
#include <cstddef>
#include <cstdint>

#include "hem/character/formats/bvh.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto motion = hem::parseBvh(text, "fuzz.bvh", {.end_sites = size % 2 == 0});
    if (motion) CHECK(hem::validate(motion->skeleton));
    return 0;
}
