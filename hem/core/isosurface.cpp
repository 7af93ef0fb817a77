// SPDX-License-Identifier: Apache-2.0
#include "hem/core/isosurface.h"

#include <algorithm>
#include <limits>
#include <map>

namespace hem {
namespace {

// The six tetrahedra of a cube: from corner 0 to corner 7 along three axes in any order. Corners
// are bits: 1 is +x, 2 is +y, 4 is +z. Odd orders of the axes have two corners exchanged, so that
// all six have the same orientation.
constexpr int kTetrahedra[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                                   {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}};
// With one corner first, the other three in the order that keeps the orientation.
constexpr int kOthers[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

class Marcher {
public:
    Marcher(const ScalarField& field, const Grid& grid)
        : field_(field),
          grid_(grid),
          nx_(grid.cells[0] + 1),
          ny_(grid.cells[1] + 1),
          values_(size_t(nx_) * size_t(ny_) * size_t(grid.cells[2] + 1), kUnknown),
          visited_(values_.size(), 0) {}

    Mesh march(Vec3 inside) {
        std::vector<size_t> pending{seedCube(inside)};
        visited_[pending[0]] = 1;
        for (size_t next = 0; next < pending.size(); ++next) {
            cutCube(pending[next]);
            pushNeighbours(pending[next], pending);
        }
        return std::move(mesh_);
    }

private:
    static constexpr double kUnknown = std::numeric_limits<double>::max();

    size_t index(int i, int j, int k) const {
        return (size_t(k) * size_t(ny_) + size_t(j)) * size_t(nx_) + size_t(i);
    }
    void coordinates(size_t n, int& i, int& j, int& k) const {
        i = int(n % size_t(nx_));
        j = int(n / size_t(nx_) % size_t(ny_));
        k = int(n / size_t(nx_) / size_t(ny_));
    }
    size_t corner(size_t cube, int bits) const {
        return cube + size_t(bits & 1) + (bits & 2 ? size_t(nx_) : 0) +
               (bits & 4 ? size_t(nx_) * size_t(ny_) : 0);
    }
    Vec3 position(size_t n) const {
        int i, j, k;
        coordinates(n, i, j, k);
        return grid_.low + Vec3{float(i), float(j), float(k)} * grid_.cell;
    }
    double value(size_t n) {
        if (values_[n] == kUnknown) {
            const double v = field_(position(n));
            // no corner exactly on the surface: every cut edge has one end on each side
            values_[n] = std::abs(v) < 1e-9 ? 1e-9 : v;
        }
        return values_[n];
    }

    size_t seedCube(Vec3 inside) {
        const Vec3 p = (inside - grid_.low) / grid_.cell;
        const int j = int(p.y), k = int(p.z);
        CHECK(value(index(int(p.x), j, k)) < 0);
        for (int i = int(p.x); i < grid_.cells[0]; ++i)
            if (value(index(i + 1, j, k)) > 0) return index(i, j, k);
        checkFailed(__FILE__, __LINE__, "no surface between the seed and the end of the grid");
    }

    void pushNeighbours(size_t cube, std::vector<size_t>& pending) {
        int c[3];
        coordinates(cube, c[0], c[1], c[2]);
        for (int axis = 0; axis < 3; ++axis)
            for (int side : {-1, 1}) {
                int n[3] = {c[0], c[1], c[2]};
                n[axis] += side;
                if (n[axis] < 0 || n[axis] >= grid_.cells[axis]) continue;
                const size_t other = index(n[0], n[1], n[2]);
                if (visited_[other] || !faceIsCut(cube, axis, side)) continue;
                visited_[other] = 1;
                pending.push_back(other);
            }
    }

    bool faceIsCut(size_t cube, int axis, int side) {
        int inside = 0;
        for (int bits = 0; bits < 8; ++bits)
            if (((bits >> axis) & 1) == (side > 0)) inside += value(corner(cube, bits)) < 0;
        return inside != 0 && inside != 4;
    }

    void cutCube(size_t cube) {
        for (const auto& tetrahedron : kTetrahedra) {
            size_t n[4];
            for (int i = 0; i < 4; ++i) n[i] = corner(cube, tetrahedron[i]);
            cutTetrahedron(n);
        }
    }

    void cutTetrahedron(const size_t (&n)[4]) {
        int inside[4], outside[4], in = 0, out = 0;
        for (int i = 0; i < 4; ++i) (value(n[i]) < 0 ? inside[in++] : outside[out++]) = i;
        // vertices are numbered in the order of the calls, which a list of arguments would not fix
        if (in == 1 || out == 1) {
            const int apex = in == 1 ? inside[0] : outside[0];
            const int* o = kOthers[apex];
            const uint32_t x = vertex(n[apex], n[o[0]]);
            const uint32_t y = vertex(n[apex], n[o[1]]);
            const uint32_t z = vertex(n[apex], n[o[2]]);
            in == 1 ? add(x, y, z) : add(x, z, y);
        } else if (in == 2) {
            // a quadrilateral around the edge between the two inner corners
            const int a = inside[0], b = inside[1];
            int c = outside[0], d = outside[1];
            if (isOdd(a, b, c, d)) std::swap(c, d);
            const uint32_t ac = vertex(n[a], n[c]), ad = vertex(n[a], n[d]),
                           bc = vertex(n[b], n[c]), bd = vertex(n[b], n[d]);
            add(ac, ad, bd);
            add(ac, bd, bc);
        }
    }

    static bool isOdd(int a, int b, int c, int d) {
        const int order[4] = {a, b, c, d};
        int inversions = 0;
        for (int i = 0; i < 4; ++i)
            for (int j = i + 1; j < 4; ++j) inversions += order[i] > order[j];
        return inversions % 2 == 1;
    }

    uint32_t vertex(size_t a, size_t b) {
        if (a > b) std::swap(a, b);
        const auto [it, is_new] = vertices_.try_emplace({a, b}, uint32_t(mesh_.positions.size()));
        if (is_new) {
            const double t = value(a) / (value(a) - value(b));
            mesh_.positions.push_back(
                lerp(position(a), position(b), float(std::clamp(t, 0.05, 0.95))));
        }
        return it->second;
    }

    void add(uint32_t a, uint32_t b, uint32_t c) { mesh_.triangles.push_back({a, b, c}); }

    const ScalarField& field_;
    Grid grid_;
    int nx_, ny_;
    std::vector<double> values_;
    std::vector<char> visited_;
    std::map<std::pair<size_t, size_t>, uint32_t> vertices_;
    Mesh mesh_;
};

}  // namespace

Mesh isosurface(const ScalarField& field, const Grid& grid, Vec3 inside) {
    return Marcher(field, grid).march(inside);
}

}  // namespace hem
