// SPDX-License-Identifier: Apache-2.0
#include "bench/made_garments.h"

#include <cmath>
#include <cstring>

#include "hem/character/mannequin/mannequin.h"
#include "hem/pack/mirror.h"

namespace hem {
namespace {

// How far mode m swings, metres times the root of the vertices: falls as those of learned dresses do.
float amplitude(int mode) { return 1.6f / float(mode + 1); }

StableSpace makeModel(Random& random, bool modal, int modes) {
    const int features = modal ? 57 : 32, inputs = modal ? 129 : features + 10;
    StableSpace model;
    model.pose.joints = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    model.pose.from_joints = randomMatrix(random, features, 120, 0.1f);
    model.pose.offset = VectorF::Zero(features);
    model.range = {VectorF::Zero(inputs), VectorF::Ones(inputs), VectorF::Constant(inputs, -50),
                   VectorF::Constant(inputs, 50)};
    model.output_limit = VectorF::Constant(modes, 10);
    if (!modal) {
        LinearDynamics d;
        d.weights = randomMatrix(random, modes, inputs + 2 * modes, 0.02f);
        d.bias = VectorF::Zero(modes);
        d.static_weights = randomMatrix(random, modes, features, 0.1f);
        d.static_bias = VectorF::Zero(modes);
        for (int m = 0; m < modes; ++m) {
            d.weights.row(m) *= amplitude(m);
            d.static_weights.row(m) *= amplitude(m);
            for (int before = 0; before < 2; ++before)
                d.weights.col(inputs + before * modes + m) /= amplitude(m);
        }
        model.dynamics = d;
        return model;
    }
    ModalDynamics d;
    d.log_decay = VectorF::Constant(32, -2);
    d.angle = VectorF::Constant(32, 0.2f);
    d.input = randomLayer(random, 128, inputs);
    d.input_residual = randomLayer(random, 128, 128);
    d.drive = randomLayer(random, 64, 128);
    d.outer = randomLayer(random, 128, 128 + 64);
    d.outer_residual = randomLayer(random, 128, 128);
    d.output = randomLayer(random, modes, inputs + 64 + 128);
    for (int m = 0; m < modes; ++m) {
        d.output.weights.row(m) *= amplitude(m);
        d.output.bias[m] *= amplitude(m);
    }
    model.dynamics = d;
    return model;
}
// A garment and a subspace that are their own mirror images, numbered as built-in ones are: the left
// half, with what is in the middle among it, then the right one in the same order. Every other mode is odd.
void makeMirrored(Mesh& mesh, Subspace& subspace) {
    const int vertices = int(mesh.positions.size()), half = (vertices + vertices / 16) / 2;
    Mirror mirror;
    for (int v = 0, right = half; v < half; ++v) {
        const bool is_middle = v % 8 == 1 && v / 8 < 2 * half - vertices;
        mirror.left.push_back(uint32_t(v));
        mirror.right.push_back(uint32_t(is_middle ? v : right++));
        const Vec3 at{is_middle ? 0 : 0.01f, 0.01f * float(v % 100), 0.01f * float(v / 100)};
        mesh.positions[mirror.right.back()] = {-at.x, at.y, at.z};
        mesh.positions[size_t(v)] = at;
    }
    for (int m = 0; m < int(subspace.basis.cols()); ++m) mirror.is_odd.push_back(m % 2);
    subspace = mirrored(subspace, mirror);
}

}  // namespace

MatrixF randomMatrix(Random& random, int rows, int columns, float size) {
    MatrixF m(rows, columns);
    for (int c = 0; c < columns; ++c)
        for (int r = 0; r < rows; ++r) m(r, c) = size * random.normal();
    return m;
}
Layer randomLayer(Random& random, int out, int in) {
    return {randomMatrix(random, out, in, 0.5f / std::sqrt(float(in))),
            randomMatrix(random, out, 1, 0.1f)};
}

std::vector<std::byte> makeGarment(const MadeGarment& wanted) {
    const int vertices = wanted.vertices, modes = wanted.modes;
    Random random(uint64_t(vertices), wanted.modal);
    const Character character = mannequin(Sex::kFemale);
    Mesh mesh;
    mesh.positions.resize(size_t(vertices));
    Subspace subspace;
    subspace.mean = randomMatrix(random, 3 * vertices, 1, 0.5f);
    // as PCA's: columns of length 1
    subspace.basis = randomMatrix(random, 3 * vertices, modes, 1 / std::sqrt(3 * float(vertices)));
    if (wanted.mirrored) makeMirrored(mesh, subspace);
    const StableSpace model = makeModel(random, wanted.modal, modes);
    MatrixF frames = randomMatrix(random, modes, 64, 1);
    for (int m = 0; m < modes; ++m) frames.row(m) *= amplitude(m);
    return orExit(pack(character, mesh, subspace, model, frames,
                       {.encoding = wanted.encoding, .tolerance_um = wanted.tolerance_um}));
}

double stepFlops(bool modal, int modes) {
    const double model =
        modal ? 87 * 128 + 128 * 96 + 224 * 128 + 439 * modes : (32 + 10 + 2 * modes) * modes;
    return 2 * (model + 96 * (modal ? 36 : 32));
}

AlignedBytes::AlignedBytes(const std::vector<std::byte>& bytes) : lines(bytes.size() / 64 + 1) {
    std::memcpy(lines.data(), bytes.data(), bytes.size());
}

Crowd::Crowd(const std::vector<std::byte>& bytes, size_t count)
    : file(bytes),
      garment(hem_open(file.lines.data(), bytes.size(), nullptr)),
      states(count * hem_stateSize(garment)),
      joints(count * hem_jointCount(garment) * 12),
      positions(count * hem_vertexCount(garment) * 3),
      weights(count * hem_modeCount(garment)) {
    Random random(7);
    for (size_t i = 0; i < joints.size(); ++i)
        joints[i] = (i % 12 % 5 == 0 ? 1.0f : 0.0f) + 0.05f * random.normal();
    batch.count = count;
    batch.states = states.data();
    batch.joints = joints.data();
    batch.positions = positions.data();
    hem_reset(garment, batch);
}

}  // namespace hem
