// SPDX-License-Identifier: Apache-2.0
#include "hem/models/neural/component_curve.h"

#include <algorithm>
#include <cmath>

#include "hem/models/neural/targets.h"

namespace hem {
namespace {

// `outputs` in units: a row a component. `rest`: the cost that all of them leave out.
std::vector<double> leftCm(const MatrixF& outputs, const VectorF& unit, double rest, size_t rows) {
    const auto modes = outputs.rows();
    std::vector<double> left(size_t(modes) + 1);
    double square = rest * double(rows);  // of a pose, summed over its vertices
    for (auto k = modes; k >= 0; --k) {
        left[size_t(k)] = 100 * std::sqrt(3 * square / double(rows));
        if (k == 0) break;
        const double of_mode = double(outputs.row(k - 1).cast<double>().squaredNorm());
        square += double(unit[k - 1]) * double(unit[k - 1]) * of_mode / double(outputs.cols());
    }
    return left;
}

}  // namespace

Result<ComponentCurve> componentCurve(const PoseExamples& training, const PoseExamples& validation,
                                      int modes) {
    const auto targets = makeTargets(training, validation, modes);
    if (!targets) return targets.error();
    const size_t rows = size_t(training.offsets.rows());
    ComponentCurve curve;
    curve.training_cm = leftCm(targets->training, targets->unit, targets->training_rest, rows);
    curve.validation_cm =
        leftCm(targets->validation, targets->unit, targets->validation_rest, rows);
    double sum = 0;
    curve.explained.push_back(0);
    for (const double variance : targets->subspace.variance)
        curve.explained.push_back(
            std::min(1.0, (sum += variance) / targets->subspace.total_variance));
    return curve;
}

}  // namespace hem
