// SPDX-License-Identifier: Apache-2.0
// How long the mannequin's edges should be: short where the surface bends sharply. Not for users of
// the library: mannequin.h is.
#pragma once

#include <functional>
#include <vector>

#include "hem/core/isosurface.h"
#include "hem/core/mesh.h"

namespace hem::mannequin_parts {

struct SizingOptions {
    float chord_error = 0.001f;          // metres between the middle of an edge and the surface
    float shortest = 0;                  // metres
    std::function<float(Vec3)> longest;  // metres, by place
    float gradation = 0.2f;              // how much the length changes over a metre, at most
};

// An edge of length l over a surface of radius r misses it by l^2 / 8r, so l = sqrt(8 r error). The
// radius comes from the field's gradients at the ends of a fine mesh's edges; lengths are kept on a
// grid, so that a look-up is cheap.
class Sizing {
public:
    Sizing(const Mesh& fine, const ScalarField& field, const SizingOptions& options);
    float operator()(Vec3 p) const;

private:
    size_t index(int i, int j, int k) const;
    void spread(float gradation);

    Vec3 low_;
    int n_[3];
    std::vector<float> lengths_;
};

}  // namespace hem::mannequin_parts
