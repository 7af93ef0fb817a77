// SPDX-License-Identifier: Apache-2.0
// Least squares of the linear models, and what makes an unstable fit stable.
//
// A model with |lambda| >= 1 could blow up, and nothing in least squares forbids one. Three ways
// out, compared in docs/stable_space.md.
#pragma once

#include <string>

#include "hem/core/matrix.h"

namespace hem {

// How a fit whose |lambda| is too large is made stable.
enum class Stabiliser {
    // B_k -> g^k B_k scales every eigenvalue by g exactly; then A and C are fitted again.
    kContraction,
    // Siddiqi, Boots, Gordon, "A constraint generation approach to learning stable linear dynamical
    // systems" (2007): the least squares again, under linear constraints on M along its largest
    // singular vectors, one added at a time until it is stable.
    kConstraintGeneration,
    // The paper's: a state of fewer modes. The others are still put out, from the inputs and from
    // the past of the first ones.
    kFewerModes,
};
const char* nameOf(Stabiliser stabiliser);

// Sums of products of a weighted least-squares problem, min sum w |y - W r|^2, rows r.
struct NormalEquations {
    MatrixD gram;       // sum w r r^T
    MatrixD cross;      // sum w r y^T
    double square = 0;  // sum w |y|^2
    double weight = 0;  // sum w
    int alike = 0;      // the first so many of r are in one unit, and share the size of their ridge

    void add(const MatrixF& r, const MatrixF& y);
    void add(const NormalEquations& other, double factor);
};
// The Gram matrix with `ridge` times the sum of squares of each input added to its diagonal: that
// of `alike` inputs is their mean, so that a ridge holds back the faint ones among them.
MatrixD ridgedGram(const NormalEquations& equations, double ridge);
// W, outputs by inputs.
MatrixD solve(const NormalEquations& equations, double ridge);
// Mean over the rows of |y - W r|^2.
double residual(const NormalEquations& equations, const MatrixD& weights);

// New weights with |lambda| at most `largest_lambda`. `inputs` and `order` as in LinearDynamics.
struct Stabilised {
    MatrixD weights;
    double lambda = 0;
    std::string report;  // a sentence
};
Stabilised stabilise(const NormalEquations& equations, const MatrixD& weights, int inputs,
                     int order, double ridge, double largest_lambda, Stabiliser how);

}  // namespace hem
