// SPDX-License-Identifier: Apache-2.0
#include "tests/character/body_measures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace hem {
namespace {

using Point2 = std::pair<double, double>;

double turn(const Point2& a, const Point2& b, const Point2& c) {
    return (b.first - a.first) * (c.second - a.second) -
           (b.second - a.second) * (c.first - a.first);
}

// Andrew's monotone chain.
std::vector<Point2> convexHull(std::vector<Point2> points) {
    std::sort(points.begin(), points.end());
    std::vector<Point2> hull;
    for (int side = 0; side < 2; ++side) {
        const size_t first = hull.size();
        for (const Point2& p : points) {
            while (hull.size() >= first + 2 && turn(hull[hull.size() - 2], hull.back(), p) <= 0)
                hull.pop_back();
            hull.push_back(p);
        }
        hull.pop_back();
        std::reverse(points.begin(), points.end());
    }
    return hull;
}

// Whether the segment p-q passes through the triangle (Moller and Trumbore 1997).
bool pierces(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 d = q - p, e1 = b - a, e2 = c - a, h = cross(d, e2), s = p - a, w = cross(s, e1);
    const double det = dot(e1, h);
    if (std::abs(det) < 1e-16) return false;
    const double u = dot(s, h) / det, v = dot(d, w) / det, t = dot(e2, w) / det;
    return u > 0 && v > 0 && u + v < 1 && t > 0 && t < 1;
}

bool intersect(const Mesh& mesh, const Triangle& s, const Triangle& t) {
    auto p = [&](uint32_t v) { return mesh.positions[v]; };
    for (int i = 0; i < 3; ++i) {
        if (pierces(p(s[i]), p(s[(i + 1) % 3]), p(t[0]), p(t[1]), p(t[2]))) return true;
        if (pierces(p(t[i]), p(t[(i + 1) % 3]), p(s[0]), p(s[1]), p(s[2]))) return true;
    }
    return false;
}

bool shareVertex(const Triangle& s, const Triangle& t) {
    return std::any_of(s.begin(), s.end(),
                       [&](uint32_t v) { return std::find(t.begin(), t.end(), v) != t.end(); });
}

using Cell = std::array<int, 3>;

Cell cellOf(Vec3 p, float size) {
    return {int(std::floor(p.x / size)), int(std::floor(p.y / size)), int(std::floor(p.z / size))};
}

Bounds boundsOfTriangle(const Mesh& mesh, const Triangle& t) {
    return boundsOf({mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]});
}

}  // namespace

double girth(const Mesh& mesh, Vec3 point, Vec3 normal, const std::function<bool(Vec3)>& counts) {
    const Vec3 n = normalized(normal), u = anyPerpendicular(n), v = cross(n, u);
    std::vector<Point2> section;
    for (const auto& [a, b] : uniqueEdges(mesh.triangles)) {
        const Vec3 p = mesh.positions[a], q = mesh.positions[b];
        const float dp = dot(p - point, n), dq = dot(q - point, n);
        if ((dp < 0) == (dq < 0)) continue;
        const Vec3 x = lerp(p, q, dp / (dp - dq));
        if (counts(x)) section.push_back({dot(x, u), dot(x, v)});
    }
    if (section.size() < 3) return 0;
    const std::vector<Point2> hull = convexHull(section);
    double length = 0;
    for (size_t i = 0; i < hull.size(); ++i) {
        const Point2 &a = hull[i], &b = hull[(i + 1) % hull.size()];
        length += std::hypot(a.first - b.first, a.second - b.second);
    }
    return length;
}

std::vector<std::pair<uint32_t, uint32_t>> selfIntersections(const Mesh& mesh) {
    constexpr float kCell = 0.04f;
    std::map<Cell, std::vector<uint32_t>> cells;
    std::vector<std::pair<uint32_t, uint32_t>> found;
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t) {
        const Bounds b = boundsOfTriangle(mesh, mesh.triangles[t]);
        const Cell low = cellOf(b.low, kCell), high = cellOf(b.high, kCell);
        std::vector<uint32_t> near;
        for (int i = low[0]; i <= high[0]; ++i)
            for (int j = low[1]; j <= high[1]; ++j)
                for (int k = low[2]; k <= high[2]; ++k) {
                    std::vector<uint32_t>& cell = cells[{i, j, k}];
                    near.insert(near.end(), cell.begin(), cell.end());
                    cell.push_back(t);
                }
        std::sort(near.begin(), near.end());
        near.erase(std::unique(near.begin(), near.end()), near.end());
        for (uint32_t s : near)
            if (!shareVertex(mesh.triangles[s], mesh.triangles[t]) &&
                intersect(mesh, mesh.triangles[s], mesh.triangles[t]))
                found.push_back({s, t});
    }
    return found;
}

double smallestAngle(const Mesh& mesh) {
    double largest_cosine = -1;
    for (const Triangle& t : mesh.triangles)
        for (int i = 0; i < 3; ++i) {
            const Vec3 a = mesh.positions[t[i]];
            const Vec3 u = normalized(mesh.positions[t[(i + 1) % 3]] - a);
            const Vec3 w = normalized(mesh.positions[t[(i + 2) % 3]] - a);
            largest_cosine = std::max(largest_cosine, double(dot(u, w)));
        }
    return std::acos(largest_cosine) * 180 / 3.14159265358979;
}

namespace {

// Two tetrahedra of edge about 0.1, the second moved along x by `distance`.
Mesh twoTetrahedra(float distance) {
    Mesh mesh;
    for (int copy = 0; copy < 2; ++copy) {
        const uint32_t first = uint32_t(mesh.positions.size());
        const Vec3 shift{distance * float(copy), 0.013f * float(copy), 0.007f * float(copy)};
        for (Vec3 p : {Vec3{0, 0, 0}, Vec3{0.1f, 0, 0}, Vec3{0, 0.1f, 0}, Vec3{0, 0, 0.1f}})
            mesh.positions.push_back(p + shift);
        for (Triangle t :
             {Triangle{0, 2, 1}, Triangle{0, 1, 3}, Triangle{0, 3, 2}, Triangle{1, 2, 3}})
            mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
    }
    return mesh;
}

TEST(BodyMeasures, OverlappingSolidsAreFoundAndSeparateOnesAreNot) {
    EXPECT_FALSE(selfIntersections(twoTetrahedra(0.03f)).empty());
    EXPECT_TRUE(selfIntersections(twoTetrahedra(0.15f)).empty());
}

TEST(BodyMeasures, TheGirthOfATetrahedronsSectionIsItsPerimeter) {
    const Mesh mesh = twoTetrahedra(0.5f);
    // at x = 0.05 the first is a right triangle with legs 0.05
    const double expected = 0.05 * (2 + std::sqrt(2.0));
    EXPECT_NEAR(girth(mesh, {0.05f, 0, 0}, {1, 0, 0}, [](Vec3) { return true; }), expected, 1e-5);
    EXPECT_NEAR(smallestAngle(mesh), 45, 1e-3);
}

}  // namespace
}  // namespace hem
