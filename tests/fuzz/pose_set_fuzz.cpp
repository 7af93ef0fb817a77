// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for poses.json of a set of poses:
//
//     clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. \
//         tests/fuzz/pose_set_fuzz.cpp hem/poses/pose_files.cpp hem/recording/json_fields.cpp \
//         hem/core/{npy,check,files,random,result,text}.cpp -o pose_set_fuzz
//     ./pose_set_fuzz -max_total_time=60 corpus/
#include <cstddef>
#include <cstdint>

#include "hem/poses/pose_files.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto file = hem::parsePoseSet(text, "fuzz.json");
    if (file) CHECK(hem::parsePoseSet(hem::poseSetText(*file), "again.json").has_value());
    return 0;
}
