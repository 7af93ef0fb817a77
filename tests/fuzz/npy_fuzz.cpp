// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the .npy reader:
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz/npy_fuzz.cpp \
//         hem/core/{npy,check,files,result,text}.cpp -o npy_fuzz
//     ./npy_fuzz -max_total_time=60 corpus/
#include <cstddef>
#include <cstdint>

#include "hem/core/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const auto view = hem::parseNpy(std::as_bytes(std::span(data, size)), "fuzz.npy");
    if (view) CHECK_EQ(hem::dataSize(view->header), view->data.size());
    return 0;
}
