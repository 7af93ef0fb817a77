// SPDX-License-Identifier: Apache-2.0
// The mannequin's shape as a scalar field: lofts and ellipsoids, joined smoothly. Not for users of
// the library: mannequin.h is.
#pragma once

#include <memory>
#include <vector>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/mesh.h"

namespace hem::mannequin_parts {

// The two sexes' surfaces: negative inside, positive outside, about a distance in metres near the
// surface. Symmetric about x = 0 and smooth there.
class BodyField {
public:
    explicit BodyField(Sex sex);
    ~BodyField();
    BodyField(BodyField&&) noexcept;

    double operator()(Vec3 p) const;
    // Of the left arm with the hand, for points with x >= 0, and of all that is not an arm.
    // Skinning uses them to tell an arm from the trunk beside it.
    double arm(Vec3 p) const;
    double allButArms(Vec3 p) const;
    // How much nearer the left thumb is than the rest of the hand; and the thumb's direction.
    double thumbMargin(Vec3 p) const;
    Vec3 thumbAxis() const;

    // The point of the zero set down the gradient from `p`, by Newton's method; where
    // `in_mid_plane`, moving within x = 0.
    Vec3 project(Vec3 p, bool in_mid_plane) const;

private:
    struct Parts;
    std::unique_ptr<const Parts> parts_;
};

}  // namespace hem::mannequin_parts
