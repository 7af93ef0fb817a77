// SPDX-License-Identifier: Apache-2.0
#include "hem/character/motions/motion_sets.h"

#include "hem/character/motions/perform.h"
#include "hem/core/random.h"
#include "hem/core/text.h"

namespace hem {
namespace {

using Scripts = std::vector<MotionScript>;
using Writer = ScriptWriter;

// Reference speeds, metres a second: three walks and three runs.
constexpr double kSlowWalk = 0.85, kWalk = 1.30, kFastWalk = 1.80;
constexpr double kJog = 2.3, kRun = 3.2, kSprint = 4.4;
constexpr uint64_t kTrainSeed = 1000, kTestSeed = 2000, kAtomicSeed = 3000, kNovelSeed = 4000;
constexpr uint64_t kExtraSeed = 100000;

void addGaits(Scripts& s, uint64_t& seed) {
    const char* walks[] = {"slow", "normal", "fast"};
    const double walk_speeds[] = {kSlowWalk, kWalk, kFastWalk},
                 run_speeds[] = {kJog, kRun, kSprint};
    for (int k = 0; k < 3; ++k)
        s.push_back(Writer(format("train_%02d_walk_%s", k + 1, walks[k]),
                           format("walks straight on at %.2f m/s", walk_speeds[k]), ++seed)
                        .stand(0.6)
                        .walk(walk_speeds[k], 9)
                        .cut(k == 1 ? 0 : 2.0, k == 2 ? 6.0 : 7.5));
    for (int k = 0; k < 3; ++k)
        s.push_back(Writer(format("train_%02d_run_%s", k + 4, walks[k]),
                           format("runs straight on at %.1f m/s", run_speeds[k]), ++seed)
                        .stand(0.6)
                        .run(run_speeds[k], 8, 0, 1.4)
                        .cut(2.5, 5.0));
}

void addTurns(Scripts& s, uint64_t& seed) {
    auto walking = [&](const char* name, double degrees, double seconds, double speed) {
        s.push_back(Writer(name,
                           format("walks at %.2f m/s and turns %.0f degrees to the %s", speed,
                                  std::abs(degrees), degrees > 0 ? "left" : "right"),
                           ++seed)
                        .stand(0.5)
                        .walk(speed, 2.2)
                        .walk(speed, seconds, degrees)
                        .walk(speed, 1.6)
                        .stand(1.4)
                        .cut(0));
    };
    auto running = [&](const char* name, double degrees, double seconds, double speed) {
        s.push_back(Writer(name,
                           format("runs at %.1f m/s and turns %.0f degrees to the %s", speed,
                                  std::abs(degrees), degrees > 0 ? "left" : "right"),
                           ++seed)
                        .stand(0.4)
                        .run(speed, 2.4)
                        .run(speed, seconds, degrees)
                        .run(speed, 2)
                        .cut(1.0, 5));
    };
    auto standing = [&](const char* name, double degrees, double seconds) {
        s.push_back(Writer(name,
                           format("turns %.0f degrees to the %s on the spot, stepping",
                                  std::abs(degrees), degrees > 0 ? "left" : "right"),
                           ++seed)
                        .stand(1.0)
                        .turn(degrees, seconds)
                        .stand(1.6)
                        .cut(0));
    };
    walking("train_07_turn_45_left_walk", 45, 1.3, kWalk);
    walking("train_08_turn_45_right_walk", -45, 1.2, kFastWalk);
    walking("train_09_turn_90_left_walk", 90, 1.7, kWalk);
    walking("train_10_turn_90_right_walk", -90, 2.0, kSlowWalk);
    walking("train_11_turn_180_left_walk", 180, 2.2, 1.0);
    walking("train_12_turn_180_right_walk", -180, 2.6, kWalk);
    walking("train_13_turn_360_left_walk", 360, 5.2, kWalk);
    running("train_14_turn_45_right_run", -45, 0.9, kRun);
    running("train_15_turn_90_left_run", 90, 1.4, kJog);
    running("train_16_turn_180_right_run", -180, 2.2, kJog);
    standing("train_17_turn_90_right_spot", -90, 1.4);
    standing("train_18_turn_180_left_spot", 180, 2.2);
    standing("train_19_turn_360_right_spot", -360, 3.9);
}

void addStops(Scripts& s, uint64_t& seed) {
    s.push_back(Writer("train_20_stop_walk", "walks, stops in an ordinary way, walks on", ++seed)
                    .stand(0.4)
                    .walk(kWalk, 2.8)
                    .stand(1.8, 0.9)
                    .walk(kWalk, 2.8)
                    .cut(0));
    s.push_back(Writer("train_21_stop_walk_sudden", "walks fast and stops dead, twice", ++seed)
                    .walk(kFastWalk, 2.8)
                    .stand(1.7, 0.5)
                    .walk(kFastWalk, 2.4)
                    .stand(1.6, 0.45)
                    .cut(0.8));
    s.push_back(Writer("train_22_stop_run", "runs and comes to a stop", ++seed)
                    .stand(0.4)
                    .run(kRun, 3.2)
                    .stand(2.6, 1.1)
                    .cut(0.2));
    s.push_back(
        Writer("train_23_stop_run_sudden", "jogs and stops dead, jogs and stops dead", ++seed)
            .stand(0.3)
            .run(kJog, 2.4)
            .stand(1.9, 0.6)
            .run(2.6, 2.3)
            .stand(1.8, 0.6)
            .cut(0.2));
}

void addDucks(Scripts& s, uint64_t& seed) {
    s.push_back(Writer("train_24_duck_standing",
                       "ducks twice where it stands, the second time deeper", ++seed)
                    .stand(6.6)
                    .duck(0.8, 0.20, 2.0)
                    .duck(3.6, 0.30, 2.2)
                    .cut(0));
    s.push_back(Writer("train_25_duck_walking", "walks, ducks under something, walks on", ++seed)
                    .walk(kWalk, 3.0)
                    .walk(1.0, 2.4)
                    .duck(0.1, 0.22, 2.2)
                    .walk(kWalk, 2.6)
                    .cut(1.2));
    s.push_back(Writer("train_26_duck_running", "jogs, ducks under something, jogs on", ++seed)
                    .run(2.5, 2.6)
                    .run(2.5, 2.0)
                    .duck(0.2, 0.15, 1.8)
                    .run(2.5, 2.6)
                    .cut(1.2, 5.6));
}

void addJumps(Scripts& s, uint64_t& seed) {
    s.push_back(Writer("train_27_jump_up", "jumps up twice, the second time higher", ++seed)
                    .stand(0.6)
                    .jump(0.18)
                    .stand(0.7)
                    .jump(0.30)
                    .stand(0.9)
                    .cut(0));
    s.push_back(Writer("train_28_jump_forward", "jumps forward with both feet, twice", ++seed)
                    .stand(0.6)
                    .jump(0.14, 0.5)
                    .stand(0.6)
                    .jump(0.20, 0.8)
                    .stand(0.9)
                    .cut(0));
    s.push_back(Writer("train_29_leap_running", "runs and leaps over two obstacles", ++seed)
                    .run(kRun, 2.6)
                    .leap(2.2, 0.30)
                    .run(kRun, 4)
                    .leap(1.7, 0.28)
                    .cut(0.9, 5.4));
    s.push_back(Writer("train_30_leap_jogging",
                       "jogs and leaps over something low, slows to a walk", ++seed)
                    .stand(0.4)
                    .run(kJog, 3.0)
                    .leap(1.9, 0.28)
                    .walk(kWalk, 3.4)
                    .cut(0.4));
}

void addTransitions(Scripts& s, uint64_t& seed) {
    s.push_back(Writer("train_31_stand_walk_run", "stands, walks, runs", ++seed)
                    .stand(0.9)
                    .walk(kWalk, 2.8)
                    .run(kRun, 3.6, 0, 1.3)
                    .cut(0));
    s.push_back(Writer("train_32_run_walk_stand", "runs, walks, stands", ++seed)
                    .run(kRun, 3.4)
                    .walk(kWalk, 3.0, 0, 1.2)
                    .stand(2.0)
                    .cut(1.3));
    s.push_back(Writer("train_33_walk_jog_turn_walk", "walks, jogs through a turn, walks", ++seed)
                    .walk(1.5, 2.4)
                    .run(kJog, 1.6)
                    .run(kJog, 1.4, 70)
                    .walk(kWalk, 3.4)
                    .cut(0.9));
}

Scripts trainScripts() {
    Scripts s;
    uint64_t seed = kTrainSeed;
    addGaits(s, seed);
    addTurns(s, seed);
    addStops(s, seed);
    addDucks(s, seed);
    addJumps(s, seed);
    addTransitions(s, seed);
    return s;
}

Scripts testScripts() {
    const double seconds[] = {12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 26, 28, 33, 45};
    Scripts s;
    for (size_t k = 0; k < std::size(seconds); ++k)
        s.push_back(
            composeFreely(format("test_%02zu_combination", k + 1), kTestSeed + k, seconds[k]));
    return s;
}

Scripts atomicScripts() {
    return {Writer("atomic_walk", "a walk straight on", kAtomicSeed + 1)
                .stand(0.5)
                .walk(1.25, 8)
                .cut(1.5, 6.0),
            Writer("atomic_walk_turn", "walks, stops, and turns the upper body to both sides",
                   kAtomicSeed + 2)
                .stand(0.5)
                .walk(1.2, 2.6)
                .stand(5.4)
                .twist(0.7, 70, 2.2)
                .twist(2.7, -65, 2.3)
                .cut(0)};
}

MotionScript stylisedWalk() {
    Writer w("novel_stylised_walk", "a swaggering walk: wide swing of hips and arms, high knees",
             kNovelSeed + 3);
    Style& style = w.script.style;
    style.hip_sway = 2.0, style.hip_turn = 2.0, style.arm_swing = 2.1, style.knee_lift = 2.2;
    style.cadence = 0.86, style.lean = -4, style.head_down = -5, style.arm_out = 7,
    style.elbow = 12;
    style.step_width = 0.7;
    return w.stand(0.6).walk(1.15, 4).walk(1.15, 2.2, 100).walk(1.15, 3).stand(1.4).cut(0);
}

Scripts novelScripts() {
    const Gesture dance{
        .kind = Gesture::Kind::kSway, .seconds = 10.6, .amount = 1, .ease = 0.1, .beat = 2.0};
    Gesture arms{
        .kind = Gesture::Kind::kArms, .seconds = 10.2, .amount = 1, .ease = 0.12, .beat = 2.0};
    arms.arm_forward = 55, arms.arm_out = 35, arms.elbow = 70;
    Gesture stiff{.kind = Gesture::Kind::kArms, .seconds = 9, .amount = 1, .ease = 0.12};
    stiff.arm_forward = 80, stiff.arm_out = 12, stiff.elbow = 12;
    Scripts s;
    s.push_back(Writer("novel_kick", "two kicks forwards, one with each foot", kNovelSeed + 1)
                    .stand(0.8)
                    .kick(0.62, false, 1.7)
                    .stand(0.9)
                    .kick(0.75, true, 1.7)
                    .stand(1.0)
                    .cut(0));
    s.push_back(Writer("novel_dance",
                       "dances on the spot: side steps, turns, hips and arms in rhythm",
                       kNovelSeed + 2)
                    .stand(1)
                    .gesture(0.4, dance)
                    .gesture(0.6, arms)
                    .sidle(0.3, 90, 1.5)
                    .sidle(0.3, -90, 1.5)
                    .turn(180, 2.2)
                    .sidle(0.3, 90, 1.5)
                    .sidle(0.3, -90, 1.5)
                    .turn(-180, 2.0)
                    .stand(1.2)
                    .cut(0));
    s.push_back(stylisedWalk());
    s.push_back(
        Writer("novel_stiff_walk", "a slow walk with both arms stretched forwards", kNovelSeed + 4)
            .stand(0.8)
            .walk(0.7, 8.2, 60)
            .gesture(0.2, stiff)
            .stand(1.2)
            .cut(0));
    return s;
}

const std::vector<std::pair<std::string, Scripts>>& allSets() {
    static const std::vector<std::pair<std::string, Scripts>> sets = {{"train", trainScripts()},
                                                                      {"test", testScripts()},
                                                                      {"atomic", atomicScripts()},
                                                                      {"novel", novelScripts()}};
    return sets;
}

MotionScript extraScript(int number) {
    Random random(kExtraSeed + uint64_t(number), "length");
    const double seconds = 6 + random.integer(0, 60) / 10.0;
    return composeFreely(format("extra_%04d", number), kExtraSeed + uint64_t(number), seconds);
}

ClipInfo infoOf(const MotionScript& script, const std::string& set) {
    return {script.name, set, script.description, clipSeconds(script)};
}

constexpr std::string_view kMirrored = "_mirrored";

bool isMirrored(const std::string& name) { return name.ends_with(kMirrored); }
std::string unmirrored(const std::string& name) {
    return isMirrored(name) ? name.substr(0, name.size() - kMirrored.size()) : name;
}

struct Found {
    MotionScript script;
    std::string set;
};
Result<Found> findScript(const std::string& name) {
    for (const auto& [set, scripts] : allSets())
        for (const MotionScript& script : scripts)
            if (script.name == name) return Found{script, set};
    if (name.starts_with("extra_")) {
        const auto number = parseInteger(std::string_view(name).substr(6));
        if (number && *number >= 1 && *number <= kMaxExtraClips &&
            name == format("extra_%04ld", *number))
            return Found{extraScript(int(*number)), "extra"};
        return errorf("there is no motion %s; extra motions are extra_0001 to extra_%d",
                      quoteForMessage(name).c_str(), kMaxExtraClips);
    }
    return errorf("there is no made motion %s; `hemline motions` lists them",
                  quoteForMessage(name).c_str());
}

}  // namespace

const std::vector<std::string>& motionSetNames() {
    static const std::vector<std::string> names = {"train", "test", "atomic", "novel"};
    return names;
}

Result<std::vector<ClipInfo>> motionSet(const std::string& set) {
    for (const auto& [name, scripts] : allSets()) {
        if (name != set) continue;
        std::vector<ClipInfo> clips;
        for (const MotionScript& script : scripts) clips.push_back(infoOf(script, name));
        return clips;
    }
    return errorf("there is no set of motions %s; the sets are train, test, atomic and novel",
                  quoteForMessage(set).c_str());
}

std::vector<ClipInfo> extraClips(int count) {
    CHECK(count >= 0 && count <= kMaxExtraClips);
    std::vector<ClipInfo> clips;
    for (int k = 1; k <= count; ++k) clips.push_back(infoOf(extraScript(k), "extra"));
    return clips;
}

Result<ClipInfo> clipInfo(const std::string& name) {
    const Result<Found> found = findScript(unmirrored(name));
    if (!found) return found.error();
    ClipInfo info = infoOf(found->script, found->set);
    if (isMirrored(name)) {
        info.name = name;
        info.description += "; left and right exchanged";
    }
    return info;
}

Result<MotionScript> motionScript(const std::string& name) {
    const Result<Found> found = findScript(name);
    if (!found) return found.error();
    return found->script;
}

Result<Motion> makeMotion(const std::string& name, const Skeleton& skeleton) {
    const Result<MotionScript> script = motionScript(unmirrored(name));
    if (!script) return script.error();
    Result<Motion> motion = perform(*script, skeleton);
    if (!motion || !isMirrored(name)) return motion;
    Motion twin = mirrored(*motion);
    twin.name = name;
    return twin;
}

}  // namespace hem
