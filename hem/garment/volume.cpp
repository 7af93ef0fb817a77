// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/volume.h"

#include <algorithm>
#include <cmath>

#include "hem/core/parallel.h"

namespace hem {
namespace {

// Weights of the four samples around a place t between the middle two, and their derivatives.
struct Weights {
    float w[4], d[4];
    explicit Weights(float t) {
        const float s = 1 - t;
        w[0] = s * s * s / 6;
        w[1] = (3 * t * t * t - 6 * t * t + 4) / 6;
        w[2] = (3 * s * s * s - 6 * s * s + 4) / 6;
        w[3] = t * t * t / 6;
        d[0] = -s * s / 2;
        d[1] = (3 * t * t - 4 * t) / 2;
        d[2] = -(3 * s * s - 4 * s) / 2;
        d[3] = t * t / 2;
    }
};

}  // namespace

Volume::Volume(const ScalarField& field, Vec3 low, Vec3 high, float cell) : low_(low), cell_(cell) {
    for (int axis = 0; axis < 3; ++axis)
        n_[axis] = std::max(1, int(std::ceil((high[axis] - low[axis]) / cell)));
    const size_t nx = size_t(n_[0]) + 3, ny = size_t(n_[1]) + 3, nz = size_t(n_[2]) + 3;
    samples_.resize(nx * ny * nz);
    parallelFor(nz, 1, [&](size_t begin, size_t) {
        for (size_t j = 0; j < ny; ++j)
            for (size_t i = 0; i < nx; ++i) {
                const Vec3 at = Vec3{float(i) - 1, float(j) - 1, float(begin) - 1};
                samples_[(begin * ny + j) * nx + i] = float(field(low_ + at * cell_));
            }
    });
}

double Volume::value(Vec3 p) const {
    Vec3 gradient;
    return value(p, gradient);
}

double Volume::value(Vec3 p, Vec3& gradient) const {
    int first[3];
    float t[3];
    for (int axis = 0; axis < 3; ++axis) {
        const float at = std::clamp((p[axis] - low_[axis]) / cell_, 0.0f, float(n_[axis]) - 1e-4f);
        first[axis] = std::min(int(at), n_[axis] - 1);
        t[axis] = at - float(first[axis]);
    }
    const Weights x(t[0]), y(t[1]), z(t[2]);
    const size_t nx = size_t(n_[0]) + 3, ny = size_t(n_[1]) + 3;
    double sum = 0, gx = 0, gy = 0, gz = 0;
    for (int k = 0; k < 4; ++k)
        for (int j = 0; j < 4; ++j) {
            const float* row = &samples_[(size_t(first[2] + k) * ny + size_t(first[1] + j)) * nx +
                                         size_t(first[0])];
            double value = 0, slope = 0;
            for (int i = 0; i < 4; ++i) {
                value += double(row[i]) * x.w[i];
                slope += double(row[i]) * x.d[i];
            }
            sum += value * y.w[j] * z.w[k];
            gx += slope * y.w[j] * z.w[k];
            gy += value * y.d[j] * z.w[k];
            gz += value * y.w[j] * z.d[k];
        }
    gradient = Vec3{float(gx), float(gy), float(gz)} / cell_;
    return sum;
}

}  // namespace hem
