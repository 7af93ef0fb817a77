// SPDX-License-Identifier: Apache-2.0
// Dresses a crowd for a second, on two threads, and prints what it cost.
//
//     play_cpp [GARMENT.hem]        (examples/toy.hem where none is given)
#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "hem/runtime/hem.h"

static std::vector<char> readFile(const char* path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Stands in for the engine: everybody sways, each with a phase of their own.
static void animate(std::vector<float>& joints, size_t joint_count, int frame) {
    for (size_t j = 0; j < joints.size() / 12; ++j) {
        const size_t wearer = j / joint_count;
        const float angle = 0.3f * std::sin(0.1f * float(frame) + float(wearer));
        const float c = std::cos(angle), s = std::sin(angle);
        const float matrix[12] = {1, 0, 0, float(wearer), 0, c, -s, 0, 0, s, c, 0};
        std::copy(matrix, matrix + 12, &joints[12 * j]);
    }
}

int main(int argument_count, char** arguments) {
    const char* path = argument_count > 1 ? arguments[1] : "examples/toy.hem";
    const std::vector<char> file = readFile(path);  // the garment IS these bytes: nothing to close
    hem_Error error;
    const hem_Garment* cape = hem_open(file.data(), file.size(), &error);
    if (!cape) return std::fprintf(stderr, "%s: %s\n", path, hem_errorText(error)), 1;

    const size_t crowd = 1000, nj = 12 * hem_jointCount(cape), nv = 3 * hem_vertexCount(cape);
    std::vector<char> states(crowd * hem_stateSize(cape));  // memcpy is save and rollback
    std::vector<float> joints(crowd * nj), positions(crowd * nv);
    auto slice = [&](size_t i, size_t count) {
        return hem_Batch{.count = count,
                         .states = &states[i * hem_stateSize(cape)],
                         .joints = &joints[i * nj],
                         .positions = &positions[i * nv]};
    };
    animate(joints, hem_jointCount(cape), 0);
    hem_reset(cape, slice(0, crowd));  // at spawn and after a teleport

    const auto start = std::chrono::steady_clock::now();
    for (int frame = 1; frame <= 60; ++frame) {
        animate(joints, hem_jointCount(cape), frame);
        std::thread half([&] { hem_step(cape, slice(0, crowd / 2), 1 / 60.0f); });
        hem_step(cape, slice(crowd / 2, crowd - crowd / 2), 1 / 60.0f);
        half.join();
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    std::printf("%zu wearers of %zu vertices: %.2f microseconds each, a frame\n", crowd,
                hem_vertexCount(cape), time.count() / 60 / double(crowd));
}
