// SPDX-License-Identifier: Apache-2.0
#include "hem/character/humanoid.h"

#include <algorithm>
#include <map>

#include "hem/character/joint_names.h"

namespace hem {
namespace {

// Stems as in joint_names.h, alternatives in order of preference. The spine runs from the lowest
// joint to the highest; a head that is not there is the neck's last joint.
struct Convention {
    const char* name;
    std::vector<std::string> hips, spine, neck, head, shoulder, arm, forearm, hand, upleg, leg,
        foot, toe;
};

const std::vector<Convention>& conventions() {
    static const std::vector<Convention> table = {
        {"CMU",
         {"hips"},
         {"lowerback", "spine", "spine1"},
         {"neck", "neck1"},
         {"head"},
         {"shoulder"},
         {"arm"},
         {"forearm"},
         {"hand"},
         {"upleg"},
         {"leg"},
         {"foot"},
         {"toebase"}},
        {"Mixamo",
         {"hips"},
         {"spine", "spine1", "spine2", "spine3"},
         {"neck", "neck1"},
         {"head"},
         {"shoulder"},
         {"arm"},
         {"forearm"},
         {"hand"},
         {"upleg"},
         {"leg"},
         {"foot"},
         {"toebase"}},
        {"VRM",
         {"hips"},
         {"spine", "chest", "upperchest"},
         {"neck"},
         {"head"},
         {"shoulder"},
         {"upperarm"},
         {"lowerarm"},
         {"hand"},
         {"upperleg"},
         {"lowerleg"},
         {"foot"},
         {"toebase", "toes"}},
        {"MakeHuman",
         {"root"},
         {"spine05", "spine04", "spine03", "spine02", "spine01"},
         {"neck01", "neck02", "neck03"},
         {"head"},
         {"clavicle"},
         {"upperarm01"},
         {"lowerarm01"},
         {"wrist"},
         {"upperleg01"},
         {"lowerleg01"},
         {"foot"},
         {"toe11"}},
        {"Rigify",
         {"spine"},
         {"spine001", "spine002", "spine003"},
         {"spine004", "spine005"},
         {"spine006"},
         {"shoulder"},
         {"upperarm"},
         {"forearm"},
         {"hand"},
         {"thigh"},
         {"shin"},
         {"foot"},
         {"toe"}},
        {"Unreal",
         {"pelvis"},
         {"spine01", "spine02", "spine03", "spine04", "spine05"},
         {"neck01", "neck02"},
         {"head"},
         {"clavicle"},
         {"upperarm"},
         {"lowerarm"},
         {"hand"},
         {"thigh"},
         {"calf"},
         {"foot"},
         {"ball"}},
        {"Biped",
         {"pelvis"},
         {"spine", "spine1", "spine2", "spine3"},
         {"neck", "neck1"},
         {"head"},
         {"clavicle"},
         {"upperarm"},
         {"forearm"},
         {"hand"},
         {"thigh"},
         {"calf"},
         {"foot"},
         {"toe0"}},
        {"Poser",
         {"hip", "pelvis"},
         {"abdomen", "abdomenlower", "abdomen2", "abdomenupper", "chest", "chestlower",
          "chestupper"},
         {"neck", "necklower", "neckupper"},
         {"head"},
         {"collar"},
         {"shldr", "shldrbend"},
         {"forearm", "forearmbend"},
         {"hand"},
         {"thigh", "thighbend"},
         {"shin"},
         {"foot"},
         {"toe"}},
        {"Khronos figure",
         {"torsojoint1"},
         {"torsojoint2", "torsojoint3"},
         {"neckjoint1"},
         {"neckjoint2"},
         {},
         {"armjoint1"},
         {"armjoint2"},
         {"armjoint3"},
         {"legjoint1"},
         {"legjoint2"},
         {"legjoint3"},
         {"legjoint5"}},
        // numbers its left arm from the wrist and its right arm from the shoulder
        {"CesiumMan",
         {"torsojoint1"},
         {"torsojoint2", "torsojoint3"},
         {"neckjoint1"},
         {"neckjoint2"},
         {},
         {"L:armjoint4", "R:armjoint"},
         {"L:armjoint3", "R:armjoint2"},
         {"L:armjoint2", "R:armjoint3"},
         {"legjoint1"},
         {"legjoint2"},
         {"legjoint3"},
         {"legjoint5"}},
        {"plain names",
         {"hips", "hip", "pelvis", "root"},
         {"lowerback", "abdomen", "waist", "spine", "torso", "spine0", "spine1", "spine01",
          "spine2", "spine02", "spine3", "spine03", "chest", "upperchest"},
         {"neck", "neck1", "neck01", "neck2", "neck02"},
         {"head"},
         {"shoulder", "clavicle", "collar", "collarbone"},
         {"upperarm", "uparm", "arm"},
         {"lowerarm", "forearm", "elbow"},
         {"hand", "wrist"},
         {"upperleg", "upleg", "thigh"},
         {"lowerleg", "lowleg", "shin", "calf", "leg", "knee"},
         {"foot", "ankle"},
         {"toebase", "toes", "toe", "ball"}},
    };
    return table;
}

// The joints of a skeleton by side and stem. Where two share one (ORG-thigh.L and DEF-thigh.L), the
// deforming one stands; else the first.
class NameIndex {
public:
    explicit NameIndex(const Skeleton& skeleton) {
        for (size_t j = 0; j < skeleton.size(); ++j) {
            const std::string& name = skeleton.joints[j].name;
            const JointName parts = takeApart(name);
            const bool deforms = name.starts_with("DEF-");
            const auto [at, fresh] = joints_.try_emplace({parts.side, parts.stem}, int(j));
            if (!fresh && deforms) at->second = int(j);
        }
    }

    int find(Side side, std::string_view stem) const {
        if (stem.starts_with("L:") || stem.starts_with("R:")) {
            if ((stem[0] == 'L') != (side == Side::kLeft)) return -1;
            stem.remove_prefix(2);
        }
        const auto at = joints_.find({side, std::string(stem)});
        return at == joints_.end() ? -1 : at->second;
    }
    int findFirst(Side side, const std::vector<std::string>& stems) const {
        for (const std::string& stem : stems)
            if (const int joint = find(side, stem); joint >= 0) return joint;
        return -1;
    }
    std::vector<int> findAll(const std::vector<std::string>& stems) const {
        std::vector<int> found;
        for (const std::string& stem : stems)
            if (const int joint = find(Side::kCentre, stem); joint >= 0) found.push_back(joint);
        std::sort(found.begin(), found.end());  // parents stand before children
        return found;
    }

private:
    std::map<std::pair<Side, std::string>, int> joints_;
};

void setTrunk(const Convention& c, const NameIndex& names, Humanoid& h) {
    const auto set = [&](Bone bone, int joint) { h.joints[size_t(bone)] = joint; };
    set(Bone::kHips, names.findFirst(Side::kCentre, c.hips));
    const std::vector<int> spine = names.findAll(c.spine);
    if (spine.size() > 2) set(Bone::kLowerBack, spine.front());
    if (spine.size() > 1) set(Bone::kSpine, spine[(spine.size() - 1) / 2]);
    if (!spine.empty()) set(Bone::kChest, spine.back());
    std::vector<int> neck = names.findAll(c.neck);
    int head = names.findFirst(Side::kCentre, c.head);
    if (head < 0 && neck.size() > 1) {
        head = neck.back();
        neck.pop_back();
    }
    set(Bone::kHead, head);
    if (!neck.empty()) set(Bone::kNeck, neck.front());
    if (neck.size() > 1) set(Bone::kNeck1, neck.back());
}

Humanoid match(const Convention& c, const NameIndex& names) {
    Humanoid h{c.name, {}};
    h.joints.fill(-1);
    setTrunk(c, names, h);
    const std::pair<Bone, const std::vector<std::string>*> limbs[] = {
        {Bone::kLeftShoulder, &c.shoulder}, {Bone::kLeftArm, &c.arm},
        {Bone::kLeftForeArm, &c.forearm},   {Bone::kLeftHand, &c.hand},
        {Bone::kLeftUpLeg, &c.upleg},       {Bone::kLeftLeg, &c.leg},
        {Bone::kLeftFoot, &c.foot},         {Bone::kLeftToe, &c.toe}};
    for (const auto& [bone, stems] : limbs) {
        h.joints[size_t(bone)] = names.findFirst(Side::kLeft, *stems);
        h.joints[size_t(mirrored(bone))] = names.findFirst(Side::kRight, *stems);
    }
    return h;
}

// Which bone each bone must stand below in the tree, where both are there; essential ones must be.
struct Rule {
    Bone bone, above;
    bool essential;
};
constexpr Rule kRules[] = {
    {Bone::kHips, Bone::kHips, true},
    {Bone::kChest, Bone::kHips, false},
    {Bone::kHead, Bone::kHips, false},
    {Bone::kLeftArm, Bone::kHips, true},
    {Bone::kLeftForeArm, Bone::kLeftArm, true},
    {Bone::kLeftHand, Bone::kLeftForeArm, false},
    {Bone::kRightArm, Bone::kHips, true},
    {Bone::kRightForeArm, Bone::kRightArm, true},
    {Bone::kRightHand, Bone::kRightForeArm, false},
    {Bone::kLeftUpLeg, Bone::kHips, true},
    {Bone::kLeftLeg, Bone::kLeftUpLeg, true},
    {Bone::kLeftFoot, Bone::kLeftLeg, true},
    {Bone::kLeftToe, Bone::kLeftFoot, false},
    {Bone::kRightUpLeg, Bone::kHips, true},
    {Bone::kRightLeg, Bone::kRightUpLeg, true},
    {Bone::kRightFoot, Bone::kRightLeg, true},
    {Bone::kRightToe, Bone::kRightFoot, false},
};

bool isBelow(const Skeleton& skeleton, int joint, int above) {
    for (int j = skeleton.joints[size_t(joint)].parent; j >= 0;
         j = skeleton.joints[size_t(j)].parent)
        if (j == above) return true;
    return false;
}

std::string missingBones(const Humanoid& h) {
    std::string list;
    for (const Rule& rule : kRules)
        if (rule.essential && !h.has(rule.bone))
            list.append(list.empty() ? "" : ", ").append(nameOf(rule.bone));
    return list;
}

// Empty where the tree agrees with the human.
std::string treeFault(const Skeleton& skeleton, const Humanoid& h) {
    for (const Rule& rule : kRules) {
        if (rule.bone == rule.above || !h.has(rule.bone) || !h.has(rule.above)) continue;
        const int joint = h[rule.bone], above = h[rule.above];
        if (!isBelow(skeleton, joint, above))
            return std::string(nameOf(rule.bone)) + " (joint '" +
                   skeleton.joints[size_t(joint)].name + "') does not hang below " +
                   nameOf(rule.above) + " (joint '" + skeleton.joints[size_t(above)].name + "')";
    }
    return "";
}

size_t countFound(const Humanoid& h) {
    return size_t(std::count_if(h.joints.begin(), h.joints.end(), [](int j) { return j >= 0; }));
}

}  // namespace

const char* nameOf(Bone bone) {
    static constexpr const char* kNames[kBoneCount] = {
        "Hips",     "LowerBack",    "Spine",     "Chest",       "Neck",     "Neck1",
        "Head",     "LeftShoulder", "LeftArm",   "LeftForeArm", "LeftHand", "RightShoulder",
        "RightArm", "RightForeArm", "RightHand", "LeftUpLeg",   "LeftLeg",  "LeftFoot",
        "LeftToe",  "RightUpLeg",   "RightLeg",  "RightFoot",   "RightToe"};
    return kNames[size_t(bone)];
}

Bone mirrored(Bone bone) {
    const auto shifted = [&](Bone first, Bone partner) {
        return Bone(int(bone) - int(first) + int(partner));
    };
    if (bone < Bone::kLeftShoulder) return bone;
    if (bone < Bone::kRightShoulder) return shifted(Bone::kLeftShoulder, Bone::kRightShoulder);
    if (bone < Bone::kLeftUpLeg) return shifted(Bone::kRightShoulder, Bone::kLeftShoulder);
    if (bone < Bone::kRightUpLeg) return shifted(Bone::kLeftUpLeg, Bone::kRightUpLeg);
    return shifted(Bone::kRightUpLeg, Bone::kLeftUpLeg);
}

Result<Humanoid> recognise(const Skeleton& skeleton) {
    const NameIndex names(skeleton);
    Humanoid best, nearest;
    size_t best_count = 0, nearest_count = 0;
    for (const Convention& convention : conventions()) {
        Humanoid h = match(convention, names);
        const size_t count = countFound(h);
        if (count > nearest_count) nearest = h, nearest_count = count;
        const bool fits = missingBones(h).empty() && treeFault(skeleton, h).empty();
        if (fits && count > best_count) best = std::move(h), best_count = count;
    }
    if (best_count > 0) return best;
    if (nearest_count == 0)
        return errorf(
            "no joint of this skeleton (%s, ...) has a name of a known convention; write a mapping "
            "file, "
            "a JSON object like {\"Hips\": \"%s\", \"LeftUpLeg\": ...}",
            skeleton.joints[0].name.c_str(), skeleton.joints[0].name.c_str());
    const std::string missing = missingBones(nearest);
    const std::string fault =
        missing.empty() ? treeFault(skeleton, nearest) : "no joint for " + missing;
    return errorf(
        "this skeleton is nearest to the %s names, but: %s; say which joint is which in a mapping "
        "file, "
        "a JSON object like {\"LeftUpLeg\": \"name of the left thigh\", ...}",
        nearest.convention.c_str(), fault.c_str());
}

Status validate(const Humanoid& humanoid, const Skeleton& skeleton) {
    if (const std::string missing = missingBones(humanoid); !missing.empty())
        return errorf("no joint is given for %s", missing.c_str());
    if (const std::string fault = treeFault(skeleton, humanoid); !fault.empty())
        return errorf("%s", fault.c_str());
    return Done{};
}

}  // namespace hem
