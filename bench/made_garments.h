// SPDX-License-Identifier: Apache-2.0
// Garments of any size with random numbers, for benchmarks: what the player costs does not depend on
// what a garment has learnt, but for how fast its modes fall.
#pragma once

#include <vector>

#include "bench/bench.h"
#include "hem/core/random.h"
#include "hem/models/stable_space/model.h"
#include "hem/pack/pack.h"
#include "hem/runtime/hem.h"

namespace hem {

MatrixF randomMatrix(Random& random, int rows, int columns, float size);
Layer randomLayer(Random& random, int out, int in);

struct MadeGarment {
    int vertices = 766, modes = 64;
    // Model C of order 2 with a body latent of 32, or S with the sizes of docs/stable_space.md.
    bool modal = false;
    BasisEncoding encoding = BasisEncoding::kFloat32;
    bool mirrored = false;     // its own mirror image, one half of which the file keeps
    float tolerance_um = 300;  // of kMixed
};
// The bytes of a file. Modes swing less and less, as those of learned dresses do; their shapes are noise,
// whose largest number is nearer to the rest than a dress's, so that more of them fit 8 bits.
std::vector<std::byte> makeGarment(const MadeGarment& wanted);

// Multiplications and additions of a tick, two for each weight.
double stepFlops(bool modal, int modes);

// At a multiple of 64, as a mapped file is.
struct AlignedBytes {
    explicit AlignedBytes(const std::vector<std::byte>& bytes);
    struct alignas(64) Line {
        std::byte bytes[64];
    };
    std::vector<Line> lines;
};

// Wearers of a file, each with joints of its own.
struct Crowd {
    Crowd(const std::vector<std::byte>& bytes, size_t count);
    double leastStep(double seconds) {
        return bench::leastSeconds([&] { hem_step(garment, batch, 1 / 30.0f); }, 1, seconds);
    }

    AlignedBytes file;
    const hem_Garment* garment;
    std::vector<std::byte> states;
    std::vector<float> joints, positions, weights;
    hem_Batch batch{};
};

}  // namespace hem
