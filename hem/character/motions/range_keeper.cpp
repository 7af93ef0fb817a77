// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/range_keeper.h"

#include <algorithm>

namespace hem {

using namespace precise;

namespace {

// Half a degree inside of humanJointRange(): float and resampling take a little.
constexpr double kMostDorsiflexion = 44.5 * kDegree, kMostPlantarFlexion = 49.5 * kDegree;
constexpr double kMostExtension = 29.5 * kDegree, kMostHipFlexion = 119.5 * kDegree;
constexpr double kMostHipTwist = 44 * kDegree;

class RangeKeeper {
public:
    RangeKeeper(StepPlan& steps, const PelvisMotion& pelvis, const std::array<FootMotion, 2>& feet,
                const BodyMeasures& body)
        : steps_(steps),
          pelvis_(pelvis),
          feet_(feet),
          body_(body),
          count_(int(pelvis.x.size())),
          tilt_up_(size_t(count_), 0.0),
          tilt_down_(tilt_up_) {}

    bool keep() {
        for (BodySide side : {kLeft, kRight}) keepLeg(side);
        add(steps_.corrections.tilt, tilt_up_, 0.28, 1);
        add(steps_.corrections.tilt, tilt_down_, 0.28, -1);
        return changed_;
    }

private:
    void keepLeg(BodySide side) {
        const Channel none(size_t(count_), 0.0);
        Channel heel_up = none, heel_down = none, swing_up = none, swing_down = none;
        Channel knee_in = none, knee_out = none;
        for (int i = 0; i < count_; ++i) {
            const size_t f = size_t(i);
            const LegSolution leg = solveLeg(side, i, pelvis_, feet_[side], steps_, body_);
            const double hip = hipFlexion(side, i, leg), ankle = ankleFlexion(side, i, leg);
            tilt_up_[f] = std::max(tilt_up_[f], -hip - kMostExtension);
            tilt_down_[f] = std::max(tilt_down_[f], hip - kMostHipFlexion);
            const double up = std::max(0.0, ankle - kMostDorsiflexion),
                         down = std::max(0.0, -ankle - kMostPlantarFlexion);
            const bool planted = nearStance(side, i);
            (planted ? heel_up : swing_up)[f] = up;
            (planted ? heel_down : swing_down)[f] = down;
            const double twist = hipTwist(side, i, leg);
            knee_in[f] = std::max(0.0, -twist - kMostHipTwist);
            knee_out[f] = std::max(0.0, twist - kMostHipTwist);
        }
        Corrections& c = steps_.corrections;
        add(c.heel[side], heel_up, 0.12, 1);
        add(c.heel[side], heel_down, 0.08, -1);
        addFaded(side, c.swing_pitch[side], swing_up, 1);
        addFaded(side, c.swing_pitch[side], swing_down, -1);
        add(c.knee_yaw[side], knee_in, 0.3, -kSideSign[side]);
        add(c.knee_yaw[side], knee_out, 0.3, kSideSign[side]);
        for (Stance& stance : steps_.feet[side]) copyHeel(stance, c.heel[side]);
    }

    void add(Channel& correction, const Channel& missing, double reach_seconds, double sign) {
        if (*std::max_element(missing.begin(), missing.end()) <= 0) return;
        changed_ = true;
        const Channel cover = smoothCover(missing, int(reach_seconds * kMotionRate));
        if (correction.empty()) correction.assign(size_t(count_), 0.0);
        for (size_t f = 0; f < cover.size(); ++f) correction[f] += 1.1 * sign * cover[f];
    }
    // Nothing where the foot is planted.
    void addFaded(BodySide side, Channel& correction, const Channel& missing, double sign) {
        Channel more;
        add(more, missing, 0.1, sign);
        if (more.empty()) return;
        fadeAtStances(side, more);
        if (correction.empty()) correction.assign(size_t(count_), 0.0);
        for (size_t f = 0; f < more.size(); ++f) correction[f] += more[f];
    }

    // On the floor or within a few frames of it, where the pitch of the planted foot still decides.
    bool nearStance(BodySide side, int frame) const {
        const auto& stances = steps_.feet[side];
        for (int near : {frame, frame - kNear, frame + kNear})
            if (momentOf(stances, near).stance) return true;
        return false;
    }

    void fadeAtStances(BodySide side, Channel& pitch) const {
        for (int i = 0; i < count_; ++i) {
            const FootMoment moment = momentOf(steps_.feet[side], i);
            if (moment.stance) {
                pitch[size_t(i)] = 0;
                continue;
            }
            const int apart = std::min(i - moment.from->end, moment.to->begin - i);
            pitch[size_t(i)] *= smoothRamp(double(apart) / (2 * kNear));
        }
    }

    void copyHeel(Stance& stance, const Channel& heel) const {
        if (heel.empty()) return;
        const int begin = std::clamp(stance.begin - 2, 0, count_ - 2),
                  end = std::clamp(stance.end + 3, begin + 2, count_);
        stance.heel_begin = begin;
        stance.heel.assign(heel.begin() + begin, heel.begin() + end);
    }

    static Vec down() { return {0, -1, 0}; }

    // Where a bone that hangs at the anatomical zero points, in its parent.
    static double flexionOf(Vec d) { return portable::atan2(d.z, -d.y); }

    double hipFlexion(BodySide side, int frame, const LegSolution& leg) const {
        const Vec thigh = normalized(leg.knee - pelvis_.hip(frame, body_.legs[side]));
        return flexionOf(rotate(inverse(pelvis_.turn(frame)), thigh));
    }

    double ankleFlexion(BodySide side, int frame, const LegSolution& leg) const {
        const Rotation zero = between(normalized(body_.legs[side].knee_to_ankle), down());
        const Rotation shank = leg.shank * inverse(zero);
        const FootPose& foot = feet_[side].poses[size_t(frame)];
        return flexionOf(rotate(inverse(shank) * foot.turn(), down()));
    }

    // Inwards positive.
    double hipTwist(BodySide side, int frame, const LegSolution& leg) const {
        const Rotation zero = between(normalized(body_.legs[side].hip_to_knee), down());
        const Rotation turn = inverse(pelvis_.turn(frame)) * leg.thigh * inverse(zero);
        const Rotation twist = inverse(between(down(), rotate(turn, down()))) * turn;
        return -kSideSign[side] * 2 *
               portable::atan2(twist.w < 0 ? -twist.y : twist.y, std::abs(twist.w));
    }

    static constexpr int kNear = 6;  // frames
    StepPlan& steps_;
    const PelvisMotion& pelvis_;
    const std::array<FootMotion, 2>& feet_;
    const BodyMeasures& body_;
    const int count_;
    Channel tilt_up_, tilt_down_;
    bool changed_ = false;
};

// The largest dorsiflexion in a stance.
double ankleBend(BodySide side, const Stance& stance, const StepPlan& steps,
                 const PelvisMotion& pelvis, const FootMotion& feet, const BodyMeasures& body) {
    double largest = 0;
    for (int i = std::max(0, stance.begin); i <= stance.end; ++i) {
        const FootPose& foot = feet.poses[size_t(i)];
        const LegSolution leg = solveLeg(side, i, pelvis, feet, steps, body);
        const Vec shank = leg.knee - leg.ankle;
        const double ahead = shank.x * portable::sin(foot.yaw) + shank.z * portable::cos(foot.yaw);
        largest = std::max(largest, portable::atan2(ahead, shank.y) - foot.pitch);
    }
    return largest;
}

}  // namespace

LegSolution solveLeg(BodySide side, int frame, const PelvisMotion& pelvis, const FootMotion& foot,
                     const StepPlan& steps, const BodyMeasures& body) {
    const FootPose& pose = foot.poses[size_t(frame)];
    const double yaw = 0.4 * pelvis.yaw[size_t(frame)] + 0.6 * pose.yaw + kSideSign[side] * 0.03 +
                       Corrections::at(steps.corrections.knee_yaw[side], frame);
    const Vec pole{portable::sin(yaw), 0.35, portable::cos(yaw)};
    const LegMeasures& leg = body.legs[side];
    return solveLeg(leg, pelvis.hip(frame, leg), pose.ankle, pole);
}

bool raiseHeels(StepPlan& steps, const PelvisMotion& pelvis, const std::array<FootMotion, 2>& feet,
                const BodyMeasures& body) {
    bool raised = false;
    const int frames = int(pelvis.x.size());
    for (BodySide side : {kLeft, kRight})
        for (Stance& stance : steps.feet[side]) {
            if (stance.end >= frames ||
                ankleBend(side, stance, steps, pelvis, feet[side], body) < 37 * kDegree)
                continue;
            const int begin = std::max(stance.begin, 0) + stance.strike_frames;
            const int longest = std::max(stance.lift_frames, stance.end - begin);
            const int longer = std::min(stance.lift_frames * 13 / 10 + 1, longest);
            const double higher = std::min(stance.lift * 1.1, std::max(stance.lift, 68 * kDegree));
            raised = raised || longer > stance.lift_frames || higher > stance.lift;
            if (longer == stance.lift_frames) stance.lift = higher;
            stance.lift_frames = longer;
        }
    return raised;
}

bool keepWithinRanges(StepPlan& steps, const PelvisMotion& pelvis,
                      const std::array<FootMotion, 2>& feet, const BodyMeasures& body) {
    return RangeKeeper(steps, pelvis, feet, body).keep();
}

}  // namespace hem
