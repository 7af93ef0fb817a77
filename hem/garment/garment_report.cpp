// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/garment_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hem/core/surface_tree.h"
#include "hem/core/text.h"

namespace hem {
namespace {

size_t countLoops(const Mesh& mesh) {
    std::map<std::pair<uint32_t, uint32_t>, int> directed;
    for (const Triangle& t : mesh.triangles)
        for (size_t k = 0; k < 3; ++k) ++directed[{t[k], t[(k + 1) % 3]}];
    std::map<uint32_t, uint32_t> next;
    for (const auto& [edge, n] : directed)
        if (!directed.contains({edge.second, edge.first})) next[edge.first] = edge.second;
    size_t loops = 0;
    while (!next.empty()) {
        ++loops;
        auto at = next.begin();
        while (at != next.end()) {
            const uint32_t to = at->second;
            next.erase(at);
            at = next.find(to);
        }
    }
    return loops;
}

void measureTriangles(const Garment& garment, GarmentReport& report) {
    const std::vector<Vec3>& p = garment.mesh.positions;
    double largest_cosine = -1, quality = 0, stretch = 0;
    for (size_t n = 0; n < garment.mesh.triangles.size(); ++n) {
        const Triangle& t = garment.mesh.triangles[n];
        const double area = double(length(cross(p[t[1]] - p[t[0]], p[t[2]] - p[t[0]]))) / 2;
        double squares = 0;
        for (size_t k = 0; k < 3; ++k) {
            const Vec3 u = p[t[(k + 1) % 3]] - p[t[k]], w = p[t[(k + 2) % 3]] - p[t[k]];
            squares += double(dot(u, u));
            largest_cosine = std::max(largest_cosine, double(dot(normalized(u), normalized(w))));
        }
        report.area += area;
        quality += 4 * std::sqrt(3.0) * area / squares;
        if (garment.corner_uvs.empty()) continue;
        // singular values of the map from texture to cloth
        const Vec2 a = garment.corner_uvs[3 * n], b = garment.corner_uvs[3 * n + 1],
                   c = garment.corner_uvs[3 * n + 2];
        const double m[4] = {double(b.x - a.x), double(c.x - a.x), double(b.y - a.y),
                             double(c.y - a.y)};
        const double det = m[0] * m[3] - m[1] * m[2];
        if (std::abs(det) < 1e-12) {
            stretch += 100;
            continue;
        }
        const Vec3 e1 = p[t[1]] - p[t[0]], e2 = p[t[2]] - p[t[0]];
        const Vec3 du = e1 * float(m[3] / det) - e2 * float(m[2] / det),
                   dv = e2 * float(m[0] / det) - e1 * float(m[1] / det);
        const double uu = double(dot(du, du)), vv = double(dot(dv, dv)), uv = double(dot(du, dv));
        const double mean = (uu + vv) / 2, spread = std::sqrt((uu - vv) * (uu - vv) / 4 + uv * uv);
        const double high = std::sqrt(mean + spread),
                     low = std::sqrt(std::max(mean - spread, 1e-12));
        stretch += std::max(high, 1 / low);
    }
    report.mean_quality = quality / double(report.triangles);
    report.uv_stretch = stretch / double(report.triangles);
    report.smallest_angle = std::acos(std::min(largest_cosine, 1.0)) * 180 / double(kPi);
}

void measureEdges(const Garment& garment, GarmentReport& report) {
    double sum = 0;
    report.shortest_edge = 1e9;
    const auto edges = uniqueEdges(garment.mesh.triangles);
    for (const auto& [a, b] : edges) {
        const double d = double(distance(garment.mesh.positions[a], garment.mesh.positions[b]));
        sum += d;
        report.shortest_edge = std::min(report.shortest_edge, d);
        report.longest_edge = std::max(report.longest_edge, d);
    }
    report.mean_edge = sum / double(edges.size());
}

void measureDistance(const Garment& garment, const Character& character, GarmentReport& report) {
    const Mesh skin = welded(character.mesh, weldByPosition(character.mesh.positions, 1e-5f));
    const SurfaceTree tree(skin);
    report.nearest_to_skin = 1e9;
    auto check = [&](Vec3 q) {
        const double d = double(tree.signedDistance(q));
        report.nearest_to_skin = std::min(report.nearest_to_skin, d);
        report.inside_skin += d < 0;
    };
    const std::vector<Vec3>& p = garment.mesh.positions;
    for (Vec3 q : p) check(q);
    for (const auto& [a, b] : uniqueEdges(garment.mesh.triangles)) check((p[a] + p[b]) / 2);
    for (const auto& [a, b, c] : garment.mesh.triangles) check((p[a] + p[b] + p[c]) / 3);
}

// Whether the segment p-q passes through the triangle (Moller and Trumbore 1997).
bool pierces(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
    const Vec3 d = q - p, e1 = b - a, e2 = c - a, h = cross(d, e2), s = p - a, w = cross(s, e1);
    const double det = double(dot(e1, h));
    if (std::abs(det) < 1e-16) return false;
    const double u = double(dot(s, h)) / det, v = double(dot(d, w)) / det,
                 t = double(dot(e2, w)) / det;
    return u > 0 && v > 0 && u + v < 1 && t > 0 && t < 1;
}

size_t countSelfIntersections(const Mesh& mesh) {
    const SurfaceTree tree(mesh);
    const std::vector<Vec3>& p = mesh.positions;
    std::vector<uint32_t> near;
    size_t found = 0;
    for (const auto& [a, b] : uniqueEdges(mesh.triangles)) {
        const Vec3 middle = (p[a] + p[b]) / 2;
        tree.withinReach(middle, distance(p[a], p[b]) / 2, near);
        for (uint32_t t : near) {
            const Triangle& c = mesh.triangles[t];
            if (std::find(c.begin(), c.end(), a) != c.end() ||
                std::find(c.begin(), c.end(), b) != c.end())
                continue;
            found += pierces(p[a], p[b], p[c[0]], p[c[1]], p[c[2]]);
        }
    }
    return found;
}

}  // namespace

GarmentReport reportOn(const Garment& garment, const Character& character) {
    GarmentReport report;
    report.vertices = garment.mesh.positions.size();
    report.triangles = garment.mesh.triangles.size();
    report.components = topologyOf(garment.mesh).components;
    report.boundary_loops = countLoops(garment.mesh);
    measureTriangles(garment, report);
    measureEdges(garment, report);
    measureDistance(garment, character, report);
    report.self_intersections = countSelfIntersections(garment.mesh);
    report.mass = report.area * double(garment.fabric.density);
    for (float pin : garment.pins) {
        report.pinned += pin > 0;
        report.pinned_share += double(pin) / double(report.vertices);
    }
    return report;
}

std::vector<std::string> remarksOn(const GarmentReport& report) {
    constexpr double kSliver = 3;  // degrees
    std::vector<std::string> remarks;
    if (report.pinned == 0)
        remarks.push_back(
            "nothing holds it, so it may fall off; pin it with --pin-group, --pin-color or "
            "--pin-near, or with pins = { ... } in a scene file");
    if (report.inside_skin > 0)
        remarks.push_back(format(
            "%zu of its points lie inside the skin, up to %.1f mm deep; move them out by 3 mm or "
            "more",
            report.inside_skin, -report.nearest_to_skin * 1000));
    if (report.smallest_angle < kSliver)
        remarks.push_back(
            format("it has slivers, with angles down to %.2f degrees, which simulate badly; give "
                   "it a more even mesh",
                   report.smallest_angle));
    return remarks;
}

}  // namespace hem
