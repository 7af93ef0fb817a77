// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/grounding.h"

#include <algorithm>

#include "hem/character/retarget/foot_plan.h"
#include "hem/character/retarget/palms.h"
#include "hem/character/retarget/pelvis_path.h"
#include "hem/character/retarget/smooth_path.h"

namespace hem {
namespace {

constexpr float kTiltSmoothing = 0.05f, kLiftSmoothing = 0.034f,
                kRaiseSmoothing = 0.15f;               // seconds
constexpr float kFlesh = 0.008f, kSoleFlesh = 0.003f;  // metres that flesh gives way on the floor
constexpr int kRounds = 2;                             // pelvis and feet depend on each other

class Grounding {
public:
    Grounding(Motion& motion, const Humanoid& humanoid, const Contacts& contacts,
              const FloorPoints& points, const GroundingOptions& options)
        : motion_(motion),
          points_(points),
          options_(options),
          standing_(standingOf(motion.skeleton, humanoid)),
          pelvis_shift_(motion.frames.size()) {
        for (const Pose& pose : motion.frames)
            world_.push_back(worldTransforms(motion.skeleton, pose));
        for (FootSide side : kBothFeet)
            feet_.emplace_back(side, humanoid, motion.skeleton, standing_,
                               contacts.feet[size_t(side)], points.soles[size_t(side)], world_,
                               motion.rate, options.roll_fade);
        for (size_t i = 0; i < 2; ++i) {
            shift_[i].assign(frames(), {});
            below_hip_[i] = subtree(motion.skeleton, feet_[i].leg().hip);
            below_knee_[i] = subtree(motion.skeleton, feet_[i].leg().knee);
        }
    }

    void run() {
        for (int round = 0; round < kRounds; ++round) {
            for (size_t i = 0; i < 2; ++i) plant(feet_[i], shift_[i], round == 0);
            movePelvis();
            for (size_t i = 0; i < 2; ++i) fadeShifts(feet_[i], shift_[i]);
        }
        raisePelvis();
        for (size_t f = 0; f < frames(); ++f) pose(f);
    }

private:
    size_t frames() const { return motion_.frames.size(); }
    size_t framesIn(float seconds) const {
        return size_t(std::lround(double(seconds) * motion_.rate));
    }

    // Rules 1, 2 and 5: feet that stand are tilted to suit what their legs can do, then put down.
    void plant(FootPlan& foot, std::vector<Vec3>& shift, bool first) {
        const std::vector<uint8_t> where =
            first ? std::vector<uint8_t>(frames(), 1) : foot.stance();
        for (size_t f = 0; f < frames(); ++f)
            if (where[f]) foot.fitTo(f, foot.reach(f, shift[f], pelvis_shift_[f]).ankle.y);
        foot.smoothTilts(kTiltSmoothing, where);
        const std::vector<Vec3> planted = foot.plant();
        for (size_t f = 0; f < frames(); ++f)
            if (foot.stands(f)) shift[f] = planted[f];
    }

    // Rules 3 and 6.
    void movePelvis() {
        std::vector<float> least(frames());
        for (size_t f = 0; f < frames(); ++f) least[f] = -bodyHeight(f) - kFlesh;
        const PelvisTask task{feet_, shift_, pelvis_shift_, least, motion_.rate};
        pelvis_shift_ = pelvisPath(task, options_.pelvis);
    }

    // Rule 6: what the path has left below the floor.
    void raisePelvis() {
        std::vector<float> raise(frames());
        for (size_t f = 0; f < frames(); ++f) {
            raise[f] = std::max(0.0f, -bodyHeight(f) - kFlesh - pelvis_shift_[f].y);
            for (size_t i = 0; i < 2; ++i) {
                const float ankle = feet_[i].reach(f, shift_[i][f], pelvis_shift_[f]).ankle.y;
                raise[f] = std::max(raise[f], feet_[i].clearance(f) - ankle - kSoleFlesh);
            }
        }
        raise = envelope(raise, framesIn(kRaiseSmoothing));
        for (size_t f = 0; f < frames(); ++f) {
            pelvis_shift_[f].y += raise[f];
            for (size_t i = 0; i < 2; ++i)
                if (!feet_[i].stands(f)) shift_[i][f].y += raise[f];
        }
    }

    // The lowest point of all but the feet, legs turned as they reach, were the pelvis not moved.
    float bodyHeight(size_t f) const {
        std::vector<Transform> joints = world_[f];
        for (size_t i = 0; i < 2; ++i) {
            const Leg leg = feet_[i].legAt(f);
            const LegTurn turn = feet_[i].reach(f, shift_[i][f] - pelvis_shift_[f], {});
            for (size_t j = 0; j < joints.size(); ++j) {
                const bool shank = below_knee_[i][j] != 0;
                if (!shank && !below_hip_[i][j]) continue;
                const Quat by = shank ? turn.shank : turn.thigh;
                const Vec3 from = shank ? leg.knee : leg.hip, to = shank ? turn.knee : leg.hip;
                joints[j] = {by * joints[j].rotation,
                             to + rotate(by, joints[j].translation - from)};
            }
        }
        return lowestHeight(points_.body, joints);
    }

    // Rule 4.
    void fadeShifts(FootPlan& foot, std::vector<Vec3>& shift) const {
        const float fade = options_.fade * float(motion_.rate);
        std::vector<uint8_t> aloft(frames());
        for (size_t f = 0; f < frames(); ++f) aloft[f] = !foot.stands(f);
        for (const Span& span : spansOf(aloft)) {
            const bool before = span.begin > 0, after = span.end < frames();
            const auto beyond = [&](size_t f) { return shift[f] - pelvis_shift_[f]; };
            const Vec3 from = before ? beyond(span.begin - 1) : Vec3{};
            const Vec3 to = after ? beyond(span.end) : Vec3{};
            const float gap = float(span.length() + 1), reach = std::min(fade, gap);
            for (size_t f = span.begin; f < span.end; ++f) {
                const float since = float(f - span.begin + 1), until = gap - since;
                shift[f] = pelvis_shift_[f] + from * smoothStep(1 - since / reach) +
                           to * smoothStep(1 - until / reach);
                foot.fitTo(f, foot.ankle(f).y + shift[f].y);
            }
        }
        foot.smoothTilts(kTiltSmoothing, aloft);
        std::vector<float> lift(frames(), 0.0f);
        for (size_t f = 0; f < frames(); ++f)
            if (aloft[f])
                lift[f] = std::max(foot.clearance(f) - foot.ankle(f).y - shift[f].y, 0.0f);
        const std::vector<float> smooth = envelope(lift, framesIn(kLiftSmoothing));
        for (size_t f = 0; f < frames(); ++f)
            if (aloft[f]) shift[f].y += smooth[f];
    }

    // Rule 7.
    void pose(size_t f) {
        Pose& result = motion_.frames[f];
        result.root_position += pelvis_shift_[f];
        for (size_t i = 0; i < 2; ++i)
            turnLeg(feet_[i], f, feet_[i].reach(f, shift_[i][f], pelvis_shift_[f]), result);
    }

    void turnLeg(const FootPlan& foot, size_t f, const LegTurn& turn, Pose& result) {
        const std::vector<Transform>& joints = world_[f];
        const LegJoints& leg = foot.leg();
        const Quat thigh = normalized(turn.thigh * joints[size_t(leg.hip)].rotation);
        const Quat shank = normalized(turn.shank * joints[size_t(leg.knee)].rotation);
        setBelow(result, leg.hip, parentRotation(leg.hip, f), thigh);
        setBelow(result, leg.knee, below(result, leg.hip, leg.knee, thigh), shank);
        setBelow(result, leg.ankle, below(result, leg.knee, leg.ankle, shank), foot.rotation(f));
        if (leg.toe >= 0) {
            const Quat above = below(result, leg.ankle, leg.toe, foot.rotation(f));
            setBelow(result, leg.toe, above, foot.rotation(f) * foot.toe(f));
            const Quat bend = foot.toe(f) * conjugate(foot.restToe());
            for (int toe : foot.otherToes())
                result.rotations[size_t(toe)] = normalized(
                    bend * motion_.skeleton.joints[size_t(toe)].parent_from_rest.rotation);
        }
    }

    Quat parentRotation(int joint, size_t f) const {
        const int parent = motion_.skeleton.joints[size_t(joint)].parent;
        return parent < 0 ? Quat{} : world_[f][size_t(parent)].rotation;
    }

    // The world rotation of `joint`'s parent, where `bone` above it has `rotation`: joints in
    // between (twist bones) keep theirs in their parents.
    Quat below(const Pose& pose, int bone, int joint, Quat rotation) const {
        std::vector<int> between;
        const auto parentOf = [&](int j) { return motion_.skeleton.joints[size_t(j)].parent; };
        for (int j = parentOf(joint); j != bone; j = parentOf(j)) between.push_back(j);
        for (size_t i = between.size(); i-- > 0;)
            rotation = rotation * pose.rotations[size_t(between[i])];
        return rotation;
    }

    static void setBelow(Pose& pose, int joint, Quat parent, Quat rotation) {
        pose.rotations[size_t(joint)] = normalized(conjugate(parent) * rotation);
    }

    Motion& motion_;
    const FloorPoints& points_;
    GroundingOptions options_;
    Standing standing_;
    std::vector<std::vector<Transform>> world_;  // as carried over
    std::vector<FootPlan> feet_;
    std::array<std::vector<uint8_t>, 2> below_hip_, below_knee_;  // 1 for those joints, per leg
    std::array<std::vector<Vec3>, 2> shift_;                      // what each ankle moves by
    std::vector<Vec3> pelvis_shift_;
};

}  // namespace

void ground(Motion& motion, const Humanoid& humanoid, const Contacts& contacts,
            const FloorPoints& points, const GroundingOptions& options) {
    CHECK_EQ(motion.frames.size(), contacts.flight.size());
    if (motion.frames.empty()) return;
    layPalms(motion, humanoid, points.body);
    Grounding(motion, humanoid, contacts, points, options).run();
}

}  // namespace hem
