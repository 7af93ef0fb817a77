// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/upper_body.h"

#include <algorithm>

namespace hem {

using namespace precise;

namespace {

class UpperBodyMaker {
public:
    UpperBodyMaker(const MotionScript& script, const RootPath& path, const StepPlan& steps,
                   const PelvisMotion& pelvis, const BodyMeasures& body)
        : script_(script), path_(path), steps_(steps), pelvis_(pelvis), body_(body) {}

    std::vector<UpperBodyPose> make() {
        prepare();
        std::vector<UpperBodyPose> poses;
        for (int i = 0; i < path_.frames(); ++i) {
            UpperBodyPose pose;
            setSpine(pose, i);
            setHead(pose, i);
            for (BodySide side : {kLeft, kRight}) setArm(pose.arms[side], side, i);
            applyGestures(pose, i / kMotionRate);
            poses.push_back(pose);
        }
        return poses;
    }

private:
    void prepare() {
        Random random(script_.seed, "upper body");
        for (int k = 0; k < kNoises; ++k) noise_.push_back(SlowNoise(random, 0.1, 0.7));
        push_ = smoothed(derivative(path_.forward, kMotionRate), 0.14 * kMotionRate);
        bank_ = Channel(push_.size(), 0.0);
        duck_ = bank_;
        for (size_t f = 0; f < bank_.size(); ++f)
            bank_[f] = path_.forward[f] * path_.turn_rate[f] / 9.81;
        bank_ = smoothed(bank_, 0.12 * kMotionRate);
        gaze_ = smoothed(path_.heading, 0.22 * kMotionRate);
        for (size_t f = 0; f < duck_.size(); ++f)
            for (const Gesture& g : script_.gestures)
                if (g.kind == Gesture::Kind::kDuck)
                    duck_[f] += g.amount * envelope(g, double(f) / kMotionRate);
        air_ = smoothed(jumpAir(), 0.07 * kMotionRate);
        windup_ = smoothed(jumpWindup(), 0.09 * kMotionRate);
    }

    Channel jumpAir() const {
        Channel air(push_.size(), 0.0);
        for (const JumpMark& jump : path_.jumps)
            for (int i = jump.takeoff - 8; i < jump.landing + 6; ++i)
                air[size_t(path_.clamped(i))] = 1;
        return air;
    }
    Channel jumpWindup() const {
        Channel windup(push_.size(), 0.0);
        for (const JumpMark& jump : path_.jumps)
            for (int i = jump.sink + 12; i < jump.push + 4; ++i)
                windup[size_t(path_.clamped(i))] = 1;
        return windup;
    }

    double noise(int channel, int frame) const {
        return noise_[size_t(channel)](frame / kMotionRate) * script_.style.wobble * kDegree;
    }

    void setSpine(UpperBodyPose& pose, int i) const {
        const size_t f = size_t(i);
        const SwingFigures& s = pelvis_.swing[f];
        const double phase = pelvis_.phase[f], crouch = pelvis_.crouch[f] / body_.lengthScale();
        const double push = std::clamp(push_[f] / 9.81, -0.5, 0.5);
        pose.spine_flexion = 0.75 * s.lean + 0.35 * push + 1.3 * crouch + 1.7 * duck_[f] -
                             0.8 * s.pelvis_nod * portable::cos(2 * phase - 0.5) +
                             0.9 * noise(0, i) - 0.10 * air_[f] -
                             0.8 * Corrections::at(steps_.corrections.tilt, i);
        // upright over a listing pelvis, and into the turn
        pose.spine_bend = -0.85 * s.pelvis_list * portable::sin(phase + 0.4) + 0.8 * noise(1, i) -
                          0.30 * std::clamp(bank_[f], -0.6, 0.6);
        pose.spine_turn =
            (s.pelvis_turn + s.chest_turn) * portable::cos(phase - 0.15) + 1.2 * noise(2, i);
    }

    void setHead(UpperBodyPose& pose, int i) const {
        const size_t f = size_t(i);
        const SwingFigures& s = pelvis_.swing[f];
        // eyes reach the new heading a quarter of a second before the body
        const double ahead =
            gaze_[size_t(path_.clamped(i + int(0.28 * kMotionRate)))] - path_.heading[f];
        const double chest_yaw = s.chest_turn * portable::cos(pelvis_.phase[f] - 0.15);
        pose.neck_turn = std::clamp(ahead, -0.6, 0.6) * 0.8 - 0.85 * chest_yaw + 2.5 * noise(3, i);
        const double tipped = pose.spine_flexion + pelvis_.tilt[f];
        pose.neck_flexion = -0.75 * tipped / std::sqrt(1 + tipped * tipped * 0.6) +
                            script_.style.head_down * kDegree + 1.5 * noise(4, i);
        pose.neck_bend = -0.6 * (pose.spine_bend + pelvis_.list[f]) + 0.8 * noise(5, i);
    }

    void setArm(ArmAngles& arm, BodySide side, int i) const {
        const size_t f = size_t(i);
        const SwingFigures& s = pelvis_.swing[f];
        const double run = steps_.running[f];
        // the left arm is back where the left foot lands; a little late, as a pendulum
        const double swing = -kSideSign[side] * portable::cos(pelvis_.phase[f] - 0.25);
        const int own = side == kLeft ? 6 : 12;
        arm.forward = s.arm_bias + s.arm * swing + 1.4 * noise(own, i);
        arm.out = (11 + 5 * run + script_.style.arm_out) * kDegree + 0.7 * noise(own + 1, i);
        arm.inward = mix(4, -2, run) * kDegree + 0.15 * s.arm * swing + 1.5 * noise(own + 2, i);
        arm.elbow = s.elbow_mean + script_.style.elbow * kDegree * (1 - run) +
                    s.elbow_swing * (swing + 0.3) + 1.6 * noise(own + 3, i);
        arm.pronation = mix(15, 5, run) * kDegree + 2 * noise(own + 4, i);
        arm.wrist = 4 * kDegree + 1.5 * noise(own + 5, i);
        arm.reach = 0.10 * s.arm * swing;
        balance(arm, f);
    }

    // Ducks bring the arms in, jumps throw them: back while sinking, forward and out in the air.
    void balance(ArmAngles& arm, size_t f) const {
        const double crouch = pelvis_.crouch[f] / body_.lengthScale();
        arm.forward += 1.6 * duck_[f] + 1.0 * air_[f] - 0.75 * windup_[f] +
                       0.9 * (crouch - duck_[f]) * (1 - windup_[f]);
        arm.out += 0.22 * air_[f] + 0.3 * crouch;
        arm.elbow += 2.2 * duck_[f] + 0.55 * air_[f] + 0.2 * crouch;
        arm.elbow = std::max(arm.elbow, 5 * kDegree);
        arm.shrug += 0.08 * air_[f];
    }

    void applyGestures(UpperBodyPose& pose, double t) const {
        for (const Gesture& g : script_.gestures) {
            const double e = envelope(g, t);
            if (e == 0) continue;
            const double beat = 2 * portable::kPi * g.beat * (t - g.begin);
            if (g.kind == Gesture::Kind::kLook) pose.neck_turn += g.amount * kDegree * e;
            if (g.kind == Gesture::Kind::kTwist) twist(pose, g.amount * kDegree * e);
            if (g.kind == Gesture::Kind::kArms) wave(pose, g, e * g.amount, beat);
            if (g.kind == Gesture::Kind::kSway) sway(pose, g.amount * e * kDegree, beat);
        }
    }

    // The pelvis gives its share (pelvis_motion.cpp), the spine most of it, the neck the rest.
    static void twist(UpperBodyPose& pose, double angle) {
        pose.spine_turn += 0.55 * angle;
        pose.neck_turn += 0.35 * angle;
        for (BodySide side : {kLeft, kRight}) {
            const double lead = kSideSign[side] * angle;
            pose.arms[side].out += 0.12 * std::abs(angle);
            pose.arms[side].forward -= 0.18 * lead;
            pose.arms[side].elbow += 0.12 * std::abs(angle);
        }
    }

    static void sway(UpperBodyPose& pose, double e, double beat) {
        pose.spine_bend -= 11 * e * portable::sin(beat / 2);
        pose.spine_turn -= 14 * e * portable::sin(beat / 2 + 0.9);
        pose.spine_flexion += 3 * e * portable::sin(beat + 1);
        pose.neck_bend += 5 * e * portable::sin(beat / 2);
        pose.neck_flexion += 3 * e * portable::sin(beat + 1.6);
    }

    static void wave(UpperBodyPose& pose, const Gesture& g, double e, double beat) {
        for (BodySide side : {kLeft, kRight}) {
            ArmAngles& arm = pose.arms[side];
            const double swing =
                g.beat > 0 ? portable::sin(beat / 2 + (side == kLeft ? 0 : portable::kPi)) : 0;
            arm.forward = mix(arm.forward, (g.arm_forward + 18 * swing) * kDegree, e);
            arm.out = mix(arm.out, (g.arm_out + 14 * swing) * kDegree, e);
            arm.elbow = mix(arm.elbow, (g.elbow + 16 * swing) * kDegree, e);
            arm.inward = mix(arm.inward, 15 * kDegree, e);
        }
    }

    static constexpr int kNoises = 18;
    const MotionScript& script_;
    const RootPath& path_;
    const StepPlan& steps_;
    const PelvisMotion& pelvis_;
    const BodyMeasures& body_;
    std::vector<SlowNoise> noise_;
    Channel push_, bank_, duck_, gaze_, air_, windup_;
};

}  // namespace

std::vector<UpperBodyPose> makeUpperBody(const MotionScript& script, const RootPath& path,
                                         const StepPlan& steps, const PelvisMotion& pelvis,
                                         const BodyMeasures& body) {
    return UpperBodyMaker(script, path, steps, pelvis, body).make();
}

}  // namespace hem
