// SPDX-License-Identifier: Apache-2.0
// Sheets of cloth cut out of a smooth surface around the body.
//
// A Cut says where a layer of cloth lies, as the zero set of a field, and where its edges are, as
// the zero sets of trims on it. Only the left half is meshed and then mirrored, so garments are
// symmetric to the bit.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "hem/core/isosurface.h"
#include "hem/core/surface_tree.h"
#include "hem/garment/body_sizes.h"
#include "hem/garment/volume.h"

namespace hem {

// The part of a layer where `removed` is positive is cut away. Must be smooth near the layer where
// it is nought; its scale is of no account. Called with x >= middle only.
using Trim = std::function<double(Vec3)>;

struct Cut {
    ScalarField field;  // negative inside; called with x >= middle only
    Vec3 low, high;     // the box it lies in; low.x is not used
    Vec3 inside;        // where the field is negative, and has the layer on its left (+x)
    std::vector<Trim> trims;
};

// The skin, and how far from it a point is.
class Skinside {
public:
    explicit Skinside(const BodySizes& body) : tree_(body.skin), middle_(body.middle) {}

    // Signed distance to the skin or to its mirror image, whichever is nearer, and the direction
    // away from it. `reach` metres where both are farther.
    float distance(Vec3 p, float reach, Vec3& away) const;
    float middle() const { return middle_; }

private:
    SurfaceTree tree_;
    float middle_;
};

// A half layer, ready to be meshed at any edge length.
class Sheet {
public:
    // `edge` is about what will be asked of meshed(): the resolution of what it starts from.
    Sheet(const Cut& cut, float middle, float edge);

    // Of the whole layer. Nought where the field or the trims leave nothing.
    double area() const;
    // For a layer that has area: both halves, with edges about `edge` metres long. Vertices,
    // middles of edges and centroids are pushed `clearance` metres away from the skin where they
    // come nearer.
    Mesh meshed(float edge, const Skinside& skin, float clearance) const;

private:
    Vec3 project(Vec3 p, bool on_boundary) const;
    Vec3 solve(Vec3 p, std::vector<int> constraints) const;
    double constraint(int which, Vec3 p, Vec3& gradient) const;
    void clip(int trim, std::vector<uint32_t>& active);
    bool hasSeed(const Grid& grid, Vec3 inside) const;
    void keepLargestPiece(std::vector<uint32_t>& active);

    static constexpr int kSurface = -1, kPlane = 0;  // trims count from 1
    float middle_;
    std::vector<Trim> trims_;
    Volume volume_;
    Mesh fine_;
    std::vector<uint32_t> corners_;
};

}  // namespace hem
