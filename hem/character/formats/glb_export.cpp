// SPDX-License-Identifier: Apache-2.0
// After the glTF 2.0 specification, Khronos Group 2021: sections 3.7 (meshes, morph targets and
// skins) and 3.11 (animations).
#include "hem/character/formats/glb_export.h"

#include <algorithm>

#include "hem/character/formats/glb_writer.h"
#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/runtime/hem.h"

namespace hem {
namespace {

using namespace glb;

static_assert(sizeof(Vec2) == 8 && sizeof(Vec3) == 12 && sizeof(Triangle) == 12);

void addJoints(GlbWriter& glb, const Skeleton& skeleton) {
    for (const Joint& joint : skeleton.joints) {
        Json node = {{"name", joint.name},
                     {"translation", toJson(joint.parent_from_rest.translation)}};
        if (joint.parent_from_rest.rotation != Quat{})
            node["rotation"] = toJson(normalized(joint.parent_from_rest.rotation));
        glb.json["nodes"].push_back(node);
    }
    for (size_t j = 1; j < skeleton.size(); ++j)
        glb.json["nodes"][size_t(skeleton.joints[j].parent)]["children"].push_back(j);
    glb.json["scenes"][0]["nodes"] = {0};
}

// Set `set` of four weights, rescaled so that all sets sum to 1 in float; joints of weight nought
// are 0.
void addWeightSet(GlbWriter& glb, const Skin& skin, size_t set, Json& attributes) {
    const size_t vertices = skin.vertexCount(), influences = size_t(skin.influences);
    std::vector<uint16_t> joints(vertices * 4);
    std::vector<float> weights(vertices * 4);
    for (size_t v = 0; v < vertices; ++v) {
        double sum = 0;
        for (size_t i = 0; i < influences; ++i) sum += double(skin.weights[v * influences + i]);
        for (size_t i = set * 4; i < std::min(influences, set * 4 + 4); ++i) {
            const size_t from = v * influences + i, to = v * 4 + i - set * 4;
            weights[to] = float(double(skin.weights[from]) / sum);
            joints[to] = weights[to] > 0 ? skin.joints[from] : uint16_t(0);
        }
    }
    const std::string number = std::to_string(set);
    attributes["JOINTS_" + number] = glb.add(joints, vertices, kUnsignedShort, "VEC4", kVertexData);
    attributes["WEIGHTS_" + number] = glb.add(weights, vertices, kFloat, "VEC4", kVertexData);
}

size_t addUvs(GlbWriter& glb, std::vector<Vec2> uvs) {
    for (Vec2& uv : uvs) uv.y = 1 - uv.y;  // glTF counts down from the texture's top
    return glb.add(uvs, uvs.size(), kFloat, "VEC2", kVertexData);
}

Json addAttributes(GlbWriter& glb, const Mesh& mesh, const std::vector<Vec3>& normals) {
    Json attributes;
    attributes["POSITION"] = glb.addPositions(mesh.positions);
    attributes["NORMAL"] = glb.add(normals, normals.size(), kFloat, "VEC3", kVertexData);
    if (!mesh.uvs.empty()) attributes["TEXCOORD_0"] = addUvs(glb, mesh.uvs);
    if (!mesh.colors.empty()) {
        std::vector<Vec3> colors = mesh.colors;
        for (Vec3& c : colors) c = max(Vec3{}, min(c, Vec3{1, 1, 1}));
        attributes["COLOR_0"] = glb.add(colors, colors.size(), kFloat, "VEC3", kVertexData);
    }
    return attributes;
}

// Of a mesh and its material, which is made too.
Json addPrimitive(GlbWriter& glb, const Json& attributes, const std::vector<Triangle>& triangles,
                  Json material) {
    Json primitive = {{"attributes", attributes}, {"material", glb.json["materials"].size()}};
    if (!triangles.empty())
        primitive["indices"] =
            glb.add(triangles, triangles.size() * 3, kUnsignedInt, "SCALAR", kIndexData);
    glb.json["materials"].push_back(std::move(material));
    return primitive;
}

Json materialOf(const char* name, Vec3 color, float roughness) {
    return {{"name", name},
            {"pbrMetallicRoughness",
             {{"baseColorFactor", {color.x, color.y, color.z, 1.0}},
              {"metallicFactor", 0.0},
              {"roughnessFactor", roughness}}}};
}

// glTF stores matrices by columns, with the last row.
size_t addInverseBindMatrices(GlbWriter& glb, const Skin& skin) {
    std::vector<float> numbers;
    for (const Affine& a : skin.joint_from_rest)
        for (int c = 0; c < 4; ++c) {
            for (int r = 0; r < 3; ++r) numbers.push_back(a.m[r][c]);
            numbers.push_back(c == 3 ? 1.0f : 0.0f);
        }
    return glb.add(numbers, skin.joint_from_rest.size(), kFloat, "MAT4", kNoTarget);
}

void addBody(GlbWriter& glb, const Character& character) {
    Json attributes = addAttributes(
        glb, character.mesh, vertexNormals(character.mesh.positions, character.mesh.triangles));
    const size_t sets = (size_t(character.skin.influences) + 3) / 4;
    for (size_t set = 0; set < sets; ++set) addWeightSet(glb, character.skin, set, attributes);
    const Json primitive = addPrimitive(glb, attributes, character.mesh.triangles,
                                        materialOf("plain", {0.8f, 0.8f, 0.8f}, 0.7f));
    const std::string name = character.name.empty() ? "character" : character.name;
    glb.json["meshes"].push_back({{"name", name}, {"primitives", {primitive}}});
    Json joints = Json::array();
    for (size_t j = 0; j < character.skeleton.size(); ++j) joints.push_back(j);
    glb.json["skins"] = {{{"inverseBindMatrices", addInverseBindMatrices(glb, character.skin)},
                          {"skeleton", 0},
                          {"joints", joints}}};
    glb.json["nodes"].push_back({{"name", name + " mesh"}, {"mesh", 0}, {"skin", 0}});
    glb.json["scenes"][0]["nodes"].push_back(character.skeleton.size());
}

// Returns the garment's node.
size_t addGarment(GlbWriter& glb, const MorphMesh& garment) {
    Json attributes = addAttributes(glb, garment.mesh, garment.normals);
    // whole numbers as floats: glTF allows attributes no wide integers
    const std::vector<float> ids(garment.player_vertices.begin(), garment.player_vertices.end());
    attributes["_VERTEX"] = glb.add(ids, ids.size(), kFloat, "SCALAR", kVertexData);
    Json material = materialOf("cloth", garment.base_color, 0.85f);
    material["doubleSided"] = true;
    Json primitive = addPrimitive(glb, attributes, garment.mesh.triangles, material);
    Json names = Json::array();
    for (const MorphMesh::Target& target : garment.targets) {
        primitive["targets"].push_back(
            {{"POSITION", glb.addPositions(target.offsets)},
             {"NORMAL", glb.add(target.normal_offsets, target.normal_offsets.size(), kFloat, "VEC3",
                                kVertexData)}});
        names.push_back(target.name);
    }
    glb.json["meshes"].push_back({{"name", garment.name},
                                  {"primitives", {primitive}},
                                  {"weights", std::vector<float>(garment.targets.size())},
                                  {"extras", {{"targetNames", names}}}});
    const size_t node = glb.json["nodes"].size();
    glb.json["nodes"].push_back({{"name", garment.name},
                                 {"mesh", glb.json["meshes"].size() - 1},
                                 {"translation", toJson(garment.rest.translation)},
                                 {"rotation", toJson(normalized(garment.rest.rotation))}});
    glb.json["scenes"][0]["nodes"].push_back(node);
    return node;
}

// An animation as it grows; all its channels have the same times.
struct Animation {
    GlbWriter& glb;
    size_t frames, input;
    Json json;

    Animation(GlbWriter& writer, const Motion& motion)
        : glb(writer), frames(motion.frames.size()), input(addTimes(motion)) {
        json = {{"name", motion.name}, {"channels", Json::array()}, {"samplers", Json::array()}};
    }
    size_t addTimes(const Motion& motion) {
        std::vector<float> times;
        for (size_t f = 0; f < frames; ++f) times.push_back(float(double(f) / motion.rate));
        const size_t accessor = glb.add(times, frames, kFloat, "SCALAR", kNoTarget);
        glb.json["accessors"][accessor]["min"] = {times.front()};
        glb.json["accessors"][accessor]["max"] = {times.back()};
        return accessor;
    }
    void add(size_t node, const char* path, size_t output) {
        json["channels"].push_back(
            {{"sampler", json["samplers"].size()}, {"target", {{"node", node}, {"path", path}}}});
        json["samplers"].push_back(
            {{"input", input}, {"interpolation", "LINEAR"}, {"output", output}});
    }
    void addTranslations(size_t node, const std::vector<Vec3>& places) {
        add(node, "translation", glb.add(places, frames, kFloat, "VEC3", kNoTarget));
    }
    // Each as near to the one before as its sign allows, for programs that take q to -q the long
    // way.
    void addRotations(size_t node, const std::vector<Quat>& turns) {
        std::vector<float> numbers;
        Quat last = turns[0];
        for (Quat turn : turns) {
            last = nearest(normalized(turn), last);
            numbers.insert(numbers.end(), {last.x, last.y, last.z, last.w});
        }
        add(node, "rotation", glb.add(numbers, frames, kFloat, "VEC4", kNoTarget));
    }
    void finish() { glb.json["animations"].push_back(json); }
};

// Joints are the first nodes.
void addMotion(Animation& animation, const Motion& motion) {
    std::vector<Vec3> places;
    for (const Pose& pose : motion.frames) places.push_back(pose.root_position);
    animation.addTranslations(0, places);
    for (size_t j = 0; j < motion.skeleton.size(); ++j) {
        const Quat rest = motion.skeleton.joints[j].parent_from_rest.rotation;
        std::vector<Quat> turns;
        for (const Pose& pose : motion.frames) turns.push_back(normalized(pose.rotations[j]));
        if (std::any_of(turns.begin(), turns.end(), [&](Quat q) { return q != rest; }))
            animation.addRotations(j, turns);
    }
}

void addMorphing(Animation& animation, const MorphMesh& garment, size_t node) {
    std::vector<Vec3> places;
    std::vector<Quat> turns;
    for (const Transform& t : garment.world_from_mesh) {
        places.push_back(t.translation);
        turns.push_back(t.rotation);
    }
    animation.addTranslations(node, places);
    animation.addRotations(node, turns);
    if (garment.targets.empty()) return;
    animation.add(
        node, "weights",
        animation.glb.add(garment.weights, garment.weights.size(), kFloat, "SCALAR", kNoTarget));
}

Status checkMotion(const Motion& motion, const Skeleton& skeleton) {
    if (motion.frames.empty())
        return errorf("motion %s has no frames", quoteForMessage(motion.name).c_str());
    bool same = motion.skeleton.size() == skeleton.size();
    for (size_t j = 0; same && j < skeleton.size(); ++j)
        same = motion.skeleton.joints[j].name == skeleton.joints[j].name &&
               motion.skeleton.joints[j].parent == skeleton.joints[j].parent;
    if (!same)
        return errorf("motion %s is on other joints than the character; retarget it first",
                      quoteForMessage(motion.name).c_str());
    return Done{};
}

Status checkGarment(const MorphMesh& garment, size_t frames) {
    const size_t vertices = garment.mesh.positions.size();
    bool same = vertices > 0 && garment.normals.size() == vertices &&
                garment.player_vertices.size() == vertices &&
                (garment.mesh.uvs.empty() || garment.mesh.uvs.size() == vertices) &&
                garment.world_from_mesh.size() == frames &&
                garment.weights.size() == frames * garment.targets.size();
    for (const MorphMesh::Target& target : garment.targets)
        same =
            same && target.offsets.size() == vertices && target.normal_offsets.size() == vertices;
    if (same) return Done{};
    return errorf("the arrays of %s are not of one size", quoteForMessage(garment.name).c_str());
}

Status check(const Character& character, const std::vector<Motion>& motions) {
    const bool has_mesh = !character.mesh.positions.empty();
    const Status valid = has_mesh ? validate(character) : validate(character.skeleton);
    if (!valid) return valid;
    for (const Motion& motion : motions)
        if (Status s = checkMotion(motion, character.skeleton); !s) return s;
    return Done{};
}

GlbWriter startFile() {
    GlbWriter glb;
    glb.json["asset"] = {{"version", "2.0"}, {"generator", format("Hemline %s", hem_version())}};
    glb.json["scene"] = 0;
    return glb;
}

void addCharacter(GlbWriter& glb, const Character& character) {
    addJoints(glb, character.skeleton);
    if (!character.mesh.positions.empty()) addBody(glb, character);
}

Status write(const std::string& path, GlbWriter& glb) {
    if (glb.binary.size() > (size_t(1) << 31))
        return errorf("%s: %zu MiB are too many for a GLB file; write fewer or shorter motions",
                      path.c_str(), glb.binary.size() >> 20);
    return writeFile(path, glb.assemble());
}

}  // namespace

Status saveGlb(const std::string& path, const Character& character,
               const std::vector<Motion>& motions) {
    if (const Status good = check(character, motions); !good) return inContext(path, good.error());
    GlbWriter glb = startFile();
    addCharacter(glb, character);
    for (const Motion& motion : motions) {
        Animation animation(glb, motion);
        addMotion(animation, motion);
        animation.finish();
    }
    return write(path, glb);
}

Status saveGlb(const std::string& path, const WornGlb& worn) {
    const Motion& motion = *worn.motion;
    Status good = checkGarment(*worn.garment, motion.frames.size());
    if (good) good = worn.character ? check(*worn.character, {motion}) : Status(Done{});
    if (good && motion.frames.empty()) good = errorf("the motion has no frames");
    if (!good) return inContext(path, good.error());
    GlbWriter glb = startFile();
    if (!worn.extras_json.empty()) {
        Json extras = Json::parse(worn.extras_json, nullptr, false);
        if (!extras.is_object()) return errorf("%s: the extras are no JSON object", path.c_str());
        glb.json["asset"]["extras"] = std::move(extras);
    }
    if (worn.character) addCharacter(glb, *worn.character);
    const size_t node = addGarment(glb, *worn.garment);
    Animation animation(glb, motion);
    if (worn.character) addMotion(animation, motion);
    addMorphing(animation, *worn.garment, node);
    animation.finish();
    return write(path, glb);
}

}  // namespace hem
