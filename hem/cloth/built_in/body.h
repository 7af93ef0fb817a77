// SPDX-License-Identifier: Apache-2.0
// Body: the skinned surface that the cloth touches, cut into parts.
//
// Parts (trunk, head, upper and lower arms and legs; on other skeletons every joint) are told apart
// so that cloth on the trunk also sees the arm that swings towards it. Seams that only split
// vertices are welded, so that one can walk over the surface from triangle to triangle.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "hem/character/character.h"
#include "hem/cloth/built_in/lanes.h"

namespace hem::built_in {

struct BodyPoint {
    uint32_t triangle = UINT32_MAX;
    float a = 1, b = 0, c = 0;  // weights of the triangle's corners
    Vec3 position;
    float squared = 0;  // distance
};

class Body {
public:
    explicit Body(const Character& character);

    size_t parts() const { return parts_.size(); }
    size_t vertexCount() const { return rest_.size(); }
    const std::vector<Triangle>& triangles() const { return triangles_; }

    // All vertices, at the joints' matrices.
    void skin(const std::vector<Affine>& matrices, std::vector<Vec3>& out) const;
    // Those of one part's triangles alone.
    void skinPart(size_t part, const std::vector<Affine>& matrices, std::vector<Vec3>& out) const;

    // How a part moves between two sets of positions: the mean, and the most that a vertex differs
    // from it.
    struct Shift {
        Vec3 mean;
        float spread = 0;
    };
    Shift shiftOf(size_t part, const std::vector<Vec3>& from, const std::vector<Vec3>& to) const;

    // Makes the parts' boxes fit `positions`, for nearest().
    void refit(const std::vector<Vec3>& positions);
    // The nearest point of a part within `reach`; triangle UINT32_MAX for none. `hint`: a triangle
    // of that part that is likely near, or UINT32_MAX. `positions` as for refit().
    BodyPoint nearest(size_t part, Vec3 p, float reach, uint32_t hint,
                      const std::vector<Vec3>& positions) const;

    // From `triangle` on to the nearest point, downhill from triangle to triangle, over parts for
    // which active[part] is not nought.
    BodyPoint walk(Vec3 p, uint32_t triangle, const std::vector<uint8_t>& active,
                   const std::vector<Vec3>& positions) const;
    // The outward direction at a point, not of unit length: face, mean of two faces on an edge, of
    // the whole fan at a corner.
    Vec3 outwards(const BodyPoint& point, const std::vector<Vec3>& positions) const;

    // The skin's weights by joint at a point of the rest surface.
    std::map<uint16_t, float> weightsAt(const BodyPoint& point) const;
    // The `kMaxInfluences` largest, scaled to sum to 1.
    struct Carried {
        std::array<uint16_t, Skin::kMaxInfluences> joints{};
        std::array<float, Skin::kMaxInfluences> weights{};
    };
    static Carried largest(const std::map<uint16_t, float>& weights);
    const std::vector<Vec3>& rest() const { return rest_; }
    // 1/radius in metres of the rest surface where it bulges most, smoothed; 0 where it is hollow.
    float curvatureAt(const BodyPoint& point) const;
    uint32_t partOf(uint32_t triangle) const { return part_of_triangle_[triangle]; }

private:
    struct Node {
        Float4 low, high;               // of its box; the fourth lane is nought
        uint32_t first = 0, count = 0;  // children, or triangles of a leaf
    };
    struct Part {
        std::vector<uint32_t> vertices;  // of its triangles
        std::vector<uint32_t> order;     // its triangles, leaf by leaf
        std::vector<Node> nodes;         // parents before children
    };
    void connect();
    void measureCurvature();
    void cutIntoParts(const Character& character);
    void buildTree(Part& part, uint32_t node, uint32_t begin, uint32_t end);
    void skinVertex(uint32_t v, const std::vector<Affine>& matrices, Vec3& out) const;
    BodyPoint onTriangle(Vec3 p, uint32_t triangle, const std::vector<Vec3>& positions) const;
    Vec3 faceNormal(uint32_t triangle, const std::vector<Vec3>& positions) const;

    std::vector<Vec3> rest_;
    std::vector<Triangle> triangles_;
    size_t influences_ = 0;
    std::vector<uint16_t> joints_;
    std::vector<float> weights_;
    std::vector<std::array<uint32_t, 3>> neighbours_;  // across the edge opposite to each corner
    std::vector<uint32_t> fan_begin_, fan_;            // triangles around each vertex
    std::vector<float> curvature_;                     // per vertex
    std::vector<uint8_t> part_of_triangle_;
    std::vector<Part> parts_;
};

}  // namespace hem::built_in
