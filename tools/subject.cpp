// SPDX-License-Identifier: Apache-2.0
#include "tools/subject.h"

#include <algorithm>
#include <limits>

#include "hem/character/formats/bvh.h"
#include "hem/character/formats/character_import.h"
#include "hem/character/joint_names.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/motion_sets.h"
#include "hem/character/retarget/retarget.h"
#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/picture/stick_figure.h"

namespace hem::tools {
namespace {

constexpr BvhOptions kBvhOptions{.end_sites = true, .drop_t_pose = true};

// What can be shown with float coordinates in metres.
constexpr float kSmallest = 1e-4f, kFarthest = 1e6f;

Result<Subject> loadMeshSubject(const std::string& path) {
    auto mesh = loadObj(path);
    if (!mesh) return mesh.error();
    const Bounds bounds = boundsOf(mesh->positions);
    const float reach = std::max(length(bounds.low), length(bounds.high));
    if (!(reach < kFarthest) || length(bounds.size()) < kSmallest)
        return errorf(
            "%s: a mesh between %g m and %g km was expected, near the origin; is its unit metres?",
            path.c_str(), double(kSmallest), double(kFarthest / 1000));
    Subject subject;
    subject.floor_height = bounds.low.y;
    subject.character.name = stemOf(path);
    subject.character.mesh = std::move(*mesh);
    return subject;
}

float lowestJoint(const Motion& motion) {
    float lowest = std::numeric_limits<float>::infinity();
    for (const Pose& pose : motion.frames)
        for (const Affine& world_from_joint : worldFromJoints(motion.skeleton, pose))
            lowest = std::min(lowest, world_from_joint.translation().y);
    return std::isfinite(lowest) ? lowest : 0;
}

Subject stickSubject(const Skeleton& skeleton, const std::string& path,
                     std::vector<Motion> motions) {
    Subject subject{.character = stickFigure(skeleton, stemOf(path))};
    subject.floor_height = motions.empty() ? boundsOf(subject.character.mesh.positions).low.y
                                           : lowestJoint(motions[0]);
    subject.character.motions = std::move(motions);
    return subject;
}

Result<Subject> loadBvhSubject(const std::string& path) {
    auto motion = loadBvh(path, kBvhOptions);
    if (!motion) return motion.error();
    const Skeleton skeleton = motion->skeleton;
    return stickSubject(skeleton, path, {std::move(*motion)});
}

Result<Subject> loadCharacterSubject(const std::string& path) {
    auto character = loadCharacter(path);
    if (!character) return character.error();
    if (character->mesh.positions.empty())
        return stickSubject(character->skeleton, path, std::move(character->motions));
    return Subject{.character = std::move(*character)};
}

bool isCharacterFile(const std::string& path) {
    const std::string extension = extensionOf(path);
    return extension == "glb" || extension == "gltf" || extension == "vrm" || extension == "fbx";
}

// The only or first motion of a BVH or a character file.
Result<Motion> loadMotionFile(const std::string& path) {
    if (!isCharacterFile(path)) return loadBvh(path, kBvhOptions);
    auto character = loadCharacter(path);
    if (!character) return character.error();
    if (character->motions.empty()) return errorf("%s: has no animation", path.c_str());
    return std::move(character->motions[0]);
}

// Built-in motions are made on a mannequin's joints: the subject's own where it is one.
Skeleton skeletonForMaking(const Subject& subject) {
    const Skeleton male = mannequinSkeleton(Sex::kMale);
    return subject.character.skeleton == male ? male : mannequinSkeleton(Sex::kFemale);
}

}  // namespace

Result<Subject> loadSubject(const std::string& input) {
    for (Sex sex : {Sex::kFemale, Sex::kMale})
        if (input == nameOf(sex)) return Subject{.character = mannequin(sex)};
    const std::string extension = extensionOf(input);
    if (extension == "obj") return loadMeshSubject(input);
    if (extension == "bvh") return loadBvhSubject(input);
    if (isCharacterFile(input)) return loadCharacterSubject(input);
    return errorf(
        "%s: of no known kind; give female or male, an .obj mesh, a .glb, .gltf, .vrm or .fbx "
        "character, or a .bvh motion",
        input.c_str());
}

Result<Motion> loadMotionFor(const Subject& subject, const std::string& motion) {
    std::vector<std::string> names;
    for (const Motion& own : subject.character.motions) {
        if (own.name == motion) return own;
        names.push_back(own.name);
    }
    const bool is_file = extensionOf(motion) == "bvh" || isCharacterFile(motion);
    if (!is_file && !clipInfo(motion)) {
        const std::vector<std::string> built_in = builtInClipNames();
        names.insert(names.end(), built_in.begin(), built_in.end());
        return errorf("no such motion: %s%s (hemline motions lists the built-in ones)",
                      quoteForMessage(motion).c_str(), suggestionFor(motion, names).c_str());
    }
    const auto source =
        is_file ? loadMotionFile(motion) : makeMotion(motion, skeletonForMaking(subject));
    if (!source) return source.error();
    auto carried = retarget(*source, subject.character);
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

Result<int> findJoint(const Skeleton& skeleton, const std::string& name) {
    const int joint = skeleton.find(name);
    if (joint >= 0) return joint;
    std::vector<std::string> names;
    for (const Joint& other : skeleton.joints) names.push_back(other.name);
    return errorf("no joint is called %s%s", quoteForMessage(name).c_str(),
                  suggestionFor(name, names).c_str());
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

}  // namespace hem::tools
