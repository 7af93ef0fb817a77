// SPDX-License-Identifier: Apache-2.0
#include "hem/character/by_name.h"

#include <algorithm>

#include "hem/character/formats/bvh.h"
#include "hem/character/formats/character_import.h"
#include "hem/character/joint_names.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/motion_sets.h"
#include "hem/character/retarget/retarget.h"
#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

// The only or first motion of a BVH or a character file.
Result<Motion> loadMotionFile(const std::string& path) {
    if (!isCharacterFile(path)) return loadBvh(path, {.end_sites = true, .drop_t_pose = true});
    auto character = loadCharacter(path);
    if (!character) return character.error();
    if (character->motions.empty()) return errorf("%s: has no animation", path.c_str());
    return std::move(character->motions[0]);
}

// Built-in motions are made on a mannequin's joints: the subject's own where it is one.
Skeleton skeletonForMaking(const Character& character) {
    const Skeleton male = mannequinSkeleton(Sex::kMale);
    return character.skeleton == male ? male : mannequinSkeleton(Sex::kFemale);
}

bool isMotionFile(const std::string& name) {
    return extensionOf(name) == "bvh" || isCharacterFile(name);
}

}  // namespace

bool isCharacterFile(const std::string& path) {
    const std::string extension = extensionOf(path);
    return extension == "glb" || extension == "gltf" || extension == "vrm" || extension == "fbx";
}

Result<Character> characterByName(const std::string& name) {
    for (Sex sex : {Sex::kFemale, Sex::kMale})
        if (name == nameOf(sex)) return mannequin(sex);
    if (isCharacterFile(name)) return loadCharacter(name);
    return errorf(
        "%s: of no known kind; give female or male, or a .glb, .gltf, .vrm or .fbx character",
        name.c_str());
}

Result<Motion> sourceMotion(const Character& character, const std::string& motion) {
    if (isMotionFile(motion)) return loadMotionFile(motion);
    if (clipInfo(motion)) return makeMotion(motion, skeletonForMaking(character));
    std::vector<std::string> names = builtInClipNames();
    for (const Motion& own : character.motions) names.push_back(own.name);
    return errorf("no such motion: %s%s (hemline motions lists the built-in ones)",
                  quoteForMessage(motion).c_str(), suggestionFor(motion, names).c_str());
}

Result<Motion> motionFor(const Character& character, const std::string& motion) {
    for (const Motion& own : character.motions)
        if (own.name == motion) return own;
    const auto source = sourceMotion(character, motion);
    if (!source) return source.error();
    auto carried = retarget(*source, character);
    if (!carried) return inContext(motion, carried.error());
    return std::move(*carried);
}

std::vector<std::string> builtInClipNames() {
    std::vector<std::string> names;
    for (const std::string& set : motionSetNames()) {
        const auto clips = motionSet(set);
        for (const ClipInfo& clip : clips.value()) names.push_back(clip.name);
    }
    return names;
}

std::string suggestionFor(const std::string& wanted, const std::vector<std::string>& names) {
    std::vector<std::pair<size_t, std::string>> ranked;
    const std::string folded = foldedName(wanted);
    for (const std::string& name : names) {
        const std::string other = foldedName(name);
        const bool part = !folded.empty() && other.find(folded) != other.npos;
        ranked.push_back({part ? 0 : editDistance(folded, other), name});
    }
    std::sort(ranked.begin(), ranked.end());
    const size_t limit = std::max<size_t>(2, folded.size() / 2);
    std::string text;
    for (size_t i = 0; i < ranked.size() && i < 3 && ranked[i].first <= limit; ++i)
        text += (text.empty() ? "; did you mean " : ", ") + quoteForMessage(ranked[i].second);
    return text.empty() ? text : text + "?";
}

}  // namespace hem
