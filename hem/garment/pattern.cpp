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

ScalarField Block::skin(float sleeve) const {
    std::vector<Triangle> kept;
    const std::vector<Vec3>& p = body_.skin.positions;
    for (uint32_t t = 0; t < body_.skin.triangles.size(); ++t) {
        const Triangle& c = body_.skin.triangles[t];
        if (body_.partIs(t, BodyPart::kHead)) continue;
        Vec3 centre = (p[c[0]] + p[c[1]] + p[c[2]]) / 3;
        centre.x = body_.middle + std::abs(centre.x - body_.middle);
        if (body_.partIs(t, BodyPart::kArm) && alongArm(centre) > sleeve) continue;
        kept.push_back(c);
    }
    auto tree = std::make_shared<SurfaceTree>(p, kept);
    const float middle = body_.middle;
    return [tree, middle](Vec3 q) {
        Vec3 mirrored = q;
        mirrored.x = 2 * middle - q.x;
        constexpr float kReach = 0.12f;
        return double(
            std::min(tree->signedDistance(q, kReach), tree->signedDistance(mirrored, kReach)));
    };
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
    const Vec3 joints[3] = {body_.shoulder_joint, body_.elbow, body_.wrist};
    const double radii[3] = {at_shoulder, at_elbow, at_wrist};
    double nearest = 1e9;
    for (int i = 0; i < 2; ++i) {
        const Vec3 axis = joints[i + 1] - joints[i];
        double t = double(dot(p - joints[i], axis)) / double(dot(axis, axis));
        t = std::clamp(t, i == 0 ? -0.1 : 0.0, i == 1 ? 1.5 : 1.0);
        const Vec3 foot = joints[i] + axis * float(t);
        nearest = std::min(nearest, double(length(p - foot)) -
                                        (radii[i] + (radii[i + 1] - radii[i]) * std::max(t, 0.0)));
    }
    return nearest;
}

Trim Block::neckline(float half_width, float front, float back, float ease) const {
    const float middle = body_.middle, z = body_.neck_centre.z;
    const float side = topOfShoulder(body_, half_width) + ease;
    const float thickness = 0.6f * body_.neck_half_width;
    return [=](Vec3 p) {
        const double x = (p.x - middle) / half_width;
        const double in_front = ramp(z - thickness, z + thickness, p.z);
        const double depth = back + (front - back) * in_front;
        return double(p.y) - (side - depth * (1 - x * x));
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
    return [this_block = *this, along_arm](Vec3 p) {
        return double(this_block.alongArm(p) - along_arm);
    };
}

float Block::sideSeam(float y) const {
    return float(trunk_.reach(y, 0, 1) - trunk_.reach(y, 0, -1)) / 2;
}

}  // namespace hem
