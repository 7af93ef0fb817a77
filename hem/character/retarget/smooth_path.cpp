// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/smooth_path.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "hem/core/check.h"

namespace hem {
namespace {

// Accelerations couple three neighbouring frames of three unknowns each.
constexpr size_t kBand = 8;

// A symmetric banded matrix: row i holds columns i - kBand .. i.
class Banded {
public:
    explicit Banded(size_t size) : rows_(size) {}

    double& at(size_t i, size_t j) { return rows_[i][kBand + j - i]; }  // j <= i <= j + kBand
    size_t size() const { return rows_.size(); }

    // Solves in place by Cholesky. The matrix must be positive definite.
    void solve(std::vector<double>& b) {
        const auto first = [](size_t i) { return i > kBand ? i - kBand : 0; };
        for (size_t i = 0; i < size(); ++i) {
            for (size_t j = first(i); j <= i; ++j) {
                double sum = at(i, j);
                for (size_t k = std::max(first(i), first(j)); k < j; ++k)
                    sum -= at(i, k) * at(j, k);
                if (i == j) CHECK_GT(sum, 0);
                at(i, j) = i == j ? std::sqrt(sum) : sum / at(j, j);
            }
            for (size_t k = first(i); k < i; ++k) b[i] -= at(i, k) * b[k];
            b[i] /= at(i, i);
        }
        for (size_t i = size(); i-- > 0;) {
            b[i] /= at(i, i);
            for (size_t k = first(i); k < i; ++k) b[k] -= at(i, k) * b[i];
        }
    }

private:
    std::vector<std::array<double, kBand + 1>> rows_;
};

// Adds `weight` times the squares of sum_a factors[a] x[f + a], over all frames f and the three
// axes.
void addDifferences(Banded& matrix, size_t frames, const std::vector<double>& factors,
                    double weight) {
    for (size_t f = 0; f + factors.size() <= frames; ++f)
        for (size_t a = 0; a < factors.size(); ++a)
            for (size_t b = 0; b <= a; ++b)
                for (size_t axis = 0; axis < 3; ++axis)
                    matrix.at(3 * (f + a) + axis, 3 * (f + b) + axis) +=
                        weight * factors[a] * factors[b];
}

}  // namespace

std::vector<Vec3> smoothPath(size_t frames, double rate, const std::vector<Wish>& wishes,
                             const PathPrice& price) {
    Banded matrix(3 * frames);
    std::vector<double> right(3 * frames, 0.0);
    for (size_t i = 0; i < 3 * frames; ++i) matrix.at(i, i) += price.pull;
    for (const Wish& w : wishes)
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                const size_t row = 3 * w.frame + size_t(r), column = 3 * w.frame + size_t(c);
                const double weight = double(w.weight.m[r][c]);
                if (c <= r) matrix.at(row, column) += weight;
                right[row] += weight * double(w.wish[c]);
            }
    addDifferences(matrix, frames, {-1, 1}, price.tension * rate * rate);
    addDifferences(matrix, frames, {1, -2, 1}, price.bending * rate * rate * rate * rate);
    matrix.solve(right);
    std::vector<Vec3> path(frames);
    for (size_t f = 0; f < frames; ++f)
        path[f] = {float(right[3 * f]), float(right[3 * f + 1]), float(right[3 * f + 2])};
    return path;
}

std::vector<float> envelope(const std::vector<float>& need, size_t reach) {
    const size_t n = need.size();
    std::vector<float> largest(n), smooth(n, 0.0f);
    const auto first = [&](size_t f) { return f > reach ? f - reach : 0; };
    const auto last = [&](size_t f) { return std::min(n, f + reach + 1); };  // left out
    for (size_t f = 0; f < n; ++f)
        largest[f] = *std::max_element(need.begin() + long(first(f)), need.begin() + long(last(f)));
    for (size_t f = 0; f < n; ++f)
        for (size_t g = first(f); g < last(f); ++g)
            smooth[f] += largest[g] / float(last(f) - first(f));
    return smooth;
}

float smoothStep(float t) {
    t = std::clamp(t, 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

}  // namespace hem
