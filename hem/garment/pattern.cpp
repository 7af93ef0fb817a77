// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/pattern.h"

#include <algorithm>

#include "hem/core/portable_math.h"

namespace hem {

double smoothMin(double a, double b, double k) {
    const double h = std::max(k - std::abs(a - b), 0.0) / k;
    return std::min(a, b) - h * h * k / 4;
}

double ramp(double from, double to, double x) {
    const double t = std::clamp((x - from) / (to - from), 0.0, 1.0);
    return t * t * (3 - 2 * t);
}

double angleAround(const BodySizes& body, Vec3 p) {
    return portable::atan2(double(std::abs(p.x - body.middle)), double(p.z - body.neck_centre.z));
}

Block::Block(const BodySizes& body, float edge)
    : body_(body), least_ease_(0.008f + edge * edge * 1.6f), trunk_(body_, [this](uint32_t t) {
          return !body_.partIs(t, BodyPart::kArm) && !body_.partIs(t, BodyPart::kHead);
      }) {}

namespace {

// Distance from those triangles of the body that `counts` accepts, and from their mirror image.
ScalarField distanceFrom(const BodySizes& body, const std::function<bool(uint32_t)>& counts) {
    std::vector<Triangle> kept;
    for (uint32_t t = 0; t < body.skin.triangles.size(); ++t)
        if (counts(t)) kept.push_back(body.skin.triangles[t]);
    auto tree = std::make_shared<SurfaceTree>(body.skin.positions, kept);
    const float middle = body.middle;
    return [tree, middle](Vec3 q) {
        Vec3 mirrored = q;
        mirrored.x = 2 * middle - q.x;
        constexpr float kReach = 0.12f;
        return double(
            std::min(tree->signedDistance(q, kReach), tree->signedDistance(mirrored, kReach)));
    };
}

}  // namespace

ScalarField Block::skin(float sleeve) const {
    return distanceFrom(body_, [&](uint32_t t) {
        if (body_.partIs(t, BodyPart::kHead)) return false;
        if (!body_.partIs(t, BodyPart::kArm)) return true;
        const std::vector<Vec3>& p = body_.skin.positions;
        const auto& [a, b, c] = body_.skin.triangles[t];
        Vec3 centre = (p[a] + p[b] + p[c]) / 3;
        centre.x = body_.middle + std::abs(centre.x - body_.middle);
        return alongArm(centre) <= sleeve;
    });
}

ScalarField Block::head() const {
    return distanceFrom(body_, [&](uint32_t t) { return body_.isAboveNeck(t); });
}

Cut Block::boxed(float bottom, float top, float side, float depth) const {
    Cut cut;
    const float z = body_.neck_centre.z;
    cut.low = {body_.middle, bottom, z - depth};
    cut.high = {body_.middle + side, top, z + depth};
    return cut;
}

float Block::alongArm(Vec3 p) const {
    const Vec3 upper = body_.elbow - body_.shoulder_joint, lower = body_.wrist - body_.elbow;
    const float upper_length = length(upper);
    const float s = dot(p - body_.shoulder_joint, upper) / upper_length;
    const float t = dot(p - body_.elbow, lower) / length(lower);
    return t > 0 ? upper_length + t : std::min(s, upper_length);
}

double Block::sleeve(Vec3 p, double at_shoulder, double at_elbow, double at_wrist) const {
    const std::array<Vec3, 3>& joints = body_.sleeve_line;
    const double radii[3] = {at_shoulder, at_elbow, at_wrist};
    double nearest = 1e9;
    for (int i = 0; i < 2; ++i) {
        const Vec3 axis = joints[size_t(i) + 1] - joints[size_t(i)];
        double t = double(dot(p - joints[size_t(i)], axis)) / double(dot(axis, axis));
        t = std::clamp(t, i == 0 ? 0.3 : 0.0, i == 1 ? 1.4 : 1.0);
        const Vec3 foot = joints[size_t(i)] + axis * float(t);
        nearest = std::min(nearest,
                           double(length(p - foot)) - (radii[i] + (radii[i + 1] - radii[i]) * t));
    }
    return nearest;
}

Trim Block::neckline(float half_width, float front, float back, float ease) const {
    const float middle = body_.middle, z = body_.neck_centre.z;
    const float side = topOfShoulder(body_, half_width) + ease - cm(0.4f);
    const float thickness = 0.6f * body_.neck_half_width;
    const float around = body_.neck_front + half_width - body_.neck_half_width;
    return [=](Vec3 p) {
        const double x = (p.x - middle) / half_width;
        const double in_front = ramp(z - thickness, z + thickness, p.z);
        const double depth = back + (front - back) * in_front;
        const double scoop = double(p.y) - (side - depth * (1 - x * x));
        // on top of the shoulders, an upright cylinder around the neck
        const double zr = (p.z - z) / around;
        const double hole =
            std::min(half_width * (1 - x * x - zr * zr) / 2, double(p.y) - (side - 0.05));
        return smoothMax(scoop, hole, 0.01);
    };
}

Trim Block::armhole(float inset, float drop) const {
    const float x = body_.shoulder_joint.x - inset, y = body_.armpit - drop;
    const float round = cm(5);
    // beyond the trunk's side the cut runs down under the arm
    const float side = body_.middle + float(trunk_.reach(y, 1, 0)) + least_ease_ + cm(1);
    return [=](Vec3 p) {
        const float low = y - 3 * std::max(0.0f, p.x - side);
        return smoothMin(p.x - x, p.y - low, round);
    };
}

Trim Block::hem(float y) const {
    return [y](Vec3 p) { return double(y - p.y); };
}

Trim Block::cuff(float along_arm) const {
    // near the arm only: a skirt is farther down the arm's direction too
    const double reach = cm(24);
    return [=, this](Vec3 p) {
        return std::min(double(alongArm(p) - along_arm), reach + sleeve(p, 0, 0, 0) * -1);
    };
}

float Block::sideSeam(float y) const {
    return float(trunk_.reach(y, 0, 1) - trunk_.reach(y, 0, -1)) / 2;
}

Panel Block::panelAt(Vec3 p, bool sleeves) const {
    const double around = body_.upper_arm_radius + cm(13);  // a skirt's side is farther away
    if (sleeves && p.x > body_.shoulder_joint.x && alongArm(p) > 0 &&
        sleeve(p, around, around, around) < 0) {
        const float along = alongArm(p), upper = distance(body_.shoulder_joint, body_.elbow);
        const Vec3 a = along < upper ? body_.shoulder_joint : body_.elbow,
                   b = along < upper ? body_.elbow : body_.wrist;
        const float z = lerp(a, b, dot(p - a, b - a) / dot(b - a, b - a)).z;
        return {p.z > z ? 2 : 3, body_.shoulder_joint,
                normalized(body_.shoulder_joint - body_.wrist)};
    }
    return {p.z > sideSeam(p.y) ? 0 : 1, {body_.middle, body_.waist, sideSeam(body_.waist)}};
}

// Cloth lies on shoulders by its weight; the pin only keeps it from creeping, so that it can give
// where skin stretches and cloth does not.
constexpr float kShoulderPin = 0.9f;

std::function<float(Vec3)> Block::shoulderPins(float half_width, float below) const {
    const float line = topOfShoulder(body_, half_width) - below, side = body_.shoulder_joint.x;
    return [=](Vec3 p) { return p.y > line && p.x < side ? kShoulderPin : 0.0f; };
}

Outline skirtOutline(const Outline& fitted, const SkirtShape& shape) {
    Outline skirt = fitted;
    const double let_out = (shape.hem_girth - fitted.girth(shape.from)) / (2 * portable::kPi);
    skirt.hangFrom(shape.from, [=](float y) {
        const double t = std::max(0.0, double(shape.from - y) / (shape.from - shape.hem));
        double power = t;
        for (int i = 1; i < shape.curve; ++i) power *= t;
        return let_out * power;
    });
    skirt.unite(fitted);
    skirt.smooth(0.02f);
    return skirt;
}

double flutesAt(const BodySizes& body, const SkirtShape& shape, Vec3 p) {
    const double t = std::clamp(double(shape.from - p.y) / (shape.from - shape.hem), 0.0, 1.1);
    return shape.depth * t * t * portable::cos(shape.flutes * angleAround(body, p));
}

Outline fittedOutline(const Block& block, float ease) {
    Outline fitted = block.trunk();
    const BodySizes& body = block.body();
    fitted.widen([=](float) { return ease; });
    fitted.span(body.waist, body.bust);
    fitted.span(body.crotch - block.cm(14), body.hips + block.cm(1));
    fitted.smooth(block.cm(3));
    return fitted;
}

}  // namespace hem
