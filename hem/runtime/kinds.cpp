// SPDX-License-Identifier: Apache-2.0
#include "hem/runtime/kinds.h"

namespace hem::runtime {
namespace {

// Squared distances outside the range, in widths of the range, summed over the inputs: grows with
// how far and with how many.
float outsideSquared(const Garment& g, const float* normalised) {
    float sum = 0;
    for (uint32_t i = 0; i < g.inputs; ++i) {
        const float x = normalised[i], width = g.high[i] - g.low[i];
        const float outside = x < g.low[i] ? g.low[i] - x : x > g.high[i] ? x - g.high[i] : 0;
        const float ratio = outside / (width > 1e-3f ? width : 1e-3f);
        sum += ratio < 1e3f ? ratio * ratio : 1e6f;
    }
    return sum;
}

}  // namespace

void normaliseInputs(const Context& context, float* inputs, Moment& moment) {
    const Garment& g = context.garment;
    const bool outside = context.kernels->normalise(g, inputs);
    moment.clamped = outside;
    moment.confidence = 1;
    if (!outside) return;
    moment.confidence = 1 / (1 + 4 * outsideSquared(g, inputs));
    for (uint32_t i = 0; i < g.inputs; ++i) {
        const float x = inputs[i] < g.low[i] ? g.low[i] : inputs[i];
        inputs[i] = x > g.high[i] ? g.high[i] : x;
    }
}

void writeWeights(const Context& context, const float* y, const float* rest, float* weights) {
    const float* limit = context.garment.limit;
    for (uint32_t m = 0; m < context.garment.header->modes; ++m) {
        const float wanted = rest ? rest[m] + (1 + context.dial) * (y[m] - rest[m]) : y[m];
        const float held = wanted < limit[m] ? wanted : limit[m];
        weights[m] = held > -limit[m] ? held : -limit[m];
    }
}

Root oneTickBefore(const Garment& g, const Root& root, const SteadyMotion& motion) {
    const float tick = 1 / g.header->rate;
    const float* v = motion.velocity;
    Root before = root;
    before.position[0] -= (root.cos * v[0] + root.sin * v[2]) * tick;
    before.position[1] -= v[1] * tick;
    before.position[2] -= (root.cos * v[2] - root.sin * v[0]) * tick;
    return turned(before, root.heading - motion.heading_rate * tick);
}

void pushRoot(const Context& context, float* state, const Root& root) {
    Root* roots = rootsOf(state, context.layout);
    for (uint32_t k = context.layout.roots_count - 1; k > 0; --k) roots[k] = roots[k - 1];
    roots[0] = root;
}

}  // namespace hem::runtime
