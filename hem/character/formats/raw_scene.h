// SPDX-License-Identifier: Apache-2.0
// RawScene: what a character file says, before any rule is applied: its own units, axes and nodes.
//
// Made in a child process (scene_reader.cpp), sent over a pipe as flat bytes, and checked on
// arrival: everything below is untrusted until validate() has passed.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "hem/core/mesh.h"
#include "hem/core/transform.h"

namespace hem {

struct RawNode {
    std::string name;
    int parent = -1;  // less than the node's own index; only node 0 has none
    Affine parent_from_node;
};

struct RawWeight {
    uint32_t vertex;
    float weight;
};

struct RawBone {
    std::string name;
    int node = -1;
    Affine bone_from_mesh;
    std::vector<RawWeight> weights;
};

struct RawMesh {
    std::string name;
    int node = 0;
    std::vector<Vec3> positions;
    std::vector<Vec2> uvs;  // empty, or one per vertex
    std::vector<Triangle> triangles;
    std::vector<RawBone> bones;  // empty: not skinned
    std::vector<Vec3> colors;    // empty, or one per vertex; linear RGB
};

template <class T>
struct RawKey {
    double seconds;
    T value;
};

// A list that is empty leaves the node's own value.
struct RawChannel {
    int node = 0;
    std::vector<RawKey<Vec3>> positions, scales;
    std::vector<RawKey<Quat>> rotations;
};

struct RawAnimation {
    std::string name;
    std::vector<RawChannel> channels;
};

struct RawScene {
    std::vector<RawNode> nodes;
    std::vector<RawMesh> meshes;
    std::vector<RawAnimation> animations;
    // From FBX's global settings; 0 and -1 where the format has none.
    double centimetres_per_unit = 0;
    int up_axis = -1, up_sign = 1;
};

std::vector<std::byte> pack(const RawScene& scene);
// Fails on any byte missing, left over or out of range; never reads outside `bytes`.
Result<RawScene> unpack(std::span<const std::byte> bytes);

// Indices in range, the tree a tree, numbers finite, matrices invertible, weights not negative. The
// message names the node, mesh, joint or animation at fault.
Status validate(const RawScene& scene);
}  // namespace hem
