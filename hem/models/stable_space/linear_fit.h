// SPDX-License-Identifier: Apache-2.0
// Fits the 2010 paper's models A, B and C by least squares (section 6).
//
//     A   y_t = A x_t
//     B   y_t = A x_t + B_1 y_{t-1} + ... + B_N y_{t-N}
//     C   y_t = ... + C_1 z_{t,t-N} + ... + C_N z_{t-N+1,t-N}
//
// Clips and their stops are rows of one problem. A stop is learned as it was lived: its first rows
// have the frames of its clip before the stop as their past. Stops outnumber clips and swamp them,
// so their rows have a weight, and a ridge keeps the coefficients of what barely moves small. Both
// are chosen by how the model does on its own, free-running, on motions that it has not seen: the
// training motions are dealt to folds, each is played by a model fitted to the other folds. The
// model itself is then fitted to all of training.
//
// Sums of products are kept in double, column-scaled, and solved by Cholesky; the ridge bounds
// their condition. Memory: 2 folds + 2 times (inputs + order * modes) squared doubles, and the
// inputs of all frames. See docs/stable_space.md.
#pragma once

#include <functional>
#include <optional>

#include "hem/models/stable_space/model.h"
#include "hem/models/stable_space/stabilise.h"
#include "hem/subspace/body_subspace.h"

namespace hem {

struct LinearFitOptions {
    char kind = 'C';
    int order = 2;     // 0 to 5; of no account to A
    int warm_up = 60;  // LinearDynamics::warm_up
    // The ridge is relative to the sum of squares of each input (stabilise.h). Unset: chosen. The
    // paper's fit has neither: ridge 0 and weight 1.
    std::optional<double> ridge, stop_weight;
    // What counts in choosing: the mean error over the clips left out, and, with this share, that
    // over the 30 frames after their stops.
    double stop_share = 0.25;
    int folds = 3;  // at least 2; fewer motions than folds are not enough to choose by
    double largest_lambda = 0.999;  // a fit above is made stable
    Stabiliser stabiliser = Stabiliser::kContraction;
    std::function<void(double)> progress;  // share done, 0 to 1
};

// `clips`: training's, stops after their clips (latent_clip.h), with y of as many modes as the
// model is to have. Fails where there are too few frames or motions to fit and to choose by.
Result<StableSpace> fitLinear(const std::vector<LatentClip>& clips, const BodySubspace& body,
                              const LinearFitOptions& options = {});

}  // namespace hem
