// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/outline.h"

#include <algorithm>
#include <cmath>

#include "hem/core/portable_math.h"

namespace hem {
namespace {

constexpr double kNothing = -1e9;

int mirroredDirection(int i) {
    // direction i has angle i * 2 pi / n from +x towards +z; x changes its sign
    const int n = Outline::kDirections;
    return (n / 2 - i + n) % n;
}

const std::array<std::array<double, 2>, Outline::kDirections>& directions() {
    static const auto table = [] {
        std::array<std::array<double, 2>, Outline::kDirections> t;
        const int quarter = Outline::kDirections / 4;
        for (int i = 0; i <= quarter; ++i) {
            const double angle = 2 * portable::kPi * i / Outline::kDirections;
            const double c = i == quarter ? 0 : portable::cos(angle), s = portable::sin(angle);
            // by symmetry, so that mirrored directions are mirrored to the bit
            const int n = Outline::kDirections;
            t[size_t(i)] = {c, s};
            t[size_t(n / 2 - i)] = {-c, s};
            t[size_t((n - i) % n)] = {c, -s};
            t[size_t(n / 2 + i)] = {-c, -s};
        }
        return t;
    }();
    return table;
}

}  // namespace

std::array<double, 2> Outline::direction(int i) { return directions()[size_t(i)]; }

Outline::Outline(const BodySizes& body, const std::function<bool(uint32_t)>& counts, float left_of,
                 bool mirrored)
    : middle_(body.middle), low_(body.floor - 0.1f) {
    Section nothing;
    nothing.fill(kNothing);
    sections_.assign(size_t((body.crown + 0.1f - low_) / kStep) + 2, nothing);
    found_.assign(count(), false);
    const std::vector<Vec3>& p = body.skin.positions;
    auto add = [&](size_t slice, Vec3 q) {
        const double x = q.x - middle_, z = q.z;
        if (q.x < middle_ + left_of) return;
        found_[slice] = true;
        for (int i = 0; i < kDirections; ++i) {
            const auto [dx, dz] = directions()[size_t(i)];
            double& h = sections_[slice][size_t(i)];
            h = std::max(h, dx * x + dz * z);
        }
    };
    for (uint32_t t = 0; t < body.skin.triangles.size(); ++t) {
        if (!counts(t)) continue;
        for (int k = 0; k < 3; ++k) {
            Vec3 a = p[body.skin.triangles[t][size_t(k)]],
                 b = p[body.skin.triangles[t][size_t(k + 1) % 3]];
            if (a.y > b.y) std::swap(a, b);
            const size_t first = size_t(std::ceil((a.y - low_) / kStep));
            for (size_t i = first; heightOf(i) <= b.y && i < count(); ++i)
                add(i, b.y > a.y
                           ? lerp(a, b, std::clamp((heightOf(i) - a.y) / (b.y - a.y), 0.0f, 1.0f))
                           : a);
        }
    }
    if (mirrored)
        for (Section& s : sections_)
            for (int i = 0; i < kDirections; ++i) {
                const int j = mirroredDirection(i);
                s[size_t(i)] = s[size_t(j)] = std::max(s[size_t(i)], s[size_t(j)]);
            }
    fillGaps();
}

void Outline::fillGaps() {
    const auto first = std::find(found_.begin(), found_.end(), true);
    if (first == found_.end()) {
        for (Section& s : sections_) s.fill(-1);
        return;
    }
    size_t last = size_t(first - found_.begin());
    for (size_t i = 0; i < last; ++i) sections_[i] = sections_[last];
    for (size_t i = last; i < count(); ++i) {
        if (found_[i])
            last = i;
        else
            sections_[i] = sections_[last];
    }
}

size_t Outline::indexNear(float y) const {
    const float i = std::round((y - low_) / kStep);
    return size_t(std::clamp(i, 0.0f, float(count() - 1)));
}

bool Outline::hasSection(float y) const { return found_[indexNear(y)]; }

double Outline::distance(Vec3 p) const {
    const double at = std::clamp(double(p.y - low_) / kStep, 0.0, double(count() - 1) - 1e-6);
    const size_t i = size_t(at);
    const double t = at - double(i), x = p.x - middle_, z = p.z;
    const Section &a = sections_[i], &b = sections_[i + 1];
    double largest = kNothing;
    for (size_t k = 0; k < kDirections; ++k) {
        const auto& d = directions()[k];
        largest = std::max(largest, d[0] * x + d[1] * z - (a[k] + (b[k] - a[k]) * t));
    }
    return largest;
}

double Outline::girth(float y) const {
    double sum = 0;  // Cauchy: the perimeter is the integral of the support function
    for (double h : sections_[indexNear(y)]) sum += h;
    return sum * 2 * portable::kPi / kDirections;
}

double Outline::reach(float y, float dx, float dz) const {
    size_t best = 0;
    for (size_t i = 1; i < kDirections; ++i)
        if (directions()[i][0] * dx + directions()[i][1] * dz >
            directions()[best][0] * dx + directions()[best][1] * dz)
            best = i;
    return sections_[indexNear(y)][best];
}

void Outline::widen(const std::function<double(float y)>& ease) {
    for (size_t i = 0; i < count(); ++i)
        for (double& h : sections_[i]) h += ease(heightOf(i));
}

void Outline::span(float low, float high) {
    const size_t first = indexNear(low), last = indexNear(high);
    for (size_t k = 0; k < kDirections; ++k) {
        // upper hull of the points (height, reach) by Andrew's chain
        std::vector<size_t> hull;
        auto above = [&](size_t a, size_t b, size_t c) {
            return (sections_[b][k] - sections_[a][k]) * double(c - a) <=
                   (sections_[c][k] - sections_[a][k]) * double(b - a);
        };
        for (size_t i = first; i <= last; ++i) {
            while (hull.size() >= 2 && above(hull[hull.size() - 2], hull.back(), i))
                hull.pop_back();
            hull.push_back(i);
        }
        for (size_t n = 0; n + 1 < hull.size(); ++n)
            for (size_t i = hull[n] + 1; i < hull[n + 1]; ++i) {
                const double t = double(i - hull[n]) / double(hull[n + 1] - hull[n]);
                sections_[i][k] =
                    sections_[hull[n]][k] + (sections_[hull[n + 1]][k] - sections_[hull[n]][k]) * t;
            }
    }
}

void Outline::fallStraight(float from, float to) {
    for (size_t i = indexNear(from); i-- > indexNear(to);)
        for (size_t k = 0; k < kDirections; ++k)
            sections_[i][k] = std::max(sections_[i][k], sections_[i + 1][k]);
}

void Outline::unite(const Outline& other) {
    CHECK_EQ(count(), other.count());
    for (size_t i = 0; i < count(); ++i)
        for (size_t k = 0; k < kDirections; ++k)
            sections_[i][k] = std::max(sections_[i][k], other.sections_[i][k]);
}

void Outline::hangFrom(float from, const std::function<double(float y)>& grow) {
    const size_t top = indexNear(from);
    for (size_t i = 0; i < top; ++i)
        for (size_t k = 0; k < kDirections; ++k)
            sections_[i][k] = sections_[top][k] + grow(heightOf(i));
}

void Outline::smooth(float metres) {
    // three passes of a box are nearly a Gaussian
    const int radius = int(metres / kStep / 2);
    const int last = int(count()) - 1;
    for (int pass = 0; pass < 3 && radius > 0; ++pass) {
        std::vector<Section> smoothed = sections_;
        for (int i = 0; i <= last; ++i)
            for (size_t k = 0; k < kDirections; ++k) {
                double sum = 0;
                for (int j = -radius; j <= radius; ++j)
                    sum += sections_[size_t(std::clamp(i + j, 0, last))][k];
                smoothed[size_t(i)][k] = sum / (2 * radius + 1);
            }
        sections_ = std::move(smoothed);
    }
}

void Outline::blend(const Outline& other, const std::function<double(float y)>& share) {
    CHECK_EQ(count(), other.count());
    for (size_t i = 0; i < count(); ++i) {
        const double s = share(heightOf(i));
        for (size_t k = 0; k < kDirections; ++k)
            sections_[i][k] += (other.sections_[i][k] - sections_[i][k]) * s;
    }
}

}  // namespace hem
