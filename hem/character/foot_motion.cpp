// SPDX-License-Identifier: Apache-2.0
#include "hem/character/foot_motion.h"

#include <algorithm>

#include "hem/character/leg_solver.h"
#include "hem/core/check.h"

namespace hem {

using namespace precise;

namespace {

class FootMaker {
public:
    FootMaker(BodySide side, const RootPath& path, const StepPlan& steps,
              const PelvisMotion& pelvis, const BodyMeasures& body)
        : path_(path),
          stances_(steps.feet[side]),
          pelvis_(pelvis),
          body_(body),
          leg_(body.legs[side]),
          side_(side) {}

    FootMotion make() {
        const int count = path_.frames();
        out_.poses.resize(size_t(count));
        out_.toe_bend.assign(size_t(count), 0.0);
        for (int i = 0; i < count; ++i)
            if (const Stance* stance = momentOf(stances_, i).stance) {
                out_.poses[size_t(i)] = plantedFoot(leg_, *stance, i);
                out_.toe_bend[size_t(i)] = std::max(0.0, out_.poses[size_t(i)].pitch);
            }
        for (size_t k = 0; k + 1 < stances_.size(); ++k)
            if (stances_[k].end < count) fillSwing(stances_[k], stances_[k + 1]);
        out_.toe_bend = smoothed(out_.toe_bend, 2);
        return std::move(out_);
    }

private:
    // In the frame of the pelvis: x left, y up, z ahead, yaw against the heading.
    struct Local {
        double v[5];  // x, y, z, yaw, pitch
    };
    struct LocalKnots {
        Knot v[5];
    };

    Local toLocal(const FootPose& pose, int frame) const {
        const int f = path_.clamped(frame);
        const Vec p = rotate(aboutY(-path_.heading[size_t(f)]), pose.ankle - pelvis_.position(f));
        return {{p.x, p.y, p.z, pose.yaw - path_.heading[size_t(f)], pose.pitch}};
    }

    FootPose fromLocal(const Local& local, int frame) const {
        const double heading = path_.heading[size_t(frame)];
        const Vec p = rotate(aboutY(heading), Vec{local.v[0], local.v[1], local.v[2]});
        return {p + pelvis_.position(frame), local.v[3] + heading, local.v[4]};
    }

    LocalKnots knotsAt(const Stance& stance, int frame) const {
        Local at[3];
        for (int k = -1; k <= 1; ++k)
            at[k + 1] = toLocal(plantedFoot(leg_, stance, frame + k), frame + k);
        LocalKnots knots;
        for (int c = 0; c < 5; ++c) {
            const double a = at[0].v[c], b = at[1].v[c], d = at[2].v[c];
            knots.v[c] = {b, (d - a) * kMotionRate / 2,
                          (d - 2 * b + a) * kMotionRate * kMotionRate};
        }
        return knots;
    }

    void fillSwing(const Stance& from, const Stance& to) {
        const int last = path_.frames() - 2;
        if (from.end < 1 || to.begin > last) return holdSwing(from, to);
        LocalKnots a = knotsAt(from, from.end);
        LocalKnots b = knotsAt(to, to.begin);
        brake(a, b, (to.begin - from.end) / kMotionRate, to);
        const bool kick = to.arrival == Stance::Arrival::kKick;
        if (!kick) {
            yield(a, from.end);
            yield(b, to.begin);
        }
        double lift = 0;
        for (int tries = 0; tries < 12; ++tries, lift += 0.012 * body_.lengthScale()) {
            fillFrames(from, to, a, b, to.tuck + lift);
            if (kick || clears(from, to)) return;
        }
    }

    // A foot is still fast shortly before it lands: it brakes until contact rather than arriving gently,
    // which would have it wait in front of the body.
    static void brake(const LocalKnots& a, LocalKnots& b, double seconds, const Stance& to) {
        if (to.arrival == Stance::Arrival::kKick || to.arrival == Stance::Arrival::kJump) return;
        for (int c : {0, 2}) {
            const double way = b.v[c].value - a.v[c].value - b.v[c].velocity * seconds;
            b.v[c].acceleration -= (swift(to) ? 8 : 6.5) * way / (seconds * seconds);
        }
    }

    // At lift-off the body still moves away from the foot, at contact towards it. Pulls the foot along, so
    // that the leg does not stretch to its end first.
    void yield(LocalKnots& knots, int frame) const {
        constexpr double kSeconds = 0.07;
        const Vec hip = rotate(aboutY(-path_.heading[size_t(frame)]),
                               pelvis_.hip(frame, leg_) - pelvis_.position(frame));
        const Vec leg = normalized(Vec{knots.v[0].value, knots.v[1].value, knots.v[2].value} - hip);
        const double rate =
            leg.x * knots.v[0].velocity + leg.y * knots.v[1].velocity + leg.z * knots.v[2].velocity;
        const double pull = std::abs(rate) / kSeconds;
        knots.v[0].acceleration -= pull * leg.x;
        knots.v[1].acceleration -= pull * leg.y;
        knots.v[2].acceleration -= pull * leg.z;
    }

    // Draws an ankle that swings out of reach towards the hip, gently. The pelvis sees to it that lift-off
    // and contact are nearer than where this begins (pelvis_motion.cpp).
    void keepInReach(FootPose& pose, int frame, const Stance& to) const {
        const double knee = (swift(to) ? 0.982 : 0.9945) * leg_.reach();
        const double limit = (swift(to) ? 0.9965 : 0.9985) * leg_.reach();
        const Vec hip = pelvis_.hip(frame, leg_), way = pose.ankle - hip;
        const double distance = length(way);
        if (distance <= knee) return;
        const double r = (distance - knee) / (limit - knee), r2 = r * r;
        const double drawn = knee + (limit - knee) * r / std::sqrt(std::sqrt(1 + r2 * r2));
        pose.ankle = hip + way * (drawn / distance);
    }

    // A swing that the path ends in: it goes on along the pelvis as it began. It lies in the lead-out.
    void holdSwing(const Stance& from, const Stance& to) {
        const Local start = toLocal(plantedFoot(leg_, from, from.end), from.end);
        for (int i = from.end + 1; i < std::min(to.begin, path_.frames()); ++i)
            out_.poses[size_t(i)] = fromLocal(start, i);
    }

    void fillFrames(const Stance& from, const Stance& to, const LocalKnots& a, const LocalKnots& b,
                    double tuck) {
        const double seconds = (to.begin - from.end) / kMotionRate;
        for (int i = from.end + 1; i < to.begin; ++i) {
            const double t = (i - from.end) / kMotionRate, u = t / seconds;
            Local local;
            for (int c = 0; c < 5; ++c) local.v[c] = quintic(a.v[c], b.v[c], seconds, t);
            local.v[1] += tuck * skewedBump(u, humpPeak(to));
            // past the standing leg with room to spare
            local.v[0] += kSideSign[side_] * 0.012 * body_.lengthScale() * smoothBump(u);
            if (to.arrival == Stance::Arrival::kKick) addKick(local, to, u);
            if (to.arrival == Stance::Arrival::kLeap)
                local.v[2] += 0.12 * body_.leg * skewedBump(u, 0.68);
            FootPose pose = fromLocal(local, i);
            keepInReach(pose, i, to);
            out_.poses[size_t(i)] = pose;
            // the toes trail: flat at lift-off, in line with the foot at the end
            const double trail = to.strike > 0 ? 1 - smoothBump(u) : 1 - smoothRamp(u / 0.9);
            out_.toe_bend[size_t(i)] = std::max(0.0, pose.pitch) * trail;
        }
    }

    static bool swift(const Stance& to) {
        return to.arrival == Stance::Arrival::kRun || to.arrival == Stance::Arrival::kLeap ||
               to.arrival == Stance::Arrival::kJump;
    }
    static double humpPeak(const Stance& to) { return swift(to) ? 0.40 : 0.45; }

    // Knee up, foot out, knee up, down again; leg lengths from the hip.
    void addKick(Local& local, const Stance& to, double u) const {
        const double out = 0.62 + 0.1 * (1 - to.kick);
        const double chamber = smoothRamp(u / 0.34) * (1 - smoothRamp((u - 0.66) / 0.34));
        const double strike = smoothRamp((u - 0.30) / 0.17) * (1 - smoothRamp((u - 0.52) / 0.2));
        const double rise = 0.40 * chamber + (to.kick - 0.40) * strike;
        local.v[1] += rise * body_.leg;
        local.v[2] += (0.16 * chamber + (out - 0.16) * strike) * body_.leg;
        local.v[4] += (0.35 * chamber - 0.75 * strike) * 1.0;
    }

    bool clears(const Stance& from, const Stance& to) const {
        for (int i = from.end + 1; i < to.begin; ++i) {
            const double u = double(i - from.end) / (to.begin - from.end);
            const double wanted = 0.012 * body_.lengthScale() * smoothBump(u);
            const size_t f = size_t(i);
            if (soleHeight(leg_, out_.poses[f], out_.toe_bend[f]) < wanted - 5e-4) return false;
        }
        return true;
    }

    const RootPath& path_;
    const std::vector<Stance>& stances_;
    const PelvisMotion& pelvis_;
    const BodyMeasures& body_;
    const LegMeasures& leg_;
    BodySide side_;
    FootMotion out_;
};

}  // namespace

Channel reachExcess(BodySide side, const StepPlan& steps, const PelvisMotion& pelvis,
                    const FootMotion& foot, const BodyMeasures& body) {
    const LegMeasures& leg = body.legs[side];
    Channel excess(foot.poses.size(), 0.0);
    for (int i = 0; i < int(excess.size()); ++i) {
        const FootMoment moment = momentOf(steps.feet[side], i);
        if (moment.stance || moment.to->arrival == Stance::Arrival::kJump) continue;
        const double u = double(i - moment.from->end) / (moment.to->begin - moment.from->end);
        const Vec hip = pelvis.hip(i, leg), ankle = foot.poses[size_t(i)].ankle;
        const double dx = hip.x - ankle.x, dz = hip.z - ankle.z;
        const double longest = legLength(leg, (u < 0.5 ? 11 : 7) * kDegree);
        const double room = longest * longest - dx * dx - dz * dz;
        if ((u < 0.25 || u > 0.7) && room > 0)
            excess[size_t(i)] = std::max(0.0, hip.y - ankle.y - std::sqrt(room));
    }
    return excess;
}

double soleHeight(const LegMeasures& leg, const FootPose& pose, double toe_bend) {
    const SolePoints sole = solePoints(leg);
    const Rotation foot = pose.turn();
    const Vec joint = leg.ankle_to_ball;
    const Vec tip = joint + rotate(aboutX(-toe_bend), sole.tip - joint);
    // below the ball joint the sole follows whichever of foot and toes reaches lower
    const Vec under = joint + rotate(aboutX(-toe_bend), sole.ball - joint);
    const double lowest = std::min({rotate(foot, sole.heel).y, rotate(foot, tip).y,
                                    std::max(rotate(foot, sole.ball).y, rotate(foot, under).y)});
    return pose.ankle.y + lowest;
}

FootMotion makeFootMotion(BodySide side, const RootPath& path, const StepPlan& steps,
                          const PelvisMotion& pelvis, const BodyMeasures& body) {
    return FootMaker(side, path, steps, pelvis, body).make();
}

}  // namespace hem
