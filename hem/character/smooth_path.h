// SPDX-License-Identifier: Apache-2.0
// The smoothest path through wishes: a weighted least-squares fit with a price on acceleration.
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

// The x per frame that costs least, with `bending` per (m/s^2)^2 of acceleration and `pull` per m^2
// away from nought, both in the weights' unit. Exact: one banded Cholesky factorisation, in double;
// linear in the frames.
std::vector<Vec3> smoothPath(size_t frames, double rate, const std::vector<Wish>& wishes,
                             double bending, double pull);

}  // namespace hem
