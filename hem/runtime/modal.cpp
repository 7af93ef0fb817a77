// SPDX-License-Identifier: Apache-2.0
// The kind kModalKind (format.h): networks around a linear state that dies out by construction.
//
// A row of scratch memory is [u; h; e; a; h; drive; a', e' or y]: every layer's input is a part of it as
// it lies, which is why h is there twice. The last part holds one thing after another.
#include <string.h>

#include "hem/runtime/kinds.h"

namespace hem::runtime {
namespace {

// Where things are in a row.
struct Row {
    size_t h, e, a, h_again, drive, last, stride;

    explicit Row(const Garment& g) {
        constexpr size_t kMore = 16;  // layers write up to 15 numbers more than they have
        const size_t hidden = g.modal->hidden, states = 2 * size_t(g.modal->states),
                     outer = g.modal->outer, modes = g.header->modes;
        const size_t wider = hidden > outer ? hidden : outer;
        h = g.inputs;
        e = h + states;
        a = e + outer + kMore;
        h_again = a + hidden;
        drive = h_again + states + kMore;
        last = drive + states + kMore;
        stride = last + (wider > modes ? wider : modes) + kMore;
    }
};

// h_new = decay * h + gain * drive, complex numbers, a mode each: real parts, then imaginary parts.
struct Advance {
    const float *decay, *gain;
};

// 1 / (1 - lambda), and what advances by a tick, by a part of one, and to rest; 2 * states floats
// each.
class Advances {
public:
    Advances(const Context& context, float* memory)
        : context_(context), states_(context.garment.modal->states) {
        const Garment& g = context.garment;
        float** const parts[] = {&lambda_, &one_, &zero_, &rest_, &part_decay_, &part_gain_};
        for (float** part : parts) {
            *part = memory;
            memory += 2 * states_;
        }
        context.kernels->powers(g.log_decay, g.angle, 1, states_, lambda_, lambda_ + states_);
        for (size_t i = 0; i < states_; ++i) {
            const float re = 1 - lambda_[i], im = -lambda_[states_ + i];
            const float size = re * re + im * im;
            rest_[i] = re / size;
            rest_[states_ + i] = -im / size;
            one_[i] = 1;
            one_[states_ + i] = zero_[i] = zero_[states_ + i] = 0;
        }
    }
    static constexpr size_t kTables = 6;

    Advance byTick() const { return {lambda_, one_}; }
    Advance toRest() const { return {zero_, rest_}; }
    Advance byPart(float s) {
        if (s == part_) return {part_decay_, part_gain_};  // as a rule all wearers have the same
        part_ = s;
        const Garment& g = context_.garment;
        float *re = part_decay_, *im = re + states_;
        context_.kernels->powers(g.log_decay, g.angle, s, states_, re, im);
        for (size_t i = 0; i < states_; ++i) {
            const float left_re = 1 - re[i], left_im = -im[i];
            const float inv_re = rest_[i], inv_im = rest_[states_ + i];
            part_gain_[i] = left_re * inv_re - left_im * inv_im;
            part_gain_[states_ + i] = left_re * inv_im + left_im * inv_re;
        }
        return {part_decay_, part_gain_};
    }

private:
    const Context& context_;
    size_t states_;
    float *lambda_, *one_, *zero_, *rest_, *part_decay_, *part_gain_;
    float part_ = -1;
};

void advance(size_t states, Advance by, const float* h, const float* drive, float* to) {
    const float *pr = by.decay, *pi = pr + states, *qr = by.gain, *qi = qr + states;
    const float *hr = h, *hi = h + states, *dr = drive, *di = drive + states;
    for (size_t i = 0; i < states; ++i) {
        to[i] = (pr[i] * hr[i] - pi[i] * hi[i]) + (qr[i] * dr[i] - qi[i] * di[i]);
        to[states + i] = (pr[i] * hi[i] + pi[i] * hr[i]) + (qr[i] * di[i] + qi[i] * dr[i]);
    }
}

// i = [g; g - before; v|v|; w^2; w v], g = [f; v; w]
void putTogether(uint32_t features, const float* f, const SteadyMotion& motion, const float* before,
                 float* i) {
    const uint32_t size = features + 4;
    const float *v = motion.velocity, w = motion.heading_rate;
    memcpy(i, f, features * sizeof(float));
    memcpy(i + features, v, 3 * sizeof(float));
    i[features + 3] = w;
    for (uint32_t k = 0; k < size; ++k) i[size + k] = i[k] - before[k];
    float* products = i + 2 * size;
    for (int k = 0; k < 3; ++k) products[k] = v[k] * absolute(v[k]);
    products[3] = w * w;
    for (int k = 0; k < 3; ++k) products[4 + k] = w * v[k];
}

// From the root of one tick ago.
SteadyMotion motionBetween(float rate, const Root& before, const Root& now) {
    float d[3];
    for (int k = 0; k < 3; ++k) d[k] = (now.position[k] - before.position[k]) * rate;
    return {{now.cos * d[0] - now.sin * d[2], d[1], now.sin * d[0] + now.cos * d[2]},
            (now.heading - before.heading) * rate};
}

void makeInputs(const Context& context, Moment& m, float* row) {
    const Garment& g = context.garment;
    const uint32_t size = g.features + 4;
    const Root* roots = rootsOf(m.state, context.layout);
    const float* last_g = m.state + context.layout.g;
    if (m.keeps) {
        putTogether(g.features, m.features, motionBetween(g.header->rate, roots[0], m.root), last_g,
                    row);
        return;
    }
    float before[format::kMaxFeatures + 4];
    for (uint32_t k = 0; k < size; ++k)
        before[k] = last_g[size + k] + (last_g[k] - last_g[size + k]) * m.part;
    const Root root_before = between(roots[1], roots[0], m.part);
    putTogether(g.features, m.features, motionBetween(g.header->rate, root_before, m.root), before,
                row);
}

// between = silu(first x + ...), to = between + silu(residual between + ...)
void twoLayers(const Context& context, const Matrix& first, const Matrix& residual, size_t stride,
               const float* x, float* between, float* to, size_t count) {
    context.kernels->layer(first, {x, stride, between, stride, count, Activation::kSilu});
    context.kernels->layer(residual, {between, stride, to, stride, count, Activation::kSilu});
    for (size_t i = 0; i < count; ++i)
        for (size_t k = 0; k < residual.out; ++k) to[i * stride + k] += between[i * stride + k];
}

// a and the drive, from u.
void driveRows(const Context& context, const Row& at, float* rows, size_t count) {
    const Garment& g = context.garment;
    twoLayers(context, g.input, g.input_residual, at.stride, rows, rows + at.last, rows + at.a,
              count);
    context.kernels->layer(
        g.drive, {rows + at.a, at.stride, rows + at.drive, at.stride, count, Activation::kNone});
}

// y, from u, a and h.
void outputRows(const Context& context, const Row& at, float* rows, size_t count) {
    const Garment& g = context.garment;
    for (size_t i = 0; i < count; ++i)
        memcpy(rows + i * at.stride + at.h_again, rows + i * at.stride + at.h,
               2 * g.modal->states * sizeof(float));
    twoLayers(context, g.outer, g.outer_residual, at.stride, rows + at.a, rows + at.last,
              rows + at.e, count);
    context.kernels->layer(g.output,
                           {rows, at.stride, rows + at.last, at.stride, count, Activation::kNone});
}

// What the outputs see of h: its difference from rest, scaled by the dial.
void turnDial(const Context& context, const Row& at, const Advances& advances, float* row) {
    const size_t states = context.garment.modal->states;
    float rest[2 * format::kMaxStates];
    advance(states, advances.toRest(), row + at.h, row + at.drive, rest);
    for (size_t i = 0; i < 2 * states; ++i)
        row[at.h + i] = rest[i] + (1 + context.dial) * (row[at.h + i] - rest[i]);
}

void keep(const Context& context, const Moment& m, const float* row_g, const float* h) {
    const uint32_t size = context.garment.features + 4;
    float* g = m.state + context.layout.g;
    memcpy(g + size, g, size * sizeof(float));
    memcpy(g, row_g, size * sizeof(float));
    memcpy(m.state + context.layout.h, h, 2 * context.garment.modal->states * sizeof(float));
    pushRoot(context, m.state, m.root);
}

}  // namespace

size_t modalScratch(const Garment& g) { return Row(g).stride + g.features + 4; }
size_t modalTables(const Garment& g) { return Advances::kTables * 2 * g.modal->states; }

void evaluateModal(const Context& context, Moment* moments, size_t count, float* scratch) {
    const Garment& g = context.garment;
    const Row at(g);
    Advances advances(context, scratch);
    float* rows = scratch + modalTables(g);
    const uint32_t g_size = g.features + 4;
    float* raw_g = rows + count * at.stride;  // g of every moment, before it is normalised
    for (size_t i = 0; i < count; ++i) {
        float* row = rows + i * at.stride;
        makeInputs(context, moments[i], row);
        memcpy(raw_g + i * g_size, row, g_size * sizeof(float));
    }
    // in a loop of its own, when the inputs have reached the cache
    for (size_t i = 0; i < count; ++i) normaliseInputs(context, rows + i * at.stride, moments[i]);
    driveRows(context, at, rows, count);
    bool wanted = false;
    for (size_t i = 0; i < count; ++i) {
        Moment& m = moments[i];
        float* row = rows + i * at.stride;
        advance(g.modal->states, m.keeps ? advances.byTick() : advances.byPart(m.part),
                m.state + context.layout.h, row + at.drive, row + at.h);
        if (m.keeps) keep(context, m, raw_g + i * g_size, row + at.h);
        if (m.weights && context.dial != 0) turnDial(context, at, advances, row);
        wanted |= m.weights != nullptr;
    }
    if (!wanted) return;
    outputRows(context, at, rows, count);
    for (size_t i = 0; i < count; ++i)
        if (moments[i].weights)
            writeWeights(context, rows + i * at.stride + at.last, nullptr, moments[i].weights);
}

void settleModal(const Context& context, Moment& m, const SteadyMotion& motion, float* scratch) {
    const Garment& g = context.garment;
    const Row at(g);
    const Advances advances(context, scratch);
    float* row = scratch + modalTables(g);
    float* steady_g = m.state + context.layout.g;
    memcpy(steady_g, m.features, g.features * sizeof(float));
    memcpy(steady_g + g.features, motion.velocity, 3 * sizeof(float));
    steady_g[g.features + 3] = motion.heading_rate;
    memcpy(steady_g + g.features + 4, steady_g, (g.features + 4) * sizeof(float));
    Root* roots = rootsOf(m.state, context.layout);
    roots[0] = m.root;
    roots[1] = oneTickBefore(g, m.root, motion);

    putTogether(g.features, m.features, motion, steady_g, row);
    normaliseInputs(context, row, m);
    driveRows(context, at, row, 1);
    float* h = m.state + context.layout.h;
    memset(h, 0, 2 * g.modal->states * sizeof(float));
    advance(g.modal->states, advances.toRest(), h, row + at.drive, row + at.h);
    memcpy(h, row + at.h, 2 * g.modal->states * sizeof(float));
    outputRows(context, at, row, 1);
    if (m.weights) writeWeights(context, row + at.last, nullptr, m.weights);
}

}  // namespace hem::runtime
