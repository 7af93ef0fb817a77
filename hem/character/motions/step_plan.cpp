// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/step_plan.h"

#include <algorithm>

namespace hem {
namespace {

using namespace precise;

constexpr double kMovingSpeed = 0.03, kMovingTurn = 0.05;  // metres, radians a second
constexpr int kNever = 1 << 28;

int toFrames(double seconds) { return int(std::floor(seconds * kMotionRate + 0.5)); }

struct Bout {
    int begin, end;  // frames between which the root moves
};

class StepPlanner {
public:
    StepPlanner(const MotionScript& script, const RootPath& path, const BodyMeasures& body)
        : style_(script.style), path_(path), body_(body), random_(script.seed, "steps") {
        for (const Gesture& g : script.gestures)
            if (g.kind == Gesture::Kind::kLeap)
                leaps_.push_back({toFrames(g.begin), toFrames(g.seconds)});
    }

    StepPlan plan() {
        startStanding();
        size_t jump = 0, kick = 0;
        for (const Bout& bout : bouts()) {
            for (; jump < path_.jumps.size() && path_.jumps[jump].sink <= bout.begin; ++jump)
                addJump(path_.jumps[jump]);
            for (; kick < path_.kicks.size() && path_.kicks[kick].begin <= bout.begin; ++kick)
                addKick(path_.kicks[kick]);
            walkThrough(bout);
        }
        for (; jump < path_.jumps.size(); ++jump) addJump(path_.jumps[jump]);
        for (; kick < path_.kicks.size(); ++kick) addKick(path_.kicks[kick]);
        fillChannels();
        return std::move(plan_);
    }

private:
    struct Leap {
        int frame, flight;
        bool done = false;
    };

    Stance& last(BodySide side) { return plan_.feet[side].back(); }

    // Where the ankle of a foot belongs that is beside the path at `frame`.
    Stance placed(BodySide side, int frame, double half_width, double toe_out_degrees) const {
        const size_t i = size_t(path_.clamped(frame));
        const double heading = path_.heading[i];
        const LegMeasures& leg = body_.legs[side];
        const double out =
            kSideSign[side] * std::abs(leg.pelvis_to_hip.x) * half_width * style_.step_width;
        // the ankle stands a little behind or before the pelvis, as at rest
        const double along = leg.pelvis_to_hip.z + leg.hip_to_knee.z + leg.knee_to_ankle.z;
        const double s = portable::sin(heading), c = portable::cos(heading);
        Stance stance;
        stance.end = kNever;
        stance.x = path_.x[i] + out * c + along * s;
        stance.z = path_.z[i] - out * s + along * c;
        stance.yaw = heading + kSideSign[side] * (toe_out_degrees + style_.toe_out) * kDegree;
        return stance;
    }

    void startStanding() {
        for (BodySide side : {kLeft, kRight}) {
            Stance stance = placed(side, 0, 1.05, 4);
            stance.begin = -kNever;
            plan_.feet[side].push_back(stance);
        }
    }

    bool inJump(int frame) const {
        for (const JumpMark& jump : path_.jumps)
            if (frame >= jump.sink && frame < jump.end) return true;
        return false;
    }
    bool moving(int frame) const {
        return !inJump(frame) && (path_.speed(frame) > kMovingSpeed ||
                                  std::abs(path_.turn_rate[size_t(frame)]) > kMovingTurn);
    }

    std::vector<Bout> bouts() const {
        std::vector<Bout> result;
        for (int i = 0; i < path_.frames(); ++i) {
            if (!moving(i)) continue;
            // a pause too short to stand still in is none
            const bool joins =
                !result.empty() && i - result.back().end < toFrames(0.35) && !inJump(i - 1);
            if (joins)
                result.back().end = i + 1;
            else
                result.push_back({i, i + 1});
        }
        return result;
    }

    bool running(int frame) const {
        const int i = path_.clamped(frame);
        const double speed = path_.speed(i) / body_.speedScale();
        return speed > (path_.running[size_t(i)] ? 1.5 : 2.1);  // too fast to walk
    }

    GaitFigures figures(int frame, bool run) const {
        const int i = path_.clamped(frame);
        const double speed = path_.speed(i) / body_.speedScale();
        GaitFigures g = run ? runFigures(speed) : walkFigures(speed);
        g.step_seconds *= body_.speedScale() / style_.cadence;
        // a turn takes at most 44 degrees a step, with the feet apart
        const double rate = std::abs(path_.turn_rate[size_t(i)]);
        if (!run && rate * g.step_seconds > 44 * kDegree)
            g.step_seconds = std::max(0.36, 44 * kDegree / rate);
        g.half_width += 0.4 * smoothRamp(rate / 1.5) * (1 - smoothRamp(path_.speed(i) / 0.5));
        // side steps must not cross
        const double sideways = std::abs(path_.left[size_t(i)]) * g.step_seconds;
        g.half_width += 0.5 * sideways / std::abs(body_.legs[kLeft].pelvis_to_hip.x);
        if (path_.forward[size_t(i)] < -0.2) g.strike_degrees = 8, g.lift_degrees = 20;
        return g;
    }

    // A turn starts with the foot on its own side, which opens it; a walk with the style's.
    BodySide firstFoot(const Bout& bout) const {
        const int soon = path_.clamped(bout.begin + toFrames(0.5));
        const double turn = path_.heading[size_t(soon)] - path_.heading[size_t(bout.begin)];
        if (std::abs(turn) > 0.12) return turn > 0 ? kLeft : kRight;
        if (std::abs(path_.left[size_t(soon)]) > 0.1)
            return path_.left[size_t(soon)] > 0 ? kLeft : kRight;
        return style_.left_first ? kLeft : kRight;
    }

    void walkThrough(const Bout& bout) {
        BodySide side = firstFoot(bout);
        GaitFigures g = figures(bout.begin + toFrames(0.6), false);
        const int first_lift = bout.begin + toFrames(0.16);
        int before = first_lift + toFrames((1 - 2 * g.stance_share) * g.step_seconds);
        int previous_end = bout.begin;  // earliest lift-off
        bool previous_ran = false;
        for (int steps = 0;; ++steps, side = other(side)) {
            const int probe = before + toFrames(steps == 0 ? 0.5 : 0.25);
            const bool run = running(probe);
            g = figures(before >= bout.end ? bout.end : probe, run);
            const Bout now{before, bout.end};
            if (before >= bout.end && atRest(kLeft, now) && atRest(kRight, now)) break;
            if (before >= bout.end && atRest(side, now) && steps > 0) continue;
            step(side, now, g, run, previous_ran, previous_end);
            previous_ran = run;
            before = last(side).begin;
        }
    }

    bool atRest(BodySide side, const Bout& bout) {
        const Stance wanted = placed(side, bout.end, 1.05, 4);
        const double dx = wanted.x - last(side).x, dz = wanted.z - last(side).z;
        return dx * dx + dz * dz < 0.05 * 0.05 &&
               std::abs(wanted.yaw - last(side).yaw) < 12 * kDegree;
    }

    void step(BodySide side, const Bout& now, GaitFigures g, bool run, bool after_run,
              int& earliest) {
        const double vary = 1 + 0.015 * style_.wobble * random_.normal();
        const int period = toFrames(g.step_seconds * vary);
        const int swing = toFrames(2 * g.step_seconds * (1 - g.stance_share));
        int contact = now.begin + period;
        int lift = contact - swing;
        // the step before was planned with a flight, or it was not
        if (after_run)
            lift = std::min(lift, now.begin - flight_);
        else
            lift = std::max(lift, now.begin + 2);
        flight_ = toFrames(std::max(0.0, 1 - 2 * g.stance_share) * g.step_seconds);
        if (leap_flight_ > 0) lift = now.begin - leap_flight_;
        leap_flight_ = run ? takeLeap(now.begin, contact) : 0;
        if (leap_flight_ > 0) contact += leap_flight_ - flight_;
        lift = std::max({lift, earliest, last(side).begin + toFrames(0.1)});
        if (leap_flight_ == 0)
            contact = std::min(contact, leftBehind(other(side), contact, run) + flight_);
        contact = std::max(contact, lift + toFrames(0.22));
        earliest = now.begin;

        const int beside = inReach(contact, toFrames(g.pass_share * 2 * g.step_seconds), run);
        const bool closing = beside >= now.end;
        Stance next =
            placed(side, std::min(beside, now.end), closing ? 1.05 : g.half_width, run ? 1 : 3);
        jitter(next, closing ? 0.3 : 1);
        finish(last(side), lift, g);
        next.begin = contact;
        next.arrival = leap_flight_ > 0 ? Stance::Arrival::kLeap
                       : run            ? Stance::Arrival::kRun
                                        : Stance::Arrival::kWalk;
        arrive(next, last(side), g);
        plan_.feet[side].push_back(next);
        plan_.landings.push_back({contact, side, run});
    }

    // The frame, `latest` at the latest, by which the other foot must lift because the body leaves
    // it behind.
    int leftBehind(BodySide side, int latest, bool run) {
        const double farthest = (run ? 0.56 : 0.45) * body_.leg;
        const Stance& foot = last(side);
        for (int frame = std::max(0, foot.begin); frame < latest; ++frame) {
            const size_t i = size_t(path_.clamped(frame));
            const double dx = path_.x[i] - foot.x, dz = path_.z[i] - foot.z;
            const double ahead =
                dx * portable::sin(path_.heading[i]) + dz * portable::cos(path_.heading[i]);
            if (std::abs(ahead) > farthest && ahead * path_.forward[i] > 0) return frame;
        }
        return latest;
    }

    // The frame at which the hip passes over a foot that lands at `contact`: sooner than due where
    // the foot would have to land too far ahead.
    int inReach(int contact, int due, bool run) const {
        // braking, the body hangs back
        const double slowing =
            (path_.speed(contact - 10) - path_.speed(contact + 10)) * kMotionRate / 20;
        const double lean = 0.03 * std::clamp(slowing, 0.0, 5.0) * body_.lengthScale();
        const double farthest = (run ? 0.30 : 0.44) * body_.leg - lean;
        const size_t from = size_t(path_.clamped(contact));
        for (int ahead = 0; ahead < due; ++ahead) {
            const size_t to = size_t(path_.clamped(contact + ahead));
            const double dx = path_.x[to] - path_.x[from], dz = path_.z[to] - path_.z[from];
            if (dx * dx + dz * dz > farthest * farthest) return contact + ahead;
        }
        return contact + due;
    }

    // The flight in frames where a leap is due in this step.
    int takeLeap(int from, int to) {
        for (Leap& leap : leaps_)
            if (!leap.done && leap.frame < to && leap.frame > from - toFrames(1.5)) {
                leap.done = true;
                return leap.flight;
            }
        return 0;
    }

    void jitter(Stance& stance, double amount) {
        const double size = 0.008 * style_.wobble * amount * body_.lengthScale();
        stance.x += size * random_.normal();
        stance.z += size * random_.normal();
        stance.yaw += 1.2 * kDegree * amount * style_.wobble * random_.normal();
    }

    void finish(Stance& stance, int lift_frame, const GaitFigures& g) {
        stance.end = lift_frame;
        stance.lift = g.lift_degrees * kDegree;
        const int flat =
            std::max(2, stance.end - std::max(stance.begin + stance.strike_frames, 0) - 1);
        const int due = toFrames(g.lift_seconds);
        stance.lift_frames = std::clamp(due, 2, std::max(2, flat));
        // a stance too short for the whole roll rolls less, not faster
        if (stance.lift_frames < due) stance.lift *= double(stance.lift_frames) / due;
    }

    // A short step rolls less than the speed alone says.
    void arrive(Stance& next, const Stance& from, const GaitFigures& g) {
        const double dx = next.x - from.x, dz = next.z - from.z;
        const double size = smoothRamp(std::sqrt(dx * dx + dz * dz) / (0.8 * body_.lengthScale()));
        next.strike = g.strike_degrees * kDegree * size;
        next.strike_frames = std::max(3, toFrames(g.strike_seconds));
        next.loading = g.loading_degrees * kDegree * size;
        next.stride = 2 * g.step_seconds;
        // short steps are set down rather than swung through
        next.tuck = (g.tuck + 0.035 * (1 - size)) * style_.knee_lift * body_.lengthScale();
        if (next.arrival == Stance::Arrival::kLeap)
            next.strike = 8 * kDegree, next.loading = 0, next.tuck *= 0.3;
    }

    void addJump(const JumpMark& jump) {
        for (BodySide side : {kLeft, kRight}) {
            Stance& from = last(side);
            from.end = jump.takeoff;
            from.lift = 34 * kDegree;
            from.lift_frames = toFrames(0.14);
            Stance next = placed(side, jump.settled, 1.25, 6);
            next.begin = jump.landing;
            next.arrival = Stance::Arrival::kJump;
            // straight down on the balls of the feet; feet that reach ahead land flat
            const size_t at = size_t(path_.clamped(jump.landing));
            const double dx = next.x - path_.x[at], dz = next.z - path_.z[at];
            const double reach =
                std::sqrt(dx * dx + dz * dz) - std::abs(body_.legs[side].pelvis_to_hip.x);
            next.strike = 24 * kDegree * (1 - smoothRamp(reach / (0.25 * body_.lengthScale())));
            next.strike_frames = toFrames(0.11);
            next.tuck = 0.10 * body_.lengthScale();
            plan_.feet[side].push_back(next);
        }
    }

    void addKick(const KickMark& kick) {
        Stance& from = last(kick.side);
        Stance next = from;
        from.end = kick.begin + toFrames(0.28);
        from.lift = 22 * kDegree;
        from.lift_frames = toFrames(0.2);
        next.begin = kick.end - toFrames(0.12);
        next.arrival = Stance::Arrival::kKick;
        next.strike = 6 * kDegree;
        next.strike_frames = toFrames(0.1);
        next.kick = kick.height;
        plan_.feet[kick.side].push_back(next);
    }

    void fillChannels() {
        const size_t frames = size_t(path_.frames());
        plan_.activity.assign(frames, 0.0);
        plan_.running.assign(frames, 0.0);
        for (size_t k = 0; k + 1 < plan_.landings.size(); ++k) {
            const auto &a = plan_.landings[k], &b = plan_.landings[k + 1];
            if (b.frame - a.frame > toFrames(1.1)) continue;
            for (int i = std::max(0, a.frame); i < std::min(int(frames), b.frame); ++i) {
                plan_.activity[size_t(i)] = 1;
                plan_.running[size_t(i)] = b.running ? 1 : 0;
            }
        }
        plan_.activity = smoothed(plan_.activity, 0.18 * kMotionRate);
        plan_.running = smoothed(plan_.running, 0.14 * kMotionRate);
    }

    const Style& style_;
    const RootPath& path_;
    const BodyMeasures& body_;
    Random random_;
    std::vector<Leap> leaps_;
    int leap_flight_ = 0;  // of the leap under way
    int flight_ = 0;       // before the last landing, frames
    StepPlan plan_;
};

}  // namespace

StepPlan planSteps(const MotionScript& script, const RootPath& path, const BodyMeasures& body) {
    return StepPlanner(script, path, body).plan();
}

FootMoment momentOf(const std::vector<Stance>& stances, int frame) {
    const auto next = std::partition_point(stances.begin(), stances.end(),
                                           [frame](const Stance& s) { return s.end < frame; });
    if (next == stances.end()) return {&stances.back(), nullptr, nullptr};
    if (frame >= next->begin) return {&*next, nullptr, nullptr};
    return {nullptr, &*(next - 1), &*next};
}

}  // namespace hem
