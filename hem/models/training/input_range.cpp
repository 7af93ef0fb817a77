// SPDX-License-Identifier: Apache-2.0
#include "hem/models/training/input_range.h"

#include <algorithm>
#include <cmath>

#include "hem/core/check.h"

namespace hem {

InputRange fitInputRange(const std::vector<const MatrixF*>& inputs, double clamped_share) {
    CHECK(!inputs.empty());
    const Eigen::Index n = inputs[0]->rows();
    InputRange range{VectorF(n), VectorF(n), VectorF(n), VectorF(n)};
    std::vector<float> values;
    for (Eigen::Index i = 0; i < n; ++i) {
        values.clear();
        for (const MatrixF* m : inputs)
            for (Eigen::Index t = 0; t < m->cols(); ++t) values.push_back((*m)(i, t));
        double sum = 0, square = 0;
        for (const float v : values) sum += v;
        const double mean = sum / double(values.size());
        for (const float v : values) square += (v - mean) * (v - mean);
        const double deviation = std::sqrt(square / double(values.size()));
        const size_t cut = size_t(clamped_share * double(values.size()));
        std::sort(values.begin(), values.end());
        range.offset[i] = float(mean);
        range.scale[i] = float(1 / std::max(deviation, 1e-6));
        range.low[i] = (values[cut] - range.offset[i]) * range.scale[i];
        range.high[i] = (values[values.size() - 1 - cut] - range.offset[i]) * range.scale[i];
    }
    return range;
}

void applyRange(const InputRange& range, MatrixF& inputs) {
    for (Eigen::Index t = 0; t < inputs.cols(); ++t)
        inputs.col(t) = ((inputs.col(t) - range.offset).cwiseProduct(range.scale))
                            .cwiseMax(range.low)
                            .cwiseMin(range.high);
}

}  // namespace hem
