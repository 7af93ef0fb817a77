// SPDX-License-Identifier: Apache-2.0
#include "hem/character/formats/assimp_reader.h"

#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <cmath>
#include <unordered_map>

#include "hem/core/text.h"

namespace hem {
namespace {

Vec3 toVec3(const aiVector3D& v) { return {v.x, v.y, v.z}; }
Quat toQuat(const aiQuaternion& q) { return {q.w, q.x, q.y, q.z}; }
std::string toText(const aiString& s) {
    return {s.data, std::min<size_t>(s.length, sizeof s.data)};
}

Affine toAffine(const aiMatrix4x4& m) {
    Affine a;
    for (unsigned r = 0; r < 3; ++r)
        for (unsigned c = 0; c < 4; ++c) a.m[r][c] = m[r][c];
    return a;
}

// Nodes in depth-first order, without recursion: a hostile file may nest deeply.
void takeNodes(const aiScene& source, RawScene& scene, std::vector<const aiNode*>& order) {
    std::vector<std::pair<const aiNode*, int>> stack{{source.mRootNode, -1}};
    while (!stack.empty()) {
        const auto [node, parent] = stack.back();
        stack.pop_back();
        const int index = int(scene.nodes.size());
        scene.nodes.push_back({toText(node->mName), parent, toAffine(node->mTransformation)});
        order.push_back(node);
        for (unsigned c = node->mNumChildren; c-- > 0;)
            stack.push_back({node->mChildren[c], index});
    }
}

RawMesh takeMesh(const aiMesh& source, int node) {
    RawMesh mesh;
    mesh.name = toText(source.mName);
    mesh.node = node;
    for (unsigned v = 0; v < source.mNumVertices; ++v)
        mesh.positions.push_back(toVec3(source.mVertices[v]));
    if (const aiVector3D* uvs = source.mTextureCoords[0])
        for (unsigned v = 0; v < source.mNumVertices; ++v) mesh.uvs.push_back({uvs[v].x, uvs[v].y});
    for (unsigned f = 0; f < source.mNumFaces; ++f) {
        const aiFace& face = source.mFaces[f];
        if (face.mNumIndices == 3)
            mesh.triangles.push_back({face.mIndices[0], face.mIndices[1], face.mIndices[2]});
    }
    for (unsigned b = 0; b < source.mNumBones; ++b) {
        const aiBone& from = *source.mBones[b];
        RawBone bone{toText(from.mName), -1, toAffine(from.mOffsetMatrix), {}};
        for (unsigned w = 0; w < from.mNumWeights; ++w)
            if (from.mWeights[w].mWeight != 0)
                bone.weights.push_back({from.mWeights[w].mVertexId, from.mWeights[w].mWeight});
        mesh.bones.push_back(std::move(bone));
    }
    return mesh;
}

void takeMeshes(const aiScene& source, const std::vector<const aiNode*>& order, RawScene& scene) {
    for (size_t n = 0; n < order.size(); ++n)
        for (unsigned m = 0; m < order[n]->mNumMeshes; ++m)
            if (const unsigned index = order[n]->mMeshes[m]; index < source.mNumMeshes)
                scene.meshes.push_back(takeMesh(*source.mMeshes[index], int(n)));
}

RawChannel takeChannel(const aiNodeAnim& source, int node, double ticks) {
    RawChannel channel;
    channel.node = node;
    for (unsigned k = 0; k < source.mNumPositionKeys; ++k)
        channel.positions.push_back(
            {source.mPositionKeys[k].mTime / ticks, toVec3(source.mPositionKeys[k].mValue)});
    for (unsigned k = 0; k < source.mNumScalingKeys; ++k)
        channel.scales.push_back(
            {source.mScalingKeys[k].mTime / ticks, toVec3(source.mScalingKeys[k].mValue)});
    for (unsigned k = 0; k < source.mNumRotationKeys; ++k)
        channel.rotations.push_back(
            {source.mRotationKeys[k].mTime / ticks, toQuat(source.mRotationKeys[k].mValue)});
    return channel;
}

void takeAnimations(const aiScene& source, RawScene& scene) {
    std::unordered_map<std::string, int> node_of_name;
    for (size_t n = 0; n < scene.nodes.size(); ++n)
        node_of_name.emplace(scene.nodes[n].name, int(n));
    for (unsigned a = 0; a < source.mNumAnimations; ++a) {
        const aiAnimation& from = *source.mAnimations[a];
        const double ticks = from.mTicksPerSecond > 0 ? from.mTicksPerSecond : 25;
        RawAnimation animation{toText(from.mName), {}};
        for (unsigned c = 0; c < from.mNumChannels; ++c) {
            const auto node = node_of_name.find(toText(from.mChannels[c]->mNodeName));
            if (node == node_of_name.end()) continue;
            animation.channels.push_back(takeChannel(*from.mChannels[c], node->second, ticks));
        }
        scene.animations.push_back(std::move(animation));
    }
}

void takeSettings(const aiScene& source, RawScene& scene) {
    if (!source.mMetaData) return;
    double unit = 0;
    float unit_float = 0;
    if (source.mMetaData->Get("UnitScaleFactor", unit))
        scene.centimetres_per_unit = unit;
    else if (source.mMetaData->Get("UnitScaleFactor", unit_float))
        scene.centimetres_per_unit = double(unit_float);
    int32_t axis = -1, sign = 1;
    if (source.mMetaData->Get("UpAxis", axis)) scene.up_axis = axis;
    if (source.mMetaData->Get("UpAxisSign", sign)) scene.up_sign = sign;
}

// By name, which is how assimp refers to them.
Status resolveBones(RawScene& scene) {
    constexpr int kAmbiguous = -2;
    std::unordered_map<std::string, int> node_of_name;
    for (size_t n = 0; n < scene.nodes.size(); ++n) {
        const auto [entry, is_new] = node_of_name.emplace(scene.nodes[n].name, int(n));
        if (!is_new) entry->second = kAmbiguous;
    }
    for (RawMesh& mesh : scene.meshes)
        for (RawBone& bone : mesh.bones) {
            const auto entry = node_of_name.find(bone.name);
            if (entry == node_of_name.end()) continue;  // validate() names it
            if (entry->second == kAmbiguous)
                return errorf("two joints are called %s; rename one",
                              quoteForMessage(bone.name).c_str());
            bone.node = entry->second;
        }
    return Done{};
}

}  // namespace

Result<RawScene> readFbx(const std::string& path) {
    Assimp::Importer importer;
    importer.SetPropertyBool(AI_CONFIG_IMPORT_FBX_PRESERVE_PIVOTS, false);
    // FBX stores a vertex per corner of each face: those that agree in place and texture are
    // joined. Normals, which we make ourselves, must not keep them apart.
    importer.SetPropertyInteger(AI_CONFIG_PP_RVC_FLAGS,
                                aiComponent_NORMALS | aiComponent_TANGENTS_AND_BITANGENTS |
                                    aiComponent_COLORS | aiComponent_TEXTURES |
                                    aiComponent_MATERIALS | aiComponent_LIGHTS |
                                    aiComponent_CAMERAS);
    const aiScene* source = importer.ReadFile(
        path, aiProcess_Triangulate | aiProcess_RemoveComponent | aiProcess_JoinIdenticalVertices);
    if (!source || !source->mRootNode)
        return errorf("cannot be read: %s",
                      quoteForMessage(importer.GetErrorString(), 200).c_str());
    RawScene scene;
    std::vector<const aiNode*> order;
    takeNodes(*source, scene, order);
    takeMeshes(*source, order, scene);
    takeAnimations(*source, scene);
    takeSettings(*source, scene);
    if (Status s = resolveBones(scene); !s) return s.error();
    return scene;
}

}  // namespace hem
