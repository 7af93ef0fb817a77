// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/linear_inputs.h"

#include <cmath>

#include "hem/core/check.h"

namespace hem {

namespace {

// R_y(angle) v
Vec3 turned(Vec3 v, float angle) {
    const float s = std::sin(angle), c = std::cos(angle);
    return {c * v.x + s * v.z, v.y, c * v.z - s * v.x};
}

// z of `at` with respect to `from`, written to five floats.
void relativeRoot(const Root& at, const Root& from, float* z) {
    const Vec3 way = turned(at.position - from.position, -from.heading);
    const float turn = at.heading - from.heading;
    z[0] = way.x, z[1] = way.y, z[2] = way.z;
    z[3] = std::sin(turn), z[4] = std::cos(turn);
}

}  // namespace

RootMotion initialMotion(std::span<const Root> roots) {
    if (roots.size() < 2) return {};
    return {turned(roots[1].position - roots[0].position, -roots[0].heading),
            roots[1].heading - roots[0].heading};
}

std::vector<Root> rootsBefore(const Root& first, const RootMotion& motion, int count) {
    std::vector<Root> roots(static_cast<size_t>(count));
    Root at = first;
    for (int i = count - 1; i >= 0; --i) {
        at = {at.position - turned(motion.step, at.heading), at.heading - motion.turn};
        roots[size_t(i)] = at;
    }
    return roots;
}

MatrixF poseFeatures(const PoseFeatures& pose, const MatrixF& joints) {
    MatrixF read(12 * Eigen::Index(pose.joints.size()), joints.cols());
    for (size_t j = 0; j < pose.joints.size(); ++j)
        read.middleRows(12 * Eigen::Index(j), 12) = joints.middleRows(12 * pose.joints[j], 12);
    return (pose.from_joints * read).colwise() + pose.offset;
}

MatrixF linearInputs(const MatrixF& features, std::span<const Root> roots, int order,
                     bool uses_root) {
    const Eigen::Index count = features.rows(), frames = features.cols();
    CHECK_EQ(roots.size(), size_t(frames + order));
    MatrixF inputs(linearInputCount(size_t(count), order, uses_root), frames);
    inputs.topRows(count) = features;
    if (!uses_root) return inputs;
    for (Eigen::Index t = 0; t < frames; ++t)
        for (int k = 0; k < order; ++k)
            relativeRoot(roots[size_t(t + order - k)], roots[size_t(t)],
                         &inputs(count + kRootInputs * k, t));
    return inputs;
}

void clampInputs(const InputRange& range, MatrixF& inputs) {
    for (auto column : inputs.colwise())
        column = ((column - range.offset).cwiseProduct(range.scale))
                     .cwiseMax(range.low)
                     .cwiseMin(range.high);
}

MatrixF runLinear(const LinearDynamics& dynamics, const VectorF& limit, const MatrixF& inputs,
                  MatrixF history) {
    const Eigen::Index modes = dynamics.weights.rows(), past = dynamics.order * modes;
    CHECK_EQ(dynamics.weights.cols(), inputs.rows() + past);
    CHECK_EQ(history.size(), past);
    MatrixF y = (dynamics.weights.leftCols(inputs.rows()) * inputs).colwise() + dynamics.bias;
    const MatrixF b = dynamics.weights.rightCols(past);
    for (auto frame : y.colwise()) {
        if (past) frame.noalias() += b * history.reshaped();
        frame = frame.cwiseMax(-limit).cwiseMin(limit).eval();
        if (!past) continue;
        history.rightCols(dynamics.order - 1) = history.leftCols(dynamics.order - 1).eval();
        history.col(0) = frame;
    }
    return y;
}

MatrixF runLinearFromReset(const LinearDynamics& dynamics, const VectorF& limit,
                           const MatrixF& features, const MatrixF& inputs) {
    const int order = dynamics.order;
    const Eigen::Index frames = inputs.cols(), modes = dynamics.weights.rows();
    auto fixed = [&](Eigen::Index t) {
        const VectorF y = dynamics.static_weights * features.col(t) + dynamics.static_bias;
        return VectorF(y.cwiseMax(-limit).cwiseMin(limit));
    };
    if (order == 0) return runLinear(dynamics, limit, inputs, MatrixF(modes, 0));
    MatrixF y(modes, frames), history = fixed(0).replicate(1, order);
    Eigen::Index start = 1;
    if (dynamics.warm_up > 0) {
        const MatrixF warm =
            runLinear(dynamics, limit, inputs.col(0).replicate(1, dynamics.warm_up), history);
        for (int k = 0; k < order; ++k)
            if (k < dynamics.warm_up) history.col(k) = warm.col(dynamics.warm_up - 1 - k);
        y.col(0) = history.col(0);
    } else {
        start = std::min<Eigen::Index>(order, frames);
        for (Eigen::Index t = 0; t < start; ++t) y.col(t) = fixed(t);
        for (Eigen::Index k = 0; k < start; ++k) history.col(k) = y.col(start - 1 - k);
    }
    y.rightCols(frames - start) =
        runLinear(dynamics, limit, inputs.rightCols(frames - start), history);
    return y;
}

}  // namespace hem
