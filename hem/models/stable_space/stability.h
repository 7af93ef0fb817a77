// SPDX-License-Identifier: Apache-2.0
// Stability of the linear models: the 2010 paper, section 6.1.
//
// With the state s_t = [y_t; ...; y_{t-N+1}], the model is s_t = M s_{t-1} + [k_t; 0], where
// M = [B_1 ... B_N; 1 0] is the companion matrix and k_t what the inputs add. M = Q diag(lambda)
// Q^-1, columns of Q of unit length, E_t = |Q^-1 s_t|, and so
//
//     E_t <= |lambda| E_{t-1} + k_max,     k_max >= |Q^-1 [k; 0]| for all inputs in the clamp box:
//
// E cannot grow above E-bar = k_max / (1 - |lambda|). Model A has no state: lambda = 0, E = |y|.
// The bound is of the model before its output limit; where the limit acts, |y| is bounded by it.
#pragma once

#include <complex>

#include "hem/models/stable_space/model.h"

namespace hem {

struct LinearStability {
    // The modes whose past is read; Q and E are of these alone. The others follow from them and
    // from the inputs in the same frame.
    std::vector<Eigen::Index> kept;
    Eigen::MatrixXcd q_inverse;  // order * kept squared; of order 0 the identity
    StabilityProof proof;
    double condition = 0;  // of Q: how far |s| and E may differ
};

// M, order * modes squared; empty for order 0.
MatrixD companionMatrix(const LinearDynamics& dynamics);
// The largest |eigenvalue|; 0 of an empty matrix.
double spectralRadius(const MatrixD& matrix);

// k_max is a true bound over the box of `range`: the least of three, row by row, column by column,
// and by the largest singular value.
LinearStability analyse(const LinearDynamics& dynamics, const InputRange& range);

// The largest |Q^-1 [k; 0]| that clamped inputs (inputs by frames) really made: k_max is above it.
double largestDrive(const LinearStability& stability, const LinearDynamics& dynamics,
                    const MatrixF& inputs);

// E of every frame from `order` - 1 on: y is modes by frames.
VectorD energies(const LinearStability& stability, const MatrixF& y, int order);
// The largest of E_t - |lambda| E_{t-1} over a rollout: what the inputs added, at most k_max.
// Frames where y touches the limit are left out.
double largestGain(const LinearStability& stability, const MatrixF& y, int order,
                   const VectorF& limit);

}  // namespace hem
