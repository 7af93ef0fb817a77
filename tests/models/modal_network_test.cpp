// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/modal_network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "hem/core/random.h"
#include "hem/models/stable_space/modal_proof.h"

namespace hem {
namespace {

constexpr ModalSizes kSmall{.inputs = 5, .hidden = 6, .states = 3, .outer = 4, .modes = 2};

MatrixF noise(Eigen::Index rows, Eigen::Index columns, uint64_t seed) {
    Random random(seed);
    MatrixF m(rows, columns);
    for (Eigen::Index i = 0; i < m.size(); ++i) m.data()[i] = random.normal();
    return m;
}

// Of four vertices the last, the first and the second; columns of the basis are modes.
constexpr int kMeasured[] = {3, 0, 1};
MatrixF someBasis() { return noise(12, 2, 6); }

ModalWindows someWindows() {
    ModalWindows w{3, 8, noise(5, 24, 1), noise(2, 24, 2), VectorF::Ones(24)};
    w.weight.head(6).setZero();  // two frames of burn-in
    w.weight[20] = 0;            // a frame past an end
    return w;
}

VectorF someParameters(const ModalNetwork& network) {
    VectorF p = network.initialParameters(7, noise(2, 5, 3), noise(2, 1, 4).col(0));
    p += 0.3f * noise(p.size(), 1, 5).col(0);
    return p;
}

double errorAt(const ModalNetwork& network, const VectorF& parameters, const ModalWindows& w) {
    VectorF ignored = VectorF::Zero(parameters.size());
    return network.addGradient(parameters, w, {someBasis(), kMeasured}, 0.7f, ignored);
}

TEST(ModalNetwork, GradientAgreesWithFiniteDifferences) {
    const ModalNetwork network(kSmall);
    const VectorF parameters = someParameters(network);
    ModalWindows w = someWindows();
    VectorF gradient = VectorF::Zero(parameters.size());
    network.addGradient(parameters, w, {someBasis(), kMeasured}, 0.7f, gradient);
    for (Eigen::Index i = 0; i < parameters.size(); ++i) {
        // Two widths: a float's rounding rules a narrow one, the curvature a wide one.
        double best = 1e9, found = 0;
        for (const float step : {3e-3f, 1e-2f}) {
            VectorF up = parameters, down = parameters;
            up[i] += step;
            down[i] -= step;
            const double slope =
                (errorAt(network, up, w) - errorAt(network, down, w)) / double(up[i] - down[i]);
            if (std::abs(slope - gradient[i]) < best) {
                best = std::abs(slope - gradient[i]);
                found = slope;
            }
        }
        EXPECT_NEAR(gradient[i], found, 2e-3 * gradient.cwiseAbs().maxCoeff()) << "parameter " << i;
    }
}

// The equations of format.h, one frame at a time in double precision.
struct Reference {
    const ModalDynamics& d;
    std::vector<std::complex<double>> h;

    static VectorD silu(const VectorD& x) { return x.array() / (1 + (-x.array()).exp()); }
    static VectorD apply(const Layer& layer, const VectorD& x) {
        return layer.weights.cast<double>() * x + layer.bias.cast<double>();
    }
    VectorD step(const VectorD& u) {
        const Eigen::Index n = d.log_decay.size();
        const VectorD first = silu(apply(d.input, u));
        const VectorD a = first + silu(apply(d.input_residual, first)), drive = apply(d.drive, a);
        const bool starts = h.empty();
        h.resize(size_t(n));
        VectorD ah(a.size() + 2 * n);
        ah.head(a.size()) = a;
        for (Eigen::Index i = 0; i < n; ++i) {
            const auto lambda = std::exp(
                std::complex<double>(-std::exp(double(d.log_decay[i])), double(d.angle[i])));
            const std::complex<double> push(drive[i], drive[n + i]);
            if (starts) h[size_t(i)] = push / (1.0 - lambda);
            h[size_t(i)] = lambda * h[size_t(i)] + push;
            ah[a.size() + i] = h[size_t(i)].real();
            ah[a.size() + n + i] = h[size_t(i)].imag();
        }
        const VectorD before = silu(apply(d.outer, ah));
        const VectorD e = before + silu(apply(d.outer_residual, before));
        VectorD all(u.size() + 2 * n + e.size());
        all << u, ah.tail(2 * n), e;
        return apply(d.output, all);
    }
};

double meanDistance(const VectorD& y) {
    const VectorD off = someBasis().cast<double>() * y;
    double sum = 0;
    for (const int v : kMeasured) sum += off.segment<3>(3 * v).norm();
    return sum / 3;
}

TEST(ModalNetwork, ErrorIsThatOfTheEquations) {
    const ModalNetwork network(kSmall);
    const VectorF parameters = someParameters(network);
    const ModalWindows w = someWindows();
    const ModalDynamics dynamics = network.dynamics(parameters);
    double expected = 0;
    for (int k = 0; k < w.windows; ++k) {
        Reference reference{dynamics, {}};
        VectorD before;
        for (int t = 0; t < w.frames; ++t) {
            const Eigen::Index c = t * w.windows + k;
            const VectorD off =
                reference.step(w.inputs.col(c).cast<double>()) - w.cloth.col(c).cast<double>();
            expected += w.weight[c] * meanDistance(off);
            if (t) expected += 0.7 * w.weight[c] * meanDistance(off - before);
            before = off;
        }
    }
    EXPECT_NEAR(errorAt(network, parameters, w), expected, 1e-4 * expected);
}

TEST(ModalNetwork, WhatIsPlayedKeepsWithinThePlayersLimits) {
    const ModalNetwork network(kSmall);
    VectorF parameters = someParameters(network);
    parameters.head(kSmall.states).setConstant(60);
    parameters.segment(kSmall.states, kSmall.states).setConstant(20);
    const ModalDynamics d = network.dynamics(parameters);
    EXPECT_LT(d.log_decay.maxCoeff(), 30);
    EXPECT_NEAR(d.angle[0], 20 - 6 * 3.14159265, 1e-4);
}

TEST(ModalProof, NoInputDrivesTheStatePastItsBounds) {
    const ModalNetwork network(kSmall);
    const ModalDynamics dynamics = network.dynamics(someParameters(network));
    const VectorF ones = VectorF::Ones(kSmall.inputs);
    const InputRange range{0 * ones, ones, -2 * ones, 3 * ones};
    const StabilityProof proof = proveModal(dynamics, range);
    const VectorD bounds = modalStateBounds(dynamics, range);
    EXPECT_LT(proof.lambda, 1);
    Random random(11);
    double nearest = 0;  // share of its bound that any mode came to
    for (int run = 0; run < 200; ++run) {
        Reference reference{dynamics, {}};
        double before = 0;
        const VectorD corner =
            noise(kSmall.inputs, 1, uint64_t(run)).col(0).cast<double>().unaryExpr([](double x) {
                return x < 0 ? -2.0 : 3.0;
            });
        for (int t = 0; t < 60; ++t) {
            VectorD u = corner;  // held at a corner of the box, or jumping between corners
            if (run % 2)
                for (double& x : u) x = random.chance(0.5f) ? -2.0 : 3.0;
            reference.step(u);
            double energy = 0;
            for (size_t i = 0; i < reference.h.size(); ++i) {
                const double size = std::abs(reference.h[i]);
                EXPECT_LE(size, bounds[Eigen::Index(i)] * (1 + 1e-6));
                nearest = std::max(nearest, size / bounds[Eigen::Index(i)]);
                energy += size * size;
            }
            energy = std::sqrt(energy);
            if (t) {
                EXPECT_LE(energy, proof.lambda * before + proof.k_max * (1 + 1e-6));
            }
            EXPECT_LE(energy, proof.energy_bound * (1 + 1e-6));
            before = energy;
        }
    }
    EXPECT_GT(nearest, 0.2) << "the bounds are of another network";
}

TEST(ModalNetwork, DecaysWhateverItsParameters) {
    const ModalNetwork network(kSmall);
    for (const float nu : {-90.0f, -9.0f, -3.0f, 0.0f, 3.0f, 9.0f}) {
        VectorF parameters = someParameters(network);
        parameters.head(kSmall.states).setConstant(nu);
        const ModalDynamics d = network.dynamics(parameters);
        for (Eigen::Index i = 0; i < d.log_decay.size(); ++i)
            EXPECT_LT(std::exp(-std::exp(d.log_decay[i])), 0.997f);
    }
}

}  // namespace
}  // namespace hem
