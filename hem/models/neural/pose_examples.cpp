// SPDX-License-Identifier: Apache-2.0
#include "hem/models/neural/pose_examples.h"

#include "hem/core/parallel.h"

namespace hem {
namespace {

Vec3 mirrored(Vec3 v) { return {-v.x, v.y, v.z}; }

// What moves the mirrored points as `m` moves the points.
Affine mirrored(Affine m) {
    for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column)
            if ((row == 0) != (column == 0)) m.m[row][column] = -m.m[row][column];
    return m;
}

std::vector<Affine> mirrored(const std::vector<Affine>& canonical, const MirrorPartners& partners) {
    std::vector<Affine> result(canonical.size());
    for (size_t j = 0; j < canonical.size(); ++j)
        result[partners.joints[j]] = mirrored(canonical[j]);
    return result;
}

// A pose of the set, the world turned and moved to the canonical frame.
struct Example {
    std::vector<Affine> matrices;
    std::vector<Vec3> cloth, skinned;
};

Example exampleOf(const PoseSet& set, const HipJoints& hips, uint32_t number) {
    const CanonicalPose pose = canonicalPose(set.character(), hips, set.matrices(number));
    const Affine turn = canonicalFromWorld(pose.root);
    Example example{pose.matrices, {}, {}};
    for (const Vec3 p : set.restCloth(number)) example.cloth.push_back(transformPoint(turn, p));
    for (const Vec3 p : set.skinned(number)) example.skinned.push_back(transformPoint(turn, p));
    return example;
}

Example mirrored(const PoseSet& set, const Example& example, const MirrorPartners& partners) {
    Example result{mirrored(example.matrices, partners), std::vector<Vec3>(set.vertices()),
                   std::vector<Vec3>(set.vertices())};
    for (size_t v = 0; v < set.vertices(); ++v)
        result.cloth[partners.vertices[v]] = mirrored(example.cloth[v]);
    skinLinear(set.garmentSkin(), set.garmentRest().data(), result.matrices.data(),
               result.skinned.data());
    return result;
}

}  // namespace

Result<PoseExamples> readExamples(const PoseSet& set, PoseSplit part, RotationNumbers numbers,
                                  const MirrorPartners* partners) {
    const std::vector<uint32_t> poses = set.members(part);
    if (poses.empty())
        return errorf("%s: no poses in this part of the set; make more with hemline poses",
                      set.folder().c_str());
    const auto hips = findHipJoints(set.character().skeleton);
    if (!hips) return inContext(set.folder(), hips.error());
    const auto rotations = jointRotations(set.character(), set.inputJoints());
    const auto columns = Eigen::Index(poses.size() * (partners ? 2 : 1));
    PoseExamples examples{MatrixF(Eigen::Index(rotations.size()) * int(numbers), columns),
                          MatrixF(3 * Eigen::Index(set.vertices()), columns)};
    const auto put = [&](const Example& example, size_t at) {
        const auto column = Eigen::Index(at);
        readRotations(rotations, numbers, example.matrices, &examples.inputs(0, column));
        for (size_t v = 0; v < example.cloth.size(); ++v) {
            const Vec3 offset = example.cloth[v] - example.skinned[v];
            for (int axis = 0; axis < 3; ++axis)
                examples.offsets(3 * Eigen::Index(v) + axis, column) = offset[axis];
        }
    };
    parallelFor(poses.size(), 64, [&](size_t begin, size_t count) {
        for (size_t i = begin; i < begin + count; ++i) {
            const Example example = exampleOf(set, *hips, poses[i]);
            put(example, i);
            if (partners) put(mirrored(set, example, *partners), poses.size() + i);
        }
    });
    return examples;
}

}  // namespace hem
