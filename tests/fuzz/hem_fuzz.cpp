// SPDX-License-Identifier: Apache-2.0
// libFuzzer entry for the player: opens any bytes and, where they open, plays them. The first byte
// says whether the checksum is put right first, so that the fuzzer gets past it.
//
//     clang++ -std=c++20 -g -O1 -ffp-contract=off -fsanitize=fuzzer,address,undefined -I. \
//         tests/fuzz/hem_fuzz.cpp hem/runtime/*.cpp -o hem_fuzz
//     ./hem_fuzz -max_len=20000 -max_total_time=600 corpus/ tests/fuzz/corpus/hem
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "hem/runtime/format.h"
#include "hem/runtime/hem.h"

static void play(const hem_Garment* garment) {
    constexpr size_t kWearers = 3;
    if (hem_vertexCount(garment) > 4096) return;
    std::vector<char> states(kWearers * hem_stateSize(garment));
    std::vector<float> joints(kWearers * hem_jointCount(garment) * 12),
        positions(kWearers * hem_vertexCount(garment) * 3), normals(positions.size()),
        weights(kWearers * hem_modeCount(garment));
    hem_Batch batch{};
    batch.count = kWearers;
    batch.states = states.data();
    batch.joints = joints.data();
    batch.positions = positions.data();
    batch.normals = normals.data();
    batch.weights = weights.data();
    for (int frame = 0; frame < 4; ++frame) {
        for (size_t i = 0; i < joints.size(); ++i)
            joints[i] = float(i % 12 % 5 == 0) + 0.1f * float(frame) * float(i % 7);
        batch.flags = unsigned(frame) * HEM_APPROXIMATE | (frame % 2 ? HEM_PUSH_OUT : 0u);
        batch.dial = float(frame) - 2;
        if (frame == 0)
            hem_reset(garment, batch);
        else
            hem_step(garment, batch, 0.02f * float(frame));
        for (float p : positions)
            if (!std::isfinite(p)) std::abort();
        for (float n : normals)
            if (!std::isfinite(n)) std::abort();
    }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size < 1) return 0;
    const size_t length = size - 1;
    auto* bytes = static_cast<unsigned char*>(std::aligned_alloc(64, (length + 64) / 64 * 64));
    std::memcpy(bytes, data + 1, length);
    if (data[0] & 1 && length >= sizeof(hem::format::FileHeader)) {
        auto* header = reinterpret_cast<hem::format::FileHeader*>(bytes);
        std::memcpy(header->magic, hem::format::kMagic, sizeof header->magic);
        if (header->version != hem::format::kMirroredVersion)
            header->version = hem::format::kVersion;
        if (header->size > length || header->size < sizeof *header) header->size = length;
        header->checksum = hem::format::fileChecksum(bytes, size_t(header->size));
    }
    hem_Error error;
    if (const hem_Garment* garment = hem_open(bytes, length, &error)) play(garment);
    std::free(bytes);
    return 0;
}
