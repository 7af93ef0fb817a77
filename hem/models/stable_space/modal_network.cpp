// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/modal_network.h"

#include <algorithm>
#include <cmath>

#include "hem/core/check.h"
#include "hem/core/random.h"
#include "hem/models/stable_space/silu.h"

namespace hem {
namespace {

using Index = Eigen::Index;
using Map = Eigen::Map<const MatrixF>;
using GradientMap = Eigen::Map<MatrixF>;

// Where the parts lie in the vector of parameters: matrices column by column.
struct Layout {
    Index inputs, hidden, states, outer, modes;
    Index nu, theta, w1, b1, wa, ba, b, drive_bias, w2, b2, we, be, w3, b3, end;

    explicit Layout(const ModalSizes& s)
        : inputs(s.inputs), hidden(s.hidden), states(s.states), outer(s.outer), modes(s.modes) {
        nu = 0;
        theta = nu + states;
        w1 = theta + states;
        b1 = w1 + hidden * inputs;
        wa = b1 + hidden;
        ba = wa + hidden * hidden;
        b = ba + hidden;
        drive_bias = b + 2 * states * hidden;
        w2 = drive_bias + 2 * states;
        b2 = w2 + outer * (hidden + 2 * states);
        we = b2 + outer;
        be = we + outer * outer;
        w3 = be + outer;
        b3 = w3 + modes * all();
        end = b3 + modes;
    }
    // Rows of [u; h; e], and where h starts.
    Index all() const { return inputs + 2 * states + outer; }
    Index h() const { return inputs; }
};

// The parameters as matrices, where they lie; T is const float or float.
template <class Matrix, class T>
struct Parts {
    Eigen::Map<Matrix> nu, theta, w1, b1, wa, ba, b, drive_bias, w2, b2, we, be, w3, b3;

    Parts(T* p, const Layout& l)
        : nu(p + l.nu, l.states, 1),
          theta(p + l.theta, l.states, 1),
          w1(p + l.w1, l.hidden, l.inputs),
          b1(p + l.b1, l.hidden, 1),
          wa(p + l.wa, l.hidden, l.hidden),
          ba(p + l.ba, l.hidden, 1),
          b(p + l.b, 2 * l.states, l.hidden),
          drive_bias(p + l.drive_bias, 2 * l.states, 1),
          w2(p + l.w2, l.outer, l.hidden + 2 * l.states),
          b2(p + l.b2, l.outer, 1),
          we(p + l.we, l.outer, l.outer),
          be(p + l.be, l.outer, 1),
          w3(p + l.w3, l.modes, l.all()),
          b3(p + l.b3, l.modes, 1) {}
};
using Parameters = Parts<const MatrixF, const float>;
using Gradient = Parts<MatrixF, float>;

// A mode forgets by a factor of e within 10 s of 30 Hz: slower than windows could tell, and far
// enough from 1 for the player, which refuses motion that does not die out.
constexpr float kLeastRate = 1.0f / 300;
float decayRate(float nu) { return std::exp(nu) + kLeastRate; }

struct Decay {
    VectorF re, im, scale;  // lambda, and s

    explicit Decay(const Parameters& p) : re(p.nu.rows()), im(p.nu.rows()), scale(p.nu.rows()) {
        for (Index i = 0; i < re.size(); ++i) {
            const float radius = std::exp(-decayRate(p.nu(i)));
            re[i] = radius * std::cos(p.theta(i));
            im[i] = radius * std::sin(p.theta(i));
            scale[i] = std::sqrt(1 - radius * radius);
        }
    }
    Index states() const { return re.size(); }
};

// What the forward pass leaves for the backward one. Outputs are of the late columns alone, from
// the frame before the first that any error counts: burn-in moves the state and nothing else.
struct Pass {
    Index late;                                              // how many columns
    MatrixF all;                                             // [u; h; e]; e of the late columns
    MatrixF first_a, a_h;                                    // a' and [a; h]
    MatrixF first_e;                                         // e', of the late columns
    MatrixF first_a_slope, a_slope, first_e_slope, e_slope;  // silu' of each layer
    MatrixF drive;                                           // B a + b, before s
    MatrixF start;                                           // h before the first frame
    MatrixF y;                                               // of the late columns
};

Index lateColumns(const ModalWindows& w) {
    Index first = 0;
    while (first < w.weight.size() && w.weight[first] == 0) ++first;
    const Index frame = std::max<Index>(0, first / w.windows - 1);
    return w.weight.size() - frame * w.windows;
}

// The steady state under the drive of the first frame: h = s drive / (1 - lambda).
MatrixF restingState(const Decay& decay, const MatrixF& drive, Index windows) {
    const Index n = decay.states();
    MatrixF h(2 * n, windows);
    for (Index i = 0; i < n; ++i) {
        const float re = 1 - decay.re[i], im = -decay.im[i];
        const float norm = decay.scale[i] / (re * re + im * im);
        for (Index k = 0; k < windows; ++k) {
            const float x = drive(i, k), y = drive(n + i, k);
            h(i, k) = norm * (x * re + y * im);
            h(n + i, k) = norm * (y * re - x * im);
        }
    }
    return h;
}

// out = lambda before + s drive, one column; `conjugate` turns lambda about.
void turn(const Decay& decay, const float* before, float* out, bool conjugate) {
    const Index n = decay.states();
    const float sign = conjugate ? -1.0f : 1.0f;
    for (Index i = 0; i < n; ++i) {
        const float re = decay.re[i], im = sign * decay.im[i];
        const float x = before[i], y = before[n + i];
        out[i] += re * x - im * y;
        out[n + i] += re * y + im * x;
    }
}

void runStates(const Decay& decay, const Layout& l, Index windows, Pass& pass) {
    const Index n = decay.states();
    pass.start = restingState(decay, pass.drive, windows);
    auto h = pass.all.middleRows(l.h(), 2 * n);
    h.topRows(n) = pass.drive.topRows(n).array().colwise() * decay.scale.array();
    h.bottomRows(n) = pass.drive.bottomRows(n).array().colwise() * decay.scale.array();
    for (Index c = 0; c < pass.all.cols(); ++c) {
        const float* before =
            c < windows ? pass.start.col(c).data() : &pass.all(l.h(), c - windows);
        turn(decay, before, &pass.all(l.h(), c), false);
    }
}

// out = silu(weights in + bias); gives silu' there.
MatrixF throughSilu(const Eigen::Map<const MatrixF>& weights, const Eigen::Map<const MatrixF>& bias,
                    const Eigen::Ref<const MatrixF>& in, Eigen::Ref<MatrixF> out) {
    MatrixF slope(weights.rows(), in.cols());
    slope.noalias() = weights * in;
    silu(slope, bias.col(0), out);
    return slope;
}

// out = in + silu(weights in + bias); gives silu' there.
MatrixF throughResidual(const Eigen::Map<const MatrixF>& weights,
                        const Eigen::Map<const MatrixF>& bias, const MatrixF& in,
                        Eigen::Ref<MatrixF> out) {
    MatrixF slope = throughSilu(weights, bias, in, out);
    out += in;
    return slope;
}

Pass forward(const Parameters& p, const Decay& decay, const Layout& l,
             const ModalWindows& windows) {
    const Index n = windows.inputs.cols(), late = lateColumns(windows);
    Pass pass;
    pass.late = late;
    pass.all.resize(l.all(), n);
    pass.all.topRows(l.inputs) = windows.inputs;
    pass.first_a.resize(l.hidden, n);
    pass.a_h.resize(l.hidden + 2 * l.states, n);
    pass.first_a_slope = throughSilu(p.w1, p.b1, windows.inputs, pass.first_a);
    pass.a_slope = throughResidual(p.wa, p.ba, pass.first_a, pass.a_h.topRows(l.hidden));
    pass.drive.noalias() = p.b * pass.a_h.topRows(l.hidden);
    pass.drive.colwise() += p.drive_bias.col(0);
    runStates(decay, l, windows.windows, pass);
    pass.a_h.bottomRows(2 * l.states) = pass.all.middleRows(l.h(), 2 * l.states);
    auto all = pass.all.rightCols(late);
    pass.first_e.resize(l.outer, late);
    pass.first_e_slope = throughSilu(p.w2, p.b2, pass.a_h.rightCols(late), pass.first_e);
    pass.e_slope = throughResidual(p.we, p.be, pass.first_e, all.bottomRows(l.outer));
    pass.y.noalias() = p.w3 * all;
    pass.y.colwise() += p.b3.col(0);
    return pass;
}

// Sum over the columns of weight times the mean length of their vectors (x, y and z in three blocks
// of rows), smoothed at 0; the vectors become the gradient of that.
double lengths(MatrixF& vectors, const VectorF& weight) {
    constexpr float kSmooth = 1e-10f;  // square metres: (10 micrometres)^2
    const Index n = vectors.rows() / 3;
    double sum = 0;
    for (Index c = 0; c < vectors.cols(); ++c) {
        auto x = vectors.col(c).head(n).array();
        auto y = vectors.col(c).segment(n, n).array();
        auto z = vectors.col(c).tail(n).array();
        const VectorF length = (x.square() + y.square() + z.square() + kSmooth).sqrt();
        const float each = weight[c] / float(n);
        sum += double(each * length.sum());
        const VectorF scale = each * length.cwiseInverse();
        x *= scale.array();
        y *= scale.array();
        z *= scale.array();
    }
    return sum;
}

// The error, and its gradient by y in place of y, both of the late columns.
double errorGradient(const ModalWindows& w, const ErrorRows& measured, float velocity_weight,
                     MatrixF& y) {
    const Index k = w.windows, n = y.cols();
    y -= w.cloth.rightCols(n);
    MatrixF off(measured.rows.rows(), n);
    off.noalias() = measured.rows * y;
    MatrixF moved = off.rightCols(n - k) - off.leftCols(n - k);
    const double error =
        lengths(off, w.weight.tail(n)) + lengths(moved, velocity_weight * w.weight.tail(n - k));
    off.rightCols(n - k) += moved;
    off.leftCols(n - k) -= moved;
    y.noalias() = measured.rows.transpose() * off;
    return error;
}

// Gradients by lambda and s, summed over the columns.
struct DecayGradient {
    VectorF re, im, scale;
};

// Through the resting state h = s drive / (1 - lambda) before the first frame: adds to `g`, and to
// the gradient by s * drive of the first frame.
void backwardStart(const Decay& decay, const Pass& pass, Index windows, Eigen::Ref<MatrixF> d_h,
                   DecayGradient& g) {
    const Index n = decay.states();
    MatrixF d_start = MatrixF::Zero(2 * n, windows);
    for (Index k = 0; k < windows; ++k) turn(decay, &d_h(0, k), &d_start(0, k), true);
    for (Index i = 0; i < n; ++i) {
        const float re = 1 - decay.re[i], im = -decay.im[i];
        const float norm = 1 / (re * re + im * im);
        for (Index k = 0; k < windows; ++k) {
            // d = d_start conj(1 / (1 - lambda)); by lambda: d conj(h)
            const float x = d_start(i, k), y = d_start(n + i, k);
            const float dx = norm * (x * re - y * im), dy = norm * (x * im + y * re);
            const float hx = pass.start(i, k), hy = pass.start(n + i, k);
            g.re[i] += dx * hx + dy * hy;
            g.im[i] += dy * hx - dx * hy;
            d_h(i, k) += dx;
            d_h(n + i, k) += dy;
        }
    }
}

// d_h (2 states by columns) becomes the gradient by s * drive.
DecayGradient backwardStates(const Decay& decay, const Layout& l, const Pass& pass, Index windows,
                             Eigen::Ref<MatrixF> d_h) {
    const Index n = decay.states(), columns = d_h.cols();
    DecayGradient g{VectorF::Zero(n), VectorF::Zero(n), VectorF::Zero(n)};
    for (Index c = columns - windows - 1; c >= 0; --c)
        turn(decay, &d_h(0, c + windows), &d_h(0, c), true);
    for (Index c = 0; c < columns; ++c) {  // by lambda: d_h conj(h_{t-1})
        const float* before =
            c < windows ? pass.start.col(c).data() : &pass.all(l.h(), c - windows);
        for (Index i = 0; i < n; ++i) {
            const float x = d_h(i, c), y = d_h(n + i, c);
            g.re[i] += x * before[i] + y * before[n + i];
            g.im[i] += y * before[i] - x * before[n + i];
        }
    }
    backwardStart(decay, pass, windows, d_h, g);
    for (Index c = 0; c < columns; ++c)
        for (Index i = 0; i < n; ++i)
            g.scale[i] += d_h(i, c) * pass.drive(i, c) + d_h(n + i, c) * pass.drive(n + i, c);
    return g;
}

// From lambda and s to nu and theta.
void addDecayGradient(const Decay& decay, const Parameters& p, const DecayGradient& by,
                      Gradient& gradient) {
    for (Index i = 0; i < decay.states(); ++i) {
        const float radius = std::exp(-decayRate(p.nu(i)));
        const float by_radius = by.re[i] * std::cos(p.theta(i)) + by.im[i] * std::sin(p.theta(i)) -
                                by.scale[i] * radius / decay.scale[i];
        gradient.nu(i) -= by_radius * radius * std::exp(p.nu(i));
        gradient.theta(i) += by.im[i] * decay.re[i] - by.re[i] * decay.im[i];
    }
}

// Back through out = in + silu(weights in + bias): `d`, the gradient by out, becomes that by in.
void backThroughResidual(const Eigen::Map<const MatrixF>& weights, const MatrixF& in,
                         const MatrixF& slope, Eigen::Ref<MatrixF> d,
                         Eigen::Map<MatrixF>& d_weights, Eigen::Map<MatrixF>& d_bias) {
    const MatrixF d_sum = d.cwiseProduct(slope);
    d_weights.noalias() += d_sum * in.transpose();
    d_bias.col(0) += d_sum.rowwise().sum();
    d.noalias() += weights.transpose() * d_sum;
}

// Back through e' and e to [a; h], of the late columns.
MatrixF backwardOuter(const Parameters& p, const Layout& l, const Pass& pass, const MatrixF& d_y,
                      Gradient& g) {
    MatrixF d_outer(l.outer, pass.late);
    d_outer.noalias() = p.w3.rightCols(l.outer).transpose() * d_y;
    backThroughResidual(p.we, pass.first_e, pass.e_slope, d_outer, g.we, g.be);
    d_outer.array() *= pass.first_e_slope.array();
    g.w2.noalias() += d_outer * pass.a_h.rightCols(pass.late).transpose();
    g.b2.col(0) += d_outer.rowwise().sum();
    MatrixF d_a_h(l.hidden + 2 * l.states, pass.late);
    d_a_h.noalias() = p.w2.transpose() * d_outer;
    return d_a_h;
}

// The gradient by a becomes that by the inputs' layers.
void backwardInput(const Parameters& p, const Layout& l, const Pass& pass, Eigen::Ref<MatrixF> d_a,
                   Gradient& g) {
    backThroughResidual(p.wa, pass.first_a, pass.a_slope, d_a, g.wa, g.ba);
    d_a.array() *= pass.first_a_slope.array();
    g.w1.noalias() += d_a * pass.all.topRows(l.inputs).transpose();
    g.b1.col(0) += d_a.rowwise().sum();
}

void backward(const Parameters& p, const Decay& decay, const Layout& l, const Pass& pass,
              Index windows, const MatrixF& d_y, Gradient& g) {
    const Index late = pass.late, n = pass.all.cols(), states = 2 * l.states;
    g.w3.noalias() += d_y * pass.all.rightCols(late).transpose();
    g.b3.col(0) += d_y.rowwise().sum();
    MatrixF d_a_h = MatrixF::Zero(l.hidden + states, n);
    d_a_h.rightCols(late) = backwardOuter(p, l, pass, d_y, g);
    d_a_h.bottomRightCorner(states, late).noalias() +=
        p.w3.middleCols(l.h(), states).transpose() * d_y;

    MatrixF d_drive = d_a_h.bottomRows(states);
    addDecayGradient(decay, p, backwardStates(decay, l, pass, windows, d_drive), g);
    for (const Index half : {Index(0), l.states})
        d_drive.middleRows(half, l.states).array().colwise() *= decay.scale.array();
    g.b.noalias() += d_drive * pass.a_h.topRows(l.hidden).transpose();
    g.drive_bias.col(0) += d_drive.rowwise().sum();
    MatrixF d_a = d_a_h.topRows(l.hidden);
    d_a.noalias() += p.b.transpose() * d_drive;
    backwardInput(p, l, pass, d_a, g);
}

void fillRandom(Eigen::Map<MatrixF> matrix, float size, Random& random) {
    for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = size * random.normal();
}

}  // namespace

ErrorRows::ErrorRows(const MatrixF& basis, std::span<const int> vertices)
    : rows(Index(3 * vertices.size()), basis.cols()) {
    const Index n = Index(vertices.size());
    for (Index i = 0; i < n; ++i)
        for (Index axis = 0; axis < 3; ++axis)
            rows.row(axis * n + i) = basis.row(3 * vertices[size_t(i)] + axis);
}

size_t ModalSizes::parameters() const { return size_t(Layout(*this).end); }

size_t ModalSizes::products() const {
    const Layout l(*this);
    return size_t(l.hidden * (l.inputs + l.hidden) + 2 * l.states * l.hidden + 4 * l.states +
                  l.outer * (l.hidden + 2 * l.states + l.outer) + l.modes * l.all());
}

VectorF ModalNetwork::initialParameters(uint64_t seed, const MatrixF& linear,
                                        const VectorF& bias) const {
    const Layout l(sizes_);
    CHECK_EQ(linear.cols(), l.inputs);
    VectorF parameters = VectorF::Zero(l.end);
    Gradient p(parameters.data(), l);
    Random random(seed, "modal network");
    constexpr float kSlowest = 1.0f / 30, kFastest = 1.0f, kWidest = 0.8f;
    for (Index i = 0; i < l.states; ++i) {
        p.nu(i) = std::log(kSlowest) + std::log(kFastest / kSlowest) * random.uniform();
        p.theta(i) = kWidest * random.uniform();
    }
    fillRandom(p.w1, 1 / std::sqrt(float(l.inputs)), random);
    fillRandom(p.wa, 1 / std::sqrt(float(l.hidden)), random);
    fillRandom(p.b, 1 / std::sqrt(float(l.hidden)), random);
    fillRandom(p.w2, 1 / std::sqrt(float(l.hidden + 2 * l.states)), random);
    fillRandom(p.we, 1 / std::sqrt(float(l.outer)), random);
    fillRandom(p.w3, 0.01f / std::sqrt(float(l.all())), random);
    p.w3.leftCols(l.inputs) = linear;
    p.b3.col(0) = bias;
    return parameters;
}

double ModalNetwork::addGradient(const VectorF& parameters, const ModalWindows& windows,
                                 const ErrorRows& measured, float velocity_weight,
                                 VectorF& gradient) const {
    const Layout l(sizes_);
    CHECK_EQ(parameters.size(), l.end);
    const Parameters p(parameters.data(), l);
    const Decay decay(p);
    Pass pass = forward(p, decay, l, windows);
    const double error = errorGradient(windows, measured, velocity_weight, pass.y);
    Gradient g(gradient.data(), l);
    backward(p, decay, l, pass, windows.windows, pass.y, g);
    return error;
}

ModalDynamics ModalNetwork::dynamics(const VectorF& parameters) const {
    const Layout l(sizes_);
    const Parameters p(parameters.data(), l);
    const Decay decay(p);
    VectorF scale(2 * l.states);
    scale << decay.scale, decay.scale;
    ModalDynamics d;
    // What the player takes: a mode that is gone within a frame is gone, and full turns are none.
    constexpr float kGone = 3, kTurn = 6.28318531f;
    d.log_decay = (p.nu.col(0).array().min(kGone).exp() + kLeastRate).log();
    d.angle = p.theta.col(0).unaryExpr([](float theta) { return std::remainder(theta, kTurn); });
    d.input = {p.w1, p.b1.col(0)};
    d.drive = {scale.asDiagonal() * p.b, scale.cwiseProduct(p.drive_bias.col(0))};
    d.input_residual = {p.wa, p.ba.col(0)};
    d.outer = {p.w2, p.b2.col(0)};
    d.outer_residual = {p.we, p.be.col(0)};
    d.output = {p.w3, p.b3.col(0)};
    return d;
}

VectorF ModalNetwork::decayMask() const {
    const Layout l(sizes_);
    VectorF mask = VectorF::Zero(l.end);
    Gradient parts(mask.data(), l);
    for (auto* matrix : {&parts.w1, &parts.wa, &parts.b, &parts.w2, &parts.we, &parts.w3})
        matrix->setOnes();
    return mask;
}

}  // namespace hem
