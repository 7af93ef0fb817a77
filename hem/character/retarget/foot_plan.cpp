// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/foot_plan.h"

#include <algorithm>

#include "hem/character/joint_names.h"
#include "hem/character/retarget/smooth_path.h"

namespace hem {
namespace {

constexpr Vec3 kUp{0, 1, 0};
// A foot that is tilted by less than the first stands flat, by more than the second it does not.
const float kFlatTilt = degreesToRadians(10), kRaisedTilt = degreesToRadians(25);
const float kMaxToeBend = degreesToRadians(55);
// Bounds of the ankle: toes up, toes down, and sideways or twisted. The last kSoftness radians
// before a bound are soft.
const float kToesUp = degreesToRadians(35), kToesDown = degreesToRadians(60);
const float kAnkleSideways = degreesToRadians(35);
constexpr float kSoftness = 0.2f;
constexpr float kLeastTilt = 0.05f;  // of a foot's tilt that fitTo() leaves
const float kMaxFootPitch = degreesToRadians(55);
// An ankle may rise this far, as a share of the leg, before a foot that stands flat lifts its heel.
constexpr float kFlatSlack = 0.018f;
// What a thigh or a shank turns by at most; the bar is 5 degrees.
const float kMostTurn = degreesToRadians(4.9f);
constexpr float kLongest = 0.9995f;  // stretch of a leg, as a share of its length

Vec3 flat(Vec3 v) { return {v.x, 0, v.z}; }

// x, kept below `limit` (positive).
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
    const auto sweep = [&](size_t f, float& since) {
        since = flags[f] ? 0 : since + 1;
        weight[f] = std::max(weight[f], smoothStep(1 - since / (frames + 1)));
    };
    float since = 1e9f;
    for (size_t f = 0; f < n; ++f) sweep(f, since);
    since = 1e9f;
    for (size_t f = n; f-- > 0;) sweep(f, since);
    return weight;
}

// Frames between two flagged runs take values in between, those before the first and after the last
// that run's.
void spread(const std::vector<uint8_t>& flagged, std::vector<Vec3>& directions) {
    const std::vector<Span> spans = spansOf(flagged);
    if (spans.empty()) return;
    std::fill(directions.begin(), directions.begin() + long(spans[0].begin),
              directions[spans[0].begin]);
    for (size_t i = 0; i + 1 < spans.size(); ++i) {
        const size_t first = spans[i].end - 1, last = spans[i + 1].begin;
        const Vec3 from = normalized(directions[first]), to = normalized(directions[last]);
        for (size_t f = first + 1; f < last; ++f)
            directions[f] = lerp(from, to, smoothStep(float(f - first) / float(last - first)));
    }
    std::fill(directions.begin() + long(spans.back().end), directions.end(),
              directions[spans.back().end - 1]);
}

}  // namespace

FootPlan::FootPlan(FootSide side, const Humanoid& humanoid, const Skeleton& skeleton,
                   const Standing& standing, const FootContacts& contacts, const Sole& sole,
                   const std::vector<std::vector<Transform>>& world, double rate, float roll_fade)
    : leg_(legOf(humanoid, side)),
      standing_(standing),
      contacts_(contacts),
      sole_(sole),
      world_(world),
      ball_in_ankle_(standing.ball_in_ankle[size_t(side)]),
      stands_(contacts.stance()),
      rate_(rate) {
    const Transform& rest = standing.world[size_t(leg_.ankle)];
    const Vec3 beneath{rest.translation.x, sole.rest_height, rest.translation.z};
    heel_in_ankle_ = transformPoint(inverse(rest), beneath);
    rest_ = rest.rotation;
    if (leg_.toe >= 0) rest_toe_ = conjugate(rest_) * standing.world[size_t(leg_.toe)].rotation;
    for (size_t j = 0; j < skeleton.size(); ++j)
        if (skeleton.joints[j].parent == leg_.ankle && int(j) != leg_.toe &&
            takeApart(skeleton.joints[j].name).stem.starts_with("toe"))
            other_toes_.push_back(int(j));
    for (const auto& joints : world) {
        ankle_.push_back(joints[size_t(leg_.ankle)].translation);
        wanted_.push_back(joints[size_t(leg_.ankle)].rotation);
        carried_toe_.push_back(
            leg_.toe >= 0 ? conjugate(wanted_.back()) * joints[size_t(leg_.toe)].rotation : Quat{});
    }
    const float fade_frames = roll_fade * float(rate);
    toe_weight_ = faded(contacts.ball, fade_frames);
    boundAnkle();
    level(fade_frames);
    rotation_ = wanted_;
    toe_ = carried_toe_;
    clearance_.resize(frames());
    for (size_t f = 0; f < frames(); ++f) set(f, wanted_[f]);
}

Leg FootPlan::legAt(size_t frame) const {
    const auto at = [&](int joint) { return world_[frame][size_t(joint)].translation; };
    return {at(leg_.hip), at(leg_.knee), at(leg_.ankle)};
}

LegTurn FootPlan::reach(size_t frame, Vec3 shift, Vec3 pelvis) const {
    Leg leg = legAt(frame);
    const Vec3 target = leg.ankle + shift;
    for (Vec3* point : {&leg.hip, &leg.knee, &leg.ankle}) *point += pelvis;
    const Quat thigh = world_[frame][size_t(leg_.hip)].rotation;
    const Quat thigh_rest = standing_.world[size_t(leg_.hip)].rotation;
    const Vec3 ahead = rotate(thigh * conjugate(thigh_rest), standing_.facing);
    return reachWithin(leg, target, ahead, kLongest, kMostTurn);
}

void FootPlan::set(size_t frame, Quat rotation) {
    rotation_[frame] = rotation;
    toe_[frame] = bentToe(frame, rotation);
    clearance_[frame] = clearanceOf(rotation, toe_[frame]);
}

// Feet of capture data flip about; an ankle does not.
void FootPlan::boundAnkle() {
    const Quat shank_rest = standing_.world[size_t(leg_.knee)].rotation;
    const Vec3 left = standing_.left, ahead = standing_.facing;
    for (size_t f = 0; f < frames(); ++f) {
        const Quat shank = world_[f][size_t(leg_.knee)].rotation * conjugate(shank_rest);
        const Vec3 bend = logarithm(normalized(conjugate(shank) * wanted_[f] * conjugate(rest_)));
        const Vec3 bounded =
            left * softlyWithin(dot(bend, left), -kToesUp, kToesDown) +
            ahead * softlyWithin(dot(bend, ahead), -kAnkleSideways, kAnkleSideways) +
            kUp * softlyWithin(bend.y, -kAnkleSideways, kAnkleSideways);
        wanted_[f] = normalized(shank * exponential(bounded) * rest_);
    }
}

Vec3 FootPlan::aheadOf(Quat rotation) const {
    return rotate(rotation * conjugate(rest_), standing_.facing);
}

// The same heading, sole level.
Quat FootPlan::levelled(Quat rotation) const {
    const Vec3 normal = rotate(rotation * conjugate(rest_), kUp);
    return normalized(rotationBetween(normal, kUp) * rotation);
}

void FootPlan::level(float fade_frames) {
    std::vector<uint8_t> both(frames());
    for (size_t f = 0; f < frames(); ++f) both[f] = contacts_.heel[f] && contacts_.ball[f];
    std::vector<Vec3> heading(frames());
    for (const Span& span : spansOf(both)) {
        Vec3 mean;
        for (size_t f = span.begin; f < span.end; ++f) mean += flat(aheadOf(wanted_[f]));
        for (size_t f = span.begin; f < span.end; ++f) heading[f] = mean;
    }
    spread(both, heading);
    flat_weight_ = faded(both, fade_frames);
    const std::vector<float>& weight = flat_weight_;
    for (size_t f = 0; f < frames(); ++f) {
        if (weight[f] == 0) continue;
        const Vec3 own = flat(aheadOf(wanted_[f]));
        const float turn = std::atan2(cross(own, heading[f]).y, dot(own, heading[f]));
        const Quat turned = fromAxisAngle(kUp, weight[f] * turn) * wanted_[f];
        const Quat flat_on_floor = levelled(turned);
        const float tilt = angleBetween(turned, flat_on_floor);
        const float share = smoothStep((kRaisedTilt - tilt) / (kRaisedTilt - kFlatTilt));
        wanted_[f] = slerp(turned, flat_on_floor, weight[f] * share);
    }
}

// Level while the heel is up and the ball stands.
Quat FootPlan::bentToe(size_t frame, Quat rotation) const {
    const Quat carried = carried_toe_[frame];
    const bool heel_up = aheadOf(rotation).y < 0;
    if (leg_.toe < 0 || toe_weight_[frame] == 0 || !heel_up) return carried;
    const Quat straight = rotation * rest_toe_;
    const Vec3 normal = rotate(straight * conjugate(rest_ * rest_toe_), kUp);
    Vec3 bend = logarithm(rotationBetween(normal, kUp));
    const float angle = length(bend);
    if (angle > kMaxToeBend) bend *= kMaxToeBend / angle;
    const Quat bent = conjugate(rotation) * exponential(bend) * straight;
    return slerp(carried, normalized(bent), toe_weight_[frame]);
}

float FootPlan::clearanceOf(Quat rotation, Quat toe) const {
    float lowest = 1e9f;
    for (const SolePoint& point : sole_.points) {
        const bool on_toe = point.joint != leg_.ankle;
        const Vec3 in_ankle =
            on_toe ? ball_in_ankle_ + rotate(toe, point.in_joint) : point.in_joint;
        lowest = std::min(lowest, rotate(rotation, in_ankle).y);
    }
    return -lowest;
}

void FootPlan::fitTo(size_t frame, float height) {
    set(frame, wanted_[frame]);
    const float slack = kFlatSlack * standing_.leg_length * flat_weight_[frame];
    const float missing = contacts_.ball[frame] ? height - slack - clearance_[frame] : 0;
    if (clearance_[frame] > height) {
        const Quat level = levelled(wanted_[frame]);
        search(frame, height, kLeastTilt, 1,
               [&](float share) { return slerp(level, wanted_[frame], share); });
    } else if (missing > 0) {
        const Vec3 ahead = aheadOf(wanted_[frame]);
        const Vec3 across = normalized(cross(kUp, ahead), standing_.left);
        const float down = -std::asin(std::clamp(ahead.y, -1.0f, 1.0f));
        const float most = std::max(kMaxFootPitch - down, 0.0f);
        search(frame, clearance_[frame] + missing, 0, most,
               [&](float angle) { return fromAxisAngle(across, angle) * wanted_[frame]; });
    }
}

// Finds the tilt between low and high at which the ankle clears `height`: it grows with the tilt.
void FootPlan::search(size_t frame, float height, float low, float high,
                      const std::function<Quat(float)>& rotation) {
    for (int i = 0; i < 12; ++i) {
        const float middle = (low + high) / 2;
        set(frame, rotation(middle));
        (clearance_[frame] > height ? high : low) = middle;
    }
}

void FootPlan::smoothTilts(float seconds, const std::vector<uint8_t>& where) {
    std::vector<Vec3> tilts(frames());
    for (size_t f = 0; f < frames(); ++f)
        tilts[f] = logarithm(normalized(rotation_[f] * conjugate(wanted_[f])));
    const double width = double(seconds) * rate_;  // standard deviation, in frames
    const long reach = std::lround(2 * width);
    for (size_t f = 0; f < frames(); ++f) {
        if (!where[f]) continue;
        Vec3 sum;
        float weights = 0;
        const long first = std::max(0L, long(f) - reach);
        const long last = std::min(long(frames()) - 1, long(f) + reach);
        for (long g = first; g <= last; ++g) {
            const double away = double(g - long(f)) / width;
            const float weight = float(std::exp(-away * away / 2));
            sum += weight * tilts[size_t(g)];
            weights += weight;
        }
        set(f, normalized(exponential(sum / weights) * wanted_[f]));
    }
}

std::vector<Vec3> FootPlan::plant() const {
    std::vector<Vec3> shift(frames());
    for (const Span& span : spansOf(stands_)) {
        std::vector<Vec3> at(span.length());  // the ankle on the floor plan
        Vec3 offset = flat(ankle_[span.begin]);
        for (size_t f = span.begin + 1; f < span.end; ++f) {
            const bool heel_stays = contacts_.heel[f] && contacts_.heel[f - 1];
            const bool ball_stays = contacts_.ball[f] && contacts_.ball[f - 1];
            const Vec3 pivot = heel_stays && !ball_stays ? heel_in_ankle_ : ball_in_ankle_;
            const Vec3 step = rotate(rotation_[f - 1], pivot) - rotate(rotation_[f], pivot);
            at[f - span.begin] = at[f - 1 - span.begin] + flat(step);
            offset += flat(ankle_[f]) - at[f - span.begin];
        }
        offset = offset / float(span.length());
        for (size_t f = span.begin; f < span.end; ++f) {
            const Vec3 ankle = at[f - span.begin] + offset;
            shift[f] = Vec3{ankle.x, clearance_[f], ankle.z} - ankle_[f];
        }
    }
    return shift;
}

}  // namespace hem
