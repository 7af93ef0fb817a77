// SPDX-License-Identifier: Apache-2.0
// The smoothest path through wishes: a weighted least-squares fit with a price on acceleration. And
// smaller means of smoothing in time.
#pragma once

#include <vector>

#include "hem/core/transform.h"

namespace hem {

// At one frame: a path at x costs (x - wish)' W (x - wish); wishes of one frame add up. W is
// symmetric and not negative.
struct Wish {
    size_t frame;
    Vec3 wish;
    Mat3 weight;
};

// What the path itself costs, in the weights' unit.
struct PathPrice {
    double bending = 0;  // per (m/s^2)^2 of acceleration, every frame
    double tension =
        0;  // per (m/s)^2 of velocity: without it a path swings out where nothing is wished
    double pull = 0;  // per m^2 away from nought
};

// The x per frame that costs least. Exact: one banded Cholesky factorisation, in double; linear in
// the frames. Every frame needs a wish or a price that ties it to one.
std::vector<Vec3> smoothPath(size_t frames, double rate, const std::vector<Wish>& wishes,
                             const PathPrice& price);

// A smooth curve that is nowhere below `need`: the largest need within `reach` frames each way,
// then a mean over the same window.
std::vector<float> envelope(const std::vector<float>& need, size_t reach);

// From 0 at t = 0 to 1 at t = 1, level at both ends and beyond.
float smoothStep(float t);

}  // namespace hem
