// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/root_path.h"

#include <algorithm>
#include <cmath>

namespace hem {
namespace {

using namespace precise;

int frameAt(double seconds) { return int(std::floor(seconds * kMotionRate + 0.5)); }

class PathMaker {
public:
    PathMaker(const MotionScript& script, const BodyMeasures& body)
        : script_(script), body_(body) {}

    RootPath make() {
        const int frames = frameAt(actionSeconds(script_) + kLeadOut) + 1;
        for (Channel* c : {&path_.heading, &path_.forward, &path_.left})
            c->assign(size_t(frames), 0.0);
        path_.running.assign(size_t(frames), 0);
        double begin = 0;
        for (const Action& action : script_.actions) {
            addVelocity(action, begin);
            addTurn(action, begin);
            begin += action.seconds;
        }
        // where one ramp cuts another short
        path_.forward = smoothed(path_.forward, 0.05 * kMotionRate);
        path_.left = smoothed(path_.left, 0.05 * kMotionRate);
        path_.turn_rate = derivative(path_.heading, kMotionRate);
        integrate();
        return std::move(path_);
    }

private:
    void addVelocity(const Action& action, double begin) {
        if (action.kind == Action::Kind::kJump) return addJump(action, begin);
        if (action.kind == Action::Kind::kKick)
            path_.kicks.push_back({frameAt(begin), frameAt(begin + action.seconds), action.height,
                                   action.left_foot ? kLeft : kRight});
        const double speed = action.speed * body_.speedScale(), d = action.direction * kDegree;
        ramp(begin, action.ramp, speed * portable::cos(d), speed * portable::sin(d));
        std::fill(path_.running.begin() + frameAt(begin), path_.running.end(),
                  action.kind == Action::Kind::kRun);
    }

    // From the velocity before `begin` to the given one, which then lasts.
    void ramp(double begin, double seconds, double forward, double left) {
        const size_t first = size_t(frameAt(begin));
        const size_t before = first == 0 ? 0 : first - 1;
        const double forward0 = path_.forward[before], left0 = path_.left[before];
        for (size_t i = first; i < path_.forward.size(); ++i) {
            const double u = smoothRamp((double(i) / kMotionRate - begin) / seconds);
            path_.forward[i] = mix(forward0, forward, u);
            path_.left[i] = mix(left0, left, u);
        }
    }

    void addJump(const Action& action, double begin) {
        const JumpTimes t = jumpTimes(action.height * body_.lengthScale());
        const double takeoff = begin + t.sink + t.push, landing = takeoff + t.flight;
        ramp(takeoff - 0.26, 0.26, action.distance * body_.lengthScale() / t.flight, 0);
        ramp(landing, 0.65 * t.absorb, 0, 0);
        std::fill(path_.running.begin() + frameAt(begin), path_.running.end(), 0);
        path_.jumps.push_back({frameAt(begin), frameAt(begin + t.sink), frameAt(takeoff),
                               frameAt(landing), frameAt(landing + t.absorb),
                               frameAt(landing + t.absorb + t.rise),
                               (0.13 + 0.30 * action.height) * body_.lengthScale()});
    }

    void addTurn(const Action& action, double begin) {
        if (action.turn == 0) return;
        double from = begin, seconds = action.seconds, ease = std::min(0.5, 0.45 / action.seconds);
        if (action.kind == Action::Kind::kJump) {
            const JumpTimes t = jumpTimes(action.height * body_.lengthScale());
            from += t.sink + 0.4 * t.push;
            seconds = 0.6 * t.push + t.flight + 0.3 * t.absorb;
            ease = 0.5;
        } else if (action.kind == Action::Kind::kStand) {
            ease = std::min(0.5, 0.6 / action.seconds);
        }
        for (size_t i = size_t(frameAt(begin)); i < path_.heading.size(); ++i)
            path_.heading[i] +=
                action.turn * kDegree * easedRamp((double(i) / kMotionRate - from) / seconds, ease);
    }

    void integrate() {
        double x = 0, z = 0;
        for (size_t i = 0; i < path_.heading.size(); ++i) {
            const double s = portable::sin(path_.heading[i]), c = portable::cos(path_.heading[i]);
            path_.x.push_back(x);
            path_.z.push_back(z);
            x += (path_.forward[i] * s + path_.left[i] * c) / kMotionRate;
            z += (path_.forward[i] * c - path_.left[i] * s) / kMotionRate;
        }
    }

    const MotionScript& script_;
    const BodyMeasures& body_;
    RootPath path_;
};

}  // namespace

double RootPath::speed(int frame) const {
    const size_t i = size_t(clamped(frame));
    return std::sqrt(forward[i] * forward[i] + left[i] * left[i]);
}

int RootPath::clamped(int frame) const { return std::clamp(frame, 0, frames() - 1); }

RootPath makeRootPath(const MotionScript& script, const BodyMeasures& body) {
    return PathMaker(script, body).make();
}

}  // namespace hem
