// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/baselines.h"

#include <gtest/gtest.h>

#include "hem/subspace/canonical.h"
#include "tests/models/made_clips.h"
#include "tests/recording/toy_scene.h"

namespace hem {
namespace {

TEST(Baselines, TheNearestNeighbourOfATrainingFrameIsItself) {
    const auto clips = madeClips(madeDynamics(2, true, 8, 0.9, 5), 4, 50, 1);
    const Neighbours neighbours(madeBody(), clips);
    EXPECT_LT((neighbours.nearest(clips[2]) - clips[2].cloth).cwiseAbs().maxCoeff(), 1e-6f);
}

TEST(Baselines, KernelRegressionAveragesWhatTheNearestFramesSay) {
    // one feature; y is the frame's number
    LatentClip clip = madeMotion("line", 10, 1);
    clip.joints.setZero();
    clip.cloth.resize(1, 10);
    for (int t = 0; t < 10; ++t) clip.joints(1, t) = clip.cloth(0, t) = float(t);
    LatentClip asked = clip;
    asked.joints(1, 0) = 4.5f;
    const Neighbours neighbours(madeBody(), {clip});
    EXPECT_NEAR(neighbours.regressed(asked, 2)(0, 0), 4.5, 1e-5);
    EXPECT_NEAR(neighbours.regressed(asked, 4)(0, 0), 4.5, 1e-5);
    asked.joints(1, 0) = 4.2f;
    const float between = neighbours.regressed(asked, 2)(0, 0);
    EXPECT_GT(between, 4.2f);
    EXPECT_LT(between, 4.5f);
    EXPECT_EQ(neighbours.nearest(asked)(0, 0), 4);
}

TEST(Baselines, ASkinnedGarmentFollowsABodyThatMovesAsOne) {
    const Character body = toyBody();
    const Mesh garment = toyTube("tube").mesh;
    const Motion motion = toyMotion("walk", 20);
    const std::vector<Root> roots = rootsOf(motion, *findHipJoints(body.skeleton));
    std::vector<Affine> matrices(body.skeleton.size());
    std::vector<Vec3> positions(garment.positions.size());
    const GarmentSkinning skinning(body, garment);
    // the toy walks and turns stiffly: about its root the tube stands still
    VectorF rest(Eigen::Index(3 * positions.size())), about_root(rest.size());
    canonicalPositions(garment.positions, {restPose(body.skeleton).root_position, 0}, rest.data());
    for (size_t f = 0; f < motion.frames.size(); ++f) {
        skinningMatrices(body.skeleton, motion.frames[f], body.skin.joint_from_rest.data(),
                         matrices.data());
        skinning.skin(matrices.data(), positions.data());
        canonicalPositions(positions, roots[f], about_root.data());
        EXPECT_LT((about_root - rest).cwiseAbs().maxCoeff(), 2e-6f);
    }
    for (uint16_t joint : skinning.skin().joints) EXPECT_LE(joint, 1);
}

}  // namespace
}  // namespace hem
