// SPDX-License-Identifier: Apache-2.0
// After the glTF 2.0 specification, Khronos Group 2021: sections 3.6 (buffers and accessors), 3.7
// (skins), 3.11 (animations) and 4 (GLB).
#include "hem/character/formats/glb_export.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFloat = 5126, kUnsignedShort = 5123, kUnsignedInt = 5125;  // component types
constexpr int kNoTarget = 0, kVertexData = 34962, kIndexData = 34963;     // buffer view targets

static_assert(sizeof(Vec2) == 8 && sizeof(Vec3) == 12 && sizeof(Triangle) == 12);

struct Glb {
    Json json;
    std::vector<std::byte> binary;

    // Appends a buffer view and an accessor over it; returns the accessor's index.
    size_t add(const void* data, size_t bytes, size_t count, int component, const char* type,
               int target) {
        Json view = {{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", bytes}};
        if (target != kNoTarget) view["target"] = target;
        const auto* begin = static_cast<const std::byte*>(data);
        binary.insert(binary.end(), begin, begin + bytes);
        binary.resize((binary.size() + 3) / 4 * 4);
        json["bufferViews"].push_back(view);
        json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                     {"componentType", component},
                                     {"count", count},
                                     {"type", type}});
        return json["accessors"].size() - 1;
    }
    template <class T>
    size_t add(const std::vector<T>& list, size_t count, int component, const char* type,
               int target) {
        return add(list.data(), list.size() * sizeof(T), count, component, type, target);
    }
};

Json toJson(Vec3 v) { return {v.x, v.y, v.z}; }
Json toJson(Quat q) { return {q.x, q.y, q.z, q.w}; }

void addJoints(Glb& glb, const Skeleton& skeleton) {
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
void addWeightSet(Glb& glb, const Skin& skin, size_t set, Json& attributes) {
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

Json addAttributes(Glb& glb, const Mesh& mesh) {
    const size_t vertices = mesh.positions.size();
    Json attributes;
    const size_t positions = glb.add(mesh.positions, vertices, kFloat, "VEC3", kVertexData);
    const Bounds box = boundsOf(mesh.positions);
    glb.json["accessors"][positions]["min"] = toJson(box.low);
    glb.json["accessors"][positions]["max"] = toJson(box.high);
    attributes["POSITION"] = positions;
    attributes["NORMAL"] = glb.add(vertexNormals(mesh.positions, mesh.triangles), vertices, kFloat,
                                   "VEC3", kVertexData);
    if (!mesh.uvs.empty()) {
        std::vector<Vec2> uvs = mesh.uvs;
        for (Vec2& uv : uvs) uv.y = 1 - uv.y;  // glTF counts down from the texture's top
        attributes["TEXCOORD_0"] = glb.add(uvs, vertices, kFloat, "VEC2", kVertexData);
    }
    if (!mesh.colors.empty()) {
        std::vector<Vec3> colors = mesh.colors;
        for (Vec3& c : colors) c = max(Vec3{}, min(c, Vec3{1, 1, 1}));
        attributes["COLOR_0"] = glb.add(colors, vertices, kFloat, "VEC3", kVertexData);
    }
    return attributes;
}

// glTF stores matrices by columns, with the last row.
size_t addInverseBindMatrices(Glb& glb, const Skin& skin) {
    std::vector<float> numbers;
    for (const Affine& a : skin.joint_from_rest)
        for (int c = 0; c < 4; ++c) {
            for (int r = 0; r < 3; ++r) numbers.push_back(a.m[r][c]);
            numbers.push_back(c == 3 ? 1.0f : 0.0f);
        }
    return glb.add(numbers, skin.joint_from_rest.size(), kFloat, "MAT4", kNoTarget);
}

void addMesh(Glb& glb, const Character& character) {
    Json attributes = addAttributes(glb, character.mesh);
    const size_t sets = (size_t(character.skin.influences) + 3) / 4;
    for (size_t set = 0; set < sets; ++set) addWeightSet(glb, character.skin, set, attributes);
    Json primitive = {{"attributes", attributes}, {"material", 0}};
    if (!character.mesh.triangles.empty())
        primitive["indices"] =
            glb.add(character.mesh.triangles, character.mesh.triangles.size() * 3, kUnsignedInt,
                    "SCALAR", kIndexData);
    const std::string name = character.name.empty() ? "character" : character.name;
    glb.json["materials"] = {{{"name", "plain"},
                              {"pbrMetallicRoughness",
                               {{"baseColorFactor", {0.8, 0.8, 0.8, 1.0}},
                                {"metallicFactor", 0.0},
                                {"roughnessFactor", 0.7}}}}};
    glb.json["meshes"] = {{{"name", name}, {"primitives", {primitive}}}};
    Json joints = Json::array();
    for (size_t j = 0; j < character.skeleton.size(); ++j) joints.push_back(j);
    glb.json["skins"] = {{{"inverseBindMatrices", addInverseBindMatrices(glb, character.skin)},
                          {"skeleton", 0},
                          {"joints", joints}}};
    glb.json["nodes"].push_back({{"name", name + " mesh"}, {"mesh", 0}, {"skin", 0}});
    glb.json["scenes"][0]["nodes"].push_back(character.skeleton.size());
}

size_t addTimes(Glb& glb, const Motion& motion) {
    std::vector<float> times;
    for (size_t f = 0; f < motion.frames.size(); ++f)
        times.push_back(float(double(f) / motion.rate));
    const size_t input = glb.add(times, times.size(), kFloat, "SCALAR", kNoTarget);
    glb.json["accessors"][input]["min"] = {times.front()};
    glb.json["accessors"][input]["max"] = {times.back()};
    return input;
}

void addMotion(Glb& glb, const Motion& motion) {
    const size_t frames = motion.frames.size(), input = addTimes(glb, motion);
    Json animation = {
        {"name", motion.name}, {"channels", Json::array()}, {"samplers", Json::array()}};
    const auto addChannel = [&](size_t node, const char* path, size_t output) {
        animation["channels"].push_back({{"sampler", animation["samplers"].size()},
                                         {"target", {{"node", node}, {"path", path}}}});
        animation["samplers"].push_back(
            {{"input", input}, {"interpolation", "LINEAR"}, {"output", output}});
    };
    std::vector<Vec3> places;
    for (const Pose& pose : motion.frames) places.push_back(pose.root_position);
    addChannel(0, "translation", glb.add(places, frames, kFloat, "VEC3", kNoTarget));
    for (size_t j = 0; j < motion.skeleton.size(); ++j) {
        const Quat rest = motion.skeleton.joints[j].parent_from_rest.rotation;
        std::vector<float> turns;
        bool moves = false;
        for (const Pose& pose : motion.frames) {
            const Quat q = normalized(pose.rotations[j]);
            moves = moves || q != rest;
            turns.insert(turns.end(), {q.x, q.y, q.z, q.w});
        }
        if (moves) addChannel(j, "rotation", glb.add(turns, frames, kFloat, "VEC4", kNoTarget));
    }
    glb.json["animations"].push_back(animation);
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

void append(std::vector<std::byte>& bytes, const void* data, size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), begin, begin + size);
}

// Header, JSON chunk padded with blanks, binary chunk padded with noughts.
std::vector<std::byte> assemble(Glb& glb) {
    if (!glb.binary.empty()) glb.json["buffers"] = {{{"byteLength", glb.binary.size()}}};
    std::string text = glb.json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const size_t total = 12 + 8 + text.size() + (glb.binary.empty() ? 0 : 8 + glb.binary.size());
    std::vector<std::byte> bytes;
    bytes.reserve(total);
    const auto word = [&](uint32_t w) { append(bytes, &w, 4); };
    word(0x46546C67), word(2), word(uint32_t(total));
    word(uint32_t(text.size())), word(0x4E4F534A);
    append(bytes, text.data(), text.size());
    if (glb.binary.empty()) return bytes;
    word(uint32_t(glb.binary.size())), word(0x004E4942);
    append(bytes, glb.binary.data(), glb.binary.size());
    return bytes;
}

}  // namespace

Status saveGlb(const std::string& path, const Character& character,
               const std::vector<Motion>& motions) {
    const bool has_mesh = !character.mesh.positions.empty();
    const Status valid = has_mesh ? validate(character) : validate(character.skeleton);
    if (!valid) return inContext(path, valid.error());
    for (const Motion& motion : motions)
        if (Status s = checkMotion(motion, character.skeleton); !s)
            return inContext(path, s.error());
    Glb glb;
    glb.json["asset"] = {{"version", "2.0"}, {"generator", "Hemline"}};
    glb.json["scene"] = 0;
    addJoints(glb, character.skeleton);
    if (has_mesh) addMesh(glb, character);
    for (const Motion& motion : motions) addMotion(glb, motion);
    if (glb.binary.size() > (size_t(1) << 31))
        return errorf("%s: %zu MiB are too many for a GLB file; write fewer motions", path.c_str(),
                      glb.binary.size() >> 20);
    return writeFile(path, assemble(glb));
}

}  // namespace hem
