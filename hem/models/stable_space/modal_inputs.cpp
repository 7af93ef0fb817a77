// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/modal_inputs.h"

#include <algorithm>
#include <cmath>

#include "hem/core/check.h"

namespace hem {
namespace {

constexpr int kPerJoint = 12;
// Rows of an Affine that hold its rotation: all but each fourth, the translation.
bool isRotation(int entry) { return entry % 4 != 3; }

// Rotations of the joints read, 9 each, by frames.
MatrixF rotationsOf(const MatrixF& joints, const std::vector<uint16_t>& read) {
    MatrixF rotations(Eigen::Index(9 * read.size()), joints.cols());
    Eigen::Index row = 0;
    for (const uint16_t joint : read)
        for (int entry = 0; entry < kPerJoint; ++entry)
            if (isRotation(entry)) rotations.row(row++) = joints.row(kPerJoint * joint + entry);
    return rotations;
}

// Velocity in the frame of `heading` and rate of heading, between two frames, times the rate.
Eigen::Vector4f motionBetween(const Root& before, const Root& after, float heading, double rate) {
    const Vec3 moved = after.position - before.position;
    const float c = std::cos(heading), s = std::sin(heading);
    return float(rate) * Eigen::Vector4f(c * moved.x - s * moved.z, moved.y,
                                         s * moved.x + c * moved.z, after.heading - before.heading);
}

// 4 by frames.
MatrixF rootMotion(const std::vector<Root>& roots, double rate) {
    MatrixF motion = MatrixF::Zero(4, Eigen::Index(roots.size()));
    for (size_t t = 1; t < roots.size(); ++t)
        motion.col(Eigen::Index(t)) = motionBetween(roots[t - 1], roots[t], roots[t].heading, rate);
    if (roots.size() > 1) motion.col(0) = motionBetween(roots[0], roots[1], roots[0].heading, rate);
    return motion;
}

// Where the joint's 12 numbers start among those read; it is read from now on.
Eigen::Index columnsOf(uint16_t joint, PoseFeatures& pose) {
    const auto found = std::find(pose.joints.begin(), pose.joints.end(), joint);
    const Eigen::Index at = kPerJoint * (found - pose.joints.begin());
    if (found == pose.joints.end()) {
        pose.joints.push_back(joint);
        pose.from_joints.conservativeResize(Eigen::NoChange, at + kPerJoint);
        pose.from_joints.rightCols(kPerJoint).setZero();
    }
    return at;
}

void addPoint(const BodyPoint& point, PoseFeatures& pose) {
    const Eigen::Index at = columnsOf(point.joint, pose), row = pose.offset.size();
    pose.from_joints.conservativeResize(row + 3, Eigen::NoChange);
    pose.from_joints.bottomRows(3).setZero();
    for (Eigen::Index axis = 0; axis < 3; ++axis)
        pose.from_joints.block<1, 4>(row + axis, at + 4 * axis) << point.rest.x, point.rest.y,
            point.rest.z, 1.0f;
    pose.offset.conservativeResize(row + 3);
    pose.offset.tail(3).setZero();
}

}  // namespace

PoseFeatures fitPoseFeatures(const std::vector<LatentClip>& clips, std::vector<uint16_t> joints,
                             int directions, const std::vector<BodyPoint>& points) {
    CHECK(!clips.empty() && !joints.empty() && directions > 0);
    const Eigen::Index n = Eigen::Index(9 * joints.size());
    VectorD sum = VectorD::Zero(n);
    MatrixD square = MatrixD::Zero(n, n);
    double frames = 0;
    for (const LatentClip& clip : clips) {
        const MatrixD r = rotationsOf(clip.joints, joints).cast<double>();
        sum += r.rowwise().sum();
        square.noalias() += r * r.transpose();
        frames += double(r.cols());
    }
    const VectorD mean = sum / frames;
    const Eigen::SelfAdjointEigenSolver<MatrixD> pca(square / frames - mean * mean.transpose());
    const Eigen::Index kept = std::min<Eigen::Index>(
        directions, (pca.eigenvalues().array() > 1e-9 * pca.eigenvalues().maxCoeff()).count());
    const MatrixD along = pca.eigenvectors().rightCols(kept).rowwise().reverse();

    PoseFeatures pose;
    pose.from_joints = MatrixF::Zero(kept, Eigen::Index(kPerJoint * joints.size()));
    Eigen::Index column = 0;
    for (Eigen::Index entry = 0; entry < pose.from_joints.cols(); ++entry)
        if (isRotation(int(entry % kPerJoint)))
            pose.from_joints.col(entry) = along.row(column++).transpose().cast<float>();
    pose.offset = -(along.transpose() * mean).cast<float>();
    pose.joints = std::move(joints);
    for (const BodyPoint& point : points) addPoint(point, pose);
    return pose;
}

MatrixF modalInputs(const PoseFeatures& pose, const MatrixF& joints, const std::vector<Root>& roots,
                    double rate) {
    const Eigen::Index frames = joints.cols(), features = pose.offset.size();
    CHECK_EQ(size_t(frames), roots.size());
    MatrixF read(Eigen::Index(kPerJoint * pose.joints.size()), frames);
    for (size_t j = 0; j < pose.joints.size(); ++j)
        read.middleRows(Eigen::Index(kPerJoint * j), kPerJoint) =
            joints.middleRows(kPerJoint * pose.joints[j], kPerJoint);

    const Eigen::Index n = features + 4;
    MatrixF inputs = MatrixF::Zero(Eigen::Index(modalInputCount(size_t(features))), frames);
    inputs.topRows(features) = (pose.from_joints * read).colwise() + pose.offset;
    inputs.middleRows(features, 4) = rootMotion(roots, rate);
    if (frames > 1)
        inputs.block(n, 1, n, frames - 1) =
            inputs.block(0, 1, n, frames - 1) - inputs.block(0, 0, n, frames - 1);
    const auto v = inputs.middleRows(features, 3).array();
    const auto w = inputs.row(features + 3).array();
    inputs.middleRows(2 * n, 3) = v * v.abs();
    inputs.row(2 * n + 3) = w * w;
    for (int axis = 0; axis < 3; ++axis) inputs.row(2 * n + 4 + axis) = w * v.row(axis);
    return inputs;
}

}  // namespace hem
