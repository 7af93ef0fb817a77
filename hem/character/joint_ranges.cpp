// SPDX-License-Identifier: Apache-2.0
#include "hem/character/joint_ranges.h"

#include <map>

#include "hem/core/portable_math.h"
#include "hem/core/text.h"

namespace hem {
namespace {

struct Limits {
    JointAngles low, high;
};
// Flexion low, high, side low, high, twist low, high.
constexpr Limits limits(float fl, float fh, float sl, float sh, float tl, float th) {
    return {{fl, sl, tl}, {fh, sh, th}};
}

// The books were not at hand. "Found" is said of figures that agree with what others print of them:
// Norkin and White's table A.1 (F. A. Davis) for the arm, table 8 of an article on hypermobile
// joints (ISRN 2012, 751768) and lists that name AAOS for the rest. All are limits of healthy
// adults at ease; trained bodies reach farther.

// Thoracolumbar spine (AAOS): flexion 80, extension 25, bending 35, rotation 45. Three joints share
// it; one may take half as much again as its third. Found.
constexpr Limits kSpine = limits(-13, 40, -17, 17, -22, 22);
// Cervical spine (AAOS, Kapandji): flexion and extension 45 to 60, bending 45, rotation 60 to 80.
// Found.
constexpr Limits kNeck = limits(-28, 28, -22, 22, -36, 36);
// Shoulder girdle (Kapandji): elevation 40, depression 10, forwards 30, backwards 25. Not found in
// Kapandji; therapists' lists have 35 to 45, 10, and 15 to 30 both ways.
constexpr Limits kGirdle = limits(-20, 20, -10, 40, -25, 30);
// Shoulder (AAOS): flexion 180, extension 60, abduction 180 (side reaches 90 and flexion goes on),
// rotation 70 inwards, 90 outwards: found. Adduction across the chest 50: lists have 45 to 75.
constexpr Limits kShoulder = limits(-60, 180, -50, 90, -90, 70);
// Elbow (AAOS): 150; pronation 80, supination 80: found. The carrying angle tilts it.
constexpr Limits kElbow = limits(-5, 150, -20, 20, -80, 80);
// Wrist (AAOS): radial deviation 20, ulnar 30, flexion 80, extension 70. Found.
constexpr Limits kWrist = limits(-30, 20, -80, 70, -15, 15);
// Hip (AAOS): flexion 120, extension 30, abduction 45, adduction 30, rotation 45 both ways. Found;
// other lists have an extension of 10 to 20.
constexpr Limits kHip = limits(-30, 120, -30, 45, -45, 45);
// Knee (AAOS 135, kneeling and squatting to 155 in Kapandji); Kapandji: twist of the bent knee 30
// inwards, 40 outwards; side is what a skeleton's bones that are not in one plane show. Found: 135
// and the twist; not 155, though kneeling takes 140 (PMC3468826).
constexpr Limits kKnee = limits(-3, 155, -15, 15, -40, 30);
// Ankle: plantar flexion 50, dorsiflexion 20 unloaded, inversion 35 (AAOS): found. 45 under the
// body's weight (after the lunge of Bennell et al. 1998) is generous: 30 to 38 is called normal.
// Eversion 20: lists have 15 to 30. Twist of the foot 20 to 35 (Kapandji): not found.
constexpr Limits kAnkle = limits(-50, 45, -35, 20, -30, 30);
// Metatarsophalangeal joints (AAOS, great toe): extension 70, flexion 45. Found.
constexpr Limits kToe = limits(-45, 70, -10, 10, -10, 10);

Limits limitsOf(Bone bone) {
    switch (bone) {
        case Bone::kLowerBack:
        case Bone::kSpine:
        case Bone::kChest:
            return kSpine;
        case Bone::kNeck:
        case Bone::kNeck1:
        case Bone::kHead:
            return kNeck;
        case Bone::kLeftShoulder:
        case Bone::kRightShoulder:
            return kGirdle;
        case Bone::kLeftArm:
        case Bone::kRightArm:
            return kShoulder;
        case Bone::kLeftForeArm:
        case Bone::kRightForeArm:
            return kElbow;
        case Bone::kLeftHand:
        case Bone::kRightHand:
            return kWrist;
        case Bone::kLeftUpLeg:
        case Bone::kRightUpLeg:
            return kHip;
        case Bone::kLeftLeg:
        case Bone::kRightLeg:
            return kKnee;
        case Bone::kLeftFoot:
        case Bone::kRightFoot:
            return kAnkle;
        default:
            return kToe;
    }
}

bool isTrunk(Bone bone) { return bone <= Bone::kHead; }
bool isGirdle(Bone bone) { return bone == Bone::kLeftShoulder || bone == Bone::kRightShoulder; }
bool isKnee(Bone bone) { return bone == Bone::kLeftLeg || bone == Bone::kRightLeg; }
bool isRight(Bone bone) {
    return (bone >= Bone::kRightShoulder && bone <= Bone::kRightHand) || bone >= Bone::kRightUpLeg;
}

// The direction that a bone has at the anatomical zero: limbs hang.
Vec3 axisOf(Bone bone) {
    if (isTrunk(bone)) return {0, 1, 0};
    if (isGirdle(bone)) return {isRight(bone) ? -1.0f : 1.0f, 0, 0};
    return {0, -1, 0};
}

// The bone whose joint ends this one; the bone itself where none does.
Bone endOf(Bone bone) {
    switch (bone) {
        case Bone::kLeftArm:
        case Bone::kLeftForeArm:
        case Bone::kRightArm:
        case Bone::kRightForeArm:
        case Bone::kLeftUpLeg:
        case Bone::kLeftLeg:
        case Bone::kRightUpLeg:
        case Bone::kRightLeg:
            return Bone(int(bone) + 1);
        default:
            return bone;
    }
}

constexpr float kSideways = 0.966f;  // sine of 75 degrees

// Sines and signs in and out of the table of the header.
JointAngles signedFor(Bone bone, JointAngles a) {
    const float mirror = isRight(bone) ? -1.0f : 1.0f;
    if (isKnee(bone)) a.flexion = -a.flexion;
    a.side *= mirror;
    if (isGirdle(bone) || !isTrunk(bone)) a.twist = -a.twist * mirror;
    return a;
}

JointAngles split(Bone bone, Quat turn) {
    const Vec3 axis = axisOf(bone), d = rotate(turn, axis);
    const Quat swing = rotationBetween(axis, d);
    const Vec3 twist = logarithm(conjugate(swing) * turn);
    JointAngles a;
    if (isGirdle(bone)) {  // along x: up about z, forwards about y
        a.side = radiansToDegrees(std::asin(std::clamp(d.y, -1.0f, 1.0f))) *
                 (isRight(bone) ? -1.0f : 1.0f);
        a.twist = radiansToDegrees(std::atan2(-d.z * axis.x, d.x * axis.x));
        a.flexion = radiansToDegrees(twist.x);
    } else {
        const float up = axis.y;  // 1 or -1
        a.flexion = std::abs(d.x) < kSideways ? radiansToDegrees(std::atan2(d.z, d.y * up)) : 0;
        a.side = radiansToDegrees(std::asin(std::clamp(d.x, -1.0f, 1.0f)));
        a.twist = radiansToDegrees(twist.y);
    }
    return signedFor(bone, a);
}

// In portable arithmetic: poses that are drawn from ranges have the same bits on every machine.
Quat join(Bone bone, JointAngles angles) {
    const JointAngles a = signedFor(bone, angles);
    const double flexion = degreesToRadians(a.flexion), twist = degreesToRadians(a.twist);
    const Vec3 axis = axisOf(bone);
    auto sine = [](double angle) { return float(portable::sin(angle)); };
    auto cosine = [](double angle) { return float(portable::cos(angle)); };
    if (isGirdle(bone)) {
        const double up = double(degreesToRadians(a.side) * axis.x);
        const Vec3 d{axis.x * cosine(up) * cosine(twist), sine(up),
                     -axis.x * cosine(up) * sine(twist)};
        return rotationBetween(axis, d) * portable::fromAxisAngle({1, 0, 0}, flexion);
    }
    const double side = degreesToRadians(a.side);
    const Vec3 d{sine(side), axis.y * cosine(side) * cosine(flexion), cosine(side) * sine(flexion)};
    return rotationBetween(axis, d) * portable::fromAxisAngle({0, 1, 0}, twist);
}

}  // namespace

const std::vector<JointRange>& humanJointRanges() {
    static const std::vector<JointRange> ranges = [] {
        std::vector<JointRange> result;
        for (int b = int(Bone::kHips) + 1; b < kBoneCount; ++b)
            result.push_back({Bone(b), limitsOf(Bone(b)).low, limitsOf(Bone(b)).high});
        return result;
    }();
    return ranges;
}

const JointRange& humanJointRange(Bone bone) {
    CHECK(bone != Bone::kHips && bone != Bone::kCount);
    return humanJointRanges()[size_t(bone) - 1];
}

AnatomicalFrame::AnatomicalFrame(const Skeleton& skeleton, const Humanoid& humanoid)
    : skeleton_(&skeleton),
      humanoid_(humanoid),
      rest_(worldTransforms(skeleton, restPose(skeleton))) {
    for (int b = 0; b < kBoneCount; ++b) {
        const Bone bone = Bone(b), end = endOf(bone);
        const Bone parent = b == 0 ? bone : parentOf(bone);
        // hands and feet keep to what they hang from; upper arms, thighs and what follows hang
        // straight
        zero_[size_t(b)] = Quat{};
        if (bone == Bone::kLeftHand || bone == Bone::kRightHand)
            zero_[size_t(b)] = zero_[size_t(parent)];
        if (end == bone || humanoid[bone] < 0 || humanoid[end] < 0) continue;
        const Vec3 rest =
            rest_[size_t(humanoid[end])].translation - rest_[size_t(humanoid[bone])].translation;
        // the forearm first turns with the upper arm, then is made straight
        const bool fore = bone == Bone::kLeftForeArm || bone == Bone::kRightForeArm;
        const Quat base = fore ? zero_[size_t(parent)] : Quat{};
        zero_[size_t(b)] = rotationBetween(rotate(base, rest), axisOf(bone)) * base;
    }
}

bool AnatomicalFrame::has(Bone bone) const { return bone != Bone::kHips && humanoid_[bone] >= 0; }

Bone AnatomicalFrame::parentOf(Bone bone) const {
    for (int joint = humanoid_[bone]; joint >= 0; joint = skeleton_->joints[size_t(joint)].parent) {
        const int parent = skeleton_->joints[size_t(joint)].parent;
        for (int b = 0; b < kBoneCount; ++b)
            if (parent >= 0 && humanoid_.joints[size_t(b)] == parent) return Bone(b);
    }
    return Bone::kHips;
}

Quat AnatomicalFrame::turnFromZero(Bone bone, const std::vector<Transform>& world) const {
    const size_t joint = size_t(humanoid_[bone]);
    return world[joint].rotation * conjugate(rest_[joint].rotation) *
           conjugate(zero_[size_t(bone)]);
}

JointAngles AnatomicalFrame::anglesOf(Bone bone, const std::vector<Transform>& world) const {
    CHECK(has(bone));
    return split(bone, conjugate(turnFromZero(parentOf(bone), world)) * turnFromZero(bone, world));
}

Quat AnatomicalFrame::rotationFor(Bone bone, JointAngles angles) const {
    CHECK(has(bone));
    const size_t joint = size_t(humanoid_[bone]), above = size_t(skeleton_->joints[joint].parent);
    const Quat turn =
        conjugate(zero_[size_t(parentOf(bone))]) * join(bone, angles) * zero_[size_t(bone)];
    return normalized(conjugate(rest_[above].rotation) * turn * rest_[joint].rotation);
}

Pose AnatomicalFrame::zeroPose() const {
    Pose pose = restPose(*skeleton_);
    for (const JointRange& range : humanJointRanges())
        if (has(range.bone))
            pose.rotations[size_t(humanoid_[range.bone])] = rotationFor(range.bone, {});
    return pose;
}

namespace {

struct NamedAngle {
    const char* name;
    float JointAngles::*member;
};
constexpr NamedAngle kAngles[] = {{"flexion", &JointAngles::flexion},
                                  {"side", &JointAngles::side},
                                  {"twist", &JointAngles::twist}};

void note(std::map<std::pair<int, int>, RangeViolation>& worst, const JointRange& range, int which,
          float degrees, size_t frame, float tolerance) {
    const NamedAngle& angle = kAngles[which];
    const float low = range.low.*angle.member, high = range.high.*angle.member;
    const RangeViolation now{range.bone, angle.name, degrees, low, high, frame, 1};
    if (!(now.excess() > tolerance)) return;
    auto [entry, is_new] = worst.try_emplace({int(range.bone), which}, now);
    if (is_new) return;
    const size_t frames = entry->second.frames + 1;
    if (now.excess() > entry->second.excess()) entry->second = now;
    entry->second.frames = frames;
}

}  // namespace

std::vector<RangeViolation> rangeViolations(const Motion& motion, const Humanoid& humanoid,
                                            float tolerance) {
    const AnatomicalFrame anatomy(motion.skeleton, humanoid);
    std::map<std::pair<int, int>, RangeViolation> worst;
    for (size_t f = 0; f < motion.frames.size(); ++f) {
        const std::vector<Transform> world = worldTransforms(motion.skeleton, motion.frames[f]);
        for (const JointRange& range : humanJointRanges()) {
            if (!anatomy.has(range.bone)) continue;
            const JointAngles angles = anatomy.anglesOf(range.bone, world);
            for (int k = 0; k < 3; ++k)
                note(worst, range, k, angles.*kAngles[k].member, f, tolerance);
        }
    }
    std::vector<RangeViolation> result;
    for (const auto& [key, violation] : worst) result.push_back(violation);
    return result;
}

std::string describe(const RangeViolation& v) {
    return format("%s %s %.1f degrees at frame %zu (range %.0f to %.0f), %zu frames",
                  nameOf(v.bone), v.angle, double(v.degrees), v.frame, double(v.low),
                  double(v.high), v.frames);
}

}  // namespace hem
