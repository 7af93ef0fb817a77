// SPDX-License-Identifier: Apache-2.0
// How fast characters are posed and skinned, on one core.
//   character_bench [--csv]
// References: for posing, the bare 3x4 matrix products that it cannot do without; for skinning, a
// pass that reads the rest vertices and the weights and writes as many vertices.
#include <cstring>

#include "bench/bench.h"
#include "hem/character/mannequin/mannequin.h"

namespace hem {
namespace {

using bench::Row;

constexpr size_t kCharacters = 1000;
constexpr size_t kJoints = 30;

// A chain-rich tree of 30 joints, about a humanoid's depth.
Skeleton treeOfThirty() {
    Skeleton skeleton;
    for (size_t j = 0; j < kJoints; ++j) {
        const int parent = j == 0 ? kNoParent : j % 6 == 1 ? 0 : int(j) - 1;
        skeleton.joints.push_back({std::to_string(j), parent, {Quat{}, {0.1f, 0.2f, 0}}});
    }
    return skeleton;
}

Row posing() {
    const Skeleton skeleton = treeOfThirty();
    const std::vector<Affine> inverse_rest = inverseRestMatrices(skeleton);
    std::vector<Pose> poses(kCharacters, restPose(skeleton));
    for (size_t i = 0; i < kCharacters; ++i)
        for (size_t j = 0; j < kJoints; ++j)
            poses[i].rotations[j] = fromAxisAngle({0, 0, 1}, 0.001f * float(i + j));
    std::vector<Affine> out(kCharacters * kJoints);
    const double posed = bench::leastSeconds([&] {
        for (size_t i = 0; i < kCharacters; ++i)
            skinningMatrices(skeleton, poses[i], inverse_rest.data(), &out[i * kJoints]);
        bench::keep(out[0]);
    });
    std::vector<Affine> factors(out);
    const double products = bench::leastSeconds([&] {
        for (size_t i = 0; i < kCharacters; ++i)
            for (size_t j = 0; j < kJoints; ++j) {
                const Affine& f = factors[i * kJoints + j];
                out[i * kJoints + j] = (f * inverse_rest[j]) * f;
            }
        bench::keep(out[0]);
    });
    return {"pose 1,000 characters of 30 joints", posed, "the matrix products alone", products,
            5e-3};
}

std::vector<Affine> walkingMatrices(const Character& body) {
    Pose pose = restPose(body.skeleton);
    for (size_t j = 0; j < pose.rotations.size(); ++j)
        pose.rotations[j] = fromAxisAngle({1, 0, 0}, 0.02f * float(j));
    std::vector<Affine> matrices(body.skeleton.size());
    skinningMatrices(body.skeleton, pose, body.skin.joint_from_rest.data(), matrices.data());
    return matrices;
}

double streamingPass(const Character& body, std::vector<Vec3>& out) {
    const auto& rest = body.mesh.positions;
    const size_t influences = size_t(body.skin.influences);
    return bench::leastSeconds(
        [&] {
            for (size_t v = 0; v < rest.size(); ++v)
                out[v] = rest[v] * body.skin.weights[v * influences];
            bench::keep(out[0]);
        },
        100);
}

void skinning(Sex sex, std::vector<Row>& rows) {
    const Character body = mannequin(sex);
    const std::vector<Affine> matrices = walkingMatrices(body);
    std::vector<Vec3> out(body.mesh.positions.size());
    const double reference = streamingPass(body, out);
    const double linear = bench::leastSeconds(
        [&] {
            skinLinear(body.skin, body.mesh.positions.data(), matrices.data(), out.data());
            bench::keep(out[0]);
        },
        100);
    const double exponential = bench::leastSeconds([&] {
        skinExponential(body.skin, body.mesh.positions.data(), matrices.data(), out.data());
        bench::keep(out[0]);
    });
    const std::string name = std::string(nameOf(sex)) + " mannequin";
    rows.push_back(
        {"skin the " + name + " (linear)", linear, "a streaming pass", reference, 30e-6});
    rows.push_back(
        {"skin the " + name + " (exponential)", exponential, "a streaming pass", reference, 0});
}

}  // namespace
}  // namespace hem

int main(int argc, char** argv) {
    using namespace hem;
    std::vector<bench::Row> rows{posing()};
    for (Sex sex : {Sex::kFemale, Sex::kMale}) skinning(sex, rows);
    bench::print(rows, argc > 1 && std::strcmp(argv[1], "--csv") == 0);
}
