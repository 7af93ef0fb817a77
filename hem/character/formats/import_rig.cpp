// SPDX-License-Identifier: Apache-2.0
#include "hem/character/formats/import_rig.h"

#include <algorithm>
#include <cmath>

#include "hem/character/humanoid.h"
#include "hem/core/text.h"

namespace hem {
namespace {

constexpr size_t kMaxJoints = 4096;

// What a node is to the rig, gathered in buildRig().
struct Draft {
    const RawScene& scene;
    std::vector<Affine> world;     // per node, as the file stands
    std::vector<Affine> rest;      // per node: its bind place where it is in the rig
    std::vector<bool> is_bone;     // a skin names it
    std::vector<bool> has_weight;  // ... and some vertex follows it
    std::vector<bool> has_mesh;
    std::vector<bool> in_rig;
    std::vector<Affine> world_from_mesh;
};

int parentOf(const Draft& d, int node) { return d.scene.nodes[size_t(node)].parent; }

bool isBelow(const Draft& d, int node, int ancestor) {
    for (; node > ancestor; node = parentOf(d, node)) {
    }
    return node == ancestor;
}

// The lowest node that has all marked nodes below it or is one itself; -1 where none is marked.
int commonAncestor(const Draft& d, const std::vector<bool>& marked) {
    int common = -1;
    for (size_t n = 0; n < marked.size(); ++n) {
        if (!marked[n]) continue;
        if (common < 0) common = int(n);
        while (!isBelow(d, int(n), common)) common = parentOf(d, common);
    }
    return common;
}

void markBones(Draft& d) {
    const size_t count = d.scene.nodes.size();
    d.is_bone.assign(count, false);
    d.has_weight.assign(count, false);
    d.has_mesh.assign(count, false);
    for (const RawMesh& mesh : d.scene.meshes) {
        d.has_mesh[size_t(mesh.node)] = true;
        for (const RawBone& bone : mesh.bones) {
            d.is_bone[size_t(bone.node)] = true;
            if (!bone.weights.empty()) d.has_weight[size_t(bone.node)] = true;
        }
    }
    if (std::find(d.is_bone.begin(), d.is_bone.end(), true) != d.is_bone.end()) return;
    // No skin: a skeleton alone. Its joints are what the animations move, else every plain node.
    for (const RawAnimation& animation : d.scene.animations)
        for (const RawChannel& channel : animation.channels)
            if (!d.has_mesh[size_t(channel.node)]) d.is_bone[size_t(channel.node)] = true;
    if (std::find(d.is_bone.begin(), d.is_bone.end(), true) != d.is_bone.end()) return;
    if (!d.scene.meshes.empty()) return;
    for (size_t n = 1; n < count; ++n) d.is_bone[n] = true;
}

// Bones, the nodes between them, and plain nodes below them.
void markRig(Draft& d) {
    const int top = commonAncestor(d, d.is_bone);
    d.in_rig = d.is_bone;
    for (size_t n = 0; n < d.in_rig.size(); ++n)
        for (int a = int(n); d.is_bone[n] && a > top; a = parentOf(d, a))
            d.in_rig[size_t(a)] = true;
    d.in_rig[size_t(top)] = true;
    for (size_t n = 0; n < d.in_rig.size(); ++n) {
        const int parent = d.scene.nodes[n].parent;
        const bool hangs = parent >= 0 && d.in_rig[size_t(parent)] && int(n) != top;
        if (hangs && !d.has_mesh[n]) d.in_rig[n] = true;
    }
}

double misfit(const Draft& d, const RawMesh& mesh, const Affine& world_from_mesh) {
    double sum = 0;
    for (const RawBone& bone : mesh.bones) {
        const Affine rest = world_from_mesh * inverse(bone.bone_from_mesh);
        sum += double(distance(rest.translation(), d.world[size_t(bone.node)].translation()));
    }
    return sum;
}

// Where a skinned mesh rests in the world. A vertex follows world_from_bone * bone_from_mesh; where
// the file stands in its bind pose that is the same matrix for all bones. Where it does not, the
// likeliest of what exporters mean: the mesh's own node, the world, or the first bone.
Affine restPlaceOf(const Draft& d, const RawMesh& mesh, bool* posed) {
    const Bounds box = boundsOf(mesh.positions);
    const RawBone& first = mesh.bones[0];
    const Affine common = d.world[size_t(first.node)] * first.bone_from_mesh;
    const float size = length(transformVector(common, box.size()));
    bool agree = true;
    for (const RawBone& bone : mesh.bones) {
        const Affine here = d.world[size_t(bone.node)] * bone.bone_from_mesh;
        for (Vec3 corner : {box.low, box.high, box.centre()})
            agree = agree && distance(transformPoint(here, corner),
                                      transformPoint(common, corner)) <= 1e-3f * size;
    }
    if (agree) return common;
    *posed = true;
    Affine best = d.world[size_t(mesh.node)];
    for (const Affine& other : {Affine{}, common})
        if (misfit(d, mesh, other) < 0.999 * misfit(d, mesh, best)) best = other;
    return best;
}

// Bind places from the inverse bind matrices; nodes without one keep their place in their parent.
void findRestPlaces(Draft& d, std::vector<std::string>& notes) {
    d.rest = d.world;
    d.world_from_mesh.assign(d.scene.meshes.size(), Affine{});
    std::vector<bool> placed(d.scene.nodes.size(), false);
    bool posed = false;
    for (size_t m = 0; m < d.scene.meshes.size(); ++m) {
        const RawMesh& mesh = d.scene.meshes[m];
        if (mesh.bones.empty()) continue;
        d.world_from_mesh[m] = restPlaceOf(d, mesh, &posed);
        for (const RawBone& bone : mesh.bones) {
            if (placed[size_t(bone.node)]) continue;
            placed[size_t(bone.node)] = true;
            d.rest[size_t(bone.node)] = d.world_from_mesh[m] * inverse(bone.bone_from_mesh);
        }
    }
    for (size_t n = 0; n < placed.size(); ++n) {
        const int parent = d.scene.nodes[n].parent;
        if (placed[n] || !d.in_rig[n] || parent < 0 || !d.in_rig[size_t(parent)]) continue;
        d.rest[n] = d.rest[size_t(parent)] * d.scene.nodes[n].parent_from_node;
    }
    if (posed)
        notes.push_back(
            "The file stands in another pose than its bind pose; the bind pose is taken as rest.");
}

Transform placeIn(const Draft& d, int parent_node, int node) {
    const Transform joint = toTransform(d.rest[size_t(node)]);
    if (parent_node < 0) return joint;
    Transform place = inverse(toTransform(d.rest[size_t(parent_node)])) * joint;
    place.rotation = normalized(place.rotation);
    return place;
}

// All nodes of the rig as a skeleton, to look for the hips by name.
Skeleton wholeSkeleton(const Draft& d, std::vector<int>& nodes) {
    Skeleton skeleton;
    std::vector<int> joint_of_node(d.in_rig.size(), kNoParent);
    for (size_t n = 0; n < d.in_rig.size(); ++n) {
        if (!d.in_rig[n]) continue;
        const int parent = d.scene.nodes[n].parent;
        const int joint = parent < 0 ? kNoParent : joint_of_node[size_t(parent)];
        joint_of_node[n] = int(skeleton.size());
        skeleton.joints.push_back(
            {d.scene.nodes[n].name, joint, placeIn(d, joint < 0 ? -1 : parent, int(n))});
        nodes.push_back(int(n));
    }
    return skeleton;
}

int findRoot(const Draft& d) {
    std::vector<int> nodes;
    const Skeleton whole = wholeSkeleton(d, nodes);
    if (validate(whole))
        if (const auto humanoid = recognise(whole)) return nodes[size_t((*humanoid)[Bone::kHips])];
    const int weighted = commonAncestor(d, d.has_weight);
    return weighted >= 0 && d.in_rig[size_t(weighted)] ? weighted : commonAncestor(d, d.is_bone);
}

// Which nodes beside the root's subtree come along: whole branches in which some vertex hangs.
std::vector<bool> branchesBeside(const Draft& d, int root) {
    const size_t count = d.in_rig.size();
    std::vector<bool> needed(count, false), beside(count, false);
    for (size_t n = count; n-- > 0;) {
        if (!d.in_rig[n] || isBelow(d, int(n), root) || isBelow(d, root, int(n))) continue;
        needed[n] = needed[n] || d.has_weight[n];
        if (const int parent = d.scene.nodes[n].parent; parent >= 0 && needed[n])
            needed[size_t(parent)] = true;
    }
    for (size_t n = 0; n < count; ++n) {
        if (!d.in_rig[n] || isBelow(d, int(n), root) || isBelow(d, root, int(n))) continue;
        const int parent = d.scene.nodes[n].parent;
        beside[n] = needed[n] || (parent >= 0 && beside[size_t(parent)]);
    }
    return beside;
}

void addNotes(const std::string& above, const std::string& beside, const std::string& dropped,
              const std::string& root, std::vector<std::string>& notes) {
    if (!above.empty())
        notes.push_back(format("Joints above %s were folded into it: %s.",
                               quoteForMessage(root).c_str(), quoteForMessage(above, 200).c_str()));
    if (!beside.empty())
        notes.push_back(format("Joints beside %s now hang from it: %s.",
                               quoteForMessage(root).c_str(),
                               quoteForMessage(beside, 200).c_str()));
    if (!dropped.empty())
        notes.push_back(format("Joints beside %s that move nothing were left out: %s.",
                               quoteForMessage(root).c_str(),
                               quoteForMessage(dropped, 200).c_str()));
}

// Armatures and axis nodes above the skeleton.
void noteBakedNodes(const Draft& d, int root, std::vector<std::string>& notes) {
    const Affine identity;
    std::string names;
    for (int n = parentOf(d, root); n >= 0; n = parentOf(d, n)) {
        const Affine& local = d.scene.nodes[size_t(n)].parent_from_node;
        if (d.in_rig[size_t(n)] ||
            std::equal(&local.m[0][0], &local.m[0][0] + 12, &identity.m[0][0]))
            continue;
        if (!names.empty()) names.append(", ");
        names.append(d.scene.nodes[size_t(n)].name);
    }
    if (!names.empty())
        notes.push_back(
            format("Nodes above the skeleton that turn, move or scale it were baked in: %s.",
                   quoteForMessage(names, 200).c_str()));
}

void addJoint(const Draft& d, Rig& rig, int node, int parent_joint) {
    const int parent_node = parent_joint < 0 ? -1 : rig.node_of_joint[size_t(parent_joint)];
    rig.joint_of_node[size_t(node)] = int(rig.skeleton.size());
    rig.skeleton.joints.push_back(
        {d.scene.nodes[size_t(node)].name, parent_joint, placeIn(d, parent_node, node)});
    rig.node_of_joint.push_back(node);
}

Rig collectJoints(const Draft& d, int root, std::vector<std::string>& notes) {
    Rig rig;
    rig.joint_of_node.assign(d.in_rig.size(), -1);
    addJoint(d, rig, root, kNoParent);
    const std::vector<bool> beside = branchesBeside(d, root);
    std::string above_names, beside_names, dropped_names;
    const auto append = [](std::string& list, const std::string& name) {
        if (!list.empty()) list.append(", ");
        list.append(name);
    };
    noteBakedNodes(d, root, notes);
    for (size_t n = 0; n < d.in_rig.size(); ++n) {
        if (!d.in_rig[n] || int(n) == root) continue;
        const RawNode& node = d.scene.nodes[n];
        if (isBelow(d, root, int(n))) {
            rig.joint_of_node[n] = 0;
            append(above_names, node.name);
        } else if (isBelow(d, int(n), root)) {
            addJoint(d, rig, int(n), rig.joint_of_node[size_t(node.parent)]);
        } else if (beside[n]) {
            const bool is_top = node.parent < 0 || !beside[size_t(node.parent)];
            if (is_top) append(beside_names, node.name);
            addJoint(d, rig, int(n), is_top ? 0 : rig.joint_of_node[size_t(node.parent)]);
        } else {
            append(dropped_names, node.name);
        }
    }
    addNotes(above_names, beside_names, dropped_names, d.scene.nodes[size_t(root)].name, notes);
    return rig;
}

// Meshes without a skin follow the joint that their node hangs from, if there is one.
void placeRigidMeshes(const Draft& d, Rig& rig, std::vector<std::string>& notes) {
    for (size_t m = 0; m < d.scene.meshes.size(); ++m) {
        const RawMesh& mesh = d.scene.meshes[m];
        if (!mesh.bones.empty()) continue;
        int node = mesh.node;
        while (node >= 0 && rig.joint_of_node[size_t(node)] < 0) node = parentOf(d, node);
        rig.mesh_belongs[m] = node >= 0;
        if (node < 0) {
            notes.push_back(format("Mesh %s was left out: no joint moves it.",
                                   quoteForMessage(mesh.name).c_str()));
            continue;
        }
        rig.world_from_mesh[m] =
            d.rest[size_t(node)] * inverse(d.world[size_t(node)]) * d.world[size_t(mesh.node)];
        // a mesh's own node may not be in the rig: its weights go where the mesh hangs
        rig.joint_of_node[size_t(mesh.node)] = rig.joint_of_node[size_t(node)];
    }
}

}  // namespace

std::vector<Affine> worldFromNodes(const RawScene& scene, const std::vector<Affine>& local) {
    std::vector<Affine> world(scene.nodes.size());
    for (size_t n = 0; n < world.size(); ++n) {
        const int parent = scene.nodes[n].parent;
        world[n] = parent < 0 ? local[n] : world[size_t(parent)] * local[n];
    }
    return world;
}

std::vector<Affine> worldFromNodes(const RawScene& scene) {
    std::vector<Affine> local;
    for (const RawNode& node : scene.nodes) local.push_back(node.parent_from_node);
    return worldFromNodes(scene, local);
}

void bindAsItStands(RawScene& scene, std::vector<std::string>& notes) {
    const std::vector<Affine> world = worldFromNodes(scene);
    for (RawMesh& mesh : scene.meshes) {
        bool all_same = mesh.bones.size() > 1, apart = false;
        for (const RawBone& bone : mesh.bones) {
            const auto& first = mesh.bones[0];
            all_same = all_same &&
                       std::equal(&bone.bone_from_mesh.m[0][0], &bone.bone_from_mesh.m[0][0] + 12,
                                  &first.bone_from_mesh.m[0][0]);
            apart = apart || world[size_t(bone.node)].translation() !=
                                 world[size_t(first.node)].translation();
        }
        if (!all_same || !apart) continue;
        std::vector<Vec3> posed(mesh.positions.size());
        std::vector<float> sums(mesh.positions.size(), 0.0f);
        for (RawBone& bone : mesh.bones) {
            const Affine matrix = world[size_t(bone.node)] * bone.bone_from_mesh;
            for (const RawWeight& w : bone.weights) {
                posed[w.vertex] += transformPoint(matrix, mesh.positions[w.vertex]) * w.weight;
                sums[w.vertex] += w.weight;
            }
            bone.bone_from_mesh = inverse(world[size_t(bone.node)]);
        }
        for (size_t v = 0; v < posed.size(); ++v)
            if (sums[v] > 1e-6f) mesh.positions[v] = posed[v] / sums[v];
        mesh.node = 0;
        notes.push_back(
            format("Mesh %s has no bind pose of its own; it is bound as the file stands.",
                   quoteForMessage(mesh.name).c_str()));
    }
}

Result<Rig> buildRig(const RawScene& scene, std::vector<std::string>& notes) {
    Draft d{scene, worldFromNodes(scene), {}, {}, {}, {}, {}, {}};
    for (size_t n = 0; n < d.world.size(); ++n)
        if (!isFinite(d.world[n]) || !(std::abs(determinant(d.world[n].linear())) > 1e-30f))
            return errorf("node %s ends up in a place that is not finite",
                          quoteForMessage(scene.nodes[n].name).c_str());
    markBones(d);
    if (std::find(d.is_bone.begin(), d.is_bone.end(), true) == d.is_bone.end())
        return errorf(
            "there is no skeleton in it: no mesh is bound to joints; bind the mesh to an "
            "armature before exporting");
    markRig(d);
    if (size_t(std::count(d.in_rig.begin(), d.in_rig.end(), true)) > kMaxJoints)
        return errorf("it has more than %zu joints", kMaxJoints);
    findRestPlaces(d, notes);
    Rig rig = collectJoints(d, findRoot(d), notes);
    if (Status s = validate(rig.skeleton); !s) return s.error();
    rig.world_from_mesh = d.world_from_mesh;
    rig.mesh_belongs.assign(scene.meshes.size(), true);
    placeRigidMeshes(d, rig, notes);
    return rig;
}

}  // namespace hem
