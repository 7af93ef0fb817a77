// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/foot_motion.h"

#include <algorithm>

#include "hem/character/motions/leg_solver.h"
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
          other_(steps.feet[other(side)]),
          correction_(steps.corrections.swing_pitch[side]),
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
    // In the frame of the pelvis: x left, y up, z ahead, yaw against the heading. Pitch is the
    // ankle's, so that a shank that swings up takes the foot along.
    struct Local {
        double v[5];  // x, y, z, yaw, pitch against the shank
    };
    struct LocalKnots {
        Knot v[5];
    };

    Local toLocal(const FootPose& pose, int frame) const {
        const int f = path_.clamped(frame);
        const Vec p = rotate(aboutY(-path_.heading[size_t(f)]), pose.ankle - pelvis_.position(f));
        return {{p.x, p.y, p.z, pose.yaw - path_.heading[size_t(f)],
                 pose.pitch - shankPitch(pose.ankle, f)}};
    }

    // Without pitch.
    FootPose fromLocal(const Local& local, int frame) const {
        const double heading = path_.heading[size_t(frame)];
        const Vec p = rotate(aboutY(heading), Vec{local.v[0], local.v[1], local.v[2]});
        return {p + pelvis_.position(frame), local.v[3] + heading, 0};
    }

    // How far the shank leans back from knee to ankle, in the plane of the heading.
    double shankPitch(Vec ankle, int frame) const {
        const double heading = path_.heading[size_t(frame)];
        const Vec ahead{portable::sin(heading), 0, portable::cos(heading)};
        const Vec pole{ahead.x, 0.35, ahead.z};
        const LegSolution leg = solveLeg(leg_, pelvis_.hip(frame, leg_), ankle, pole);
        const Vec shank = leg.ankle - leg.knee;
        return portable::atan2(-dot(shank, ahead), -shank.y);
    }

    // The ankle's angle kept between about 45 degrees of plantar flexion and 35 of dorsiflexion.
    static double withinAnkle(double pitch) {
        constexpr double kMiddle = 5 * kDegree, kHalf = 40 * kDegree;
        const double r = (pitch - kMiddle) / kHalf, r2 = r * r, r4 = r2 * r2;
        return kMiddle + kHalf * r / std::sqrt(std::sqrt(std::sqrt(1 + r4 * r4)));
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
        const LocalKnots a = knotsAt(from, from.end), b = knotsAt(to, to.begin);
        fillFrames(from, to, a, b);
        for (int i = from.end + 1; i < to.begin; ++i)
            out_.poses[size_t(i)].pitch += Corrections::at(correction_, i);
        if (to.arrival == Stance::Arrival::kKick) return;
        clearFloor(from, to, 0.028, true);
        // a raised ankle has bent the knee, which tips the toes down again
        clearFloor(from, to, 0.003, false);
    }

    // Raises the foot, smoothly, wherever its sole would come too near to the floor: by `clearance`
    // metres in mid-swing. With `tips` it keeps its angle to the shank, else its own.
    void clearFloor(const Stance& from, const Stance& to, double clearance, bool tips) {
        const int count = to.begin - from.end;
        Channel missing(size_t(count + 1), 0.0);
        for (int k = 1; k < count; ++k) {
            const size_t f = size_t(from.end + k);
            const double wanted = clearance * body_.lengthScale() * smoothBump(double(k) / count);
            missing[size_t(k)] =
                std::max(0.0, wanted - soleHeight(leg_, out_.poses[f], out_.toe_bend[f]));
        }
        const Channel raise = smoothCover(missing, int(0.16 * kMotionRate));
        for (int k = 1; k < count; ++k) {
            const int frame = from.end + k;
            FootPose& pose = out_.poses[size_t(frame)];
            const double before = shankPitch(pose.ankle, frame);
            pose.ankle.y += raise[size_t(k)] * smoothRamp(12.0 * std::min(k, count - k) / count);
            if (tips) pose.pitch += shankPitch(pose.ankle, frame) - before;
        }
    }

    // Draws an ankle that swings out of reach towards the hip, gently. The pelvis sees to it that
    // lift-off and contact are nearer than where this begins (pelvis_motion.cpp).
    void keepInReach(FootPose& pose, int frame, const Stance& to, double stretched) const {
        const double knee = swift(to)
                                ? std::clamp(stretched, 0.950 * leg_.reach(), 0.982 * leg_.reach())
                                : 0.9945 * leg_.reach();
        const double limit = (swift(to) ? 0.9965 : 0.9985) * leg_.reach();
        const Vec hip = pelvis_.hip(frame, leg_), way = pose.ankle - hip;
        const double distance = length(way);
        if (distance <= knee) return;
        const double r = (distance - knee) / (limit - knee), r2 = r * r;
        const double drawn = knee + (limit - knee) * r / std::sqrt(std::sqrt(1 + r2 * r2));
        pose.ankle = hip + way * (drawn / distance);
    }

    double stretchAt(const Stance& stance, int frame) const {
        return length(plantedFoot(leg_, stance, frame).ankle - pelvis_.hip(frame, leg_));
    }

    // A swing that the path ends in: it goes on along the pelvis as it began. It lies in the
    // lead-out.
    void holdSwing(const Stance& from, const Stance& to) {
        const Local start = toLocal(plantedFoot(leg_, from, from.end), from.end);
        for (int i = from.end + 1; i < std::min(to.begin, path_.frames()); ++i) {
            FootPose& pose = out_.poses[size_t(i)];
            pose = fromLocal(start, i);
            pose.pitch = start.v[4] + shankPitch(pose.ankle, i);
        }
    }

    void fillFrames(const Stance& from, const Stance& to, const LocalKnots& a,
                    const LocalKnots& b) {
        const double seconds = (to.begin - from.end) / kMotionRate;
        const double detour = detourPast(from, to, a, b);
        // how long the leg is at lift-off and contact
        const double stretched = std::max(stretchAt(from, from.end), stretchAt(to, to.begin));
        for (int i = from.end + 1; i < to.begin; ++i) {
            const double t = (i - from.end) / kMotionRate, u = t / seconds;
            Local local;
            for (int c = 0; c < 4; ++c) local.v[c] = swingPath(a.v[c], b.v[c], seconds, t);
            local.v[4] = anklePitch(a.v[4], b.v[4], to, seconds, t);
            local.v[1] += to.tuck * skewedBump(u, humpPeak(to));
            local.v[0] += kSideSign[side_] * detour * smoothBump(u);
            if (to.arrival == Stance::Arrival::kKick) addKick(local, to, u);
            if (to.arrival == Stance::Arrival::kLeap)
                local.v[2] += 0.12 * body_.leg * skewedBump(u, 0.68);
            FootPose pose = fromLocal(local, i);
            keepInReach(pose, i, to, stretched);
            const double free = smoothRamp(5 * std::min(u, 1 - u));
            pose.pitch = mix(local.v[4], withinAnkle(local.v[4]), free) + shankPitch(pose.ankle, i);
            // a foot that is about to land does not point down
            if (to.strike <= 0 && pose.pitch > 0) pose.pitch *= 1 - smoothRamp((u - 0.6) / 0.32);
            out_.poses[size_t(i)] = pose;
            // the toes trail: flat at lift-off, in line with the foot at the end
            const double trail =
                to.strike > 0 ? 1 - smoothBump(u) : 1 - smoothRamp((u - 0.08) / 0.8);
            out_.toe_bend[size_t(i)] = std::clamp(pose.pitch, 0.0, 68 * kDegree) * trail;
        }
    }

    // What is left of a knot's velocity and acceleration `t` after it: gone after kFade seconds.
    static double transient(const Knot& knot, double seconds, double t) {
        constexpr double kFade = 0.13;
        const double fade = std::min(kFade, 0.5 * seconds);
        return t < fade ? quintic({0, knot.velocity, knot.acceleration}, {}, fade, t) : 0;
    }

    // Minimum jerk from lift-off to contact in the pelvis's frame. At both ends the foot does not
    // move with the pelvis but with the floor; that difference is taken up quickly, as a leg does.
    static double swingPath(const Knot& a, const Knot& b, double seconds, double t) {
        const Knot before{b.value, -b.velocity, b.acceleration};  // seen backwards in time
        // braking until contact: a foot that arrived gently would wait in front of the body
        const double brake = -4 * (b.value - a.value) / (seconds * seconds);
        return quintic({a.value}, {b.value, 0, brake}, seconds, t) + transient(a, seconds, t) +
               transient(before, seconds, seconds - t);
    }

    // After its push the ankle is soon bent up, which lifts the toes past the floor.
    static double anklePitch(const Knot& lift, const Knot& strike, const Stance& to, double seconds,
                             double t) {
        const double middle = 0.45 * seconds;
        const double neutral = to.arrival == Stance::Arrival::kJump ? 20 * kDegree : -13 * kDegree;
        const Knot before{strike.value, -strike.velocity, strike.acceleration};
        const double path =
            t < middle ? mix(lift.value, neutral, smoothRamp(t / middle))
                       : mix(neutral, strike.value, smoothRamp((t - middle) / (seconds - middle)));
        return path + transient(lift, seconds, t) + transient(before, seconds, seconds - t);
    }

    // How far to the side the foot must swing to pass the standing one with room for both.
    double detourPast(const Stance& from, const Stance& to, const LocalKnots& a,
                      const LocalKnots& b) const {
        const double seconds = (to.begin - from.end) / kMotionRate,
                     room = 0.125 * body_.lengthScale();
        double most = 0.01 * body_.lengthScale();
        for (int i = from.end + 1; i < to.begin; ++i) {
            const Stance* standing = momentOf(other_, i).stance;
            if (!standing) continue;
            const Local past = toLocal(plantedFoot(leg_, *standing, i), i);
            const double t = (i - from.end) / kMotionRate, u = t / seconds;
            const double x = swingPath(a.v[0], b.v[0], seconds, t);
            const double ahead = swingPath(a.v[2], b.v[2], seconds, t) - past.v[2];
            const double beside = 1 - smoothRamp((std::abs(ahead) - 0.1) / 0.15);
            const double missing = room - kSideSign[side_] * (x - past.v[0]);
            if (u > 0.15 && u < 0.85)
                most = std::max(most, std::min(missing * beside / smoothBump(u), 0.12));
        }
        return most;
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
        local.v[4] += 0.35 * chamber;
    }

    const RootPath& path_;
    const std::vector<Stance>&stances_, &other_;
    const Channel& correction_;
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
        const double longest = legLength(leg, (u < 0.5 ? 11 : 12) * kDegree);
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
