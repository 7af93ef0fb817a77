// SPDX-License-Identifier: Apache-2.0
#include "hem/models/neural/pose_examples.h"

#include "hem/core/parallel.h"

namespace hem {

Result<PoseExamples> readExamples(const PoseSet& set, PoseSplit part, RotationNumbers numbers) {
    const std::vector<uint32_t> poses = set.members(part);
    if (poses.empty())
        return errorf("%s: no poses in this part of the set; make more with hemline poses",
                      set.folder().c_str());
    const auto hips = findHipJoints(set.character().skeleton);
    if (!hips) return inContext(set.folder(), hips.error());
    const auto rotations = jointRotations(set.character(), set.inputJoints());
    PoseExamples examples{
        MatrixF(Eigen::Index(rotations.size()) * int(numbers), Eigen::Index(poses.size())),
        MatrixF(3 * Eigen::Index(set.vertices()), Eigen::Index(poses.size()))};
    parallelFor(poses.size(), 64, [&](size_t begin, size_t count) {
        for (size_t i = begin; i < begin + count; ++i) {
            const auto column = Eigen::Index(i);
            const CanonicalPose pose =
                canonicalPose(set.character(), *hips, set.matrices(poses[i]));
            readRotations(rotations, numbers, pose.matrices, &examples.inputs(0, column));
            const Affine turn = canonicalFromWorld(pose.root);
            const auto cloth = set.restCloth(poses[i]), skinned = set.skinned(poses[i]);
            for (size_t v = 0; v < cloth.size(); ++v) {
                const Vec3 offset = transformVector(turn, cloth[v] - skinned[v]);
                for (int axis = 0; axis < 3; ++axis)
                    examples.offsets(3 * Eigen::Index(v) + axis, column) = offset[axis];
            }
        }
    });
    return examples;
}

}  // namespace hem
