// SPDX-License-Identifier: Apache-2.0
// AdamW with a warm-up, a cosine schedule, and the running mean of the parameters.
//
// Based on: Kingma, Ba, "Adam: a method for stochastic optimization" (2015); Loshchilov, Hutter,
// "Decoupled weight decay regularization" (2019).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hem/core/matrix.h"

namespace hem {

class Adam {
public:
    struct Options {
        int steps;           // in all: where the cosine ends
        float rate;          // at its highest
        float weight_decay;  // of the parameters per unit of rate
        float averaging;     // of the running mean, per step
        float square_decay = 0.99f;
        float longest_gradient = 1;  // longer ones are shortened to it
        bool cosine = true;          // false: the rate stays
    };
    // `decay_mask`: 1 for the parameters that decay.
    Adam(VectorF parameters, VectorF decay_mask, Options options);

    void step(const VectorF& gradient);

    int steps() const { return steps_; }  // done
    const VectorF& parameters() const { return parameters_; }
    const VectorF& average() const { return average_; }

    // Everything that later steps depend on, to go on from after an interruption.
    std::vector<std::byte> state() const;
    // False, and nothing changes, where the bytes are not a state() of as many parameters.
    bool restore(std::span<const std::byte> state);

private:
    float rateNow() const;

    Options options_;
    int steps_ = 0;
    VectorF parameters_, decay_mask_, average_, mean_, square_;
};

}  // namespace hem
