// SPDX-License-Identifier: Apache-2.0
// A small garment with random but well-behaved numbers, and a smooth motion to wear it in.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "hem/core/portable_math.h"
#include "hem/core/random.h"
#include "hem/pack/mirror.h"
#include "hem/pack/pack.h"
#include "hem/runtime/hem.h"
#include "tests/character/t_body.h"

namespace hem {

struct ToyOptions {
    bool modal = true;
    int order = 2, warm_up = 60;  // linear kind
    bool uses_root = true;
    int vertices = 50, modes = 7, features = 5;
    int hidden = 20, states = 9, outer = 18;
    BasisEncoding encoding = BasisEncoding::kFloat32;
    float tolerance_um = 300;
    double range = 1e3;     // inputs are clamped to so many times their usual size
    bool body = false;      // flatBody() goes into the file
    bool mirrored = false;  // the cloth is its own mirror image, and every third mode odd
    bool halve = true;      // and the file keeps one half of it
    bool seam = false;      // texture coordinates, with a seam across the middle of the strip
    uint64_t seed = 1;
};

constexpr float kToySkin = 0.01f;  // the toy's skin is the plane z = kToySkin, seen from +z

struct Toy {
    Character character;
    Mesh mesh;
    Subspace subspace;
    StableSpace model;
    MatrixF frames;
    BodyProxy body;
    std::vector<Vec2> corner_uvs;
    std::vector<std::byte> file;

    const hem_Garment* open() const {
        hem_Error error;
        const hem_Garment* garment = hem_open(file.data(), file.size(), &error);
        EXPECT_EQ(error, HEM_OK) << hem_errorText(error);
        return garment;
    }
};

namespace toy {

inline MatrixF randomMatrix(Random& random, int rows, int columns, double size) {
    MatrixF m(rows, columns);
    for (int c = 0; c < columns; ++c)
        for (int r = 0; r < rows; ++r) m(r, c) = float(size) * random.normal();
    return m;
}
inline Layer randomLayer(Random& random, int out, int in) {
    return {randomMatrix(random, out, in, 1 / std::sqrt(in)), randomMatrix(random, out, 1, 0.1)};
}

inline LinearDynamics linearDynamics(Random& random, const ToyOptions& o, int inputs) {
    LinearDynamics d;
    d.order = o.order;
    d.uses_root = o.uses_root;
    d.warm_up = o.warm_up;
    d.weights = randomMatrix(random, o.modes, inputs + o.order * o.modes, 0.15);
    // damped oscillators, a little coupled, so that motion dies out
    d.weights.rightCols(o.order * o.modes) *= 0.1f;
    for (int m = 0; m < o.modes && o.order >= 2; ++m) {
        d.weights(m, inputs + m) += 1.3f;
        d.weights(m, inputs + o.modes + m) -= 0.55f;
    }
    d.bias = randomMatrix(random, o.modes, 1, 0.02);
    d.static_weights = randomMatrix(random, o.modes, o.features, 0.3);
    d.static_bias = randomMatrix(random, o.modes, 1, 0.05);
    return d;
}

inline ModalDynamics modalDynamics(Random& random, const ToyOptions& o, int inputs) {
    ModalDynamics d;
    d.log_decay.resize(o.states);
    d.angle.resize(o.states);
    for (int i = 0; i < o.states; ++i) {
        d.log_decay[i] = random.uniform(-3.0f, -1.0f);  // |lambda| from 0.69 to 0.95
        d.angle[i] = random.uniform(0.0f, 0.8f);
    }
    d.input = randomLayer(random, o.hidden, inputs);
    d.input_residual = randomLayer(random, o.hidden, o.hidden);
    d.drive = randomLayer(random, 2 * o.states, o.hidden);
    d.drive.weights *= 0.3f;
    d.outer = randomLayer(random, o.outer, o.hidden + 2 * o.states);
    d.outer_residual = randomLayer(random, o.outer, o.outer);
    d.output = randomLayer(random, o.modes, inputs + 2 * o.states + o.outer);
    d.output.weights *= 0.3f;
    return d;
}

// A strip of triangles.
inline Mesh stripMesh(int vertices) {
    Mesh mesh;
    for (int i = 0; i < vertices; ++i)
        mesh.positions.push_back({float(i / 2) * 0.05f, float(i % 2) * 0.05f, 0});
    for (int i = 0; i + 2 < vertices; ++i) {
        const auto a = uint32_t(i);
        if (i % 2)
            mesh.triangles.push_back({a, a + 1, a + 2});
        else
            mesh.triangles.push_back({a + 1, a, a + 2});
    }
    return mesh;
}

// The strip's own places, its second half moved away: the seam's vertices have two each.
inline std::vector<Vec2> seamedUvs(const Mesh& mesh) {
    std::vector<Vec2> uvs;
    for (size_t t = 0; t < mesh.triangles.size(); ++t)
        for (uint32_t v : mesh.triangles[t])
            uvs.push_back({mesh.positions[v].x + (2 * t < mesh.triangles.size() ? 0.0f : 3.0f),
                           mesh.positions[v].y});
    return uvs;
}

// A plane across the middle of the strip, which is there on both sides of it. Carried by the hips,
// and by hands that nothing else reads. One row of points is for the first vertices alone.
inline BodyProxy flatBody(const Character& character, int vertices) {
    BodyProxy body;
    const int hips = 0, hand = character.skeleton.find("LeftHand");
    const Vec3 root = character.skeleton.joints[0].parent_from_rest.translation;
    for (int y : {-4, -1, 2, 5}) {
        if (y == 5) body.common_points = body.points.size();
        for (int x = -4; x < 2 * vertices; x += 2) {
            const Vec3 at = root + Vec3{float(x), float(y), 0} * 0.02f;
            body.points.push_back({{at.x, at.y, at.z + kToySkin - 0.02f}, {0, 0, 1}, 0.02f, {}});
            body.points.back().influences = {{hips, 0.9f}, {hand, 0.1f}};
        }
    }
    for (int first = 0; first < vertices; first += 8) {
        BodyProxy::Tile tile;
        for (int v = first; v < std::min(first + 8, vertices); ++v) tile.push_back(uint32_t(v));
        body.tiles.push_back(tile);
    }
    body.worn_tiles = 1;
    body.reach = 0.08f;
    body.distance = 0.002f;
    body.most = 0.05f;
    return body;
}

// The first vertices are the left half with a sixth of them all in the middle, among the others; then
// comes the right half in the same order.
inline Mirror toyMirror(int vertices, int modes) {
    Mirror mirror;
    const int middle = vertices % 2 + vertices / 12 * 2, half = (vertices + middle) / 2;
    for (int v = 0, right = half; v < half; ++v) {
        const bool is_middle = v % 3 == 1 && v / 3 < middle;
        mirror.left.push_back(uint32_t(v));
        mirror.right.push_back(uint32_t(is_middle ? v : right++));
    }
    for (int m = 0; m < modes; ++m) mirror.is_odd.push_back(m % 3 == 1);
    return mirror;
}

// The strip and its subspace made what the mirror says.
inline void reflect(const Mirror& mirror, Mesh& mesh, Subspace& subspace) {
    for (size_t v = 0; v < mirror.left.size(); ++v) {
        Vec3& left = mesh.positions[mirror.left[v]];
        left = mirror.left[v] == mirror.right[v] ? Vec3{0, left.x, 0} : left + Vec3{0.1f, 0, 0};
        mesh.positions[mirror.right[v]] = {-left.x, left.y, left.z};
    }
    subspace = mirrored(subspace, mirror);
}

}  // namespace toy

inline Toy makeToy(const ToyOptions& o = {}) {
    Random random(o.seed);
    Toy t;
    t.character = tBody();
    t.mesh = toy::stripMesh(o.vertices);
    t.subspace.mean.resize(3 * o.vertices);
    for (int v = 0; v < o.vertices; ++v)
        for (int i = 0; i < 3; ++i)
            t.subspace.mean[3 * v + i] = t.mesh.positions[size_t(v)][i] + 0.01f * random.normal();
    t.subspace.basis = toy::randomMatrix(random, 3 * o.vertices, o.modes, 0.02);
    t.subspace.variance = VectorD::Ones(o.modes);
    if (o.mirrored) toy::reflect(toy::toyMirror(o.vertices, o.modes), t.mesh, t.subspace);

    StableSpace& model = t.model;
    model.kind = o.modal ? "S" : "C";
    model.pose.joints = {0, 3, 4, 9, 10, 1};
    const int inputs =
        o.modal ? 2 * (o.features + 4) + 7 : o.features + (o.uses_root ? 5 * o.order : 0);
    model.pose.from_joints = toy::randomMatrix(random, o.features, 12 * 6, 0.3);
    model.pose.offset = toy::randomMatrix(random, o.features, 1, 0.2);
    model.range.offset = toy::randomMatrix(random, inputs, 1, 0.1);
    model.range.scale = VectorF::Constant(inputs, 0.7f);
    model.range.low = VectorF::Constant(inputs, float(-o.range));
    model.range.high = VectorF::Constant(inputs, float(o.range));
    if (o.modal)
        model.dynamics = toy::modalDynamics(random, o, inputs);
    else
        model.dynamics = toy::linearDynamics(random, o, inputs);
    model.output_limit = VectorF::Constant(o.modes, 20);
    model.proof = {0.95, 1, 20};
    t.frames = toy::randomMatrix(random, o.modes, 40, 1);
    t.body = toy::flatBody(t.character, o.vertices);
    if (o.seam) t.corner_uvs = toy::seamedUvs(t.mesh);
    auto file = pack(t.character, t.mesh, t.subspace, model, t.frames,
                     {.encoding = o.encoding,
                      .tolerance_um = o.tolerance_um,
                      .rate = 30,
                      .info_json = "{\"name\": \"toy\"}",
                      .body = o.body ? &t.body : nullptr,
                      .corner_uvs = t.corner_uvs,
                      .mirror = o.halve});
    EXPECT_TRUE(file) << (file ? "" : file.error().message);
    if (file) t.file = std::move(*file);
    return t;
}

// A body that walks a bend and swings its legs; smooth in time, and the same bits on every machine.
inline Pose toyPose(const Skeleton& skeleton, double seconds, double phase = 0) {
    const auto at = [&](double rate, double shift) {
        return float(portable::sin(rate * seconds + phase + shift));
    };
    Pose pose = restPose(skeleton);
    pose.root_position = pose.root_position + Vec3{float(seconds) + 0.3f * at(1.1, 0),
                                                   0.05f * at(4, 1), 0.5f * at(0.9, 2)};
    pose.rotations[0] =
        portable::fromAxisAngle({0, 1, 0}, 0.8f * at(1.3, 0.5) + float(0.3 * seconds)) *
        portable::fromAxisAngle({1, 0, 0}, 0.1f * at(3, 0));
    for (const char* side : {"Left", "Right"}) {
        const double shift = side[0] == 'L' ? 0 : 3.14;
        pose.rotations[size_t(skeleton.find(std::string(side) + "UpLeg"))] =
            portable::fromAxisAngle({1, 0, 0}, 0.6f * at(5, shift));
        pose.rotations[size_t(skeleton.find(std::string(side) + "Leg"))] =
            portable::fromAxisAngle({1, 0, 0}, 0.4f + 0.3f * at(5, shift + 1));
    }
    return pose;
}

// The same as joint matrices, 12 floats a joint.
inline std::vector<float> toyJoints(const Skeleton& skeleton, double seconds, double phase = 0) {
    const Pose pose = toyPose(skeleton, seconds, phase);
    std::vector<Affine> matrices(skeleton.size());
    skinningMatrices(skeleton, pose, inverseRestMatrices(skeleton).data(), matrices.data());
    std::vector<float> joints(12 * skeleton.size());
    std::memcpy(joints.data(), matrices.data(), joints.size() * sizeof(float));
    return joints;
}

// One wearer with all of its buffers.
struct ToyWearer {
    explicit ToyWearer(const hem_Garment* g)
        : garment(g),
          state(hem_stateSize(g)),
          joints(12 * hem_jointCount(g)),
          positions(3 * hem_vertexCount(g)),
          normals(3 * hem_vertexCount(g)),
          weights(hem_modeCount(g)) {}

    hem_Batch batch() {
        hem_Batch b{};
        b.count = 1;
        b.states = state.data();
        b.joints = joints.data();
        b.positions = positions.data();
        b.normals = normals.data();
        b.weights = weights.data();
        b.confidence = &confidence;
        b.reports = &report;
        b.flags = flags;
        return b;
    }
    void reset(std::vector<float> j) { joints = std::move(j), hem_reset(garment, batch()); }
    void step(std::vector<float> j, float seconds) {
        joints = std::move(j);
        hem_step(garment, batch(), seconds);
    }

    const hem_Garment* garment;
    std::vector<std::byte> state;
    std::vector<float> joints, positions, normals, weights;
    float confidence = -1;
    uint8_t report = 255;
    unsigned flags = 0;
};

inline double largestDifference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double largest = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        const double difference = std::abs(double(a[i]) - b[i]);
        largest = difference <= largest ? largest : difference;  // NaN counts as larger
    }
    return largest;
}

}  // namespace hem
