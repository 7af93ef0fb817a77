// SPDX-License-Identifier: Apache-2.0
#include "hem/character/character_report.h"

#include <algorithm>
#include <cmath>

#include "hem/character/formats/import_rig.h"
#include "hem/core/text.h"

namespace hem {
namespace {

void inspectSurface(const Character& c, CharacterReport& report) {
    const Weld weld = weldByPosition(c.mesh.positions);
    report.welded_vertices = weld.original_from_welded.size();
    report.topology = topologyOf(welded(c.mesh, weld));
    report.volume = signedVolume(c.mesh);
    const Topology& t = report.topology;
    if (t.boundary_edges > 0)
        report.problems.push_back(
            {format("The mesh is not watertight: %zu edges have one triangle only.",
                    t.boundary_edges),
             "Close the holes (neck, wrists, eyes, mouth) or merge vertices that lie together, so "
             "that "
             "cloth can tell inside from outside."});
    if (t.nonmanifold_edges > 0)
        report.problems.push_back(
            {format("%zu edges have three or more triangles, or two that face opposite ways.",
                    t.nonmanifold_edges),
             "Delete inner faces and make all normals point outwards."});
    if (t.watertight() && report.volume < 0)
        report.problems.push_back({"The triangles face inwards.", "Flip the mesh's normals."});
    if (t.components > 1)
        report.problems.push_back(
            {format("The mesh is in %zu separate pieces.", t.components),
             "Join them, or leave out what cloth need not touch (eyes, teeth, hair)."});
}

void inspectWeights(const Character& c, CharacterReport& report) {
    const size_t influences = size_t(c.skin.influences);
    std::vector<bool> moves(c.skeleton.size(), false);
    for (size_t v = 0; v < c.skin.vertexCount(); ++v) {
        size_t used = 0;
        for (size_t i = v * influences; i < (v + 1) * influences; ++i) {
            if (c.skin.weights[i] <= 0) continue;
            ++used;
            moves[c.skin.joints[i]] = true;
        }
        report.most_weights = std::max(report.most_weights, used);
    }
    if (c.skeleton.size() > 1 && std::count(moves.begin(), moves.end(), true) == 1)
        report.problems.push_back(
            {"All vertices follow one joint.", "Bind the mesh to the skeleton with weights."});
}

void inspectSize(const Character& c, const std::vector<Vec3>& joints, CharacterReport& report) {
    const Bounds bones = boundsOf(joints);
    const Bounds body = c.mesh.positions.empty() ? bones : boundsOf(c.mesh.positions);
    report.size = body.size();
    if (report.size.y < 1.2f || report.size.y > 2.3f)
        report.problems.push_back(
            {format("It is %.2f m high, which is unusual for a person.", double(report.size.y)),
             "Give the file's unit with --metres-per-unit if that is not meant."});
    if (c.mesh.positions.empty()) return;
    const float slack = 0.1f * std::max({body.size().x, body.size().y, body.size().z});
    bool inside = true;
    for (int a = 0; a < 3; ++a)
        inside =
            inside && bones.low[a] > body.low[a] - slack && bones.high[a] < body.high[a] + slack;
    if (!inside)
        report.problems.push_back(
            {"Joints lie far outside the mesh in the rest pose.",
             "Export mesh and skeleton in the same place, with their transforms applied."});
}

void inspectBones(const Character& c, const std::vector<Vec3>& joints, CharacterReport& report) {
    const Humanoid& h = *report.humanoid;
    for (int b = 0; b < kBoneCount; ++b)
        if (!h.has(Bone(b))) report.missing_bones.push_back(Bone(b));
    const auto below = [&](Bone from, Bone to) {
        const Vec3 arm = normalized(joints[size_t(h[to])] - joints[size_t(h[from])]);
        return radiansToDegrees(std::asin(std::clamp(-arm.y, -1.0f, 1.0f)));
    };
    report.arm_angle =
        (below(Bone::kLeftArm, Bone::kLeftForeArm) + below(Bone::kRightArm, Bone::kRightForeArm)) /
        2;
    if (!c.mesh.positions.empty() && feetPointBack(c, h))
        report.problems.push_back(
            {"The feet point backwards: left and right look swapped in the joints' names.",
             "Rename the joints, or give a mapping file with --mapping."});
}

}  // namespace

const char* CharacterReport::poseName() const {
    if (!arm_angle) return "";
    if (*arm_angle < -20) return "arms raised";
    if (*arm_angle < 20) return "T pose";
    return *arm_angle < 70 ? "A pose" : "arms hanging";
}

CharacterReport inspect(const Character& c, const std::optional<Humanoid>& mapping) {
    CharacterReport report;
    std::vector<Vec3> joints;
    for (const Affine& a : worldFromJoints(c.skeleton, restPose(c.skeleton)))
        joints.push_back(a.translation());
    inspectSize(c, joints, report);
    if (!c.mesh.positions.empty()) {
        inspectSurface(c, report);
        inspectWeights(c, report);
    }
    report.humanoid = mapping;
    if (!mapping) {
        if (const auto found = recognise(c.skeleton))
            report.humanoid = *found;
        else
            report.problems.push_back({"Its bones are not known: " + found.error().message + ".",
                                       "Give a mapping file with --mapping (docs/character.md)."});
    }
    if (report.humanoid) inspectBones(c, joints, report);
    return report;
}

}  // namespace hem
