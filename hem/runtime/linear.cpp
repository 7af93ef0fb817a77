// SPDX-License-Identifier: Apache-2.0
// The kind kLinearKind (format.h): models A, B and C of the 2010 paper, of any order up to 5.
//
// A row of scratch memory is [u; y_{t-1}; ...; y_{t-N}], then y_t, then the 0th-order model's y.
#include <string.h>

#include "hem/runtime/kinds.h"

namespace hem::runtime {
namespace {

struct Row {
    size_t history, y, rest, stride;

    explicit Row(const Garment& g) {
        history = g.inputs;
        y = paddedToLanes(g.dynamics.in);
        rest = y + paddedToLanes(g.header->modes);  // layers write that many
        stride = rest + paddedToLanes(g.header->modes);
    }
};

// z of equation 6: where `now` stands as seen from `base`.
void relativeRoot(const Root& now, const Root& base, float* z) {
    float d[3];
    for (int k = 0; k < 3; ++k) d[k] = now.position[k] - base.position[k];
    z[0] = base.cos * d[0] - base.sin * d[2];
    z[1] = d[1];
    z[2] = base.sin * d[0] + base.cos * d[2];
    z[3] = now.sin * base.cos - now.cos * base.sin;  // of the difference
    z[4] = now.cos * base.cos + now.sin * base.sin;
}

// i = [f; z_{t,t-N}; ...; z_{t-N+1,t-N}]; `roots` of t, t-1, ..., t-N.
void putTogether(const Garment& g, const float* f, const Root* roots, float* i) {
    memcpy(i, f, g.features * sizeof(float));
    const uint32_t order = g.linear->order;
    if (!g.linear->uses_root || !order) return;
    for (uint32_t k = 0; k < order; ++k)
        relativeRoot(roots[k], roots[order], i + g.features + 5 * k);
}

// i of a moment.
void makeInputs(const Context& context, const Moment& m, float* row) {
    const uint32_t order = context.garment.linear->order;
    const Root* past = rootsOf(m.state, context.layout);
    Root roots[format::kMaxOrder + 1];
    roots[0] = m.root;
    for (uint32_t k = 1; k <= order; ++k)
        roots[k] = m.keeps ? past[k - 1] : between(past[k], past[k - 1], m.part);
    putTogether(context.garment, m.features, roots, row);
}

// The y of the ticks before a moment.
void makeHistory(const Context& context, const Moment& m, float* to) {
    const uint32_t modes = context.garment.header->modes,
                   count = context.garment.linear->order * modes;
    const float* y = m.state + context.layout.history;
    if (m.keeps) {
        memcpy(to, y, count * sizeof(float));
        return;
    }
    for (uint32_t i = 0; i < count; ++i) to[i] = y[modes + i] + (y[i] - y[modes + i]) * m.part;
}

void stepRows(const Context& context, const Row& at, float* rows, size_t count) {
    context.kernels->layer(context.garment.dynamics,
                           {rows, at.stride, rows + at.y, at.stride, count, Activation::kNone});
}
void restRows(const Context& context, const Row& at, float* rows, size_t count) {
    context.kernels->layer(context.garment.statics,
                           {rows, at.stride, rows + at.rest, at.stride, count, Activation::kNone});
}

// Among the first ticks after a reset without warm-up, which the 0th-order model plays.
bool isFirst(const Context& context, const Moment& m) {
    const format::LinearHeader& linear = *context.garment.linear;
    const uint32_t ticks = reinterpret_cast<const StateHeader*>(m.state)->ticks;
    return !linear.warm_up && (m.keeps || m.part > 0 ? ticks : ticks - 1) < linear.order;
}

void hold(const Context& context, float* y) {
    context.kernels->hold(context.garment.limit, context.garment.header->modes, y);
}

// y as the newest of a history of `count`.
void push(float* history, uint32_t count, uint32_t modes, const float* y) {
    if (!count) return;
    memmove(history + modes, history, (count - 1) * modes * sizeof(float));
    memcpy(history, y, modes * sizeof(float));
}

}  // namespace

size_t linearScratch(const Garment& g) { return Row(g).stride; }

void evaluateLinear(const Context& context, Moment* moments, size_t count, float* rows) {
    const Garment& g = context.garment;
    const Row at(g);
    bool needs_rest = context.dial != 0;
    for (size_t i = 0; i < count; ++i) makeInputs(context, moments[i], rows + i * at.stride);
    // in a loop of its own, when the inputs have reached the cache
    for (size_t i = 0; i < count; ++i) {
        float* row = rows + i * at.stride;
        normaliseInputs(context, row, moments[i]);
        makeHistory(context, moments[i], row + at.history);
        needs_rest |= isFirst(context, moments[i]);
    }
    stepRows(context, at, rows, count);
    if (needs_rest) restRows(context, at, rows, count);
    for (size_t i = 0; i < count; ++i) {
        Moment& m = moments[i];
        const float* rest = rows + i * at.stride + at.rest;
        float* y = rows + i * at.stride + at.y;
        if (isFirst(context, m)) memcpy(y, rest, g.header->modes * sizeof(float));
        context.kernels->keep(g.limit, g.header->modes, m.keeps ? g.linear->order + 1 : 0, y,
                              m.state + context.layout.history,
                              context.dial == 0 ? m.weights : nullptr);
        if (m.keeps) pushRoot(context, m.state, m.root);
        if (m.weights && context.dial != 0) writeWeights(context, y, rest, m.weights);
    }
}

void settleLinear(const Context& context, Moment& m, const SteadyMotion& motion, float* row) {
    const Garment& g = context.garment;
    const Row at(g);
    const uint32_t order = g.linear->order, modes = g.header->modes;
    Root* roots = rootsOf(m.state, context.layout);
    roots[0] = m.root;
    for (uint32_t k = 1; k <= order; ++k) roots[k] = oneTickBefore(g, roots[k - 1], motion);
    putTogether(g, m.features, roots, row);
    normaliseInputs(context, row, m);
    restRows(context, at, row, 1);
    hold(context, row + at.rest);
    float* history = m.state + context.layout.history;
    for (uint32_t k = 0; k <= order; ++k)
        memcpy(history + k * modes, row + at.rest, modes * sizeof(float));
    const uint32_t ticks = order ? g.linear->warm_up : 1;
    for (uint32_t tick = 0; tick < ticks; ++tick) {
        memcpy(row + at.history, history, order * modes * sizeof(float));
        stepRows(context, at, row, 1);
        hold(context, row + at.y);
        push(history, order + 1, modes, row + at.y);
    }
    if (m.weights)
        writeWeights(context, history, context.dial != 0 ? row + at.rest : nullptr, m.weights);
}

}  // namespace hem::runtime
