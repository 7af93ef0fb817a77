// SPDX-License-Identifier: Apache-2.0
#include "hem/core/remesh.h"

#include <algorithm>

namespace hem {
namespace {

constexpr Triangle kDead{0, 0, 0};

// A triangle mesh with the triangles around each vertex, for local edits. Dead triangles stay in
// the list until compacted().
class EditMesh {
public:
    EditMesh(const Mesh& mesh, const RemeshOptions& options)
        : positions_(mesh.positions),
          triangles_(mesh.triangles),
          around_(mesh.positions.size()),
          options_(options) {
        for (uint32_t t = 0; t < triangles_.size(); ++t)
            for (uint32_t v : triangles_[t]) around_[v].push_back(t);
        boundary_.resize(positions_.size());
        for (const auto& [a, b] : uniqueEdges(triangles_))
            if (trianglesOn(a, b).count == 1) boundary_[a] = boundary_[b] = true;
        fixed_.resize(positions_.size());
        for (uint32_t v : options.fixed) {
            CHECK(boundary_[v]);
            fixed_[v] = true;
        }
    }

    void splitLongEdges() {
        for (const auto& [a, b] : liveEdges())
            if (distance(positions_[a], positions_[b]) > kLong * wantedLength(a, b)) split(a, b);
    }

    void collapseShortEdges() {
        for (const auto& [a, b] : liveEdges())
            if (distance(positions_[a], positions_[b]) < kShort * wantedLength(a, b))
                tryCollapse(a, b);
    }

    // Flips that bring the valences nearer to six (four on the boundary).
    void flipForValence() {
        for (const auto& [a, b] : liveEdges()) {
            Quad q;
            if (!quadOn(a, b, q)) continue;
            const int before = excess(a, 0) + excess(b, 0) + excess(q.left, 0) + excess(q.right, 0);
            const int after =
                excess(a, -1) + excess(b, -1) + excess(q.left, 1) + excess(q.right, 1);
            if (after < before) tryFlip(a, b, q, -0.2f);
        }
    }

    // Flips that raise the smallest of the six angles.
    void flipForAngles() {
        for (const auto& [a, b] : liveEdges()) {
            Quad q;
            if (quadOn(a, b, q)) tryFlip(a, b, q, 1e-4f);
        }
    }

    // Three triangles around an inner vertex become one.
    void dissolveSmallFans() {
        for (uint32_t v = 0; v < positions_.size(); ++v) {
            if (boundary_[v] || around_[v].size() != 3) continue;
            const std::vector<uint32_t> fan = around_[v], ring = neighbours(v);
            if (ring.size() != 3) continue;
            // the corner of the first triangle that it lacks takes the vertex's place
            const Triangle& first = triangles_[fan[0]];
            uint32_t missing = ring[0];
            for (uint32_t n : ring)
                if (std::find(first.begin(), first.end(), n) == first.end()) missing = n;
            for (uint32_t t : fan)
                for (uint32_t n : Triangle(triangles_[t])) detach(n, t);
            replaceCorner(fan[0], v, missing);
            for (uint32_t n : triangles_[fan[0]]) around_[n].push_back(fan[0]);
            triangles_[fan[1]] = triangles_[fan[2]] = kDead;
        }
    }

    void relax(float step) {
        const std::vector<Vec3> normals = vertexNormals(positions_, triangles_);
        std::vector<Vec3> moved = positions_;
        for (uint32_t v = 0; v < positions_.size(); ++v) {
            if (around_[v].empty() || fixed_[v]) continue;
            Vec3 shift = boundary_[v] ? boundaryShift(v) : centroidShift(v);
            if (!boundary_[v]) shift -= normals[v] * dot(shift, normals[v]);
            moved[v] = options_.project(positions_[v] + shift * step, boundary_[v]);
        }
        positions_ = std::move(moved);
    }

    Mesh compacted() const {
        Mesh mesh;
        std::vector<uint32_t> renumbered(positions_.size());
        for (uint32_t v = 0; v < positions_.size(); ++v) {
            if (around_[v].empty()) continue;
            renumbered[v] = uint32_t(mesh.positions.size());
            mesh.positions.push_back(positions_[v]);
        }
        for (Triangle t : triangles_) {
            if (t == kDead) continue;
            for (uint32_t& v : t) v = renumbered[v];
            mesh.triangles.push_back(t);
        }
        return mesh;
    }

private:
    static constexpr float kLong = 4.0f / 3, kShort = 4.0f / 5;

    struct Pair {
        uint32_t t[2];
        int count = 0;
    };
    // The corners across the edge: a, b and `left` run counter-clockwise.
    struct Quad {
        uint32_t left, right, left_triangle, right_triangle;
    };

    std::vector<std::array<uint32_t, 2>> liveEdges() const {
        std::vector<Triangle> live;
        live.reserve(triangles_.size());
        for (const Triangle& t : triangles_)
            if (t != kDead) live.push_back(t);
        return uniqueEdges(live);
    }

    float wantedLength(uint32_t a, uint32_t b) const {
        return options_.edge_length((positions_[a] + positions_[b]) / 2);
    }

    Pair trianglesOn(uint32_t a, uint32_t b) const {
        Pair pair;
        for (uint32_t t : around_[a])
            if (const Triangle& c = triangles_[t]; c[0] == b || c[1] == b || c[2] == b)
                if (pair.count < 2) pair.t[pair.count++] = t;
        return pair;
    }

    uint32_t across(uint32_t t, uint32_t a, uint32_t b) const {
        for (uint32_t v : triangles_[t])
            if (v != a && v != b) return v;
        checkFailed(__FILE__, __LINE__, "a triangle without a third corner");
    }

    static bool runsForward(const Triangle& t, uint32_t a, uint32_t b) {
        return (t[0] == a && t[1] == b) || (t[1] == a && t[2] == b) || (t[2] == a && t[0] == b);
    }

    bool quadOn(uint32_t a, uint32_t b, Quad& q) const {
        const Pair pair = trianglesOn(a, b);
        if (pair.count != 2) return false;
        const bool first_is_left = runsForward(triangles_[pair.t[0]], a, b);
        q.left_triangle = pair.t[first_is_left ? 0 : 1];
        q.right_triangle = pair.t[first_is_left ? 1 : 0];
        q.left = across(q.left_triangle, a, b);
        q.right = across(q.right_triangle, a, b);
        return true;
    }

    std::vector<uint32_t> neighbours(uint32_t v) const {
        std::vector<uint32_t> list;
        for (uint32_t t : around_[v])
            for (uint32_t n : triangles_[t])
                if (n != v) list.push_back(n);
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        return list;
    }

    void detach(uint32_t v, uint32_t t) { std::erase(around_[v], t); }
    void replaceCorner(uint32_t t, uint32_t from, uint32_t to) {
        for (uint32_t& v : triangles_[t])
            if (v == from) v = to;
    }

    Vec3 normalOf(const Triangle& t) const {
        return cross(positions_[t[1]] - positions_[t[0]], positions_[t[2]] - positions_[t[0]]);
    }

    void split(uint32_t a, uint32_t b) {
        const Pair pair = trianglesOn(a, b);
        if (pair.count == 0) return;
        const uint32_t m = uint32_t(positions_.size());
        const bool on_boundary = pair.count == 1;
        positions_.push_back(options_.project((positions_[a] + positions_[b]) / 2, on_boundary));
        around_.emplace_back();
        boundary_.push_back(on_boundary);
        fixed_.push_back(false);
        for (int i = 0; i < pair.count; ++i) {
            const uint32_t t = pair.t[i], other = across(t, a, b),
                           added = uint32_t(triangles_.size());
            triangles_.push_back(triangles_[t]);
            replaceCorner(t, b, m);
            replaceCorner(added, a, m);
            detach(b, t);
            around_[b].push_back(added);
            around_[other].push_back(added);
            around_[m].push_back(t);
            around_[m].push_back(added);
        }
    }

    void tryCollapse(uint32_t a, uint32_t b) {
        const Pair pair = trianglesOn(a, b);
        if (pair.count == 0) return;
        if (boundary_[a] && boundary_[b] && pair.count == 2) return;
        if ((boundary_[b] && !boundary_[a]) || fixed_[b]) std::swap(a, b);  // b goes, a stays
        if (fixed_[b]) return;
        const std::vector<uint32_t> na = neighbours(a), nb = neighbours(b);
        std::vector<uint32_t> common;
        std::set_intersection(na.begin(), na.end(), nb.begin(), nb.end(),
                              std::back_inserter(common));
        if (common.size() != size_t(pair.count)) return;  // would pinch the surface
        for (uint32_t c : common)
            if (around_[c].size() <= 3) return;
        const bool slides = boundary_[a] == boundary_[b] && !fixed_[a];
        const Vec3 target =
            slides ? options_.project((positions_[a] + positions_[b]) / 2, boundary_[a])
                   : positions_[a];
        if (tooLong(target, na) || tooLong(target, nb)) return;
        if (turnsOver(a, b, target) || turnsOver(b, a, target)) return;
        collapse(a, b, target);
    }

    bool tooLong(Vec3 target, const std::vector<uint32_t>& ring) const {
        for (uint32_t n : ring)
            if (distance(target, positions_[n]) >
                kLong * options_.edge_length((target + positions_[n]) / 2))
                return true;
        return false;
    }

    // Whether a triangle of v, other than those with `other`, would turn by more than about 70
    // degrees if v moved to the target.
    bool turnsOver(uint32_t v, uint32_t other, Vec3 target) const {
        for (uint32_t t : around_[v]) {
            const Triangle& c = triangles_[t];
            if (c[0] == other || c[1] == other || c[2] == other) continue;
            Vec3 p[3];
            for (int i = 0; i < 3; ++i) p[i] = c[i] == v ? target : positions_[c[i]];
            const Vec3 before = normalized(normalOf(c)),
                       after = normalized(cross(p[1] - p[0], p[2] - p[0]));
            if (dot(before, after) < 0.35f) return true;
        }
        return false;
    }

    void collapse(uint32_t a, uint32_t b, Vec3 target) {
        const Pair pair = trianglesOn(a, b);
        for (int i = 0; i < pair.count; ++i) {
            const Triangle corners = triangles_[pair.t[i]];
            for (uint32_t v : corners) detach(v, pair.t[i]);
            triangles_[pair.t[i]] = kDead;
        }
        for (uint32_t t : around_[b]) {
            replaceCorner(t, b, a);
            around_[a].push_back(t);
        }
        around_[b].clear();
        positions_[a] = target;
    }

    int excess(uint32_t v, int change) const {
        const int valence = int(around_[v].size()) + (boundary_[v] ? 1 : 0) + change;
        const int d = valence - (fixed_[v] ? 3 : boundary_[v] ? 4 : 6);
        return d * d;
    }

    // The cosine of the smallest angle is the largest: returned negated, so that more is better.
    float quality(const Triangle& t) const {
        float worst = -1;
        for (int i = 0; i < 3; ++i) {
            const Vec3 u = normalized(positions_[t[(i + 1) % 3]] - positions_[t[i]]);
            const Vec3 w = normalized(positions_[t[(i + 2) % 3]] - positions_[t[i]]);
            worst = std::max(worst, dot(u, w));
        }
        return -worst;
    }

    // Flips where the smallest angle's quality rises by at least `gain` and the surface does not
    // fold.
    void tryFlip(uint32_t a, uint32_t b, const Quad& q, float gain) {
        if (trianglesOn(q.left, q.right).count > 0) return;
        if (around_[a].size() <= 3 || around_[b].size() <= 3) return;
        const Triangle left_old = triangles_[q.left_triangle],
                       right_old = triangles_[q.right_triangle];
        const Triangle left_new{a, q.right, q.left}, right_new{b, q.left, q.right};
        const float before = std::min(quality(left_old), quality(right_old));
        const float after = std::min(quality(left_new), quality(right_new));
        if (after < before + gain) return;
        const Vec3 n = normalized(normalOf(left_old) + normalOf(right_old));
        if (dot(normalized(normalOf(left_new)), n) < 0.5f ||
            dot(normalized(normalOf(right_new)), n) < 0.5f)
            return;
        triangles_[q.left_triangle] = left_new;
        triangles_[q.right_triangle] = right_new;
        detach(b, q.left_triangle);
        detach(a, q.right_triangle);
        around_[q.right].push_back(q.left_triangle);
        around_[q.left].push_back(q.right_triangle);
    }

    // Towards the centroid of the triangles around, weighted by area over the square of the wanted
    // length, so that small triangles next to large ones keep their size.
    Vec3 centroidShift(uint32_t v) const {
        Vec3 sum{};
        float weights = 0;
        for (uint32_t t : around_[v]) {
            const auto& [a, b, c] = triangles_[t];
            const Vec3 centre = (positions_[a] + positions_[b] + positions_[c]) / 3;
            const float wanted = options_.edge_length(centre);
            const float w = length(normalOf(triangles_[t])) / (wanted * wanted);
            sum += (centre - positions_[v]) * w;
            weights += w;
        }
        return weights > 0 ? sum / weights : Vec3{};
    }

    // Towards the point between the two neighbours on the boundary.
    Vec3 boundaryShift(uint32_t v) const {
        Vec3 sum{};
        int count = 0;
        for (uint32_t n : neighbours(v))
            if (boundary_[n] && trianglesOn(v, n).count == 1)
                sum += positions_[n] - positions_[v], ++count;
        return count ? sum / float(count) : Vec3{};
    }

    std::vector<Vec3> positions_;
    std::vector<Triangle> triangles_;
    std::vector<std::vector<uint32_t>> around_;  // triangles of each vertex
    std::vector<bool> boundary_, fixed_;
    const RemeshOptions& options_;
};

}  // namespace

Mesh remeshed(const Mesh& mesh, const RemeshOptions& options) {
    EditMesh edit(mesh, options);
    for (int i = 0; i < options.iterations; ++i) {
        edit.splitLongEdges();
        edit.collapseShortEdges();
        edit.flipForValence();
        edit.relax(0.7f);
    }
    edit.dissolveSmallFans();
    // only angles count from here on
    for (int i = 0; i < 6; ++i) {
        edit.flipForAngles();
        edit.relax(0.4f);
    }
    edit.flipForAngles();
    return edit.compacted();
}

}  // namespace hem
