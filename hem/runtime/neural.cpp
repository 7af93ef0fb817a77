// SPDX-License-Identifier: Apache-2.0
// The kind kNeuralKind (format.h): a network from the joints' rotations to weights, without time.
//
// A row of scratch memory is [u; outputs of odd layers; outputs of even layers; a layer's inputs as
// int16, and their unit].
#include <string.h>

#include "hem/runtime/kinds.h"
#include "hem/runtime/rotations.h"

namespace hem::runtime {
namespace {

struct Row {
    size_t outputs[2], pairs, unit, stride;

    explicit Row(const Garment& g) {
        uint32_t widest = 0, deepest = 0;
        for (uint32_t i = 0; i < g.network->layers; ++i) {
            widest = g.layers[i].out > widest ? g.layers[i].out : widest;
            deepest = g.layers[i].in > deepest ? g.layers[i].in : deepest;
        }
        outputs[0] = paddedToLanes(g.inputs);
        outputs[1] = outputs[0] + paddedToLanes(widest);
        pairs = outputs[1] + paddedToLanes(widest);
        unit = pairs + paddedToLanes(deepest) / 2;
        stride = paddedToLanes(uint32_t(unit + 1));
    }
};

}  // namespace

size_t neuralScratch(const Garment& g) { return Row(g).stride; }

void evaluateNeural(const Context& context, Moment* moments, size_t count, float* rows) {
    const Garment& g = context.garment;
    const Row at(g);
    for (size_t i = 0; i < count; ++i) readRotations(g, moments[i].features, rows + i * at.stride);
    // in a loop of its own, when the inputs have reached the cache
    for (size_t i = 0; i < count; ++i) normaliseInputs(context, rows + i * at.stride, moments[i]);
    const Activation between =
        g.network->activation == format::kRelu ? Activation::kRelu : Activation::kSilu;
    const float* x = rows;
    float* y = rows;
    for (uint32_t i = 0; i < g.network->layers; ++i, x = y) {
        y = rows + at.outputs[i % 2];
        const bool is_last = i + 1 == g.network->layers;
        LayerJob job{x, at.stride, y, at.stride, count, is_last ? Activation::kNone : between};
        if (context.approximate) {
            job.pairs = reinterpret_cast<int32_t*>(rows + at.pairs);
            job.units = rows + at.unit;
        }
        context.kernels->layer(g.layers[i], job);
    }
    for (size_t i = 0; i < count; ++i)
        if (moments[i].weights)
            writeWeights(context, y + i * at.stride, nullptr, moments[i].weights);
}

}  // namespace hem::runtime
