// SPDX-License-Identifier: Apache-2.0
// Outline: a body or garment as a stack of convex horizontal sections.
//
// Each section is kept by its support function: how far it reaches in each of kDirections
// directions. Cloth spans hollows as a convex section does, and tailoring is easy in this form:
// ease adds, two sections merge by their maximum, a straight seam between two heights is a straight
// line in each direction. Sections are symmetric about x = middle.
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "hem/garment/body_sizes.h"

namespace hem {

class Outline {
public:
    static constexpr int kDirections = 64;
    static constexpr float kStep = 0.01f;  // metres between sections
    using Section = std::array<double, kDirections>;

    // Of those triangles of the body that `counts` accepts, and of the parts of them on the left of
    // x = middle + `left_of` where that is given. Heights without any take the
    // nearest section; where there is none at all, the outline is empty.
    Outline(const BodySizes& body, const std::function<bool(uint32_t triangle)>& counts,
            float left_of = -1e9f, bool mirrored = true);

    // About the distance from the section at p's height, in its plane; negative inside.
    double distance(Vec3 p) const;
    // Girth of the section at a height.
    double girth(float y) const;
    // How far it reaches to the side (+x), to the front and to the back, from x = middle and z = 0.
    double reach(float y, float dx, float dz) const;
    bool hasSection(float y) const;

    // Adds ease(y) all around.
    void widen(const std::function<double(float y)>& ease);
    // Makes each direction's profile its upper concave envelope between two heights: cloth that is
    // taut between them.
    void span(float low, float high);
    // No section below `from` is narrower than one above it, down to `to`.
    void fallStraight(float from, float to);
    // The larger of both everywhere.
    void unite(const Outline& other);
    // Below `from`: the section at `from` widened by grow(y), instead of what is there.
    void hangFrom(float from, const std::function<double(float y)>& grow);
    // Smooths the profiles over about `metres` of height.
    void smooth(float metres);
    void blend(const Outline& other, const std::function<double(float y)>& share);

    static std::array<double, 2> direction(int i);  // (x, z)

private:
    size_t count() const { return sections_.size(); }
    float heightOf(size_t i) const { return low_ + float(i) * kStep; }
    size_t indexNear(float y) const;
    void fillGaps();

    float middle_ = 0, low_ = 0;
    std::vector<Section> sections_;
    std::vector<bool> found_;
};

}  // namespace hem
