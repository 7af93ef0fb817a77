// SPDX-License-Identifier: Apache-2.0
// A wearer's state: StateHeader, then arrays of floats at the offsets of StateLayout. Tick n is the
// last tick of the garment's clock; the wearer's time is n + phase.
#pragma once

#include "hem/runtime/garment.h"
#include "hem/runtime/heading.h"

namespace hem::runtime {

struct Root {
    float position[3];
    float heading;   // radians, unwrapped
    float sin, cos;  // of the heading
};

struct StateHeader {
    uint32_t magic;    // of the file
    uint32_t ticks;    // since the reset, which counts as the first; stops at 1000
    float phase;       // 0 <= phase < 1, in ticks
    float confidence;  // at tick n
    HeadingState heading;
    float pelvis[6];  // of the last call: the first two columns of joint 0's matrix
    Root root;        // of the last call
};
static_assert(sizeof(StateHeader) == 80);

// Offsets and sizes in floats.
struct StateLayout {
    uint32_t features;  // f of the last call; neural kind: K
    uint32_t roots;     // Root of ticks n, n-1, ...
    uint32_t roots_count;
    uint32_t history;  // linear kind: y of ticks n, n-1, ..., n-N
    uint32_t h;        // modal kind: real parts, then imaginary parts
    uint32_t g;        // modal kind: g of ticks n and n-1
    uint32_t size;     // of all; a multiple of 16
};

inline StateLayout stateLayout(const Garment& g) {
    StateLayout layout{};
    uint32_t end = sizeof(StateHeader) / sizeof(float);
    const auto take = [&end](uint32_t floats) {
        end += floats;
        return end - floats;
    };
    layout.features = take(g.features);
    layout.roots_count = g.network ? 0 : g.linear ? g.linear->order + 1 : 2;
    layout.roots = take(sizeof(Root) / sizeof(float) * layout.roots_count);
    if (g.linear) {
        layout.history = take((g.linear->order + 1) * g.header->modes);
    } else if (g.modal) {
        layout.h = take(2 * g.modal->states);
        layout.g = take(2 * (g.features + 4));
    }
    layout.size = paddedToLanes(end);
    return layout;
}

inline Root* rootsOf(float* state, const StateLayout& layout) {
    return reinterpret_cast<Root*>(state + layout.roots);
}

inline Root turned(Root root, float heading) {
    const SinCos turn = sinCos(heading);
    root.heading = heading;
    root.sin = turn.sin;
    root.cos = turn.cos;
    return root;
}

inline Root between(const Root& a, const Root& b, float t) {
    Root root = a;
    for (int i = 0; i < 3; ++i)
        root.position[i] = a.position[i] + (b.position[i] - a.position[i]) * t;
    return turned(root, a.heading + (b.heading - a.heading) * t);
}

}  // namespace hem::runtime
