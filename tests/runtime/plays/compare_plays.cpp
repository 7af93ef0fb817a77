// SPDX-License-Identifier: Apache-2.0
// Plays what write_plays wrote, with every set of kernels of this machine that should give the same
// bits, and prints the largest difference. Needs nothing but the runtime.
//
//     compare_plays plain|fused FILE.play...
//
// Exit code 1 if a bit of any output or state differs.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "hem/runtime/kernels.h"
#include "tests/runtime/plays/play_file.h"

namespace hem {
namespace {

struct Difference {
    size_t frames = 0, numbers = 0, bits = 0;  // compared; not the same bits
    double largest = 0;                        // of outputs
};

// A file's 32-bit words, at a multiple of 64 bytes.
struct Words {
    explicit Words(const std::string& path) {
        std::FILE* file = std::fopen(path.c_str(), "rb");
        if (!file || std::fseek(file, 0, SEEK_END)) fail(path);
        size = size_t(std::ftell(file));
        std::rewind(file);
        data = static_cast<uint32_t*>(std::aligned_alloc(64, (size + 63) / 64 * 64));
        if (!data || std::fread(data, 1, size, file) != size) fail(path);
        std::fclose(file);
    }
    ~Words() { std::free(data); }
    Words(const Words&) = delete;
    static void fail(const std::string& path) {
        std::fprintf(stderr, "%s: cannot be read\n", path.c_str());
        std::exit(1);
    }
    uint32_t* data = nullptr;
    size_t size = 0;  // bytes
};

void compareOutputs(const std::vector<float>& played, const uint32_t* expected, Difference* found) {
    for (size_t i = 0; i < played.size(); ++i) {
        float other;
        std::memcpy(&other, expected + i, sizeof other);
        found->bits += std::memcmp(&played[i], expected + i, sizeof other) != 0;
        const double difference = std::abs(double(played[i]) - other);
        if (!(difference <= found->largest)) found->largest = difference;  // NaN counts as larger
    }
    found->numbers += played.size();
}

void comparePlay(const std::string& path, Difference* found) {
    const Words garment_file(path.substr(0, path.size() - 5) + ".hem"), play(path);
    hem_Error error;
    const hem_Garment* garment = hem_open(garment_file.data, garment_file.size, &error);
    if (!garment) {
        std::fprintf(stderr, "%s: %s\n", path.c_str(), hem_errorText(error));
        std::exit(1);
    }
    PlayHeader header;
    std::memcpy(&header, play.data, sizeof header);
    const size_t step = 1 + header.joints + header.outputs + header.states;
    if (play.size != sizeof header + 4 * step * header.frames) Words::fail(path);
    const uint32_t* at = play.data + sizeof header / 4;
    PlayFrame frame;
    frame.joints.resize(header.joints);
    for (uint32_t i = 0; i < header.frames; ++i, at += step) {
        std::memcpy(&frame.seconds, at, 4);
        std::memcpy(frame.joints.data(), at + 1, 4 * size_t(header.joints));
        playFrame(garment, header, i == 0, &frame);
        const uint32_t* outputs = at + 1 + header.joints;
        compareOutputs(frame.outputs, outputs, found);
        for (size_t k = 0; k < header.states; ++k)
            found->bits += frame.states[k] != outputs[header.outputs + k];
        found->numbers += header.states;
        ++found->frames;
    }
}

int run(bool is_fused, int count, char** paths) {
    size_t sets = 0, bits = 0;
    for (size_t i = 0; const runtime::Kernels* kernels = runtime::kernelsNumber(i); ++i) {
        const std::string name = kernels->name;
        if ((name.starts_with("AVX") || name == "NEON") != is_fused) continue;
        runtime::forceKernels(kernels);
        Difference found;
        for (int k = 0; k < count; ++k) comparePlay(paths[k], &found);
        std::printf("%s: %d plays, %zu frames, %zu numbers; %zu differ, by %g at most\n",
                    kernels->name, count, found.frames, found.numbers, found.bits, found.largest);
        bits += found.bits;
        ++sets;
    }
    if (!sets) std::fprintf(stderr, "this machine has no such kernels\n");
    return sets && !bits ? 0 : 1;
}

}  // namespace
}  // namespace hem

int main(int count, char** arguments) {
    const std::string family = count > 2 ? arguments[1] : "";
    if (family == "plain" || family == "fused")
        return hem::run(family == "fused", count - 2, arguments + 2);
    std::fprintf(stderr, "usage: compare_plays plain|fused FILE.play...\n");
    return 2;
}
