// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/flatten.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "hem/core/portable_math.h"

namespace hem {
namespace {

struct Flat {
    double u = 0, v = 0;
    Flat operator+(Flat o) const { return {u + o.u, v + o.v}; }
    Flat operator-(Flat o) const { return {u - o.u, v - o.v}; }
    Flat operator*(double s) const { return {u * s, v * s}; }
    double dot(Flat o) const { return u * o.u + v * o.v; }
};

// One connected piece of one panel, with its own numbering of vertices.
class Piece {
public:
    Piece(const Mesh& mesh, const std::vector<uint32_t>& triangles, const Panel& panel) {
        std::map<uint32_t, uint32_t> numbers;
        for (uint32_t t : triangles) {
            Triangle local;
            for (size_t k = 0; k < 3; ++k) {
                const uint32_t v = mesh.triangles[t][k];
                const auto [it, is_new] = numbers.try_emplace(v, uint32_t(positions_.size()));
                if (is_new) positions_.push_back(mesh.positions[v]);
                local[k] = it->second;
            }
            triangles_.push_back(local);
        }
        rollOff(panel);
        measureTriangles();
    }

    void relax() {
        const std::vector<Flat> start = flat_;
        for (int i = 0; i < 60; ++i) globalStep(localStep());
        turnTowards(start);
    }

    const std::vector<Triangle>& triangles() const { return triangles_; }
    std::vector<Flat>& flat() { return flat_; }

private:
    // u is the arc around the axis, v the place along it.
    void rollOff(const Panel& panel) {
        Vec3 mean{};
        std::vector<Vec3> spokes;
        for (Vec3 p : positions_) {
            const Vec3 off = p - panel.origin;
            spokes.push_back(off - panel.axis * dot(off, panel.axis));
            mean += spokes.back();
        }
        const Vec3 forward = normalized(mean, anyPerpendicular(panel.axis));
        const Vec3 side = cross(panel.axis, forward);
        for (size_t v = 0; v < positions_.size(); ++v) {
            const double angle =
                portable::atan2(double(dot(spokes[v], side)), double(dot(spokes[v], forward)));
            flat_.push_back({double(length(spokes[v])) * angle,
                             double(dot(positions_[v] - panel.origin, panel.axis))});
        }
    }

    // Each triangle laid flat by itself.
    void measureTriangles() {
        neighbours_.resize(positions_.size());
        for (const Triangle& t : triangles_) {
            const Vec3 a = positions_[t[0]], ab = positions_[t[1]] - a, ac = positions_[t[2]] - a;
            const double base = double(length(ab)), along = double(dot(ab, ac)) / base,
                         height = double(length(cross(ab, ac))) / base;
            rigid_.push_back({Flat{0, 0}, Flat{base, 0}, Flat{along, height}});
            for (size_t k = 0; k < 3; ++k) {
                const uint32_t i = t[k], j = t[(k + 1) % 3];
                neighbours_[i].push_back(j);
                neighbours_[j].push_back(i);
            }
        }
    }

    // The right-hand side: for every vertex the sum of its triangles' edges, each triangle turned
    // as its place asks for.
    std::vector<Flat> localStep() const {
        std::vector<Flat> sums(positions_.size());
        for (size_t n = 0; n < triangles_.size(); ++n) {
            const Triangle& t = triangles_[n];
            double c = 0, s = 0;
            for (size_t k = 0; k < 3; ++k) {
                const Flat x = rigid_[n][(k + 1) % 3] - rigid_[n][k];
                const Flat y = flat_[t[(k + 1) % 3]] - flat_[t[k]];
                c += x.dot(y);
                s += x.u * y.v - x.v * y.u;
            }
            const double size = std::sqrt(c * c + s * s);
            if (size < 1e-30) continue;
            c /= size, s /= size;
            for (size_t k = 0; k < 3; ++k) {
                const Flat x = rigid_[n][(k + 1) % 3] - rigid_[n][k];
                const Flat turned{c * x.u - s * x.v, s * x.u + c * x.v};
                sums[t[(k + 1) % 3]] = sums[t[(k + 1) % 3]] + turned;
                sums[t[k]] = sums[t[k]] - turned;
            }
        }
        return sums;
    }

    std::vector<Flat> laplacian(const std::vector<Flat>& x) const {
        std::vector<Flat> result(x.size());
        for (size_t i = 0; i < x.size(); ++i)
            for (uint32_t j : neighbours_[i]) result[i] = result[i] + x[i] - x[j];
        return result;
    }

    // Conjugate gradients from where we are; both coordinates have the same matrix.
    void globalStep(const std::vector<Flat>& wanted) {
        const std::vector<Flat> now = laplacian(flat_);
        std::vector<Flat> r(now.size());
        for (size_t i = 0; i < r.size(); ++i) r[i] = wanted[i] - now[i];
        std::vector<Flat> d = r;
        auto sum = [](const std::vector<Flat>& a, const std::vector<Flat>& b) {
            double s = 0;
            for (size_t i = 0; i < a.size(); ++i) s += a[i].dot(b[i]);
            return s;
        };
        double rr = sum(r, r);
        const double enough = rr * 1e-6 + 1e-24;
        for (int step = 0; step < 60 && rr > enough; ++step) {
            const std::vector<Flat> q = laplacian(d);
            const double alpha = rr / sum(d, q);
            for (size_t i = 0; i < r.size(); ++i) {
                flat_[i] = flat_[i] + d[i] * alpha;
                r[i] = r[i] - q[i] * alpha;
            }
            const double next = sum(r, r);
            for (size_t i = 0; i < r.size(); ++i) d[i] = r[i] + d[i] * (next / rr);
            rr = next;
        }
    }

    // Turns the whole piece so that its warp runs along the axis again.
    void turnTowards(const std::vector<Flat>& start) {
        Flat a, b;
        for (size_t i = 0; i < flat_.size(); ++i) a = a + flat_[i], b = b + start[i];
        a = a * (1 / double(flat_.size())), b = b * (1 / double(flat_.size()));
        double c = 0, s = 0;
        for (size_t i = 0; i < flat_.size(); ++i) {
            const Flat x = flat_[i] - a, y = start[i] - b;
            c += x.dot(y);
            s += x.u * y.v - x.v * y.u;
        }
        const double size = std::sqrt(c * c + s * s);
        if (size < 1e-30) return;
        c /= size, s /= size;
        for (Flat& x : flat_) x = {c * x.u - s * x.v, s * x.u + c * x.v};
    }

    std::vector<Vec3> positions_;
    std::vector<Triangle> triangles_;
    std::vector<Flat> flat_;
    std::vector<std::array<Flat, 3>> rigid_;
    std::vector<std::vector<uint32_t>> neighbours_;  // one entry per triangle and edge
};

// Triangles that hang together by edges within one panel.
std::vector<std::vector<uint32_t>> piecesOf(const Mesh& mesh, const std::vector<int>& labels) {
    std::map<std::pair<uint32_t, uint32_t>, std::vector<uint32_t>> on_edge;
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t)
        for (size_t k = 0; k < 3; ++k) {
            const uint32_t a = mesh.triangles[t][k], b = mesh.triangles[t][(k + 1) % 3];
            on_edge[{std::min(a, b), std::max(a, b)}].push_back(t);
        }
    std::vector<std::vector<uint32_t>> beside(mesh.triangles.size());
    for (const auto& [edge, pair] : on_edge)
        for (uint32_t s : pair)
            for (uint32_t t : pair)
                if (s != t && labels[s] == labels[t]) beside[s].push_back(t);
    std::vector<std::vector<uint32_t>> pieces;
    std::vector<bool> seen(mesh.triangles.size());
    for (uint32_t first = 0; first < seen.size(); ++first) {
        if (seen[first]) continue;
        std::vector<uint32_t> piece{first};
        seen[first] = true;
        for (size_t n = 0; n < piece.size(); ++n)
            for (uint32_t t : beside[piece[n]])
                if (!seen[t]) seen[t] = true, piece.push_back(t);
        pieces.push_back(std::move(piece));
    }
    return pieces;
}

}  // namespace

std::vector<Vec2> flattenPanels(const Mesh& mesh,
                                const std::function<Panel(uint32_t triangle)>& panel) {
    std::vector<int> labels;
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t) labels.push_back(panel(t).number);
    std::vector<Vec2> uvs(3 * mesh.triangles.size());
    double next_u = 0;
    constexpr double kGap = 0.02;  // metres between panels
    for (const std::vector<uint32_t>& triangles : piecesOf(mesh, labels)) {
        Piece piece(mesh, triangles, panel(triangles[0]));
        piece.relax();
        Flat low{1e9, 1e9};
        double high = -1e9;
        for (const Flat& x : piece.flat()) {
            low = {std::min(low.u, x.u), std::min(low.v, x.v)};
            high = std::max(high, x.u);
        }
        for (size_t n = 0; n < triangles.size(); ++n)
            for (size_t k = 0; k < 3; ++k) {
                const Flat x = piece.flat()[piece.triangles()[n][k]] - low;
                uvs[3 * triangles[n] + k] = {float(x.u + next_u), float(x.v)};
            }
        next_u += high - low.u + kGap;
    }
    return uvs;
}

}  // namespace hem
