// SPDX-License-Identifier: Apache-2.0
#include "tools/subject.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "hem/character/by_name.h"
#include "hem/character/formats/bvh.h"
#include "hem/character/formats/character_import.h"
#include "hem/character/mannequin/mannequin.h"
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

bool isRecordedClip(const std::string& path) {
    return std::filesystem::exists(path + "/meta.json") ||
           (std::filesystem::is_directory(path) &&
            std::filesystem::exists(setFolderOf(path) + "/set.json") &&
            std::filesystem::absolute(path + "/..").lexically_normal().parent_path().filename() ==
                "clips");
}

Error whichClip(const std::string& folder) {
    const auto set = RecordingSet::open(folder);
    if (!set) return set.error();
    constexpr size_t kMost = 20;
    const std::vector<std::string> names = set->clipNames();
    std::string list;
    for (size_t i = 0; i < std::min(names.size(), kMost); ++i) list += (i ? ", " : "") + names[i];
    if (names.size() > kMost) list += format(" and %zu more", names.size() - kMost);
    if (names.empty()) return errorf("%s: is a set of recordings without clips", folder.c_str());
    return errorf("%s: is a set of recordings: name one of its clips, as %s/clips/%s; there are %s",
                  folder.c_str(), folder.c_str(), names[0].c_str(), list.c_str());
}

Result<Subject> loadRecordedSubject(const std::string& folder) {
    const auto set = RecordingSet::open(setFolderOf(folder));
    if (!set) return set.error();
    auto clip = set->clip(clipNameOf(folder));
    if (!clip) return clip.error();
    Subject subject{.character = set->scene().character, .garments = set->scene().garments};
    Motion motion{.name = clip->meta().name,
                  .skeleton = subject.character.skeleton,
                  .rate = clip->meta().rate};
    for (size_t i = 0; i < clip->frames(); ++i) motion.frames.push_back(clip->pose(i));
    subject.character.motions = {std::move(motion)};
    subject.recording = std::move(*clip);
    return subject;
}

}  // namespace

std::vector<SceneObject> recordedCloth(const Subject& subject, size_t frame,
                                       const std::vector<Vec3>& colors, bool wire) {
    constexpr Vec3 kDyes[] = {
        {0.10f, 0.16f, 0.30f}, {0.33f, 0.07f, 0.08f}, {0.36f, 0.25f, 0.10f}, {0.08f, 0.20f, 0.13f}};
    const auto positions = subject.recording->positions(frame);
    std::vector<SceneObject> objects;
    size_t first = 0;
    for (const Garment& garment : subject.garments) {
        const Vec3 dye = kDyes[objects.size() % std::size(kDyes)];
        SceneObject object{.mesh = garment.mesh,
                           .material = colors.empty() ? clothMaterial(dye) : dataMaterial(),
                           .wire = wire};
        for (size_t i = 0; i < garment.mesh.positions.size(); ++i) {
            object.mesh.positions[i] = positions[first + i];
            if (!colors.empty()) object.mesh.colors.push_back(colors[first + i]);
        }
        first += garment.mesh.positions.size();
        objects.push_back(std::move(object));
    }
    return objects;
}

Result<Subject> loadSubject(const std::string& input) {
    for (Sex sex : {Sex::kFemale, Sex::kMale})
        if (input == nameOf(sex)) return Subject{.character = mannequin(sex)};
    if (isRecordedClip(input)) return loadRecordedSubject(input);
    if (std::filesystem::exists(input + "/set.json")) return whichClip(input);
    const std::string extension = extensionOf(input);
    if (extension == "obj") return loadMeshSubject(input);
    if (extension == "bvh") return loadBvhSubject(input);
    if (isCharacterFile(input)) return loadCharacterSubject(input);
    return errorf(
        "%s: of no known kind; give female or male, an .obj mesh, a .glb, .gltf, .vrm or .fbx "
        "character, a .bvh motion, or the folder of a recorded clip (recordings/dress/clips/walk)",
        input.c_str());
}

Result<int> findJoint(const Skeleton& skeleton, const std::string& name) {
    const int joint = skeleton.find(name);
    if (joint >= 0) return joint;
    std::vector<std::string> names;
    for (const Joint& other : skeleton.joints) names.push_back(other.name);
    return errorf("no joint is called %s%s", quoteForMessage(name).c_str(),
                  suggestionFor(name, names).c_str());
}

}  // namespace hem::tools
