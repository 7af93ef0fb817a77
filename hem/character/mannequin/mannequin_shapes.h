// SPDX-License-Identifier: Apache-2.0
// The building blocks of the mannequin's field: lofts along an axis, ellipsoids, soft bumps, and
// the smooth union that joins them. All in double and with exactly rounded operations only.
#pragma once

#include <array>
#include <vector>

#include "hem/core/vec.h"

namespace hem::mannequin_parts {

struct Point {
    double x = 0, y = 0, z = 0;
};
inline Point toPoint(Vec3 v) { return {v.x, v.y, v.z}; }
inline Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline double dot(Point a, Point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Point mirrored(Point p) { return {-p.x, p.y, p.z}; }

// A cross-section at `s` metres along a loft's axis. In the frame (u, v) across the axis: the
// outline reaches from u = `left` to `right` and from v = `back` to `front`. `square` from 0, an
// ellipse, to 1, a superellipse of exponent four. `crest` from -1, widest at the back, over 0,
// widest in the middle, to 1.
struct Station {
    double s, left, right, back, front;
    double square = 0, crest = 0;
};

// A tube whose outline is a natural cubic spline through its stations. Beyond the first and the
// last station it ends in half an ellipsoid.
class Loft {
public:
    // `axis`, `u` and `v` are unit vectors at right angles. `cap_low` and `cap_high`: how far the
    // ends reach beyond the first and last station.
    Loft(Point origin, Point axis, Point u, Point v, const std::vector<Station>& stations,
         double cap_low, double cap_high);

    // About the distance to the surface, negative inside.
    double operator()(Point p) const;

private:
    static constexpr int kCurves = 6;  // left, right, back, front, square, crest
    std::array<double, kCurves> outlineAt(double s) const;

    Point origin_, axis_, u_, v_;
    std::vector<double> s_;
    std::vector<std::array<double, kCurves>> values_,
        second_;  // spline: values and second derivatives
    double cap_low_, cap_high_;
};

// With half axes `radii` along the unit vectors u, v, w.
struct Ellipsoid {
    Point centre, radii;
    Point u{1, 0, 0}, v{0, 1, 0}, w{0, 0, 1};

    double operator()(Point p) const;
};

// Raises the surface by `height` metres (or sinks it, where negative) around a point, fading to
// nothing on an ellipsoid with half axes `radii`.
struct Bump {
    Point centre, radii;
    double height;

    double operator()(Point p) const;
};

// The union of two fields with a fillet: twice continuously differentiable, adds k/6 where both are
// equal and nothing where they differ by more than k.
double smoothUnion(double a, double b, double k);
// The intersection likewise.
inline double smoothIntersection(double a, double b, double k) { return -smoothUnion(-a, -b, k); }

}  // namespace hem::mannequin_parts
