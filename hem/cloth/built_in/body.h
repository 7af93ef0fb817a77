// SPDX-License-Identifier: Apache-2.0
// Body: the skinned surface that the cloth touches, cut into parts.
//
// Parts (trunk, head, upper and lower arms and legs; on other skeletons every joint) are told apart
// so that cloth on the trunk also sees the arm that swings towards it. Seams that only split
// vertices are welded, so that one can walk over the surface from triangle to triangle.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
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

class Body;

bool sameBits(const std::vector<Affine>& a, const std::vector<Affine>& b);

// The body's vertices in one pose, each skinned when it is first asked for: cloth is near few.
class PosedSkin {
public:
    explicit PosedSkin(const Body& body);

    // Takes the joints' matrices; positions from before are forgotten, unless these are the same.
    void pose(const std::vector<Affine>& matrices);
    Vec3 operator[](uint32_t vertex) {
        Entry& entry = entries_[vertex];
        if (entry.pose != pose_) skinVertex(vertex, entry);
        return entry.position;
    }
    // x, y, z and 0.
    Float4 lanes(uint32_t vertex) {
        Entry& entry = entries_[vertex];
        if (entry.pose != pose_) skinVertex(vertex, entry);
        Int4 bits;
        std::memcpy(&bits, &entry, sizeof bits);
        return Float4(bits & Int4{-1, -1, -1, 0});
    }

private:
    struct alignas(16) Entry {
        Vec3 position;
        uint32_t pose = 0;  // number of the pose that it is for
    };
    void skinVertex(uint32_t vertex, Entry& entry) const;

    const Body* body_;
    uint32_t pose_ = 0;
    std::vector<Affine> matrices_;
    std::vector<Entry> entries_;
};

class Body {
public:
    explicit Body(const Character& character);

    size_t parts() const { return part_is_arm_.size(); }
    size_t vertexCount() const { return rest_.size(); }
    size_t jointCount() const { return joint_count_; }
    const std::vector<Triangle>& triangles() const { return triangles_; }
    const std::vector<Vec3>& rest() const { return rest_; }
    bool isArm(size_t part) const { return part_is_arm_[part] != 0; }
    uint32_t partOf(uint32_t triangle) const { return part_of_triangle_[triangle]; }
    // Joints and weights of a vertex, `influences()` of each.
    size_t influences() const { return influences_; }
    const uint16_t* jointsOf(uint32_t vertex) const { return &joints_[vertex * influences_]; }
    const float* weightsOf(uint32_t vertex) const { return &weights_[vertex * influences_]; }

    // The nearest point of one triangle.
    BodyPoint onTriangle(Vec3 p, uint32_t triangle, PosedSkin& skin) const;
    // From `triangle` on to the nearest point, downhill from triangle to triangle.
    BodyPoint walk(Vec3 p, uint32_t triangle, PosedSkin& skin) const;
    // The outward direction at a point, not of unit length: face, mean of two faces on an edge, of
    // the whole fan at a corner.
    Vec3 outwards(const BodyPoint& point, PosedSkin& skin) const;

    // The skin's weights by joint at a point of the rest surface.
    std::map<uint16_t, float> weightsAt(const BodyPoint& point) const;
    // The `kMaxInfluences` largest, scaled to sum to 1.
    struct Carried {
        std::array<uint16_t, Skin::kMaxInfluences> joints{};
        std::array<float, Skin::kMaxInfluences> weights{};
    };
    static Carried largest(const std::map<uint16_t, float>& weights);
    // 1/radius in metres of the rest surface where it bulges most, smoothed; 0 where it is hollow.
    float curvatureAt(const BodyPoint& point) const;

private:
    void connect();
    void measureCurvature();
    void cutIntoParts(const Character& character);
    Vec3 faceNormal(uint32_t triangle, PosedSkin& skin) const;

    std::vector<Vec3> rest_;
    std::vector<Triangle> triangles_;
    size_t influences_ = 0, joint_count_ = 0;
    std::vector<uint16_t> joints_;
    std::vector<float> weights_;
    std::vector<std::array<uint32_t, 3>> neighbours_;  // across the edge opposite to each corner
    std::vector<uint32_t> fan_begin_, fan_;            // triangles around each vertex
    std::vector<float> curvature_;                     // per vertex
    std::vector<uint8_t> part_of_triangle_, part_is_arm_;
};

}  // namespace hem::built_in
