// SPDX-License-Identifier: Apache-2.0
// Steps of loadCharacter(): from a file's nodes to a rig, from its keys to motions, and into place.
#pragma once

#include "hem/character/character.h"
#include "hem/character/formats/raw_scene.h"
#include "hem/character/humanoid.h"

namespace hem {

// The skeleton in the bind pose, in the file's world: its units and axes.
struct Rig {
    Skeleton skeleton;
    std::vector<int> node_of_joint;
    std::vector<int> joint_of_node;       // where a node's weights go; -1 for nodes outside the rig
    std::vector<Affine> world_from_mesh;  // per mesh of the scene: its rest place
    std::vector<bool> mesh_belongs;       // per mesh: false for those that no joint moves
};

// The world matrix of every node, with the local ones given per node.
std::vector<Affine> worldFromNodes(const RawScene& scene, const std::vector<Affine>& local);
std::vector<Affine> worldFromNodes(const RawScene& scene);  // as the file stands

// A skin whose inverse bind matrices are all the same (glTF may leave them out) says nothing of a
// rest pose. Its mesh is posed as the file stands, and bound to the joints there.
void bindAsItStands(RawScene& scene, std::vector<std::string>& notes);

Result<Rig> buildRig(const RawScene& scene, std::vector<std::string>& notes);

// The animations on the rig's skeleton, in the file's world.
Result<std::vector<Motion>> bakeMotions(const RawScene& scene, const Rig& rig, double rate,
                                        const std::string& name, std::vector<std::string>& notes);

// Metres, Y up, facing +Z, soles on the floor, by the rules of character_import.h; says what it did
// in character.notes. `metres_per_unit` is the option's value, 0 for the file's own.
void place(Character& character, const RawScene& scene, double metres_per_unit, bool keep_pose);

// True where the soles reach further behind the ankles than before them: left and right are swapped
// in the names. The character must be in place and have a mesh.
bool feetPointBack(const Character& character, const Humanoid& humanoid);

}  // namespace hem
