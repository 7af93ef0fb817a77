// SPDX-License-Identifier: Apache-2.0
// Mapping files: bone names to joint names, as a JSON object.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "hem/character/humanoid.h"
#include "hem/character/joint_names.h"
#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

// ", did you mean 'a' or 'b'?", or nothing where no name is near.
std::string suggestion(const std::string& wrong, const std::vector<std::string>& names) {
    const std::string folded = foldedName(wrong);
    std::vector<std::pair<size_t, std::string>> near;
    for (const std::string& name : names) {
        const std::string candidate = foldedName(name);
        const bool contained = folded.size() > 2 && (candidate.find(folded) != std::string::npos ||
                                                     folded.find(candidate) != std::string::npos);
        const size_t distance = contained ? 1 : editDistance(folded, candidate);
        if (distance <= std::max<size_t>(2, folded.size() / 3)) near.push_back({distance, name});
    }
    std::stable_sort(near.begin(), near.end(), [](auto& a, auto& b) { return a.first < b.first; });
    if (near.empty()) return "";
    std::string text = "; did you mean '" + near[0].second + "'";
    if (near.size() > 1) text += " or '" + near[1].second + "'";
    return text + "?";
}

std::vector<std::string> boneNames() {
    std::vector<std::string> names;
    for (int b = 0; b < kBoneCount; ++b) names.push_back(nameOf(Bone(b)));
    return names;
}

// CMU's own names for the two bones that are called otherwise here are taken too.
int boneCalled(const std::string& key) {
    const std::string name = key == "Spine1"         ? "Chest"
                             : key == "LeftToeBase"  ? "LeftToe"
                             : key == "RightToeBase" ? "RightToe"
                                                     : key;
    for (int b = 0; b < kBoneCount; ++b)
        if (name == nameOf(Bone(b))) return b;
    return -1;
}

Status addEntry(const std::string& key, const nlohmann::json& value, const Skeleton& skeleton,
                Humanoid& humanoid) {
    const int bone = boneCalled(key);
    if (bone < 0)
        return errorf("%s is not a bone%s", quoteForMessage(key).c_str(),
                      suggestion(key, boneNames()).c_str());
    if (!value.is_string())
        return errorf("%s must have a joint's name in quotes, not %s", key.c_str(),
                      quoteForMessage(value.dump()).c_str());
    const std::string joint_name = value.get<std::string>();
    const int joint = skeleton.find(joint_name);
    if (joint < 0) {
        std::vector<std::string> names;
        for (const Joint& j : skeleton.joints) names.push_back(j.name);
        return errorf("%s: the skeleton has no joint %s%s", key.c_str(),
                      quoteForMessage(joint_name).c_str(), suggestion(joint_name, names).c_str());
    }
    for (int other = 0; other < kBoneCount; ++other)
        if (other != bone && humanoid.joints[size_t(other)] == joint)
            return errorf("joint %s is given for both %s and %s",
                          quoteForMessage(joint_name).c_str(), nameOf(Bone(other)), key.c_str());
    humanoid.joints[size_t(bone)] = joint;
    return Done{};
}

}  // namespace

Result<Humanoid> parseMapping(std::string_view text, const std::string& name,
                              const Skeleton& skeleton) {
    nlohmann::json json;
    try {
        json = nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        const size_t at = std::min(error.byte, text.size());
        const long line = 1 + std::count(text.begin(), text.begin() + long(at), '\n');
        return errorf(
            "%s:%ld: not JSON; a mapping file is an object like {\"Hips\": \"pelvis\", ...}",
            name.c_str(), line);
    }
    if (!json.is_object())
        return errorf("%s: a mapping file is a JSON object like {\"Hips\": \"pelvis\", ...}",
                      name.c_str());
    Humanoid humanoid{"mapping file", {}};
    humanoid.joints.fill(-1);
    for (const auto& [key, value] : json.items())
        if (Status s = addEntry(key, value, skeleton, humanoid); !s)
            return inContext(name, s.error());
    if (Status s = validate(humanoid, skeleton); !s) return inContext(name, s.error());
    return humanoid;
}

Result<Humanoid> loadMapping(const std::string& path, const Skeleton& skeleton) {
    const auto text = readTextFile(path);
    if (!text) return text.error();
    return parseMapping(*text, path, skeleton);
}

}  // namespace hem
