// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/equal_cost.h"

#include <algorithm>
#include <cmath>

#include "hem/core/check.h"

namespace hem {

int dimensionsAt(double cost, const std::vector<int>& dimensions, const std::vector<double>& costs,
                 int most) {
    CHECK(dimensions.size() >= 2 && dimensions.size() == costs.size());
    size_t i = 1;
    while (i + 1 < dimensions.size() && costs[i] < cost) ++i;
    const double slope = (costs[i] - costs[i - 1]) / double(dimensions[i] - dimensions[i - 1]);
    const double at = double(dimensions[i]) + (slope > 0 ? (cost - costs[i]) / slope : 0);
    return std::clamp(4 * int(std::lround(at / 4)), 4, most);
}

}  // namespace hem
