// SPDX-License-Identifier: Apache-2.0
#include "hem/subspace/body_subspace.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/random.h"
#include "hem/subspace/canonical.h"

namespace hem {
namespace {

// A cloud of points about the joints of a skeleton, with weights of four joints each.
Character cloudBody() {
    Character body{.name = "cloud", .skeleton = mannequinSkeleton(Sex::kFemale)};
    const std::vector<Affine> inverse = inverseRestMatrices(body.skeleton);
    Random random(3);
    std::vector<std::vector<Influence>> influences;
    const int joints = int(body.skeleton.size());
    for (int v = 0; v < 400; ++v) {
        const int near = v % joints;
        const Vec3 joint = inverse[size_t(near)].translation() * -1.0f;
        body.mesh.positions.push_back(
            joint + Vec3{random.normal(), random.normal(), random.normal()} * 0.05f);
        influences.push_back({{near, 1.0f},
                              {std::max(0, near - 1), random.uniform()},
                              {random.integer(0, joints - 1), 0.2f}});
    }
    body.skin = makeSkin(influences, inverse, 4);
    return body;
}

std::vector<Pose> wildPoses(const Skeleton& skeleton, int count, uint64_t seed) {
    Random random(seed);
    std::vector<Pose> poses;
    for (int i = 0; i < count; ++i) {
        Pose pose = restPose(skeleton);
        pose.root_position = {random.uniform(-20, 20), 1, random.uniform(-20, 20)};
        pose.rotations[0] = fromAxisAngle({0, 1, 0}, random.uniform(-3, 3));
        for (size_t j = 1; j < pose.rotations.size(); ++j)
            pose.rotations[j] =
                pose.rotations[j] *
                exponential(Vec3{random.normal(), random.normal(), random.normal()} * 0.3f);
        poses.push_back(pose);
    }
    return poses;
}

// The clip's joints and roots; and its canonical body, the long way, 3 * vertices by frames.
struct Long {
    LatentClip clip;
    MatrixD body;
};
Long longWay(const Character& body, const std::vector<Pose>& poses) {
    Motion motion{.skeleton = body.skeleton, .frames = poses};
    Long out;
    out.clip.roots = rootsOf(motion, *findHipJoints(body.skeleton));
    const auto frames = Eigen::Index(poses.size());
    out.clip.cloth.setZero(1, frames);
    out.clip.joints.resize(Eigen::Index(12 * body.skeleton.size()), frames);
    MatrixF positions(Eigen::Index(3 * body.mesh.positions.size()), frames);
    std::vector<Affine> matrices(body.skeleton.size());
    for (Eigen::Index f = 0; f < frames; ++f) {
        const Root& root = out.clip.roots[size_t(f)];
        skinningMatrices(body.skeleton, poses[size_t(f)], body.skin.joint_from_rest.data(),
                         matrices.data());
        canonicalJoints(matrices, root, out.clip.joints.col(f).data());
        canonicalPositions(posedVertices(body, poses[size_t(f)]), root, positions.col(f).data());
    }
    out.body = positions.cast<double>();
    return out;
}

TEST(BodySubspace, FoldedIntoTheJointsItEqualsSkinningTheMeshAndProjecting) {
    const Character body = cloudBody();
    const Long train = longWay(body, wildPoses(body.skeleton, 60, 1));
    const Long other = longWay(body, wildPoses(body.skeleton, 20, 2));
    const BodySubspace subspace = fitBodySubspace(body, {train.clip}, 24);
    ASSERT_EQ(subspace.modes(), 24u);

    const VectorD mean = train.body.rowwise().mean();
    const MatrixD centred = train.body.colwise() - mean;
    const Eigen::BDCSVD<MatrixD> svd(centred, Eigen::ComputeThinU);
    const MatrixD x_long = svd.matrixU().leftCols(24).transpose() * (other.body.colwise() - mean);
    const MatrixF x = (subspace.from_joints * other.clip.joints).colwise() + subspace.offset;
    for (Eigen::Index m = 0; m < 24; ++m) {
        const double variance = svd.singularValues()[m] * svd.singularValues()[m] / 60;
        EXPECT_NEAR(subspace.variance[m], variance, 1e-5 * variance);
        // a direction is known up to its sign
        const VectorD a = x.row(m).cast<double>(), b = x_long.row(m);
        EXPECT_LT(std::min((a - b).cwiseAbs().maxCoeff(), (a + b).cwiseAbs().maxCoeff()), 1e-4)
            << "mode " << m << " of size " << b.cwiseAbs().maxCoeff();
    }
    EXPECT_NEAR(subspace.total_variance, centred.squaredNorm() / 60,
                1e-5 * subspace.total_variance);
}

TEST(BodySubspace, AMotionOfOneJointHasNoMoreModesThanItHasFreedom) {
    const Character body = cloudBody();
    std::vector<Pose> poses(30, restPose(body.skeleton));
    for (size_t i = 0; i < poses.size(); ++i)
        poses[i].rotations[3] = poses[i].rotations[3] * fromAxisAngle({1, 0, 0}, 0.05f * float(i));
    const BodySubspace subspace = fitBodySubspace(body, {longWay(body, poses).clip}, 24);
    EXPECT_EQ(subspace.modes(), 2u);  // sine and cosine
}

}  // namespace
}  // namespace hem
