// SPDX-License-Identifier: Apache-2.0
#include "hem/character/formats/character_import.h"

#include <algorithm>
#include <cmath>

#include "hem/character/formats/import_rig.h"
#include "hem/character/formats/scene_reader.h"
#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

using Influences = std::vector<std::vector<Influence>>;

void addMesh(const RawMesh& raw, const Affine& world_from_mesh, Mesh& mesh) {
    const uint32_t first = uint32_t(mesh.positions.size());
    for (Vec3 p : raw.positions) mesh.positions.push_back(transformPoint(world_from_mesh, p));
    // a mirroring node turns triangles inside out
    const bool mirrored = determinant(world_from_mesh.linear()) < 0;
    for (Triangle t : raw.triangles) {
        if (mirrored) std::swap(t[1], t[2]);
        mesh.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    }
    mesh.uvs.resize(first);
    for (size_t v = 0; v < raw.positions.size(); ++v)
        mesh.uvs.push_back(raw.uvs.empty() ? Vec2{} : raw.uvs[v]);
}

void addWeight(std::vector<Influence>& list, int joint, float weight) {
    for (Influence& i : list)
        if (i.joint == joint) return void(i.weight += weight);
    list.push_back({joint, weight});
}

void addWeights(const RawMesh& raw, const Rig& rig, Influences& influences) {
    const size_t first = influences.size();
    influences.resize(first + raw.positions.size());
    for (const RawBone& bone : raw.bones) {
        const int joint = std::max(0, rig.joint_of_node[size_t(bone.node)]);
        for (const RawWeight& w : bone.weights)
            if (w.weight > 0) addWeight(influences[first + w.vertex], joint, w.weight);
    }
    if (!raw.bones.empty()) return;
    const int joint = std::max(0, rig.joint_of_node[size_t(raw.node)]);
    for (size_t v = first; v < influences.size(); ++v) influences[v] = {{joint, 1.0f}};
}

Skin skinFrom(Influences& influences, std::vector<std::string>& notes) {
    size_t unweighted = 0, uneven = 0, crowded = 0, most = 1;
    for (auto& list : influences) {
        float sum = 0;
        for (const Influence& i : list) sum += i.weight;
        if (list.empty() || !(sum > 1e-6f)) {
            ++unweighted;
            list = {{0, 1.0f}};
        } else if (std::abs(sum - 1) > 0.01f) {
            ++uneven;
        }
        crowded += list.size() > size_t(Skin::kMaxInfluences);
        most = std::max(most, list.size());
    }
    if (unweighted)
        notes.push_back(
            format("%zu of %zu vertices have no weights and follow the root; paint them.",
                   unweighted, influences.size()));
    if (uneven)
        notes.push_back(
            format("The weights of %zu vertices did not sum to 1 and were rescaled.", uneven));
    if (crowded)
        notes.push_back(
            format("%zu vertices follow more than %d joints; the smallest weights were left out.",
                   crowded, Skin::kMaxInfluences));
    return makeSkin(influences, {}, most <= 4 ? 4 : Skin::kMaxInfluences);
}

void noteWelded(Character& c) {
    if (c.mesh.positions.empty()) return;
    const size_t welded_count = weldByPosition(c.mesh.positions).original_from_welded.size();
    if (welded_count < c.mesh.positions.size())
        c.notes.push_back(
            format("%zu vertices stand in %zu places: seams of texture or normals split them.",
                   c.mesh.positions.size(), welded_count));
}

Result<Character> toCharacter(RawScene scene, const std::string& name,
                              const CharacterOptions& options) {
    Character c;
    c.name = name;
    bindAsItStands(scene, c.notes);
    const auto rig = buildRig(scene, c.notes);
    if (!rig) return rig.error();
    c.skeleton = rig->skeleton;
    Influences influences;
    bool has_uvs = false;
    for (size_t m = 0; m < scene.meshes.size(); ++m) {
        if (!rig->mesh_belongs[m]) continue;
        addMesh(scene.meshes[m], rig->world_from_mesh[m], c.mesh);
        addWeights(scene.meshes[m], *rig, influences);
        has_uvs = has_uvs || !scene.meshes[m].uvs.empty();
    }
    if (!has_uvs) c.mesh.uvs.clear();
    c.skin = skinFrom(influences, c.notes);
    auto motions = bakeMotions(scene, *rig, options.rate, name, c.notes);
    if (!motions) return motions.error();
    c.motions = std::move(*motions);
    place(c, scene, options.metres_per_unit, options.keep_pose);
    noteWelded(c);
    if (Status s = validate(c); !s) return s.error();
    return c;
}

}  // namespace

Result<Character> loadCharacter(const std::string& path, const CharacterOptions& options) {
    CHECK(options.metres_per_unit >= 0 && std::isfinite(options.metres_per_unit));
    CHECK(options.rate > 0 && std::isfinite(options.rate));
    const std::string extension = extensionOf(path);
    const bool gltf = extension == "glb" || extension == "gltf" || extension == "vrm";
    if (!gltf && extension != "fbx")
        return errorf("%s: characters are read from .glb, .gltf, .vrm and .fbx files",
                      path.c_str());
    if (const auto bytes = readFile(path); !bytes) return bytes.error();
    auto scene = readScene(path);
    if (!scene) return inContext(path, scene.error());
    auto character = toCharacter(std::move(*scene), stemOf(path), options);
    if (!character) return inContext(path, character.error());
    return character;
}

}  // namespace hem
