// SPDX-License-Identifier: Apache-2.0
#include "hem/character/grounding.h"

#include <algorithm>

#include "hem/character/leg_ik.h"
#include "hem/character/smooth_path.h"

namespace hem {
namespace {

constexpr Vec3 kUp{0, 1, 0};
// A foot that is tilted by less than the first stands flat, by more than the second it does not.
const float kFlatTilt = degreesToRadians(10), kRaisedTilt = degreesToRadians(25);
// Bounds of the ankle: toes up, toes down, and sideways or twisted; the last tenth turn of a
// radian before a bound is soft.
const float kToesUp = degreesToRadians(35), kToesDown = degreesToRadians(60);
const float kAnkleSideways = degreesToRadians(35);
constexpr float kSoftness = 0.2f;
const float kMaxToeBend = degreesToRadians(55);
constexpr float kLongest = 0.9995f;  // stretch of a leg, as a share of its length

float smoothStep(float t) {
    t = std::clamp(t, 0.0f, 1.0f);
    return t * t * (3 - 2 * t);
}

Vec3 flat(Vec3 v) { return {v.x, 0, v.z}; }

// x, kept below `limit` (positive): from limit - kSoftness on it approaches the limit smoothly.
float softlyBelow(float x, float limit) {
    const float knee = limit - kSoftness;
    return x < knee ? x : knee + kSoftness * std::tanh((x - knee) / kSoftness);
}
float softlyWithin(float x, float low, float high) {
    return x >= 0 ? softlyBelow(x, high) : -softlyBelow(-x, -low);
}

// Per frame: 1 inside the flagged runs, falling smoothly to 0 over `frames` on either side.
std::vector<float> faded(const std::vector<uint8_t>& flags, float frames) {
    const size_t n = flags.size();
    std::vector<float> weight(n, 0.0f);
    float since = 1e9f;
    for (size_t f = 0; f < n; ++f) {
        since = flags[f] ? 0 : since + 1;
        weight[f] = smoothStep(1 - since / (frames + 1));
    }
    since = 1e9f;
    for (size_t f = n; f-- > 0;) {
        since = flags[f] ? 0 : since + 1;
        weight[f] = std::max(weight[f], smoothStep(1 - since / (frames + 1)));
    }
    return weight;
}

// One foot through the clip.
struct Foot {
    LegJoints leg;
    const FootContacts* contacts = nullptr;
    const Sole* sole = nullptr;
    Vec3 heel_in_ankle, ball_in_ankle;   // the two points it stands on
    Quat rest_ankle, rest_toe_in_ankle;  // standing rotations
    std::vector<Vec3> ankle;             // as carried over
    std::vector<Quat> rotation;          // of the ankle in the world; levelled while it stands
    std::vector<Quat> toe;               // of the toes in the ankle
    std::vector<float> lowest;           // height of the lowest sole point below the ankle
    std::vector<Vec3> shift;             // what the ankle moves by
    std::vector<uint8_t> stands;
};

class Grounding {
public:
    Grounding(Motion& motion, const Humanoid& humanoid, const Contacts& contacts,
              const std::array<Sole, 2>& soles, const GroundingOptions& options)
        : motion_(motion),
          options_(options),
          standing_(standingOf(motion.skeleton, humanoid)),
          root_shift_(motion.frames.size()) {
        for (const Pose& pose : motion.frames)
            world_.push_back(worldTransforms(motion.skeleton, pose));
        for (FootSide side : kBothFeet)
            feet_[size_t(side)] = begin(side, humanoid, contacts, soles);
    }

    void run() {
        for (Foot& foot : feet_) {
            boundAnkle(foot);
            levelFoot(foot);
            bendToes(foot);
            measureSole(foot);
            plant(foot);
        }
        movePelvis();
        sinkPelvis();
        for (Foot& foot : feet_) fadeShifts(foot);
        for (size_t f = 0; f < motion_.frames.size(); ++f) pose(f);
    }

private:
    Foot begin(FootSide side, const Humanoid& humanoid, const Contacts& contacts,
               const std::array<Sole, 2>& soles) const {
        Foot foot;
        foot.leg = legOf(humanoid, side);
        foot.contacts = &contacts.feet[size_t(side)];
        foot.sole = &soles[size_t(side)];
        const Transform& ankle = standing_.world[size_t(foot.leg.ankle)];
        const float sole_height = foot.sole->rest_height;
        foot.heel_in_ankle = transformPoint(
            inverse(ankle), Vec3{ankle.translation.x, sole_height, ankle.translation.z});
        foot.ball_in_ankle = standing_.ball_in_ankle[size_t(side)];
        foot.rest_ankle = ankle.rotation;
        if (foot.leg.toe >= 0)
            foot.rest_toe_in_ankle =
                conjugate(ankle.rotation) * standing_.world[size_t(foot.leg.toe)].rotation;
        for (const auto& joints : world_) {
            foot.ankle.push_back(joints[size_t(foot.leg.ankle)].translation);
            foot.rotation.push_back(joints[size_t(foot.leg.ankle)].rotation);
            if (foot.leg.toe >= 0)
                foot.toe.push_back(conjugate(foot.rotation.back()) *
                                   joints[size_t(foot.leg.toe)].rotation);
        }
        foot.stands = foot.contacts->stance();
        return foot;
    }

    size_t frames() const { return motion_.frames.size(); }
    float framesIn(float seconds) const { return seconds * float(motion_.rate); }

    // Feet of capture data flip about; an ankle does not.
    void boundAnkle(Foot& foot) const {
        const Quat shank_rest = standing_.world[size_t(foot.leg.knee)].rotation;
        const Vec3 left = standing_.left, ahead = standing_.facing;
        for (size_t f = 0; f < frames(); ++f) {
            const Quat shank = world_[f][size_t(foot.leg.knee)].rotation * conjugate(shank_rest);
            const Quat turn = foot.rotation[f] * conjugate(foot.rest_ankle);
            const Vec3 bend = logarithm(normalized(conjugate(shank) * turn));
            const float down = dot(bend, left), roll = dot(bend, ahead);
            const Vec3 bounded = left * softlyWithin(down, -kToesUp, kToesDown) +
                                 ahead * softlyWithin(roll, -kAnkleSideways, kAnkleSideways) +
                                 kUp * softlyWithin(bend.y, -kAnkleSideways, kAnkleSideways);
            foot.rotation[f] = normalized(shank * exponential(bounded) * foot.rest_ankle);
        }
    }

    Vec3 aheadOf(const Foot& foot, size_t f) const {
        return rotate(foot.rotation[f] * conjugate(foot.rest_ankle), standing_.facing);
    }

    // Step 1: level, with one heading, while heel and ball stand.
    void levelFoot(Foot& foot) const {
        std::vector<uint8_t> both(frames());
        for (size_t f = 0; f < frames(); ++f)
            both[f] = foot.contacts->heel[f] && foot.contacts->ball[f];
        std::vector<Vec3> heading(frames());
        for (const Span& span : spansOf(both)) {
            Vec3 mean;
            for (size_t f = span.begin; f < span.end; ++f) mean += flat(aheadOf(foot, f));
            for (size_t f = span.begin; f < span.end; ++f) heading[f] = mean;
        }
        spread(both, heading);
        const std::vector<float> weight = faded(both, framesIn(options_.roll_fade));
        for (size_t f = 0; f < frames(); ++f) {
            if (weight[f] == 0) continue;
            const Vec3 own = flat(aheadOf(foot, f));
            const float turn = std::atan2(cross(own, heading[f]).y, dot(own, heading[f]));
            const Quat turned = fromAxisAngle(kUp, weight[f] * turn) * foot.rotation[f];
            const Vec3 normal = rotate(turned * conjugate(foot.rest_ankle), kUp);
            const float tilt = std::acos(std::clamp(normal.y, -1.0f, 1.0f));
            const float level =
                weight[f] * smoothStep((kRaisedTilt - tilt) / (kRaisedTilt - kFlatTilt));
            foot.rotation[f] = normalized(slerp({}, rotationBetween(normal, kUp), level) * turned);
        }
    }

    // Frames outside the flagged runs take the value of the nearest run.
    void spread(const std::vector<uint8_t>& flagged, std::vector<Vec3>& values) const {
        const std::vector<Span> spans = spansOf(flagged);
        for (size_t i = 0; i < spans.size(); ++i) {
            const size_t low = i == 0 ? 0 : (spans[i - 1].end + spans[i].begin) / 2;
            const size_t high =
                i + 1 == spans.size() ? frames() : (spans[i].end + spans[i + 1].begin) / 2;
            for (size_t f = low; f < spans[i].begin; ++f) values[f] = values[spans[i].begin];
            for (size_t f = spans[i].end; f < high; ++f) values[f] = values[spans[i].end - 1];
        }
    }

    // Step 1: the toes stay level while the heel is up and the ball stands.
    void bendToes(Foot& foot) const {
        if (foot.leg.toe < 0) return;
        const std::vector<float> weight = faded(foot.contacts->ball, framesIn(options_.roll_fade));
        for (size_t f = 0; f < frames(); ++f) {
            if (weight[f] == 0) continue;
            const Quat straight = foot.rotation[f] * foot.rest_toe_in_ankle;
            // which way the straight toes' sole faces, and the turn that levels it
            const Quat rest = foot.rest_ankle * foot.rest_toe_in_ankle;
            const Vec3 normal = rotate(straight, rotate(conjugate(rest), kUp));
            Vec3 level = logarithm(rotationBetween(normal, kUp));
            const bool heel_up = aheadOf(foot, f).y < 0;
            const float angle = length(level);
            if (!heel_up || angle < 1e-5f) continue;
            level = level * (std::min(angle, kMaxToeBend) / angle);
            const Quat bent = conjugate(foot.rotation[f]) * exponential(level) * straight;
            foot.toe[f] = slerp(foot.toe[f], normalized(bent), weight[f]);
        }
    }

    void measureSole(Foot& foot) const {
        for (size_t f = 0; f < frames(); ++f) {
            float lowest = 1e9f;
            for (const SolePoint& point : foot.sole->points) {
                Vec3 in_ankle = point.in_joint;
                if (point.joint != foot.leg.ankle)
                    in_ankle = foot.ball_in_ankle + rotate(foot.toe[f], point.in_joint);
                lowest = std::min(lowest, rotate(foot.rotation[f], in_ankle).y);
            }
            foot.lowest.push_back(lowest);
        }
    }

    // Step 2: where the ankle stands while the foot does. From frame to frame the foot turns about
    // the point that stands in both; the whole stance lies where the carried-over one is on average.
    void plant(Foot& foot) const {
        const FootContacts& contacts = *foot.contacts;
        foot.shift.assign(frames(), Vec3{});
        for (const Span& span : spansOf(foot.stands)) {
            std::vector<Vec3> at(span.length());  // the ankle on the floor plan
            Vec3 offset = flat(foot.ankle[span.begin]);
            for (size_t f = span.begin + 1; f < span.end; ++f) {
                const bool heel_stays = contacts.heel[f] && contacts.heel[f - 1];
                const bool ball_stays = contacts.ball[f] && contacts.ball[f - 1];
                const Vec3 pivot =
                    heel_stays && !ball_stays ? foot.heel_in_ankle : foot.ball_in_ankle;
                at[f - span.begin] =
                    at[f - 1 - span.begin] +
                    flat(rotate(foot.rotation[f - 1], pivot) - rotate(foot.rotation[f], pivot));
                offset += flat(foot.ankle[f]) - at[f - span.begin];
            }
            offset = offset / float(span.length());
            for (size_t f = span.begin; f < span.end; ++f) {
                const Vec3 ankle = at[f - span.begin] + offset;
                foot.shift[f] = Vec3{ankle.x, -foot.lowest[f], ankle.z} - foot.ankle[f];
            }
        }
    }

    // Step 4: a foot in the air goes along with the pelvis, but for what its last and next stance
    // ask beyond that, which is faded out and in.
    void fadeShifts(Foot& foot) const {
        const float fade = framesIn(options_.fade);
        std::vector<uint8_t> aloft(frames());
        for (size_t f = 0; f < frames(); ++f) aloft[f] = !foot.stands[f];
        for (const Span& span : spansOf(aloft)) {
            const bool before = span.begin > 0, after = span.end < frames();
            const auto residual = [&](size_t f) { return foot.shift[f] - root_shift_[f]; };
            const Vec3 from = before ? residual(span.begin - 1) : Vec3{};
            const Vec3 to = after ? residual(span.end) : Vec3{};
            const float gap = float(span.length() + 1), reach = std::min(fade, gap);
            for (size_t f = span.begin; f < span.end; ++f) {
                const float since = float(f - span.begin + 1), until = gap - since;
                foot.shift[f] = root_shift_[f] + from * smoothStep(1 - since / reach) +
                                to * smoothStep(1 - until / reach);
            }
        }
        for (size_t f = 0; f < frames(); ++f) {
            const float lowest = foot.ankle[f].y + foot.shift[f].y + foot.lowest[f];
            if (!foot.stands[f] && lowest < 0) foot.shift[f].y -= lowest;
        }
    }

    Leg legAt(const Foot& foot, size_t f) const {
        const auto at = [&](int joint) { return world_[f][size_t(joint)].translation; };
        return {at(foot.leg.hip), at(foot.leg.knee), at(foot.leg.ankle)};
    }

    // Step 3. Weights are squared radians of thigh and shank per squared metre of the ankle.
    void movePelvis() {
        std::vector<Wish> wishes;
        for (const Foot& foot : feet_)
            for (size_t f = 0; f < frames(); ++f) {
                if (!foot.stands[f]) continue;
                const Leg leg = legAt(foot, f);
                const float a = leg.thigh(), b = leg.shank(), reach = leg.reach();
                const Vec3 axis = normalized(leg.ankle - leg.hip, {0, -1, 0});
                const Vec3 thigh = normalized(leg.knee - leg.hip),
                           shank = normalized(leg.ankle - leg.knee);
                const float bend = std::max(length(cross(thigh, shank)), 0.12f);
                const float along = reach / (2 * a * b * bend), across = 1 / reach;
                Mat3 weight;
                for (int r = 0; r < 3; ++r)
                    for (int c = 0; c < 3; ++c)
                        weight.m[r][c] = (across * across * float(r == c) +
                                          (along * along - across * across) * axis[r] * axis[c]);
                wishes.push_back({f, foot.shift[f], weight});
            }
        root_shift_ = smoothPath(frames(), motion_.rate, wishes, options_.bending, 0.01);
    }

    // Step 3: what a leg cannot reach, the pelvis comes down for; smoothly.
    void sinkPelvis() {
        std::vector<float> sink(frames(), 0.0f);
        for (const Foot& foot : feet_)
            for (size_t f = 0; f < frames(); ++f) {
                if (!foot.stands[f]) continue;
                const Leg leg = legAt(foot, f);
                const Vec3 to_ankle = leg.ankle + foot.shift[f] - leg.hip - root_shift_[f];
                const float longest = kLongest * (leg.thigh() + leg.shank());
                const float level2 = dot(flat(to_ankle), flat(to_ankle));
                if (level2 >= longest * longest) continue;  // no sinking brings it nearer
                sink[f] = std::max(sink[f], -to_ankle.y - std::sqrt(longest * longest - level2));
            }
        // the largest need within reach, then a mean over the same window: never less than the need
        const size_t reach = size_t(std::lround(framesIn(0.1f)));
        std::vector<float> largest(frames()), smooth(frames());
        const auto window = [&](size_t f) {
            return Span{f > reach ? f - reach : 0, std::min(frames(), f + reach + 1)};
        };
        for (size_t f = 0; f < frames(); ++f) {
            const Span w = window(f);
            largest[f] =
                *std::max_element(sink.begin() + long(w.begin), sink.begin() + long(w.end));
        }
        for (size_t f = 0; f < frames(); ++f) {
            const Span w = window(f);
            for (size_t g = w.begin; g < w.end; ++g) smooth[f] += largest[g] / float(w.length());
            root_shift_[f].y -= smooth[f];
        }
    }

    // Step 4: the frame's pose.
    void pose(size_t f) {
        std::vector<Transform>& joints = world_[f];
        Pose& result = motion_.frames[f];
        result.root_position += root_shift_[f];
        for (const Foot& foot : feet_) {
            Leg leg = legAt(foot, f);
            const Vec3 target = leg.ankle + foot.shift[f];
            for (Vec3* point : {&leg.hip, &leg.knee, &leg.ankle}) *point += root_shift_[f];
            const Quat thigh = joints[size_t(foot.leg.hip)].rotation;
            const Quat thigh_rest = standing_.world[size_t(foot.leg.hip)].rotation;
            const Vec3 ahead = rotate(thigh * conjugate(thigh_rest), standing_.facing);
            const LegTurn turn = reachFor(leg, target, ahead, kLongest);
            turnBones(foot, f, turn, result);
        }
    }

    void turnBones(const Foot& foot, size_t f, const LegTurn& turn, Pose& result) {
        const Skeleton& skeleton = motion_.skeleton;
        std::vector<Transform>& joints = world_[f];
        const auto set = [&](int joint, Quat rotation) {
            // joints between two bones (twist bones) keep their rotations in their parents
            std::vector<int> between;
            int j = skeleton.joints[size_t(joint)].parent;
            Quat above;
            for (; j >= 0; j = skeleton.joints[size_t(j)].parent) {
                const bool bone = j == foot.leg.hip || j == foot.leg.knee || j == foot.leg.ankle;
                if (bone || joint == foot.leg.hip) break;
                between.push_back(j);
            }
            if (j >= 0) above = joints[size_t(j)].rotation;
            for (size_t i = between.size(); i-- > 0;) {
                above = normalized(above * result.rotations[size_t(between[i])]);
                joints[size_t(between[i])].rotation = above;
            }
            joints[size_t(joint)].rotation = rotation;
            result.rotations[size_t(joint)] = normalized(conjugate(above) * rotation);
        };
        const Quat thigh = joints[size_t(foot.leg.hip)].rotation,
                   shank = joints[size_t(foot.leg.knee)].rotation;
        set(foot.leg.hip, normalized(turn.thigh * thigh));
        set(foot.leg.knee, normalized(turn.shank * shank));
        set(foot.leg.ankle, foot.rotation[f]);
        if (foot.leg.toe >= 0) set(foot.leg.toe, normalized(foot.rotation[f] * foot.toe[f]));
    }

    Motion& motion_;
    GroundingOptions options_;
    Standing standing_;
    std::array<Foot, 2> feet_;
    std::vector<std::vector<Transform>> world_;  // as carried over
    std::vector<Vec3> root_shift_;
};

}  // namespace

void ground(Motion& motion, const Humanoid& humanoid, const Contacts& contacts,
            const std::array<Sole, 2>& soles, const GroundingOptions& options) {
    CHECK_EQ(motion.frames.size(), contacts.flight.size());
    if (!motion.frames.empty()) Grounding(motion, humanoid, contacts, soles, options).run();
}

}  // namespace hem
