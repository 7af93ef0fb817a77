// SPDX-License-Identifier: Apache-2.0
// Characters with their animations, read from glTF (.gltf, .glb, .vrm) and FBX.
//
// Whatever the file's units, axes and node tree, the result keeps Character's contract: metres, Y
// up, facing +Z, left along +X, soles at y = 0, the pelvis as joint 0. Each change that this took
// is a sentence in Character::notes.
//
// Rest pose: the bind pose, from the inverse bind matrices. Scale in nodes is baked in.
//
// Joints: the skin's joints, the nodes between them, and nodes without a mesh below them (leaf ends
// give hands, toes and head a direction). Joint 0 is the hips where the names are a known
// humanoid's (humanoid.h), else the lowest joint above all that carry weights. Joints above it
// vanish and their weights go to it; joints beside it hang from it if they carry weights, else
// they are left out.
//
// Units: glTF is metres, FBX says its own. A character that comes out below 0.5 or above 3 m
// and would be 1.2 to 2.2 m in millimetres, centimetres, inches or hundreds of metres is scaled so.
//
// Axes: FBX says its up axis, in glTF it is Y. A humanoid that lies along another axis is turned
// upright, and then about Y until its left (from the names of joints, Left/Right or L/R) is +X.
//
// Animations: sampled at a steady rate, rotations by slerp. Bones do not stretch: animated offsets
// and scales are left out, and a note says how much that is.
//
// Files are untrusted: the parser runs in a child process with 2 GiB and 60 s (child_process.h),
// and all it sends is checked. Errors name the file and the joint, mesh or animation at fault.
#pragma once

#include <string>

#include "hem/character/character.h"

namespace hem {

struct CharacterOptions {
    double metres_per_unit = 0;  // 0: by the rule above
    bool keep_pose = false;      // leaves the up axis, facing and floor as the file has them
    double rate = 30;            // of the motions, frames a second
};

// A file without any skinned mesh but with nodes that could be joints gives a skeleton: no mesh, an
// empty skin, its motions.
Result<Character> loadCharacter(const std::string& path, const CharacterOptions& options = {});

}  // namespace hem
