// SPDX-License-Identifier: Apache-2.0
// What the model kinds have in common: one moment of several wearers in, their weights out. The
// kinds are in linear.cpp, modal.cpp and neural.cpp, their equations in format.h.
#pragma once

#include "hem/runtime/kernels.h"
#include "hem/runtime/state.h"

namespace hem::runtime {

struct Context {
    Garment garment;
    StateLayout layout;
    const Kernels* kernels;
    float dial;  // -1 to 1
    bool approximate;
};

// One moment of one wearer.
struct Moment {
    float* state;
    const float* features;  // f
    Root root;
    float part;        // ticks since tick n: 1 for a whole tick
    bool keeps;        // this is the next tick: the state moves on to it
    float* weights;    // y, after dial and limits; null where nobody wants it
    float confidence;  // out: of this moment alone
    bool clamped;      // out: an input was out of range
};

// Steady motion at a reset, in the canonical frame.
struct SteadyMotion {
    float velocity[3];   // metres a second
    float heading_rate;  // radians a second
};

// Floats of scratch memory that a moment needs.
size_t linearScratch(const Garment& garment);
size_t modalScratch(const Garment& garment);
size_t neuralScratch(const Garment& garment);
// The same for all.
size_t modalTables(const Garment& garment);

void evaluateLinear(const Context& context, Moment* moments, size_t count, float* scratch);
void evaluateModal(const Context& context, Moment* moments, size_t count, float* scratch);
// Needs features and weights alone of a moment, and leaves the state as it is.
void evaluateNeural(const Context& context, Moment* moments, size_t count, float* scratch);
// Sets everything of the state behind f: the wearer has always stood, or moved, so. `moment.part`
// and `.keeps` are of no account.
void settleLinear(const Context& context, Moment& moment, const SteadyMotion& motion,
                  float* scratch);
void settleModal(const Context& context, Moment& moment, const SteadyMotion& motion,
                 float* scratch);

// The root one tick earlier in steady motion.
Root oneTickBefore(const Garment& garment, const Root& root, const SteadyMotion& motion);

// u = clamp((i - offset) * scale, low, high) in place, and what was clamped. Up to 15 numbers past
// the inputs are overwritten.
void normaliseInputs(const Context& context, float* inputs, Moment& moment);

// The moment's weights: y, with what differs from `rest` scaled where there is a dial (`rest` is
// then not null), within the limits.
void writeWeights(const Context& context, const float* y, const float* rest, float* weights);

// A root as the new tick n, the others one back.
void pushRoot(const Context& context, float* state, const Root& root);

}  // namespace hem::runtime
