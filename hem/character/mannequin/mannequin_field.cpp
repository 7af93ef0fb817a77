// SPDX-License-Identifier: Apache-2.0
#include "hem/character/mannequin/mannequin_field.h"

#include <algorithm>
#include <cmath>

#include "hem/character/mannequin/mannequin_body.h"

namespace hem::mannequin_parts {
namespace {

// Joint positions of the rest pose by name. All rest rotations are identity.
class Joints {
public:
    explicit Joints(Sex sex) : skeleton_(mannequinSkeleton(sex)) {
        for (const Joint& joint : skeleton_.joints) {
            const Vec3 offset = joint.parent_from_rest.translation;
            positions_.push_back(joint.parent < 0 ? offset
                                                  : positions_[size_t(joint.parent)] + offset);
        }
    }
    Vec3 operator[](const char* name) const {
        const int joint = skeleton_.find(name);
        CHECK_GE(joint, 0);
        return positions_[size_t(joint)];
    }

private:
    Skeleton skeleton_;
    std::vector<Vec3> positions_;
};

Loft uprightLoft(std::vector<Station> stations, double cap_low, double cap_high) {
    return Loft({0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}, std::move(stations), cap_low, cap_high);
}

// Stations given for s >= 0, continued evenly to negative s.
std::vector<Station> evenStations(const std::vector<Station>& half) {
    std::vector<Station> all;
    for (size_t i = half.size(); i-- > 1;) {
        all.push_back(half[i]);
        all.back().s = -half[i].s;
    }
    all.insert(all.end(), half.begin(), half.end());
    return all;
}

void shift(Station& station, double u, double v) {
    station.left += u;
    station.right += u;
    station.back += v;
    station.front += v;
}

// How far the bent line a-b-c is from the straight axis, at `s` along the axis from a.
Vec3 offsetAt(double s, Vec3 a, Vec3 b, Vec3 c, Vec3 axis) {
    const float sb = dot(b - a, axis), sc = dot(c - a, axis);
    const float t = float(s);
    const Vec3 on_line = t < sb ? lerp(a, b, t / sb) : lerp(b, c, (t - sb) / (sc - sb));
    return on_line - (a + axis * t);
}

struct Frame {
    Vec3 axis, u, v;
};
// v as near to `forwards` as the axis allows; u = v x axis.
Frame frameAlong(Vec3 axis, Vec3 forwards) {
    const Vec3 v = normalized(forwards - axis * dot(axis, forwards));
    return {axis, cross(v, axis), v};
}

Loft loftIn(const Frame& f, Vec3 origin, std::vector<Station> stations, double cap_low,
            double cap_high) {
    return Loft(toPoint(origin), toPoint(f.axis), toPoint(f.u), toPoint(f.v), std::move(stations),
                cap_low, cap_high);
}

Loft makeLeg(const BodyTable& table, const Joints& joints) {
    const Vec3 hip = joints["LeftUpLeg"], knee = joints["LeftLeg"], ankle = joints["LeftFoot"];
    std::vector<Station> stations = table.leg;
    for (Station& k : stations) {
        const float y = float(k.s);
        const Vec3 p = y > knee.y ? lerp(knee, hip, (y - knee.y) / (hip.y - knee.y))
                                  : lerp(ankle, knee, (y - ankle.y) / (knee.y - ankle.y));
        shift(k, p.x, p.z);
    }
    return uprightLoft(std::move(stations), 0.02, 0.06);
}

Loft makeFoot(const BodyTable& table, const Joints& joints) {
    const Vec3 ankle = joints["LeftFoot"], toe = joints["LeftToeBase"];
    const Vec3 axis = normalized(Vec3{toe.x - ankle.x, 0, toe.z - ankle.z});
    const Frame frame{axis, {axis.z, 0, -axis.x}, {0, 1, 0}};
    return loftIn(frame, {ankle.x, 0, ankle.z}, table.foot, 0.024, 0.012);
}

Loft makeArm(const BodyTable& table, const Joints& joints) {
    const Vec3 shoulder = joints["LeftArm"], elbow = joints["LeftForeArm"],
               wrist = joints["LeftHand"];
    const Frame frame = frameAlong(normalized(wrist - shoulder), {0, 0, 1});
    std::vector<Station> stations = table.arm;
    for (Station& k : stations) {
        const Vec3 d = offsetAt(k.s, shoulder, elbow, wrist, frame.axis);
        shift(k, hem::dot(d, frame.u), hem::dot(d, frame.v));
    }
    return loftIn(frame, shoulder, std::move(stations), 0.038, 0.015);
}

Ellipsoid makeDeltoid(const BodyTable& table, const Joints& joints) {
    const Frame frame =
        frameAlong(normalized(joints["LeftForeArm"] - joints["LeftArm"]), {0, 0, 1});
    Ellipsoid shape = table.deltoid.shape;
    shape.u = toPoint(frame.u);
    shape.v = toPoint(frame.v);
    shape.w = toPoint(frame.axis);
    return shape;
}

Loft makeHand(const BodyTable& table, const Joints& joints) {
    const Vec3 wrist = joints["LeftHand"], fingers = joints["LeftHandIndex1"];
    return loftIn(frameAlong(normalized(fingers - wrist), {0, 0, 1}), wrist, table.hand, 0.02,
                  0.013);
}

// Between along the hand and forwards, and a little towards the palm.
Frame thumbFrame(const Joints& joints) {
    const Frame hand =
        frameAlong(normalized(joints["LeftHandIndex1"] - joints["LeftHand"]), {0, 0, 1});
    const Vec3 axis = normalized(hand.axis * 0.82f + hand.v * 0.53f - hand.u * 0.22f);
    return frameAlong(axis, hand.v);
}

Loft makeThumb(const BodyTable& table, const Joints& joints) {
    return loftIn(thumbFrame(joints), joints["LThumb"], table.thumb, 0.010, 0.009);
}

}  // namespace

struct BodyField::Parts {
    const BodyTable& table;
    Loft trunk, yoke, neck, head, leg, foot, arm, hand, thumb;
    Ellipsoid deltoid;
    Vec3 thumb_axis;
    double ankle_height, hip_height, shoulder_height, neck_height, wrist_x;

    Parts(const BodyTable& t, const Joints& joints)
        : table(t),
          trunk(uprightLoft(t.trunk, t.trunk_cap_low, t.trunk_cap_high)),
          yoke({0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, evenStations(t.yoke), t.yoke_cap,
               t.yoke_cap),
          neck(uprightLoft(t.neck, 0.03, 0.03)),
          head(uprightLoft(t.head, t.head_cap_low, t.head_cap_high)),
          leg(makeLeg(t, joints)),
          foot(makeFoot(t, joints)),
          arm(makeArm(t, joints)),
          hand(makeHand(t, joints)),
          thumb(makeThumb(t, joints)),
          deltoid(makeDeltoid(t, joints)),
          thumb_axis(thumbFrame(joints).axis),
          ankle_height(joints["LeftFoot"].y),
          hip_height(joints["LeftUpLeg"].y),
          shoulder_height(joints["LeftArm"].y),
          neck_height(joints["Neck"].y),
          wrist_x(joints["LeftHand"].x) {}

    double legAndFoot(Point p) const {
        if (p.y > ankle_height * 2.5) return leg(p);
        const double shoe = smoothIntersection(foot(p), -p.y, 0.020);  // flat soles
        return smoothUnion(leg(p), shoe, 0.030);
    }

    // Both legs first, so that they meet in a rounded fork.
    double legs(Point p) const {
        return p.x > 0.10 ? legAndFoot(p)
                          : smoothUnion(legAndFoot(p), legAndFoot(mirrored(p)), 0.032);
    }

    double armAndHand(Point p) const {
        if (p.x < wrist_x - 0.08) return smoothUnion(arm(p), deltoid(p), table.deltoid.fillet);
        return smoothUnion(arm(p), smoothUnion(hand(p), thumb(p), 0.032), 0.020);
    }

    // Tight in the armpit, wide on top, where the deltoid carries on the slope of the neck.
    double shoulderFillet(Point p) const {
        const double t = std::clamp((p.y - shoulder_height) / 0.05 + 0.7, 0.0, 1.0);
        return 0.035 + 0.045 * t * t * (3 - 2 * t);
    }

    // Parts that are farther away than any fillet reaches are left out, for speed.
    double allButArms(Point p) const {
        if (p.y < hip_height - 0.25) return withBumps(p, legs(p));
        double f = trunk(p);
        if (p.y > neck_height - 0.25) f = smoothUnion(f, yoke(p), 0.060);
        if (p.y > neck_height - 0.25) f = smoothUnion(f, neck(p), 0.040);
        if (p.y > neck_height - 0.10) f = smoothUnion(f, head(p), 0.035);
        if (p.y < hip_height + 0.20) f = smoothUnion(f, legs(p), 0.035);
        for (const SoftEllipsoid& e : table.singles) {
            const Point d = p - e.shape.centre;
            if (std::abs(d.y) > e.shape.radii.y + 0.10) continue;
            f = smoothUnion(f, smoothUnion(e.shape(p), e.shape(mirrored(p)), 0.012), e.fillet);
        }
        return withBumps(p, f);
    }

    double withBumps(Point p, double f) const {
        for (const Bump& b : table.bumps)
            if (std::abs(p.y - b.centre.y) < b.radii.y)
                f += b.centre.x == 0 ? b(p) : b(p) + b(mirrored(p));
        return f;
    }
};

BodyField::BodyField(Sex sex)
    : parts_(std::make_unique<Parts>(sex == Sex::kFemale ? femaleTable() : maleTable(),
                                     Joints(sex))) {}
BodyField::~BodyField() = default;
BodyField::BodyField(BodyField&&) noexcept = default;

double BodyField::arm(Vec3 p) const { return parts_->armAndHand(toPoint(p)); }
double BodyField::allButArms(Vec3 p) const { return parts_->allButArms(toPoint(p)); }

double BodyField::thumbMargin(Vec3 p) const {
    return parts_->hand(toPoint(p)) - parts_->thumb(toPoint(p));
}
Vec3 BodyField::thumbAxis() const { return parts_->thumb_axis; }

double BodyField::operator()(Vec3 v) const {
    const Point p{std::abs(v.x), v.y, v.z};
    const double body = parts_->allButArms(p);
    return p.x < 0.05 ? body : smoothUnion(body, parts_->armAndHand(p), parts_->shoulderFillet(p));
}

Vec3 BodyField::project(Vec3 p, bool in_mid_plane) const {
    constexpr float kStep = 1e-3f;
    for (int i = 0; i < 4; ++i) {
        if (in_mid_plane) p.x = 0;
        const double f = (*this)(p);
        if (std::abs(f) < 1e-6) break;
        double g[3];
        for (int axis = 0; axis < 3; ++axis) {
            Vec3 a = p, b = p;
            a[axis] -= kStep;
            b[axis] += kStep;
            g[axis] = ((*this)(b) - (*this)(a)) / (2.0 * kStep);
        }
        if (in_mid_plane) g[0] = 0;
        const double slope = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
        if (slope < 1e-6) break;
        // no farther than 2 cm at once: away from the surface the field is not a distance
        const double step =
            std::clamp(f / slope, -0.02 / std::sqrt(slope), 0.02 / std::sqrt(slope));
        p = {float(p.x - step * g[0]), float(p.y - step * g[1]), float(p.z - step * g[2])};
    }
    return p;
}

}  // namespace hem::mannequin_parts
