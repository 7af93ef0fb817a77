// SPDX-License-Identifier: Apache-2.0
// The rollout of Model S against its equations (hem/runtime/format.h), one number after another.
#include <gtest/gtest.h>

#include <complex>

#include "tests/models/made_clips.h"

namespace hem {
namespace {

Layer madeLayer(int out, int in, Random& random) {
    Layer layer{MatrixF(out, in), VectorF(out)};
    for (float& w : layer.weights.reshaped()) w = 0.4f * random.normal();
    for (float& b : layer.bias) b = 0.2f * random.normal();
    return layer;
}

StableSpace madeModal() {
    Random random(7);
    const int inputs = 2 * (kMadeFeatures + 4) + 7, hidden = 9, states = 5, outer = 7, modes = 4;
    ModalDynamics d{.log_decay = VectorF(states), .angle = VectorF(states)};
    for (int s = 0; s < states; ++s)
        d.log_decay[s] = -1 - 0.4f * float(s), d.angle[s] = 0.2f * float(s);
    d.input = madeLayer(hidden, inputs, random);
    d.input_residual = madeLayer(hidden, hidden, random);
    d.drive = madeLayer(2 * states, hidden, random);
    d.outer = madeLayer(outer, hidden + 2 * states, random);
    d.outer_residual = madeLayer(outer, outer, random);
    d.output = madeLayer(modes, inputs + 2 * states + outer, random);
    StableSpace model{.kind = "S"};
    const BodySubspace body = madeBody();
    model.pose = {{0, 1}, body.from_joints, body.offset};
    model.range = {VectorF::Constant(inputs, 0.1f), VectorF::Constant(inputs, 1.5f),
                   VectorF::Constant(inputs, -0.9f), VectorF::Constant(inputs, 1.2f)};
    model.output_limit.setConstant(modes, 4);
    model.dynamics = d;
    return model;
}

using Numbers = std::vector<double>;

Numbers applied(const Layer& layer, const Numbers& x) {
    Numbers y;
    for (Eigen::Index r = 0; r < layer.bias.size(); ++r) {
        double sum = double(layer.bias[r]);
        for (size_t c = 0; c < x.size(); ++c)
            sum += double(layer.weights(r, Eigen::Index(c))) * x[c];
        y.push_back(sum);
    }
    return y;
}

Numbers silu(Numbers x) {
    for (double& v : x) v /= 1 + std::exp(-v);
    return x;
}

Numbers residual(const Layer& layer, Numbers x) {
    const Numbers added = silu(applied(layer, x));
    for (size_t k = 0; k < x.size(); ++k) x[k] += added[k];
    return x;
}

Numbers chained(Numbers a, const Numbers& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// g = [f; v; w] at frame t, coming from frame `before`'s root.
Numbers motionOf(const LatentClip& clip, const BodySubspace& body, size_t t, const Root& before,
                 const Root& now, double rate) {
    Numbers g;
    for (Eigen::Index f = 0; f < kMadeFeatures; ++f)
        g.push_back(double(body.from_joints.row(f).dot(clip.joints.col(Eigen::Index(t)))));
    const Affine turn = canonicalFromWorld({{}, now.heading});
    const Vec3 v = transformVector(turn, now.position - before.position);
    for (float c : {v.x, v.y, v.z}) g.push_back(double(c) * rate);
    g.push_back((double(now.heading) - double(before.heading)) * rate);
    return g;
}

Numbers inputOf(const Numbers& g, const Numbers& before, const InputRange& range) {
    Numbers i = g;
    for (size_t k = 0; k < g.size(); ++k) i.push_back(g[k] - before[k]);
    const double *v = &g[g.size() - 4], w = g.back();
    for (int c = 0; c < 3; ++c) i.push_back(v[c] * std::abs(v[c]));
    i.push_back(w * w);
    for (int c = 0; c < 3; ++c) i.push_back(w * v[c]);
    for (size_t k = 0; k < i.size(); ++k) {
        const auto e = Eigen::Index(k);
        i[k] = std::clamp((i[k] - double(range.offset[e])) * double(range.scale[e]),
                          double(range.low[e]), double(range.high[e]));
    }
    return i;
}

TEST(Rollout, ModelSFollowsItsEquations) {
    const StableSpace model = madeModal();
    const auto& d = std::get<ModalDynamics>(model.dynamics);
    LatentClip clip = madeMotion("walk", 60, 4);
    clip.roots[0].heading = clip.roots[1].heading;
    const MatrixF y = rollout(model, clip, 30);
    std::vector<std::complex<double>> h(5), lambda(5);
    for (Eigen::Index s = 0; s < 5; ++s)
        lambda[size_t(s)] =
            std::polar(std::exp(-std::exp(double(d.log_decay[s]))), double(d.angle[s]));
    Numbers before;
    for (size_t t = 0; t < 60; ++t) {
        // at the reset the body moves as it will move to frame 1
        const size_t to = std::max<size_t>(t, 1);
        const Numbers g = motionOf(clip, madeBody(), t, clip.roots[to - 1], clip.roots[to], 30);
        const Numbers u = inputOf(g, t ? before : g, model.range);
        const Numbers a = residual(d.input_residual, silu(applied(d.input, u)));
        const Numbers drive = applied(d.drive, a);
        Numbers real, imag;
        for (size_t s = 0; s < 5; ++s) {
            const std::complex<double> k(drive[s], drive[s + 5]);
            h[s] = t ? lambda[s] * h[s] + k : k / (1.0 - lambda[s]);
            real.push_back(h[s].real());
            imag.push_back(h[s].imag());
        }
        const Numbers state = chained(real, imag);
        const Numbers e = residual(d.outer_residual, silu(applied(d.outer, chained(a, state))));
        const Numbers out = applied(d.output, chained(chained(u, state), e));
        for (size_t m = 0; m < out.size(); ++m)
            EXPECT_NEAR(y(Eigen::Index(m), Eigen::Index(t)), std::clamp(out[m], -4.0, 4.0), 2e-4)
                << "frame " << t;
        before = g;
    }
}

TEST(Rollout, ABodyThatStandsWearsStillClothFromTheFirstFrame) {
    LatentClip clip = madeMotion("stand", 40, 4);
    for (Eigen::Index t = 1; t < 40; ++t) {
        clip.joints.col(t) = clip.joints.col(0);
        clip.roots[size_t(t)] = clip.roots[0];
    }
    const MatrixF y = rollout(madeModal(), clip, 30);
    for (Eigen::Index t = 1; t < 40; ++t)
        EXPECT_LT((y.col(t) - y.col(0)).cwiseAbs().maxCoeff(), 1e-4f);
}

TEST(Rollout, TheErrorIsTheRootMeanSquareOfTheVertices) {
    LatentClip clip;
    clip.cloth = MatrixF::Zero(2, 2);
    MatrixF y(2, 2);
    y << 3, 0, 4, 1;
    EXPECT_NEAR(latentError(y, clip, 4), (5.0 + 1.0) / 2 / 2, 1e-7);
}

}  // namespace
}  // namespace hem
