// SPDX-License-Identifier: Apache-2.0
// Models of different kinds compared at equal cost: how many dimensions each may have for it.
#pragma once

#include <vector>

namespace hem {

// The dimensions at which the line through `costs`, those of increasing `dimensions`, two at least,
// meets `cost`: a multiple of 4, from 4 to `most`. Beyond the ends it is the line of the last two or
// the first two; where that does not rise, the dimensions at its upper end.
int dimensionsAt(double cost, const std::vector<int>& dimensions, const std::vector<double>& costs,
                 int most);

}  // namespace hem
