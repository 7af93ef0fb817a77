// SPDX-License-Identifier: Apache-2.0
// Model S as something to be trained: its parameters in one vector, and the gradient of its error
// on windows of motion by back-propagation through time.
//
//     a'  = silu(W1 u + b1),      a = a' + silu(Wa a' + ba)
//     h_t = lambda h_{t-1} + s (B a + b)
//           lambda = exp(-exp(nu) - 1/300 + i theta), s = sqrt(1 - |lambda|^2)
//     e'  = silu(W2 [a; h] + b2), e = e' + silu(We e' + be)
//     y   = W3 [u; h; e] + b3
//
// The state h is linear and its decay is below 1 by more than rounding whatever the parameters are:
// training cannot make the model unstable. s keeps h about as large for slow modes as for fast
// ones, so that one step length suits all; ModalDynamics has it folded into the drive.
//
// Error of a frame: the mean distance of vertices, as the garment is judged by, plus
// velocity_weight times that of their frame-to-frame differences. Not squared: a squared error is
// ruled by the few frames in which the cloth is chaotic. A few vertices at a time are enough,
// others at every step.
#pragma once

#include <span>
#include <vector>

#include "hem/core/matrix.h"
#include "hem/models/stable_space/model.h"

namespace hem {

struct ModalSizes {
    int inputs = 0, hidden = 128, states = 32, outer = 128, modes = 64;

    size_t parameters() const;
    // Multiply-adds of a step.
    size_t products() const;
};

// Windows of equal length, side by side: column t * windows + k is frame t of window k.
struct ModalWindows {
    int windows = 0, frames = 0;
    MatrixF inputs;  // inputs by frames * windows: u, standardised and clamped
    MatrixF cloth;   // modes by frames * windows: y*
    VectorF weight;  // frames * windows: of a frame's error; 0 for burn-in and padding
};

// The vertices that an error is measured on: their rows of the subspace's basis.
struct ErrorRows {
    MatrixF rows;  // 3 * vertices by modes: all x, then all y, then all z

    ErrorRows(const MatrixF& basis, std::span<const int> vertices);
    int vertices() const { return int(rows.rows() / 3); }
};

class ModalNetwork {
public:
    explicit ModalNetwork(ModalSizes sizes) : sizes_(sizes) {}

    // Decays from 1 frame to 1 s, angles up to half a turn in 8 frames; the linear part of the
    // output as given (modes by inputs, and bias); the rest small random numbers.
    VectorF initialParameters(uint64_t seed, const MatrixF& linear, const VectorF& bias) const;

    // Sum over the windows' frames of weight * error, and its gradient added to `gradient`
    // (parameters() of them). h starts at rest for each window's first input. Memory: a few times
    // the windows', and twice 3 floats a vertex measured and frame.
    double addGradient(const VectorF& parameters, const ModalWindows& windows,
                       const ErrorRows& measured, float velocity_weight, VectorF& gradient) const;

    ModalDynamics dynamics(const VectorF& parameters) const;
    const ModalSizes& sizes() const { return sizes_; }
    // 1 where weight decay applies (matrices), 0 elsewhere.
    VectorF decayMask() const;

private:
    ModalSizes sizes_;
};

}  // namespace hem
