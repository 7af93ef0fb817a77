// SPDX-License-Identifier: Apache-2.0
// What the first k principal components keep of the offsets: Figure 3 of the 2021 paper.
#pragma once

#include "hem/models/neural/training.h"

namespace hem {

// Every list has an entry for k = 0, 1, ... components.
struct ComponentCurve {
    std::vector<double> explained;  // share of the training poses' variance, 0 to 1
    // Root of the mean over poses and vertices of the squared distance that is left, centimetres.
    std::vector<double> training_cm, validation_cm;
};

// Components of the training poses, up to `modes`. Fails where there are fewer poses than those.
Result<ComponentCurve> componentCurve(const PoseExamples& training, const PoseExamples& validation,
                                      int modes);

}  // namespace hem
