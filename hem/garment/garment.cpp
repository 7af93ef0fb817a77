// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/garment.h"

#include <map>

#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

// A vertex whose triangles do not form one fan, or -1: two sheets that touch in a point.
int64_t pinchedVertex(const Mesh& mesh) {
    std::vector<std::vector<std::array<uint32_t, 2>>> around(mesh.positions.size());
    for (const auto& [a, b, c] : mesh.triangles) {
        around[a].push_back({b, c});
        around[b].push_back({c, a});
        around[c].push_back({a, b});
    }
    for (size_t v = 0; v < around.size(); ++v) {
        std::map<uint32_t, uint32_t> next;
        std::map<uint32_t, int> arrivals;
        for (const auto& [from, to] : around[v]) next[from] = to, ++arrivals[to];
        if (next.empty()) continue;
        uint32_t start = next.begin()->first;
        for (const auto& [from, to] : next)
            if (!arrivals.contains(from)) start = from;  // the open end of the fan
        size_t steps = 0;
        for (uint32_t at = start; next.contains(at) && steps <= next.size(); ++steps) {
            at = next[at];
            if (at == start) {
                ++steps;
                break;
            }
        }
        if (steps != around[v].size()) return int64_t(v);
    }
    return -1;
}

Status validateNumbers(const Garment& g) {
    const char* name = g.name.c_str();
    const size_t vertices = g.mesh.positions.size();
    if (vertices == 0 || g.mesh.triangles.empty()) return errorf("garment %s: is empty", name);
    if (g.pins.size() != vertices)
        return errorf("garment %s: %zu pins for %zu vertices", name, g.pins.size(), vertices);
    if (!g.corner_uvs.empty() && g.corner_uvs.size() != 3 * g.mesh.triangles.size())
        return errorf("garment %s: %zu texture coordinates for %zu triangles", name,
                      g.corner_uvs.size(), g.mesh.triangles.size());
    for (size_t v = 0; v < vertices; ++v) {
        if (!isFinite(g.mesh.positions[v]))
            return errorf("garment %s: vertex %zu is not finite", name, v);
        if (!(g.pins[v] >= 0 && g.pins[v] <= 1))
            return errorf("garment %s: vertex %zu has the pin %g, outside of 0 to 1", name, v,
                          double(g.pins[v]));
    }
    for (size_t i = 0; i < g.corner_uvs.size(); ++i)
        if (!std::isfinite(g.corner_uvs[i].x) || !std::isfinite(g.corner_uvs[i].y))
            return errorf("garment %s: a texture coordinate of triangle %zu is not finite", name,
                          i / 3);
    return Done{};
}

}  // namespace

Status validate(const Garment& g) {
    const char* name = g.name.c_str();
    if (const Status numbers = validateNumbers(g); !numbers) return numbers;
    for (size_t t = 0; t < g.mesh.triangles.size(); ++t) {
        const auto& [a, b, c] = g.mesh.triangles[t];
        for (uint32_t v : {a, b, c})
            if (v >= g.mesh.positions.size())
                return errorf("garment %s: triangle %zu has vertex %u, but there are %zu", name, t,
                              v, g.mesh.positions.size());
        const Vec3 n = cross(g.mesh.positions[b] - g.mesh.positions[a],
                             g.mesh.positions[c] - g.mesh.positions[a]);
        if (a == b || b == c || c == a || !(length(n) > 1e-12f))
            return errorf("garment %s: triangle %zu has no area", name, t);
    }
    const Topology topology = topologyOf(g.mesh);
    if (topology.unused_vertices > 0)
        return errorf("garment %s: %zu vertices are in no triangle", name,
                      topology.unused_vertices);
    if (topology.nonmanifold_edges > 0)
        return errorf(
            "garment %s: %zu edges are shared by more than two triangles, or by two that "
            "face opposite ways",
            name, topology.nonmanifold_edges);
    if (const int64_t v = pinchedVertex(g.mesh); v >= 0)
        return errorf("garment %s: at vertex %lld two sheets touch in a point", name, (long long)v);
    if (const Status fabric = validate(g.fabric); !fabric)
        return inContext("garment " + g.name, fabric.error());
    return Done{};
}

std::string garmentObjText(const Garment& garment) {
    std::string text = "# " + garment.name + "\n";
    for (Vec3 p : garment.mesh.positions)
        text += format("v %.9g %.9g %.9g\n", double(p.x), double(p.y), double(p.z));
    // one vt per different corner, numbered in the order met
    std::map<std::pair<float, float>, size_t> numbers;
    std::string faces;
    for (size_t t = 0; t < garment.mesh.triangles.size(); ++t) {
        faces += "f";
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t v = garment.mesh.triangles[t][k] + 1;
            if (garment.corner_uvs.empty()) {
                faces += format(" %u", v);
                continue;
            }
            const Vec2 uv = garment.corner_uvs[3 * t + k];
            const auto [it, is_new] = numbers.try_emplace({uv.x, uv.y}, numbers.size() + 1);
            if (is_new) text += format("vt %.9g %.9g\n", double(uv.x), double(uv.y));
            faces += format(" %u/%zu", v, it->second);
        }
        faces += "\n";
    }
    return text + faces;
}

Status saveGarmentObj(const std::string& path, const Garment& garment) {
    return writeFile(path, garmentObjText(garment));
}

}  // namespace hem
