// SPDX-License-Identifier: Apache-2.0
#include "hem/view/motion_kit.h"

#include <cmath>
#include <numbers>

#include "hem/character/humanoid.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/motion_script.h"
#include "hem/character/motions/perform.h"
#include "hem/character/retarget/contacts.h"
#include "hem/character/retarget/retarget.h"
#include "hem/character/root.h"

namespace hem {
namespace {

constexpr double kKitRate = 60;
constexpr Vec3 kUp{0, 1, 0};

// Plays scripts on the character, whoever it is.
class Performer {
public:
    static Result<Performer> make(const Character& character) {
        auto humanoid = recognise(character.skeleton);
        if (!humanoid) return inContext(character.name, humanoid.error());
        auto hips = findHipJoints(character.skeleton);
        if (!hips) return inContext(character.name, hips.error());
        Performer performer{character.skeleton, *humanoid, *hips, std::nullopt};
        for (Sex sex : {Sex::kFemale, Sex::kMale})
            if (character.skeleton == mannequinSkeleton(sex)) return performer;
        auto retargeter = Retargeter::make(mannequinSkeleton(Sex::kFemale), character);
        if (!retargeter) return inContext(character.name, retargeter.error());
        performer.retargeter = *retargeter;
        return performer;
    }

    Result<Motion> play(const MotionScript& script) const {
        if (!retargeter) return perform(script, skeleton);
        const auto motion = perform(script, mannequinSkeleton(Sex::kFemale));
        if (!motion) return motion.error();
        return retargeter->retarget(*motion);
    }

    Skeleton skeleton;
    Humanoid humanoid;
    HipJoints hips;
    std::optional<Retargeter> retargeter;
};

// Somebody without whims: strides are all the same.
ScriptWriter steady(const std::string& name) {
    ScriptWriter writer(name, "", 1);
    writer.script.style.wobble = 0;
    return writer;
}

// --- Travel ---------------------------------------------------------------------------------------

// Where the reference that moves along the arc is after `seconds`; it starts at the origin, facing
// `heading`.
struct Arc {
    double speed = 0, turn = 0, heading = 0;
    Vec3 start;

    double headingAt(double seconds) const { return heading + turn * seconds; }
    Vec3 positionAt(double seconds) const {
        const double angle = turn * seconds;
        // the chord of the arc: sin(x) / x of half the angle
        const double half = angle / 2, shrink = std::abs(half) < 1e-6 ? 1 : std::sin(half) / half;
        const double chord = speed * seconds * shrink, along = heading + half;
        return start + Vec3{float(chord * std::sin(along)), 0, float(chord * std::cos(along))};
    }
};

// The arc that takes the root from the first place to the second.
Arc arcBetween(const Root& from, const Root& to, double seconds) {
    Arc arc;
    const double angle = double(to.heading) - double(from.heading), half = angle / 2;
    const double dx = to.position.x - from.position.x, dz = to.position.z - from.position.z;
    arc.turn = angle / seconds;
    const double along = std::atan2(dx, dz);
    const double shrink = std::abs(half) < 1e-6 ? 1 : std::sin(half) / half;
    arc.speed = std::sqrt(dx * dx + dz * dz) / (shrink * seconds);
    arc.heading = along - half;
    arc.start = {from.position.x, 0, from.position.z};
    return arc;
}

// On the spot: the point that stays where it is between two places of the root, the reference facing
// as the hips do.
Arc pivotBetween(const std::vector<Root>& roots, size_t first, size_t period, double seconds) {
    const Root &from = roots[first], &to = roots[first + period];
    const double angle = double(to.heading) - double(from.heading);
    const double c = 1 - std::cos(angle), s = std::sin(angle);
    const double dx = to.position.x - from.position.x, dz = to.position.z - from.position.z;
    Arc arc{0, angle / seconds, 0, {from.position.x, 0, from.position.z}};
    // p1 - q = R (p0 - q)
    arc.start += Vec3{float((dx * c + dz * s) / (2 * c)), 0, float((dz * c - dx * s) / (2 * c))};
    for (size_t i = 0; i < period; ++i)
        arc.heading += (double(roots[first + i].heading) - angle * double(i) / double(period)) /
                       double(period);
    return arc;
}

Quat turned(double heading) { return fromAxisAngle(kUp, float(heading)); }

Pose moved(const Pose& pose, Quat turn, Vec3 by) {
    Pose result = pose;
    result.root_position = rotate(turn, pose.root_position) + by;
    result.rotations[0] = normalized(turn * pose.rotations[0]);
    return result;
}

// The pose as it is seen from the reference, which stands on the floor.
Pose seenFrom(const Arc& arc, double seconds, const Pose& pose) {
    const Quat back = turned(-arc.headingAt(seconds));
    return moved(pose, back, -rotate(back, arc.positionAt(seconds)));
}

// --- Loops ----------------------------------------------------------------------------------------

// Frames in which the left foot lands after it was in the air.
std::vector<size_t> leftLandings(const Motion& motion, const Humanoid& humanoid) {
    const Contacts contacts = detectContacts(motion, humanoid);
    std::vector<size_t> landings;
    for (const Span& span : spansOf(contacts.feet[0].stance()))
        if (span.begin > 0) landings.push_back(span.begin);
    return landings;
}

// The sum of squares of how far joints' rotations differ: of poses a stride apart, near nought.
double difference(const Pose& a, const Pose& b) {
    double sum = 0;
    for (size_t j = 1; j < a.rotations.size(); ++j) {
        const double angle = angleBetween(a.rotations[j], b.rotations[j]);
        sum += angle * angle;
    }
    const double rise = a.root_position.y - b.root_position.y;
    return sum + rise * rise;
}

// How many frames after `first` the motion is most nearly itself again, near `guess`.
size_t periodNear(const Motion& motion, size_t first, size_t guess) {
    size_t best = guess;
    double least = 1e30;
    for (size_t n = guess - guess / 8; n <= guess + guess / 8; ++n) {
        if (first + n + 1 >= motion.frames.size()) break;
        // three frames tell standing still from passing through
        double off = 0;
        for (size_t k = 0; k < 3; ++k)
            off += difference(motion.frames[first + k - 1], motion.frames[first + n + k - 1]);
        if (off < least) least = off, best = n;
    }
    return best;
}

// Takes out what is left between the frame after the last and the first, a share in each frame.
void closeSeam(std::vector<Pose>& frames, const Pose& after) {
    const Pose first = frames[0];
    const Vec3 gap = first.root_position - after.root_position;
    for (size_t i = 0; i < frames.size(); ++i) {
        // symmetric about the seam: half of the gap on either side of it
        const float share = float(i) / float(frames.size()) - 0.5f;
        frames[i].root_position += gap * share;
        for (size_t j = 0; j < first.rotations.size(); ++j) {
            const Quat off = first.rotations[j] * conjugate(after.rotations[j]);
            const Vec3 vector = logarithm(off) * share;
            frames[i].rotations[j] = normalized(exponential(vector) * frames[i].rotations[j]);
        }
    }
}

// Quaternions that follow one another the short way, round the loop too where that can be.
void alignSigns(std::vector<Pose>& frames) {
    for (size_t i = 1; i < frames.size(); ++i)
        for (size_t j = 0; j < frames[i].rotations.size(); ++j)
            frames[i].rotations[j] = nearest(frames[i].rotations[j], frames[i - 1].rotations[j]);
}

// One stride out of the middle of the motion.
Result<KitClip> loopOf(const std::string& name, const Motion& motion, const Performer& performer,
                       bool on_the_spot) {
    const std::vector<size_t> landings = leftLandings(motion, performer.humanoid);
    const size_t middle = landings.size() / 2;
    if (landings.size() < 4)
        return errorf("cannot make a %s that loops: the left foot lands %zu times", name.c_str(),
                      landings.size());
    const size_t first = landings[middle - 1];
    const size_t period = periodNear(motion, first, landings[middle] - first);
    const std::vector<Root> roots = rootsOf(motion, performer.hips);
    const double seconds = double(period) / motion.rate, start = double(first) / motion.rate;
    const Arc arc = on_the_spot ? pivotBetween(roots, first, period, seconds)
                                : arcBetween(roots[first], roots[first + period], seconds);

    const auto count = size_t(std::lround(seconds * kKitRate));
    KitClip clip{name, true, double(count) / seconds, arc.speed, arc.turn, {}, std::nullopt};
    for (size_t i = 0; i < count; ++i) {
        const double t = double(i) * seconds / double(count);
        clip.frames.push_back(seenFrom(arc, t, sampleAt(motion, start + t)));
    }
    closeSeam(clip.frames, seenFrom(arc, seconds, motion.frames[first + period]));
    alignSigns(clip.frames);
    return clip;
}

// --- What is played once --------------------------------------------------------------------------

// From `begin` on, the root starting over the origin and facing +Z.
KitClip onceOf(const std::string& name, const Motion& motion, double begin, double seconds) {
    KitClip clip{name, false, kKitRate, 0, 0, {}, std::nullopt};
    const Vec3 start = sampleAt(motion, begin).root_position;
    for (int i = 0; i <= int(seconds * kKitRate + 0.5); ++i)
        clip.frames.push_back(
            moved(sampleAt(motion, begin + i / kKitRate), Quat{}, {-start.x, 0, -start.z}));
    alignSigns(clip.frames);
    return clip;
}

// The frames in which the pelvis is within a centimetre of its lowest.
KitClip::Hold lowestPart(const std::vector<Pose>& frames) {
    float low = frames[0].root_position.y;
    for (const Pose& pose : frames) low = std::min(low, pose.root_position.y);
    KitClip::Hold hold{frames.size(), 0};
    for (size_t i = 0; i < frames.size(); ++i) {
        if (frames[i].root_position.y > low + 0.01f) continue;
        hold.first = std::min(hold.first, i);
        hold.last = i;
    }
    return hold;
}

// Standing still but for breath: the chest rises twice in a loop, the trunk sways once, the arms
// give a little. Legs are as they stand, so the feet do not move.
KitClip breathing(const Pose& standing, const Performer& performer) {
    constexpr double kSeconds = 8, kDegree = std::numbers::pi / 180;
    KitClip clip{"idle", true, kKitRate / 2, 0, 0, {}, std::nullopt};
    const Pose at_origin =
        moved(standing, Quat{}, {-standing.root_position.x, 0, -standing.root_position.z});
    const std::vector<Transform> world = worldTransforms(performer.skeleton, at_origin);
    const auto turnAbout = [&](Pose& pose, Bone bone, Vec3 axis, double degrees) {
        if (!performer.humanoid.has(bone)) return;
        const auto j = size_t(performer.humanoid[bone]);
        const int parent = performer.skeleton.joints[j].parent;
        // the axis is the world's: seen from the parent
        const Quat parent_from_world =
            parent < 0 ? Quat{} : conjugate(world[size_t(parent)].rotation);
        pose.rotations[j] =
            normalized(fromAxisAngle(rotate(parent_from_world, axis), float(degrees * kDegree)) *
                       pose.rotations[j]);
    };
    const auto count = int(kSeconds * clip.rate);
    for (int i = 0; i < count; ++i) {
        const double phase = 2 * std::numbers::pi * i / count;
        const double breath = -std::cos(2 * phase), sway = std::sin(phase);
        Pose pose = at_origin;
        turnAbout(pose, Bone::kSpine, {1, 0, 0}, -0.5 * breath);
        turnAbout(pose, Bone::kSpine, {0, 0, 1}, 0.5 * sway);
        turnAbout(pose, Bone::kChest, {1, 0, 0}, -0.7 * breath);
        turnAbout(pose, Bone::kNeck, {1, 0, 0}, 0.9 * breath);
        turnAbout(pose, Bone::kHead, {0, 1, 0}, 1.5 * std::sin(phase + 0.7));
        turnAbout(pose, Bone::kLeftArm, {0, 0, 1}, 0.6 * breath + 0.3 * sway);
        turnAbout(pose, Bone::kRightArm, {0, 0, 1}, -0.6 * breath + 0.3 * sway);
        clip.frames.push_back(pose);
    }
    return clip;
}

struct Gait {
    const char* name;
    bool running;
    double speed, turn;  // metres a second, degrees a second
};

MotionScript scriptOf(const Gait& gait) {
    constexpr double kSeconds = 9;
    ScriptWriter writer = steady(gait.name);
    writer.stand(0.5);
    if (gait.speed == 0) return writer.turn(gait.turn * kSeconds, kSeconds).cut(1.5, kSeconds - 2);
    if (gait.running) {
        writer.run(gait.speed, 3).run(gait.speed, kSeconds, gait.turn * kSeconds);
    } else {
        writer.walk(gait.speed, 3).walk(gait.speed, kSeconds, gait.turn * kSeconds);
    }
    return writer.cut(4, kSeconds - 1);
}

}  // namespace

Result<std::vector<KitClip>> makeMotionKit(const Character& character) {
    const auto performer = Performer::make(character);
    if (!performer) return performer.error();
    std::vector<KitClip> kit;

    const auto standing = performer->play(steady("stand").stand(2).cut(0));
    if (!standing) return standing.error();
    kit.push_back(breathing(sampleAt(*standing, 1), *performer));

    constexpr Gait kGaits[] = {{"walk", false, 1.35, 0},        {"walk_left", false, 1.2, 55},
                               {"walk_right", false, 1.2, -55}, {"run", true, 3.2, 0},
                               {"run_left", true, 2.8, 60},     {"run_right", true, 2.8, -60},
                               {"turn_left", false, 0, 75},     {"turn_right", false, 0, -75}};
    for (const Gait& gait : kGaits) {
        const auto motion = performer->play(scriptOf(gait));
        if (!motion) return motion.error();
        const auto clip = loopOf(gait.name, *motion, *performer, gait.speed == 0);
        if (!clip) return inContext(character.name, clip.error());
        kit.push_back(*clip);
    }

    const auto duck = performer->play(steady("duck").stand(3.2).duck(0.6, 0.34, 2.0).cut(0));
    if (!duck) return duck.error();
    kit.push_back(onceOf("duck", *duck, 0.6, 2.0));
    kit.back().hold = lowestPart(kit.back().frames);

    const double jump_seconds = jumpTimes(0.3).total();
    const auto jump = performer->play(steady("jump").stand(0.8).jump(0.3).stand(1).cut(0));
    if (!jump) return jump.error();
    kit.push_back(onceOf("jump", *jump, 0.7, jump_seconds + 0.5));
    return kit;
}

Motion withTravel(const KitClip& clip, const Skeleton& skeleton, int times) {
    Motion motion{.name = clip.name, .skeleton = skeleton, .rate = clip.rate};
    const Arc arc{clip.speed, clip.turn, 0, {}};
    for (size_t i = 0; i < clip.frames.size() * size_t(times); ++i) {
        const double t = double(i) / clip.rate;
        motion.frames.push_back(moved(clip.frames[i % clip.frames.size()], turned(arc.headingAt(t)),
                                      arc.positionAt(t)));
    }
    return motion;
}

}  // namespace hem
