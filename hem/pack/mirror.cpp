// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/mirror.h"

#include <algorithm>

#include "hem/subspace/mirror.h"

namespace hem {
namespace {

using Eigen::Index;

constexpr float kMeanTolerance = 1e-5f;  // metres
constexpr float kModeTolerance = 1e-4f;  // of a mode's length

// 0 or 1 as in Mirror; none for a mode that is neither.
std::optional<uint8_t> parityOf(const VectorF& mode, const VectorF& reflected) {
    const float most = 2 * kModeTolerance * mode.norm();
    if ((mode - reflected).norm() <= most) return 0;
    if ((mode + reflected).norm() <= most) return 1;
    return std::nullopt;
}

}  // namespace

std::optional<Mirror> mirrorOf(const Mesh& garment, const Subspace& subspace) {
    const auto vertices = mirrorPartners(garment);
    if (!vertices) return std::nullopt;
    const MirrorPartners partners{*vertices, {}};
    const VectorF mean = mirroredCloth(subspace.mean, partners);
    if (!((mean - subspace.mean).array().abs() <= kMeanTolerance).all()) return std::nullopt;
    Mirror mirror;
    const MatrixF reflected = mirroredCloth(subspace.basis, partners);
    for (Index m = 0; m < reflected.cols(); ++m) {
        const auto parity = parityOf(subspace.basis.col(m), reflected.col(m));
        if (!parity) return std::nullopt;
        mirror.is_odd.push_back(*parity);
    }
    const auto odd = std::count(mirror.is_odd.begin(), mirror.is_odd.end(), 1);
    if (odd == 0 || odd == reflected.cols()) return std::nullopt;
    for (size_t v = 0; v < vertices->size(); ++v) {
        if ((*vertices)[v] < v) continue;
        mirror.left.push_back(uint32_t(v));
        mirror.right.push_back(uint32_t((*vertices)[v]));
    }
    return mirror;
}

Subspace mirrored(const Subspace& subspace, const Mirror& mirror) {
    Subspace exact = subspace;
    for (size_t i = 0; i < mirror.left.size(); ++i)
        for (Index axis = 0; axis < 3; ++axis) {
            const Index left = 3 * Index(mirror.left[i]) + axis,
                        right = 3 * Index(mirror.right[i]) + axis;
            const float side = axis == 0 ? -1 : 1;
            const auto meet = [&](float& a, float& b, float sign) {
                a = 0.5f * (a + sign * b);
                b = sign * a;
            };
            meet(exact.mean[left], exact.mean[right], side);
            for (Index m = 0; m < exact.basis.cols(); ++m)
                meet(exact.basis(left, m), exact.basis(right, m),
                     mirror.is_odd[size_t(m)] ? -side : side);
        }
    return exact;
}

}  // namespace hem
