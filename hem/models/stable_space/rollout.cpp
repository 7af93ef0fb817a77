// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>

#include "hem/core/check.h"
#include "hem/models/stable_space/linear_inputs.h"
#include "hem/models/stable_space/model.h"

namespace hem {

namespace {

// The roots of a clip with `count` more in front, as the reset sees them.
std::vector<Root> withPast(const std::vector<Root>& roots, int count, bool root_motion) {
    CHECK(!roots.empty());
    const RootMotion motion = root_motion ? initialMotion(roots) : RootMotion{};
    std::vector<Root> all = rootsBefore(roots[0], motion, count);
    all.insert(all.end(), roots.begin(), roots.end());
    return all;
}

MatrixF rolloutOf(const LinearDynamics& dynamics, const StableSpace& model, const LatentClip& clip,
                  bool root_motion) {
    const MatrixF features = poseFeatures(model.pose, clip.joints);
    MatrixF inputs = linearInputs(features, withPast(clip.roots, dynamics.order, root_motion),
                                  dynamics.order, dynamics.uses_root);
    clampInputs(model.range, inputs);
    return runLinearFromReset(dynamics, model.output_limit, features, inputs);
}

VectorF silu(const VectorF& x) { return (x.array() / (1 + (-x.array()).exp())).matrix(); }

VectorF apply(const Layer& layer, const VectorF& x) { return layer.weights * x + layer.bias; }

VectorF residual(const Layer& layer, const VectorF& x) { return x + silu(apply(layer, x)); }

// g = [f; v; w] of frame t; roots have one more in front.
VectorF poseAndRoot(const MatrixF& features, const std::vector<Root>& roots, Eigen::Index t,
                    double rate) {
    const Root &before = roots[size_t(t)], &now = roots[size_t(t + 1)];
    const Vec3 way = now.position - before.position;
    const double s = std::sin(double(now.heading)), c = std::cos(double(now.heading));
    VectorF g(features.rows() + 4);
    g << features.col(t), float((c * way.x - s * way.z) * rate), float(way.y * rate),
        float((s * way.x + c * way.z) * rate), float((now.heading - before.heading) * rate);
    return g;
}

VectorF modalInput(const VectorF& g, const VectorF& g_before) {
    const Eigen::Vector3f v = g.segment<3>(g.size() - 4);
    const float w = g[g.size() - 1];
    VectorF i(2 * g.size() + 7);
    i << g, g - g_before, v.cwiseProduct(v.cwiseAbs()), w * w, w * v;
    return i;
}

struct ModalStep {
    const StableSpace& model;
    const ModalDynamics& d;
    Eigen::ArrayXcf lambda;

    ModalStep(const StableSpace& space, const ModalDynamics& dynamics)
        : model(space), d(dynamics), lambda(dynamics.angle.size()) {
        for (Eigen::Index m = 0; m < lambda.size(); ++m)
            lambda[m] = std::polar(std::exp(-std::exp(d.log_decay[m])), d.angle[m]);
    }

    VectorF clamped(const VectorF& i) const {
        MatrixF u = i;
        clampInputs(model.range, u);
        return u;
    }
    Eigen::ArrayXcf driveOf(const VectorF& a) const {
        const VectorF b = apply(d.drive, a);
        Eigen::ArrayXcf drive(lambda.size());
        drive.real() = b.head(lambda.size()).array();
        drive.imag() = b.tail(lambda.size()).array();
        return drive;
    }
    VectorF output(const VectorF& u, const VectorF& a, const Eigen::ArrayXcf& h) const {
        VectorF state(2 * h.size()), ah(a.size() + state.size());
        state << h.real().matrix(), h.imag().matrix();
        ah << a, state;
        const VectorF e = residual(d.outer_residual, silu(apply(d.outer, ah)));
        VectorF all(u.size() + state.size() + e.size());
        all << u, state, e;
        const VectorF y = apply(d.output, all);
        return y.cwiseMax(-model.output_limit).cwiseMin(model.output_limit);
    }
};

// At the reset h is where it would be if the first inputs had lasted for ever.
MatrixF rolloutOf(const ModalDynamics& dynamics, const StableSpace& model, const LatentClip& clip,
                  double rate, bool root_motion) {
    const ModalStep step(model, dynamics);
    const MatrixF features = poseFeatures(model.pose, clip.joints);
    std::vector<Root> roots = withPast(clip.roots, 1, root_motion);
    MatrixF y(dynamics.output.bias.size(), features.cols());
    VectorF before;
    Eigen::ArrayXcf h;
    for (Eigen::Index t = 0; t < features.cols(); ++t) {
        const VectorF g = poseAndRoot(features, roots, t, rate);
        const VectorF u = step.clamped(modalInput(g, t ? before : g));
        const VectorF a = residual(dynamics.input_residual, silu(apply(dynamics.input, u)));
        const Eigen::ArrayXcf drive = step.driveOf(a);
        h = t ? Eigen::ArrayXcf(step.lambda * h + drive)
              : Eigen::ArrayXcf(drive / (1.0f - step.lambda));
        y.col(t) = step.output(u, a, h);
        before = g;
    }
    return y;
}

}  // namespace

MatrixF rollout(const StableSpace& model, const LatentClip& clip, double rate, bool root_motion) {
    if (const auto* linear = std::get_if<LinearDynamics>(&model.dynamics))
        return rolloutOf(*linear, model, clip, root_motion);
    return rolloutOf(std::get<ModalDynamics>(model.dynamics), model, clip, rate, root_motion);
}

double latentError(const MatrixF& y, const LatentClip& clip, size_t vertices) {
    CHECK(y.rows() == clip.cloth.rows() && y.cols() == clip.cloth.cols() && y.cols() > 0);
    return double((y - clip.cloth).colwise().norm().mean()) / std::sqrt(double(vertices));
}

}  // namespace hem
