// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for a recorded clip's meta.json:
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. \
//         tests/fuzz/recording_meta_fuzz.cpp hem/recording/{recording_meta,json_fields}.cpp \
//         hem/core/{npy,check,files,random,result,text}.cpp -o meta_fuzz
//     ./meta_fuzz -max_total_time=60 corpus/
#include <cstddef>
#include <cstdint>

#include "hem/recording/recording_meta.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto file = hem::parseMeta(text, "fuzz.json");
    if (file) CHECK_GT(file->shape.frames, 0u);
    return 0;
}
