// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/grounding.h"

#include <algorithm>

#include "hem/character/retarget/foot_plan.h"
#include "hem/character/retarget/leg_ik.h"
#include "hem/character/retarget/smooth_path.h"

namespace hem {
namespace {

constexpr float kLongest = 0.9995f;  // stretch of a leg, as a share of its length
constexpr float kTiltSmoothing = 0.03f, kLiftSmoothing = 0.034f;  // seconds
constexpr float kFlesh = 0.01f;  // metres that flesh gives way on the floor
constexpr int kRounds = 2;       // pelvis and feet depend on each other

float smoothStep(float t) {
    t = std::clamp(t, 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

Vec3 flat(Vec3 v) { return {v.x, 0, v.z}; }

class Grounding {
public:
    Grounding(Motion& motion, const Humanoid& humanoid, const Contacts& contacts,
              const FloorPoints& points, const GroundingOptions& options)
        : motion_(motion),
          points_(points),
          options_(options),
          standing_(standingOf(motion.skeleton, humanoid)),
          hands_{handOf(humanoid, Bone::kLeftArm), handOf(humanoid, Bone::kRightArm)},
          pelvis_shift_(motion.frames.size()) {
        for (const Pose& pose : motion.frames)
            world_.push_back(worldTransforms(motion.skeleton, pose));
        for (FootSide side : kBothFeet)
            feet_.emplace_back(side, humanoid, motion.skeleton, standing_,
                               contacts.feet[size_t(side)], points.soles[size_t(side)], world_,
                               motion.rate, options.roll_fade);
    }

    void run() {
        for (int round = 0; round < kRounds; ++round) {
            for (size_t i = 0; i < 2; ++i) {
                for (size_t f = 0; f < frames(); ++f) fitTilt(feet_[i], f);
                feet_[i].smoothTilts(kTiltSmoothing, std::vector<uint8_t>(frames(), 1));
                shift_[i] = feet_[i].plant();
            }
            movePelvis();
            raisePelvis();
            sinkPelvis();
        }
        for (size_t i = 0; i < 2; ++i) fadeShifts(feet_[i], shift_[i]);
        for (Hand& hand : hands_) liftHand(hand);
        for (size_t f = 0; f < frames(); ++f) pose(f);
    }

private:
    struct Hand {
        int shoulder, elbow, wrist;     // wrist -1 where there is none
        std::vector<SolePoint> points;  // that go along with the wrist
        std::vector<float> lift;        // metres, per frame
    };

    // The arm whose upper bone is `arm`; Bone has elbow and wrist after it.
    Hand handOf(const Humanoid& humanoid, Bone arm) const {
        Hand hand{
            humanoid[arm], humanoid[Bone(int(arm) + 1)], humanoid[Bone(int(arm) + 2)], {}, {}};
        for (const SolePoint& point : points_.body)
            for (int j = point.joint; j >= 0; j = motion_.skeleton.joints[size_t(j)].parent)
                if (j == hand.wrist) hand.points.push_back(point);
        return hand;
    }

    size_t frames() const { return motion_.frames.size(); }
    float framesIn(float seconds) const { return seconds * float(motion_.rate); }

    void fitTilt(FootPlan& foot, size_t f) const {
        foot.fitTo(f, foot.ankle(f).y + pelvis_shift_[f].y);
    }

    Leg legAt(const FootPlan& foot, size_t f) const {
        const auto at = [&](int joint) { return world_[f][size_t(joint)].translation; };
        return {at(foot.leg().hip), at(foot.leg().knee), at(foot.leg().ankle)};
    }

    // Squared radians that thigh and shank turn by, per squared metre that the ankle moves relative
    // to the hip.
    static Mat3 turningPrice(const Leg& leg) {
        const Vec3 thigh = normalized(leg.knee - leg.hip), shank = normalized(leg.ankle - leg.knee);
        const Vec3 axis = normalized(leg.ankle - leg.hip, {0, -1, 0});
        const float bend =
            std::max(length(cross(thigh, shank)), 0.12f);  // sine of the knee's angle
        const float along = leg.reach() / (2 * leg.thigh() * leg.shank() * bend);
        const float across = 1 / leg.reach();
        Mat3 price;
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c)
                price.m[r][c] = across * across * float(r == c) +
                                (along * along - across * across) * axis[r] * axis[c];
        return price;
    }

    // Rule 3.
    void movePelvis() {
        std::vector<Wish> wishes;
        for (size_t i = 0; i < 2; ++i)
            for (size_t f = 0; f < frames(); ++f)
                if (feet_[i].stands(f))
                    wishes.push_back({f, shift_[i][f], turningPrice(legAt(feet_[i], f))});
        pelvis_shift_ = smoothPath(frames(), motion_.rate, wishes, options_.pelvis);
    }

    // Rule 3: what a leg cannot reach, the pelvis comes down for; smoothly.
    void sinkPelvis() {
        std::vector<float> sink(frames(), 0.0f);
        for (size_t i = 0; i < 2; ++i)
            for (size_t f = 0; f < frames(); ++f) {
                if (!feet_[i].stands(f)) continue;
                const Leg leg = legAt(feet_[i], f);
                const Vec3 to_ankle = leg.ankle + shift_[i][f] - leg.hip - pelvis_shift_[f];
                const float longest = kLongest * (leg.thigh() + leg.shank());
                const float level2 = dot(flat(to_ankle), flat(to_ankle));
                if (level2 >= longest * longest) continue;  // no sinking brings it nearer
                sink[f] = std::max(sink[f], -to_ankle.y - std::sqrt(longest * longest - level2));
            }
        const std::vector<float> smooth = envelope(sink, 0.1f);
        for (size_t f = 0; f < frames(); ++f) pelvis_shift_[f].y -= smooth[f];
    }

    // Rule 6.
    void raisePelvis() {
        std::vector<float> raise(frames());
        for (size_t f = 0; f < frames(); ++f) {
            const float lowest = lowestHeight(points_.body, world_[f]) + pelvis_shift_[f].y;
            raise[f] = std::max(0.0f, -lowest - kFlesh);
        }
        const std::vector<float> smooth = envelope(raise, 0.15f);
        for (size_t f = 0; f < frames(); ++f) pelvis_shift_[f].y += smooth[f];
    }

    // Rule 6: a hand that still goes through the floor is lifted by the elbow.
    void liftHand(Hand& hand) const {
        hand.lift.assign(frames(), 0.0f);
        if (hand.points.empty()) return;
        for (size_t f = 0; f < frames(); ++f) {
            const float lowest = lowestHeight(hand.points, world_[f]) + pelvis_shift_[f].y;
            hand.lift[f] = std::max(0.0f, -lowest - kFlesh);
        }
        hand.lift = envelope(hand.lift, 0.1f);
    }

    // A smooth curve that is nowhere below `need`: the largest need within `seconds`, then a mean over
    // the same window.
    std::vector<float> envelope(const std::vector<float>& need, float seconds) const {
        const size_t reach = size_t(std::lround(framesIn(seconds)));
        const auto window = [&](size_t f) {
            return Span{f > reach ? f - reach : 0, std::min(frames(), f + reach + 1)};
        };
        std::vector<float> largest(frames()), smooth(frames(), 0.0f);
        for (size_t f = 0; f < frames(); ++f) {
            const Span w = window(f);
            largest[f] =
                *std::max_element(need.begin() + long(w.begin), need.begin() + long(w.end));
        }
        for (size_t f = 0; f < frames(); ++f) {
            const Span w = window(f);
            for (size_t g = w.begin; g < w.end; ++g) smooth[f] += largest[g] / float(w.length());
        }
        return smooth;
    }

    // Rule 4.
    void fadeShifts(FootPlan& foot, std::vector<Vec3>& shift) const {
        const float fade = framesIn(options_.fade);
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
        const std::vector<float> smooth = envelope(lift, kLiftSmoothing);
        for (size_t f = 0; f < frames(); ++f)
            if (aloft[f]) shift[f].y += smooth[f];
    }

    // Rule 7.
    void pose(size_t f) {
        Pose& result = motion_.frames[f];
        result.root_position += pelvis_shift_[f];
        for (size_t i = 0; i < 2; ++i) {
            const FootPlan& foot = feet_[i];
            Leg leg = legAt(foot, f);
            const Vec3 target = leg.ankle + shift_[i][f];
            for (Vec3* point : {&leg.hip, &leg.knee, &leg.ankle}) *point += pelvis_shift_[f];
            const Quat thigh = world_[f][size_t(foot.leg().hip)].rotation;
            const Quat thigh_rest = standing_.world[size_t(foot.leg().hip)].rotation;
            const Vec3 ahead = rotate(thigh * conjugate(thigh_rest), standing_.facing);
            turnLeg(foot, f, reachFor(leg, target, ahead, kLongest), result);
        }
        for (const Hand& hand : hands_)
            if (hand.lift[f] > 0) bendArm(hand, f, result);
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

    // The elbow bends the way it does, a straight arm's to the back; the hand keeps its direction.
    void bendArm(const Hand& hand, size_t f, Pose& result) {
        const std::vector<Transform>& joints = world_[f];
        const auto at = [&](int joint) { return joints[size_t(joint)].translation; };
        const Quat upper = joints[size_t(hand.shoulder)].rotation;
        const Quat upper_rest = standing_.world[size_t(hand.shoulder)].rotation;
        const Vec3 back = rotate(upper * conjugate(upper_rest), -standing_.facing);
        const Vec3 wrist = at(hand.wrist) + Vec3{0, hand.lift[f], 0};
        const LegTurn turn =
            reachFor({at(hand.shoulder), at(hand.elbow), at(hand.wrist)}, wrist, back, kLongest);
        const Quat arm = normalized(turn.thigh * upper);
        const Quat forearm = normalized(turn.shank * joints[size_t(hand.elbow)].rotation);
        setBelow(result, hand.shoulder, parentRotation(hand.shoulder, f), arm);
        setBelow(result, hand.elbow, below(result, hand.shoulder, hand.elbow, arm), forearm);
        setBelow(result, hand.wrist, below(result, hand.elbow, hand.wrist, forearm),
                 joints[size_t(hand.wrist)].rotation);
    }

    Quat parentRotation(int joint, size_t f) const {
        const int parent = motion_.skeleton.joints[size_t(joint)].parent;
        return parent < 0 ? Quat{} : world_[f][size_t(parent)].rotation;
    }

    // The world rotation of `joint`'s parent, where `bone` above it has `rotation`: joints in between
    // (twist bones) keep theirs in their parents.
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
    std::array<Hand, 2> hands_;
    std::array<std::vector<Vec3>, 2> shift_;  // what each ankle moves by
    std::vector<Vec3> pelvis_shift_;
};

}  // namespace

void ground(Motion& motion, const Humanoid& humanoid, const Contacts& contacts,
            const FloorPoints& points, const GroundingOptions& options) {
    CHECK_EQ(motion.frames.size(), contacts.flight.size());
    if (!motion.frames.empty()) Grounding(motion, humanoid, contacts, points, options).run();
}

}  // namespace hem
