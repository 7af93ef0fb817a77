// SPDX-License-Identifier: Apache-2.0
// A small garment of the neural kind with random numbers.
#pragma once

#include "hem/pack/pack_neural.h"
#include "tests/runtime/toy_garment.h"

namespace hem {

struct NeuralToyOptions {
    int vertices = 50, modes = 7;
    std::vector<int> hidden = {20, 33};
    RotationNumbers numbers = RotationNumbers::kQuaternion;
    NeuralActivation activation = NeuralActivation::kRelu;
    BasisEncoding encoding = BasisEncoding::kFloat32;
    float range = 1e3f;
    bool body = false;
    uint64_t seed = 1;
};

struct NeuralToy {
    Character character;
    Mesh mesh;
    Skin skin;
    NeuralModel model;
    MatrixF frames;
    BodyProxy body;
    std::vector<std::byte> file;

    const hem_Garment* open() const {
        hem_Error error;
        const hem_Garment* garment = hem_open(file.data(), file.size(), &error);
        EXPECT_EQ(error, HEM_OK) << hem_errorText(error);
        return garment;
    }
};

// The T body with joints that stand askew at rest, as those of most engines do.
inline Character askewBody() {
    Character c = tBody();
    for (size_t j = 1; j < c.skeleton.size(); ++j) {
        Transform& rest = c.skeleton.joints[j].parent_from_rest;
        rest.rotation = portable::fromAxisAngle({0.6f, 0.8f, 0}, 0.3f + 0.1f * float(j % 4));
    }
    c.skin.joint_from_rest = inverseRestMatrices(c.skeleton);
    return c;
}

inline NeuralToy makeNeuralToy(const NeuralToyOptions& o = {}) {
    Random random(o.seed);
    NeuralToy t;
    t.character = askewBody();
    t.mesh = toy::stripMesh(o.vertices);
    for (Vec3& p : t.mesh.positions) p = p + Vec3{0, 1, 0};  // about the hips
    std::vector<std::vector<Influence>> influences;
    for (int v = 0; v < o.vertices; ++v)
        influences.push_back({{v % 3, 0.5f}, {3 + v % 5, 0.3f}, {9, 0.2f}});
    t.skin = makeSkin(influences, t.character.skin.joint_from_rest);
    const std::vector<int> joints = {0, 1, 3, 4, 9, 10};
    NeuralModel& m = t.model;
    m.rotations = jointRotations(t.character, joints);
    m.numbers = o.numbers;
    m.activation = o.activation;
    int in = int(o.numbers) * int(joints.size());
    m.range = {toy::randomMatrix(random, in, 1, 0.1), VectorF::Constant(in, 1.5f),
               VectorF::Constant(in, -o.range), VectorF::Constant(in, o.range)};
    for (const int width : o.hidden) {
        m.layers.push_back(toy::randomLayer(random, width, in));
        in = width;
    }
    m.layers.push_back(toy::randomLayer(random, o.modes, in));
    m.output_limit = VectorF::Constant(o.modes, 20);
    m.subspace.mean = toy::randomMatrix(random, 3 * o.vertices, 1, 0.01);
    m.subspace.basis = toy::randomMatrix(random, 3 * o.vertices, o.modes, 0.02);
    t.frames = toy::randomMatrix(random, o.modes, 40, 1);
    t.body = toy::flatBody(t.character, o.vertices);
    auto file = pack(t.character, t.mesh, t.skin, m, t.frames,
                     {.encoding = o.encoding, .body = o.body ? &t.body : nullptr});
    EXPECT_TRUE(file) << (file ? "" : file.error().message);
    if (file) t.file = std::move(*file);
    return t;
}

inline std::vector<Affine> asAffine(const std::vector<float>& joints) {
    std::vector<Affine> matrices(joints.size() / 12);
    std::memcpy(&matrices[0].m[0][0], joints.data(), joints.size() * sizeof(float));
    return matrices;
}

}  // namespace hem
