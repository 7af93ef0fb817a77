// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/perform.h"

#include "hem/character/motions/arm_keeper.h"
#include "hem/character/motions/foot_motion.h"
#include "hem/character/motions/leg_solver.h"
#include "hem/character/motions/range_keeper.h"
#include "hem/character/motions/upper_body.h"

namespace hem {

using namespace precise;

namespace {

// Turns of bones against the rest pose in world axes, written into a pose of any rest rotations.
class PoseWriter {
public:
    PoseWriter(const Skeleton& skeleton, const Humanoid& bones)
        : skeleton_(skeleton), bones_(bones) {
        for (const Transform& t : worldTransforms(skeleton, restPose(skeleton))) {
            rest_.push_back(toPrecise(t.rotation));
            rest_position_.push_back(toPrecise(t.translation));
        }
        turns_.resize(skeleton.size());
        set_.resize(skeleton.size());
    }

    void begin() { set_.assign(set_.size(), 0); }
    // World turn of a bone; bones must be set parents first.
    void set(Bone bone, Rotation turn) { setJoint(bones_[bone], turn); }
    // Turn against the parent joint; skipped where the skeleton has no such bone.
    void setLocal(Bone bone, Rotation turn) {
        const int joint = bones_[bone];
        if (joint >= 0) setJoint(joint, parentTurn(joint) * turn);
    }
    bool has(Bone bone) const { return bones_[bone] >= 0; }
    Vec restDirection(Bone from, Bone to) const {
        return normalized(rest_position_[size_t(bones_[to])] -
                          rest_position_[size_t(bones_[from])]);
    }

    Pose finish(Vec root, const Pose* before) {
        Pose pose{toFloat(root), {}};
        for (size_t j = 0; j < skeleton_.size(); ++j) {
            const int parent = skeleton_.joints[j].parent;
            if (!set_[j]) setJoint(int(j), parentTurn(int(j)));
            Rotation local = turns_[j] * rest_[j];
            if (parent >= 0)
                local = inverse(turns_[size_t(parent)] * rest_[size_t(parent)]) * local;
            Quat q = toFloat(local);
            if (before) q = nearest(q, before->rotations[j]);
            pose.rotations.push_back(q);
        }
        return pose;
    }

private:
    void setJoint(int joint, Rotation turn) {
        turns_[size_t(joint)] = turn;
        set_[size_t(joint)] = 1;
    }
    // Joints between two bones (LHipJoint and the like) stay as at rest and hand their parent's
    // turn on.
    Rotation parentTurn(int joint) {
        const int parent = skeleton_.joints[size_t(joint)].parent;
        if (parent < 0) return {};
        if (!set_[size_t(parent)]) setJoint(parent, parentTurn(parent));
        return turns_[size_t(parent)];
    }

    const Skeleton& skeleton_;
    const Humanoid& bones_;
    std::vector<Rotation> rest_, turns_;
    std::vector<Vec> rest_position_;
    std::vector<char> set_;
};

Rotation bend(double flexion, double side, double turn) {
    return aboutY(turn) * aboutX(flexion) * aboutZ(side);
}

class Performer {
public:
    Performer(const MotionScript& script, const Skeleton& skeleton, const BodyMeasures& body)
        : script_(script),
          body_(body),
          path_(makeRootPath(script, body)),
          steps_(planSteps(script, path_, body)),
          writer_(skeleton, body_.bones) {
        for (int pass = 0; pass < 9; ++pass) {
            makePelvisAndFeet();
            if (!raiseHeels(steps_, pelvis_, feet_, body_)) break;
        }
        for (int pass = 0; pass < 12; ++pass) {
            if (!keepWithinRanges(steps_, pelvis_, feet_, body_)) break;
            makePelvisAndFeet();
        }
        keepArmsClear(skeleton);
        motion_ = {script.name, skeleton, kMotionRate, {}};
    }

    Motion perform() {
        const int first = int(std::floor(script_.begin * kMotionRate + 0.5));
        const int count = int(std::floor(clipSeconds(script_) * kMotionRate + 0.5));
        for (int i = first; i < first + count; ++i) {
            const Pose* before = motion_.frames.empty() ? nullptr : &motion_.frames.back();
            motion_.frames.push_back(poseAt(path_.clamped(i), before));
        }
        return std::move(motion_);
    }

private:
    Pose poseAt(int f, const Pose* before) {
        writer_.begin();
        writer_.set(Bone::kHips, pelvis_.turn(f));
        writeTrunk(upper_[size_t(f)]);
        for (BodySide side : {kLeft, kRight}) {
            writeArm(side, upper_[size_t(f)].arms[side]);
            writeLeg(side, f);
        }
        return writer_.finish(pelvis_.position(f), before);
    }

    // Lifts arms off the body, smoothly, wherever they would touch it.
    void keepArmsClear(const Skeleton& skeleton) {
        const ArmKeeper keeper(skeleton, body_);
        for (int pass = 0; pass < 4; ++pass) {
            bool clear = true;
            std::array<Channel, 2> out;
            for (Channel& channel : out) channel.assign(upper_.size(), 0.0);
            for (size_t f = 0; f < upper_.size(); ++f) {
                const auto world = worldTransforms(skeleton, poseAt(int(f), nullptr));
                for (BodySide side : {kLeft, kRight}) {
                    out[side][f] = keeper.missing(side, world);
                    clear = clear && out[side][f] == 0;
                }
            }
            if (clear) return;
            for (BodySide side : {kLeft, kRight}) {
                const Channel cover = smoothCover(out[side], int(0.4 * kMotionRate));
                for (size_t f = 0; f < upper_.size(); ++f) upper_[f].arms[side].out += cover[f];
            }
        }
    }

    void makePelvisAndFeet() {
        pelvis_ = makePelvisMotion(script_, path_, steps_, body_);
        makeFeet();
        for (int pass = 0; pass < 2; ++pass) {
            for (BodySide side : {kLeft, kRight})
                pelvis_.lower(reachExcess(side, steps_, pelvis_, feet_[side], body_));
            makeFeet();
        }
        upper_ = makeUpperBody(script_, path_, steps_, pelvis_, body_);
    }

    void makeFeet() {
        for (BodySide side : {kLeft, kRight})
            feet_[side] = makeFootMotion(side, path_, steps_, pelvis_, body_);
    }

    void writeTrunk(const UpperBodyPose& pose) {
        distribute({{Bone::kLowerBack, 0.38}, {Bone::kSpine, 0.34}, {Bone::kChest, 0.28}},
                   pose.spine_flexion, pose.spine_bend, pose.spine_turn);
        distribute({{Bone::kNeck, 0.3}, {Bone::kNeck1, 0.3}, {Bone::kHead, 0.4}}, pose.neck_flexion,
                   pose.neck_bend, pose.neck_turn);
    }

    // Over those of the bones that the skeleton has.
    void distribute(std::initializer_list<std::pair<Bone, double>> shares, double flexion,
                    double side, double turn) {
        double sum = 0;
        for (const auto& [bone, share] : shares) sum += writer_.has(bone) ? share : 0;
        for (const auto& [bone, share] : shares)
            writer_.setLocal(bone,
                             bend(flexion * share / sum, side * share / sum, turn * share / sum));
    }

    void writeArm(BodySide side, const ArmAngles& a) {
        const double s = kSideSign[side];
        const bool left = side == kLeft;
        const Bone shoulder = left ? Bone::kLeftShoulder : Bone::kRightShoulder;
        const Bone upper = left ? Bone::kLeftArm : Bone::kRightArm;
        const Bone fore = left ? Bone::kLeftForeArm : Bone::kRightForeArm;
        const Bone hand = left ? Bone::kLeftHand : Bone::kRightHand;
        const Vec rest_upper = writer_.restDirection(upper, fore);
        const Vec rest_fore = writer_.has(hand) ? writer_.restDirection(fore, hand) : rest_upper;
        const Vec down{0, -1, 0};
        // from rest to hanging straight down: in the frontal plane, then the elbow made straight
        const Rotation hang = between(rest_upper, down);
        const Rotation straight = between(rotate(hang, rest_fore), down) * hang;
        writer_.setLocal(shoulder, bend(0, s * a.shrug, -s * a.reach));
        const Rotation arm = aboutX(-a.forward) * aboutZ(s * a.out) * aboutY(-s * a.inward);
        writer_.setLocal(upper, arm * hang);
        const Rotation forearm = aboutX(-a.elbow) * aboutY(-s * a.pronation);
        writer_.setLocal(fore, inverse(hang) * forearm * straight);
        if (writer_.has(hand))
            writer_.setLocal(hand, inverse(straight) * aboutZ(-s * a.wrist) * straight);
    }

    void writeLeg(BodySide side, int f) {
        const bool left = side == kLeft;
        const FootPose& foot = feet_[side].poses[size_t(f)];
        const LegSolution s = solveLeg(side, f, pelvis_, feet_[side], steps_, body_);
        writer_.set(left ? Bone::kLeftUpLeg : Bone::kRightUpLeg, s.thigh);
        writer_.set(left ? Bone::kLeftLeg : Bone::kRightLeg, s.shank);
        writer_.set(left ? Bone::kLeftFoot : Bone::kRightFoot, foot.turn());
        writer_.setLocal(left ? Bone::kLeftToe : Bone::kRightToe,
                         aboutX(-feet_[side].toe_bend[size_t(f)]));
    }

    const MotionScript& script_;
    const BodyMeasures& body_;
    RootPath path_;
    StepPlan steps_;
    PelvisMotion pelvis_;
    std::vector<UpperBodyPose> upper_;
    PoseWriter writer_;
    std::array<FootMotion, 2> feet_;
    Motion motion_;
};

}  // namespace

Result<Motion> perform(const MotionScript& script, const Skeleton& skeleton) {
    const Result<BodyMeasures> body = measureBody(skeleton);
    if (!body) return body.error();
    return Performer(script, skeleton, *body).perform();
}

}  // namespace hem
