// SPDX-License-Identifier: Apache-2.0
// Volume: a scalar field sampled on a grid and smoothed by a cubic B-spline, so that its zero set
// is a smooth surface with a cheap gradient.
#pragma once

#include <functional>
#include <vector>

#include "hem/core/isosurface.h"

namespace hem {

class Volume {
public:
    // `field` is called once per grid point, from several threads. It need not be smooth: the
    // spline rounds off what is finer than about two cells. Memory: four bytes a point.
    Volume(const ScalarField& field, Vec3 low, Vec3 high, float cell);

    double value(Vec3 p) const;
    // Value, and the gradient in `gradient`. Outside of the box: as at its nearest point.
    double value(Vec3 p, Vec3& gradient) const;

    Vec3 low() const { return low_; }
    Vec3 high() const { return low_ + Vec3{float(n_[0]), float(n_[1]), float(n_[2])} * cell_; }

private:
    Vec3 low_;
    float cell_;
    int n_[3];  // cells; one more point each way on either side
    std::vector<float> samples_;
};

}  // namespace hem
