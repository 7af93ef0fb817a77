// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/pelvis_motion.h"

#include <algorithm>
#include <limits>

#include "hem/character/motions/leg_solver.h"

namespace hem {

using namespace precise;

namespace {

constexpr double kGravity = 9.81;
constexpr double kStandingKnee = 8 * kDegree, kStrikeKnee = 13 * kDegree;
constexpr double kFree = std::numeric_limits<double>::infinity();

double softLimit(double x, double limit) { return x / std::sqrt(1 + (x / limit) * (x / limit)); }

class PelvisMaker {
public:
    PelvisMaker(const MotionScript& script, const RootPath& path, const StepPlan& steps,
                const BodyMeasures& body)
        : script_(script), path_(path), steps_(steps), body_(body), count_(path.frames()) {}

    PelvisMotion make() {
        makePhase();
        makeCrouch();
        makeSwing();
        makeTurns();
        makeFloorPath();
        makeHeight();
        return std::move(out_);
    }

private:
    double time(int frame) const { return frame / kMotionRate; }
    Channel channel(double value = 0) const { return Channel(size_t(count_), value); }

    void makePhase() {
        out_.phase = channel();
        const auto& landings = steps_.landings;
        if (landings.empty()) return;
        std::vector<std::pair<int, double>> knots;
        for (const auto& landing : landings) {
            double phase = landing.side == kLeft ? 0 : portable::kPi;
            while (!knots.empty() && phase <= knots.back().second) phase += 2 * portable::kPi;
            knots.push_back({landing.frame, phase});
        }
        const double rate = portable::kPi / (0.55 * kMotionRate);
        for (int i = 0, k = -1; i < count_; ++i) {
            while (k + 1 < int(knots.size()) && knots[size_t(k + 1)].first <= i) ++k;
            double& phase = out_.phase[size_t(i)];
            if (k < 0) {
                phase = knots[0].second - rate * (knots[0].first - i);
            } else if (k + 1 == int(knots.size())) {
                phase = knots.back().second + rate * (i - knots.back().first);
            } else {
                const auto &a = knots[size_t(k)], &b = knots[size_t(k + 1)];
                phase = mix(a.second, b.second, double(i - a.first) / (b.first - a.first));
            }
        }
        out_.phase = smoothed(out_.phase, 0.07 * kMotionRate);
    }

    void makeCrouch() {
        out_.crouch = channel();
        for (int i = 0; i < count_; ++i) {
            double& crouch = out_.crouch[size_t(i)];
            for (const Gesture& g : script_.gestures)
                if (g.kind == Gesture::Kind::kDuck)
                    crouch += g.amount * body_.lengthScale() * envelope(g, time(i));
            for (const JumpMark& jump : path_.jumps) {
                crouch += jump.depth * smoothRamp(double(i - jump.sink) / (jump.push - jump.sink)) *
                          (1 - smoothRamp(double(i - jump.push) / (jump.takeoff - jump.push)));
                const int low = (jump.landing + jump.settled) / 2;
                crouch += jump.depth * smoothRamp(double(i - jump.landing) / (low - jump.landing)) *
                          (1 - smoothRamp(double(i - low) / (jump.end - low)));
            }
        }
    }

    void makeSwing() {
        const Style& style = script_.style;
        for (int i = 0; i < count_; ++i) {
            const double speed = path_.speed(i) / body_.speedScale();
            SwingFigures s = blend(walkSwing(speed), runSwing(speed), steps_.running[size_t(i)]);
            const double active = steps_.activity[size_t(i)];
            for (double* amplitude : {&s.pelvis_turn, &s.pelvis_list, &s.pelvis_nod, &s.chest_turn,
                                      &s.arm, &s.elbow_swing})
                *amplitude *= active * kDegree;
            for (double* angle : {&s.arm_bias, &s.elbow_mean, &s.lean}) *angle *= kDegree;
            s.pelvis_turn *= style.hip_turn;
            s.chest_turn *= style.hip_turn;
            s.pelvis_list *= style.hip_sway;
            s.sway *= style.hip_sway * body_.lengthScale();
            s.arm *= style.arm_swing;
            s.lean += style.lean * kDegree;
            out_.swing.push_back(s);
        }
    }

    void makeTurns() {
        out_.yaw = out_.list = out_.tilt = channel();
        Random random(script_.seed, "pelvis");
        const SlowNoise turn(random, 0.1, 0.5), list(random, 0.1, 0.5), tilt(random, 0.1, 0.6);
        const double wobble = script_.style.wobble * kDegree;
        for (int i = 0; i < count_; ++i) {
            const size_t f = size_t(i);
            const SwingFigures& s = out_.swing[f];
            const double phase = out_.phase[f], t = time(i);
            out_.yaw[f] = path_.heading[f] - s.pelvis_turn * portable::cos(phase) +
                          0.8 * wobble * turn(t) + 0.22 * twistAt(t);
            out_.list[f] = s.pelvis_list * portable::sin(phase + 0.5) + 0.5 * wobble * list(t);
            out_.tilt[f] = 0.25 * s.lean + s.pelvis_nod * portable::cos(2 * phase - 0.8) +
                           0.5 * wobble * tilt(t) + 1.5 * out_.crouch[f] / body_.lengthScale() +
                           Corrections::at(steps_.corrections.tilt, i);
        }
        addSwayGestures();
    }

    double twistAt(double t) const {
        double twist = 0;
        for (const Gesture& g : script_.gestures)
            if (g.kind == Gesture::Kind::kTwist) twist += g.amount * kDegree * envelope(g, t);
        return twist;
    }

    void addSwayGestures() {
        for (const Gesture& g : script_.gestures) {
            if (g.kind != Gesture::Kind::kSway) continue;
            for (int i = 0; i < count_; ++i) {
                const double t = time(i), e = g.amount * envelope(g, t) * kDegree;
                const double beat = 2 * portable::kPi * g.beat * (t - g.begin);
                out_.list[size_t(i)] += 7 * e * portable::sin(beat / 2);
                out_.yaw[size_t(i)] += 9 * e * portable::sin(beat / 2 + 0.9);
                out_.tilt[size_t(i)] += 3 * e * portable::sin(beat);
            }
        }
    }

    // 1 on the left foot alone, -1 on the right foot alone.
    Channel loading() const {
        Channel load = channel();
        for (int i = 0; i < count_; ++i)
            for (BodySide side : {kLeft, kRight})
                if (momentOf(steps_.feet[side], i).stance) load[size_t(i)] += kSideSign[side];
        return smoothed(load, 0.11 * kMotionRate);
    }

    Channel kickShift() const {
        Channel shift = channel();
        for (const KickMark& kick : path_.kicks)
            for (int i = std::max(0, kick.begin - 30); i < std::min(count_, kick.end + 30); ++i)
                shift[size_t(i)] = -kSideSign[kick.side];
        return smoothed(shift, 0.13 * kMotionRate);
    }

    void makeFloorPath() {
        out_.x = path_.x, out_.z = path_.z;
        const Channel load = loading(), kick = kickShift();
        Channel forward_push = smoothed(derivative(path_.forward, kMotionRate), 0.1 * kMotionRate);
        Channel side_push = channel();
        for (size_t f = 0; f < size_t(count_); ++f)
            side_push[f] = path_.forward[f] * path_.turn_rate[f];
        side_push = smoothed(side_push, 0.1 * kMotionRate);
        Random random(script_.seed, "sway");
        const SlowNoise aside(random, 0.08, 0.45), ahead(random, 0.08, 0.5);
        const double hip = std::abs(body_.legs[kLeft].pelvis_to_hip.x), scale = body_.lengthScale();
        for (int i = 0; i < count_; ++i) {
            const size_t f = size_t(i);
            const double left =
                1.3 * out_.swing[f].sway * load[f] + 0.85 * hip * kick[f] +
                softLimit(0.45 * body_.leg * side_push[f] / kGravity, 0.16 * scale) +
                0.004 * script_.style.wobble * aside(time(i));
            const double forward =
                softLimit(0.35 * body_.leg * forward_push[f] / kGravity, 0.13 * scale) -
                0.55 * out_.crouch[f] + 0.004 * script_.style.wobble * ahead(time(i));
            const double s = portable::sin(path_.heading[f]), c = portable::cos(path_.heading[f]);
            out_.x[f] += left * c + forward * s;
            out_.z[f] += forward * c - left * s;
        }
        out_.y = channel(body_.pelvis_height);
    }

    // --- Height ----------------------------------------------------------------------------------

    // Height of joint 0 at which a leg with its ankle at `ankle` has the given length.
    double heightFor(int frame, const LegMeasures& leg, Vec ankle, double leg_length) const {
        const Vec hip = out_.hip(frame, leg);
        const double dx = hip.x - ankle.x, dz = hip.z - ankle.z;
        const double rise = std::max(0.02, leg_length * leg_length - dx * dx - dz * dz);
        return ankle.y + std::sqrt(rise) + (out_.y[size_t(frame)] - hip.y);
    }

    double dueKnee(const Stance& stance, int frame) const {
        const double since = (frame - stance.begin) / kMotionRate;
        return kStandingKnee + stance.loading * smoothBump(since / (0.34 * stance.stride));
    }

    // What one leg allows; kFree where it does not bind.
    double floorHeight(BodySide side, int frame) const {
        const LegMeasures& leg = body_.legs[side];
        const FootMoment moment = momentOf(steps_.feet[side], frame);
        if (moment.stance) {
            const Stance& s = *moment.stance;
            const double left = double(s.end - frame) / s.lift_frames;  // the trailing leg lets go
            const double slack = 0.15 * (1 - smoothRamp(left * 1.2)) * body_.leg;
            const Vec ankle = plantedFoot(leg, s, frame).ankle;
            return heightFor(frame, leg, ankle, legLength(leg, dueKnee(s, frame))) + slack;
        }
        const Stance& to = *moment.to;
        const double u = double(frame - moment.from->end) / (to.begin - moment.from->end);
        if (u < 0.6) return kFree;
        const double slack = 0.3 * (1 - smoothRamp((u - 0.6) / 0.4)) * body_.leg;
        const Vec ankle = plantedFoot(leg, to, to.begin).ankle;
        return heightFor(to.begin < count_ ? to.begin : frame, leg, ankle,
                         legLength(leg, kStrikeKnee)) +
               slack;
    }

    void makeHeight() {
        Channel height = channel();
        for (int i = 0; i < count_; ++i) {
            const double h = std::min(floorHeight(kLeft, i), floorHeight(kRight, i));
            height[size_t(i)] = h < kFree ? h : i > 0 ? height[size_t(i - 1)] : body_.pelvis_height;
        }
        height = smoothed(height, 0.05 * kMotionRate * body_.speedScale());
        for (int i = 0; i < count_; ++i) height[size_t(i)] -= duckAt(i);
        out_.y = height;
        joinFlights();
        out_.y = smoothed(out_.y, 0.02 * kMotionRate);
        keepInReach();
    }

    double duckAt(int frame) const {
        double drop = 0;
        for (const Gesture& g : script_.gestures)
            if (g.kind == Gesture::Kind::kDuck)
                drop += g.amount * body_.lengthScale() * envelope(g, time(frame));
        return drop;
    }

    struct Flight {
        int takeoff, landing;
        Knot from, to;
        const JumpMark* jump = nullptr;
    };

    bool grounded(int frame) const {
        return momentOf(steps_.feet[kLeft], frame).stance ||
               momentOf(steps_.feet[kRight], frame).stance;
    }

    // The highest that the legs on the floor at `frame` allow at that knee angle.
    double standingHeight(int frame, double knee) const {
        double height = kFree;
        for (BodySide side : {kLeft, kRight}) {
            const LegMeasures& leg = body_.legs[side];
            const Stance* stance = momentOf(steps_.feet[side], frame).stance;
            if (!stance) continue;
            const Vec ankle = plantedFoot(leg, *stance, frame).ankle;
            height = std::min(height, heightFor(frame, leg, ankle, legLength(leg, knee)));
        }
        return height;
    }

    std::vector<Flight> flights() const {
        std::vector<Flight> result;
        for (int i = 1; i + 1 < count_; ++i) {
            if (grounded(i) || !grounded(i - 1)) continue;
            int landing = i;
            while (landing + 1 < count_ && !grounded(landing)) ++landing;
            if (landing + 1 >= count_) break;
            result.push_back(makeFlight(i - 1, landing));
        }
        return result;
    }

    Flight makeFlight(int takeoff, int landing) const {
        Flight flight{takeoff, landing, {}, {}};
        for (const JumpMark& jump : path_.jumps)
            if (jump.takeoff == takeoff) flight.jump = &jump;
        const double seconds = (landing - takeoff) / kMotionRate;
        // the longer the flight, the faster the leg still stretches at its ends
        const double knee = (24 + 11 * smoothRamp(seconds / 0.4)) * kDegree;
        const double from = standingHeight(takeoff, knee) - duckAt(takeoff);
        const double to = standingHeight(landing, knee) - duckAt(landing);
        const double up = (to - from) / seconds + kGravity * seconds / 2;
        flight.from = {from, up, -kGravity};
        flight.to = {to, up - kGravity * seconds, -kGravity};
        return flight;
    }

    void fill(int from, int to, const Knot& a, const Knot& b) {
        for (int i = std::max(0, from); i <= std::min(to, count_ - 1); ++i)
            out_.y[size_t(i)] = quintic(a, b, (to - from) / kMotionRate, (i - from) / kMotionRate);
    }

    void joinFlights() {
        const Channel floor = out_.y;
        const std::vector<Flight> all = flights();
        out_.airborne = channel();
        for (size_t k = 0; k < all.size(); ++k) {
            const Flight& flight = all[k];
            fill(flight.takeoff, flight.landing, flight.from, flight.to);
            for (int i = flight.takeoff; i <= flight.landing; ++i) out_.airborne[size_t(i)] = 1;
            const int lead_in = int(0.28 * kMotionRate),
                      lead_out = int((flight.jump ? 0.55 : 0.32) * kMotionRate);
            const int gap = k == 0 ? count_ : flight.takeoff - all[k - 1].landing;
            if (flight.jump)
                joinCrouch(flight, floor);
            else if (gap < 2 * lead_in)
                fill(all[k - 1].landing, flight.takeoff, all[k - 1].to, flight.from);
            else if (flight.takeoff > lead_in)
                fill(flight.takeoff - lead_in, flight.takeoff,
                     knotAt(floor, flight.takeoff - lead_in, kMotionRate), flight.from);
            const bool next_joins = k + 1 < all.size() && !all[k + 1].jump &&
                                    all[k + 1].takeoff - flight.landing < 2 * lead_in;
            const int landed = flight.landing + lead_out;
            if (!next_joins && landed + 1 < count_)
                fill(flight.landing, landed, flight.to, knotAt(floor, landed, kMotionRate));
        }
    }

    void joinCrouch(const Flight& flight, const Channel& floor) {
        const JumpMark& jump = *flight.jump;
        const int first = std::max(1, jump.sink);
        const Knot bottom{floor[size_t(jump.push)] - jump.depth, 0, 1.1 * kGravity};
        fill(first, jump.push, knotAt(floor, first, kMotionRate), bottom);
        fill(jump.push, jump.takeoff, bottom, flight.from);
    }

    // A leg that carries may be nearly straight; one that lands or leaves keeps some way to
    // stretch.
    double straightestKnee(const Stance& stance, int frame) const {
        const bool swift = stance.arrival == Stance::Arrival::kRun ||
                           stance.arrival == Stance::Arrival::kLeap ||
                           stance.arrival == Stance::Arrival::kJump;
        const double leaving = smoothRamp(1 - double(stance.end - frame) / stance.lift_frames);
        const double landing = smoothRamp(1 - double(frame - stance.begin) / stance.strike_frames);
        const bool flying = steps_.running[size_t(path_.clamped(stance.end))] > 0.5;
        return (5 + std::max((flying ? 18 : 9) * leaving, (swift ? 18 : 8) * landing)) * kDegree;
    }

    // Lowers the pelvis, smoothly, wherever a standing leg would have to stretch.
    void keepInReach() {
        Channel excess = channel();
        for (int i = 0; i < count_; ++i)
            for (BodySide side : {kLeft, kRight}) {
                const LegMeasures& leg = body_.legs[side];
                const Stance* stance = momentOf(steps_.feet[side], i).stance;
                if (!stance) continue;
                const Vec ankle = plantedFoot(leg, *stance, i).ankle;
                const double highest =
                    heightFor(i, leg, ankle, legLength(leg, straightestKnee(*stance, i)));
                excess[size_t(i)] = std::max(excess[size_t(i)], out_.y[size_t(i)] - highest);
            }
        out_.lower(excess);
    }

    const MotionScript& script_;
    const RootPath& path_;
    const StepPlan& steps_;
    const BodyMeasures& body_;
    const int count_;
    PelvisMotion out_;
};

}  // namespace

void PelvisMotion::lower(const Channel& drop) {
    const Channel cover = smoothCover(drop, int(0.3 * kMotionRate));
    for (size_t f = 0; f < y.size(); ++f) y[f] -= cover[f];
}

Rotation PelvisMotion::turn(int frame) const {
    const size_t f = size_t(frame);
    return aboutY(yaw[f]) * aboutX(tilt[f]) * aboutZ(list[f]);
}

Vec PelvisMotion::hip(int frame, const LegMeasures& leg) const {
    return position(frame) + rotate(turn(frame), leg.pelvis_to_hip);
}

double envelope(const Gesture& gesture, double seconds) {
    const double u = (seconds - gesture.begin) / gesture.seconds;
    if (u <= 0 || u >= 1) return 0;
    return smoothRamp(u / gesture.ease) * smoothRamp((1 - u) / gesture.ease);
}

PelvisMotion makePelvisMotion(const MotionScript& script, const RootPath& path,
                              const StepPlan& steps, const BodyMeasures& body) {
    return PelvisMaker(script, path, steps, body).make();
}

}  // namespace hem
