// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/sheet.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "hem/core/remesh.h"

namespace hem {
namespace {

constexpr float kVolumeCell = 0.0125f;  // metres

using Edge = std::pair<uint32_t, uint32_t>;
Edge edgeOf(uint32_t a, uint32_t b) { return {std::min(a, b), std::max(a, b)}; }

std::map<Edge, int> trianglesPerEdge(const Mesh& mesh) {
    std::map<Edge, int> counts;
    for (const Triangle& t : mesh.triangles)
        for (size_t k = 0; k < 3; ++k) ++counts[edgeOf(t[k], t[(k + 1) % 3])];
    return counts;
}

// Gaussian elimination with pivoting; false where the matrix is singular.
bool solveSmall(double (&m)[3][4], int n) {
    for (int i = 0; i < n; ++i) {
        int pivot = i;
        for (int r = i + 1; r < n; ++r)
            if (std::abs(m[r][i]) > std::abs(m[pivot][i])) pivot = r;
        if (std::abs(m[pivot][i]) < 1e-9) return false;
        std::swap_ranges(m[i], m[i] + 4, m[pivot]);
        for (int r = 0; r < n; ++r) {
            if (r == i) continue;
            const double f = m[r][i] / m[i][i];
            for (int c = i; c < 4; ++c) m[r][c] -= f * m[i][c];
        }
    }
    for (int i = 0; i < n; ++i) m[i][3] /= m[i][i];
    return true;
}

Mesh mirroredWhole(const Mesh& half, float middle) {
    Mesh whole = half;
    std::vector<uint32_t> partner(half.positions.size());
    for (uint32_t v = 0; v < half.positions.size(); ++v) {
        if (half.positions[v].x == middle) {
            partner[v] = v;
            continue;
        }
        partner[v] = uint32_t(whole.positions.size());
        Vec3 p = half.positions[v];
        p.x = 2 * middle - p.x;
        whole.positions.push_back(p);
    }
    for (const auto& [a, b, c] : half.triangles)
        whole.triangles.push_back({partner[a], partner[c], partner[b]});
    return whole;
}

void dropUnused(Mesh& mesh, std::vector<uint32_t>& active) {
    std::vector<uint32_t> renumbered(mesh.positions.size(), UINT32_MAX);
    Mesh kept;
    std::vector<uint32_t> kept_active;
    for (Triangle t : mesh.triangles) {
        for (uint32_t& v : t) {
            if (renumbered[v] == UINT32_MAX) {
                renumbered[v] = uint32_t(kept.positions.size());
                kept.positions.push_back(mesh.positions[v]);
                kept_active.push_back(active[v]);
            }
            v = renumbered[v];
        }
        kept.triangles.push_back(t);
    }
    mesh = std::move(kept);
    active = std::move(kept_active);
}

// Moves vertices so that they, the middles of edges and the centroids are clear of the skin.
class PushOut {
public:
    PushOut(Mesh& half, const Skinside& skin, float clearance)
        : mesh_(half), skin_(skin), clearance_(clearance), edges_(uniqueEdges(half.triangles)) {}

    void run() {
        for (int i = 0; i < 40; ++i)
            if (!pass()) return;
    }

private:
    bool pass() {
        push_.assign(mesh_.positions.size(), {});
        bool any = false;
        const std::vector<Vec3>& p = mesh_.positions;
        for (uint32_t v = 0; v < p.size(); ++v) any |= check(p[v], {v, v, v});
        for (const auto& [a, b] : edges_) any |= check((p[a] + p[b]) / 2, {a, b, b});
        for (const Triangle& t : mesh_.triangles)
            any |= check((p[t[0]] + p[t[1]] + p[t[2]]) / 3, t);
        for (size_t v = 0; v < p.size(); ++v) {
            const bool on_plane = mesh_.positions[v].x == skin_.middle();
            mesh_.positions[v] += push_[v];
            mesh_.positions[v].x =
                on_plane ? skin_.middle() : std::max(mesh_.positions[v].x, skin_.middle() + 1e-4f);
        }
        return any;
    }

    bool check(Vec3 p, const Triangle& movers) {
        Vec3 away;
        const float d = skin_.distance(p, clearance_, away);
        if (d >= clearance_) return false;
        // a little more than needed, so that it ends
        const Vec3 push = away * std::min(clearance_ - d + 2e-4f, 0.01f);
        for (uint32_t v : movers)
            if (lengthSquared(push) > lengthSquared(push_[v])) push_[v] = push;
        return true;
    }

    Mesh& mesh_;
    const Skinside& skin_;
    float clearance_;
    std::vector<std::array<uint32_t, 2>> edges_;
    std::vector<Vec3> push_;
};

}  // namespace

float Skinside::distance(Vec3 p, float reach, Vec3& away) const {
    float best = reach;
    for (const bool mirrored : {false, true}) {
        Vec3 q = p;
        if (mirrored) q.x = 2 * middle_ - q.x;
        // inside, the skin may be farther away than the reach
        const SurfacePoint point = tree_.nearest(q, 0.1f);
        if (!point) continue;
        Vec3 normal = tree_.normalAt(point);
        const bool inside = dot(q - point.position, normal) < 0;
        const float d = inside ? -point.distance : point.distance;
        if (d >= best) continue;
        best = d;
        const Vec3 off = q - point.position;
        if (point.distance > 1e-5f) normal = off * ((inside ? -1 : 1) / point.distance);
        if (mirrored) normal.x = -normal.x;
        away = normal;
    }
    return best;
}

Sheet::Sheet(const Cut& cut, float middle, float edge)
    : middle_(middle),
      trims_(cut.trims),
      volume_(
          [&](Vec3 p) {
              p.x = middle + std::abs(p.x - middle);
              return cut.field(p);
          },
          {middle, cut.low.y, cut.low.z}, cut.high, kVolumeCell) {
    const float cell = std::clamp(edge * 0.5f, 0.006f, 0.0125f);
    Grid grid{.low = volume_.low(), .cell = cell};
    for (int axis = 0; axis < 3; ++axis)
        grid.cells[axis] = int((volume_.high()[axis] - volume_.low()[axis]) / cell);
    if (!hasSeed(grid, cut.inside)) return;
    fine_ = isosurface([&](Vec3 p) { return volume_.value(p); }, grid, cut.inside);
    std::vector<uint32_t> active;  // per vertex: bits of the boundary curves that it lies on
    for (Vec3 p : fine_.positions) active.push_back(p.x == middle_ ? 1u << kPlane : 0);
    for (int i = 1; i <= int(trims_.size()); ++i) clip(i, active);
    if (fine_.triangles.empty()) return;
    keepLargestPiece(active);
    for (uint32_t v = 0; v < active.size(); ++v) {
        std::vector<int> constraints{kSurface};
        for (int i = 0; i <= int(trims_.size()); ++i)
            if (active[v] & (1u << i)) constraints.push_back(i);
        if (constraints.size() < 3) continue;
        constraints.resize(3);
        fine_.positions[v] = solve(fine_.positions[v], constraints);
        corners_.push_back(v);
    }
}

// What isosurface() asks of its seed.
bool Sheet::hasSeed(const Grid& grid, Vec3 inside) const {
    const Vec3 p = (inside - grid.low) / grid.cell;
    for (int axis = 0; axis < 3; ++axis)
        if (!(p[axis] >= 0 && p[axis] < float(grid.cells[axis]))) return false;
    bool was_inside = false;
    for (int i = int(p.x); i <= grid.cells[0]; ++i) {
        const Vec3 corner{float(i), float(int(p.y)), float(int(p.z))};
        const bool is_inside = volume_.value(grid.low + corner * grid.cell) < 0;
        if (i == int(p.x) && !is_inside) return false;
        if (was_inside && !is_inside) return true;
        was_inside = is_inside;
    }
    return false;
}

double Sheet::area() const {
    double twice = 0;
    for (const auto& [a, b, c] : fine_.triangles)
        twice += length(cross(fine_.positions[b] - fine_.positions[a],
                              fine_.positions[c] - fine_.positions[a]));
    return twice;  // two halves
}

double Sheet::constraint(int which, Vec3 p, Vec3& gradient) const {
    if (which == kSurface) return volume_.value(p, gradient);
    if (which == kPlane) {
        gradient = {1, 0, 0};
        return p.x - middle_;
    }
    const Trim& trim = trims_[size_t(which - 1)];
    constexpr float kDelta = 1e-3f;
    for (int axis = 0; axis < 3; ++axis) {
        Vec3 a = p, b = p;
        a[axis] -= kDelta;
        b[axis] += kDelta;
        gradient[axis] = float((trim(b) - trim(a)) / (2 * kDelta));
    }
    return trim(p);
}

// Newton's method on all constraints at once: the shortest step that meets their linear forms.
Vec3 Sheet::solve(Vec3 p, std::vector<int> constraints) const {
    const int n = int(constraints.size());
    for (int iteration = 0; iteration < 5; ++iteration) {
        Vec3 gradients[3];
        double m[3][4] = {};
        for (int i = 0; i < n; ++i) m[i][3] = constraint(constraints[size_t(i)], p, gradients[i]);
        double largest = 0;
        for (int i = 0; i < n; ++i) {
            largest = std::max(largest, std::abs(m[i][3]));
            for (int j = 0; j < n; ++j) m[i][j] = dot(gradients[i], gradients[j]);
        }
        if (largest < 1e-7 || !solveSmall(m, n)) break;
        Vec3 step{};
        for (int i = 0; i < n; ++i) step += gradients[i] * float(m[i][3]);
        const float far = length(step);
        p -= far > 0.02f ? step * (0.02f / far) : step;
    }
    if (std::find(constraints.begin(), constraints.end(), kPlane) != constraints.end())
        p.x = middle_;
    return p;
}

Vec3 Sheet::project(Vec3 p, bool on_boundary) const {
    if (!on_boundary) {
        const Vec3 q = solve(p, {kSurface});
        // what is not on the plane of symmetry stays off it
        return {std::max(q.x, middle_ + 1e-4f), q.y, q.z};
    }
    Vec3 best = p;
    float nearest = 1e9f;
    for (int i = 0; i <= int(trims_.size()); ++i) {
        Vec3 gradient;
        const double value = constraint(i, p, gradient);
        if (std::abs(value) > 0.05 * double(length(gradient))) continue;
        const Vec3 q = solve(p, {kSurface, i});
        if (const float d = distance(p, q); d < nearest) nearest = d, best = q;
    }
    return best;
}

void Sheet::clip(int trim, std::vector<uint32_t>& active) {
    std::vector<double> values;
    for (Vec3 p : fine_.positions) values.push_back(trims_[size_t(trim - 1)](p));
    const std::map<Edge, int> counts = trianglesPerEdge(fine_);
    std::map<Edge, uint32_t> added;
    auto crossing = [&](uint32_t a, uint32_t b) {
        const Edge edge = edgeOf(a, b);
        const auto [it, is_new] = added.try_emplace(edge, uint32_t(fine_.positions.size()));
        if (is_new) {
            const double t = values[edge.first] / (values[edge.first] - values[edge.second]);
            fine_.positions.push_back(lerp(fine_.positions[edge.first],
                                           fine_.positions[edge.second],
                                           float(std::clamp(t, 0.02, 0.98))));
            const bool boundary = counts.at(edge) == 1;
            active.push_back((boundary ? active[a] & active[b] : 0) | (1u << trim));
        }
        return it->second;
    };
    std::vector<Triangle> kept;
    for (const Triangle& t : fine_.triangles) {
        int out = 0;
        for (uint32_t v : t) out += values[v] > 0;
        if (out == 3) continue;
        if (out == 0) {
            kept.push_back(t);
            continue;
        }
        // turned so that the first corner is the one alone on its side
        size_t k = 0;
        while ((values[t[k]] > 0) != (out == 1)) ++k;
        const uint32_t a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
        const uint32_t ab = crossing(a, b), ac = crossing(a, c);
        if (out == 2) {
            kept.push_back({a, ab, ac});
        } else {
            kept.push_back({ab, b, c});
            kept.push_back({ab, c, ac});
        }
    }
    fine_.triangles = std::move(kept);
    dropUnused(fine_, active);
}

void Sheet::keepLargestPiece(std::vector<uint32_t>& active) {
    std::vector<uint32_t> root(fine_.positions.size());
    std::iota(root.begin(), root.end(), 0u);
    auto find = [&](uint32_t v) {
        while (root[v] != v) v = root[v] = root[root[v]];
        return v;
    };
    for (const auto& [a, b, c] : fine_.triangles) {
        root[find(a)] = find(b);
        root[find(b)] = find(c);
    }
    std::map<uint32_t, size_t> sizes;
    for (const Triangle& t : fine_.triangles) ++sizes[find(t[0])];
    const auto largest = std::max_element(sizes.begin(), sizes.end(),
                                          [](auto& a, auto& b) { return a.second < b.second; });
    CHECK(largest != sizes.end());
    std::erase_if(fine_.triangles, [&](const Triangle& t) { return find(t[0]) != largest->first; });
    dropUnused(fine_, active);
}

Mesh Sheet::meshed(float edge, const Skinside& skin, float clearance) const {
    RemeshOptions options;
    options.edge_length = [edge](Vec3) { return edge; };
    options.project = [this](Vec3 p, bool on_boundary) { return project(p, on_boundary); };
    options.fixed = corners_;
    Mesh half = remeshed(fine_, options);
    PushOut(half, skin, clearance).run();
    return mirroredWhole(half, middle_);
}

}  // namespace hem
