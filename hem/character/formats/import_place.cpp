// SPDX-License-Identifier: Apache-2.0
// Units, up axis, facing and floor: a similarity of the whole character, decided in that order.
#include <algorithm>
#include <cmath>

#include "hem/character/formats/import_rig.h"
#include "hem/character/humanoid.h"
#include "hem/character/joint_names.h"
#include "hem/core/text.h"

namespace hem {
namespace {

constexpr float kSnap = degreesToRadians(3);  // turns this close to a quarter are meant to be one

// p -> scale * R p + shift, of the rest pose and of every motion.
void apply(Character& c, float scale, Quat turn, Vec3 shift) {
    const auto moved = [&](Vec3 p) { return rotate(turn, p * scale) + shift; };
    const auto scaleBones = [&](Skeleton& skeleton) {
        for (Joint& joint : skeleton.joints) joint.parent_from_rest.translation *= scale;
        Transform& root = skeleton.joints[0].parent_from_rest;
        root = {normalized(turn * root.rotation), rotate(turn, root.translation) + shift};
    };
    scaleBones(c.skeleton);
    for (Vec3& p : c.mesh.positions) p = moved(p);
    for (Motion& motion : c.motions) {
        scaleBones(motion.skeleton);
        for (Pose& pose : motion.frames) {
            pose.root_position = moved(pose.root_position);
            pose.rotations[0] = normalized(turn * pose.rotations[0]);
        }
    }
}

std::vector<Vec3> jointPositions(const Skeleton& skeleton) {
    std::vector<Vec3> positions;
    for (const Affine& a : worldFromJoints(skeleton, restPose(skeleton)))
        positions.push_back(a.translation());
    return positions;
}

// The largest extent of the body: about its height, whichever way it lies.
float sizeOf(const Character& c) {
    const Vec3 size =
        boundsOf(c.mesh.positions.empty() ? jointPositions(c.skeleton) : c.mesh.positions).size();
    return std::max({size.x, size.y, size.z});
}

void placeUnits(Character& c, const RawScene& scene, double metres_per_unit) {
    double scale = metres_per_unit;
    const bool fbx = scene.centimetres_per_unit > 0;
    if (scale == 0) {
        scale = fbx ? scene.centimetres_per_unit / 100 : 1;
        if (scale != 1)
            c.notes.push_back(format("Scaled by %.6g: the file says that its unit is %.6g cm.",
                                     scale, scale * 100));
        const double size = double(sizeOf(c)) * scale;
        const auto isPerson = [](double metres) { return metres >= 1.2 && metres <= 2.2; };
        for (double other : {0.01, 0.001, 0.0254, 100.0}) {
            if ((size >= 0.5 && size <= 3) || !isPerson(size * other)) continue;
            c.notes.push_back(
                format("Scaled by %g: a body of %.3g m is not likely, one of %.2f m is. Give "
                       "the metres per unit if that is wrong.",
                       other, size, size * other));
            scale *= other;
            break;
        }
    } else if (scale != 1) {
        c.notes.push_back(format("Scaled by %.6g, as asked.", scale));
    }
    if (scale != 1) apply(c, float(scale), {}, {});
}

void placeUpAxis(Character& c, const RawScene& scene) {
    Vec3 up{};
    if (scene.up_axis >= 0 && scene.up_axis <= 2) up[scene.up_axis] = scene.up_sign < 0 ? -1 : 1;
    if (up == Vec3{} || up == Vec3{0, 1, 0}) return;
    apply(c, 1, rotationBetween(up, {0, 1, 0}), {});
    c.notes.push_back(format("Turned so that the file's up axis, %s%c, is Y.",
                             scene.up_sign < 0 ? "-" : "", "XYZ"[scene.up_axis]));
}

// A humanoid that lies along another axis than the file's up axis.
void standUp(Character& c, const Humanoid& humanoid) {
    const auto at = jointPositions(c.skeleton);
    const auto place = [&](Bone bone) { return at[size_t(humanoid[bone])]; };
    const Vec3 feet = (place(Bone::kLeftFoot) + place(Bone::kRightFoot)) / 2;
    const Vec3 body =
        normalized(place(humanoid.has(Bone::kHead) ? Bone::kHead : Bone::kHips) - feet);
    int axis = 0;
    for (int a : {1, 2})
        if (std::abs(body[a]) > std::abs(body[axis])) axis = a;
    Vec3 up{};
    up[axis] = body[axis] < 0 ? -1 : 1;
    if (up == Vec3{0, 1, 0} || std::abs(body[axis]) < 0.8f) return;
    apply(c, 1, rotationBetween(up, {0, 1, 0}), {});
    c.notes.push_back(format("Turned upright: the body lay along the file's %s%c axis.",
                             body[axis] < 0 ? "-" : "", "XYZ"[axis]));
}

// The horizontal direction from right to left, summed over the pairs that names give.
Vec3 leftOf(const Character& c) {
    const auto at = jointPositions(c.skeleton);
    Vec3 left{};
    const auto add = [&](int l, int r) {
        if (l >= 0 && r >= 0 && l != r) left += at[size_t(l)] - at[size_t(r)];
    };
    if (const auto h = recognise(c.skeleton)) {
        add((*h)[Bone::kLeftUpLeg], (*h)[Bone::kRightUpLeg]);
        add((*h)[Bone::kLeftArm], (*h)[Bone::kRightArm]);
    } else {
        const std::vector<int> partners = mirrorPartners(c.skeleton);
        for (size_t j = 0; j < partners.size(); ++j)
            if (takeApart(c.skeleton.joints[j].name).side == Side::kLeft) add(int(j), partners[j]);
    }
    left.y = 0;
    return left;
}

float snapped(float angle) {
    const float quarter = std::round(angle / (kPi / 2)) * (kPi / 2);
    return std::abs(angle - quarter) < kSnap ? quarter : angle;
}

void turnToFront(Character& c) {
    const Vec3 left = leftOf(c);
    if (length(left) < 1e-3f * sizeOf(c)) {
        c.notes.push_back(
            "Which way it faces is not known: no joint is named left or right. It stands as in the "
            "file.");
        return;
    }
    // the angle of `left` about Y from +X; turn it back
    const float angle = snapped(std::atan2(-left.z, left.x));
    if (std::abs(angle) > 1e-6f) {
        apply(c, 1, fromAxisAngle({0, 1, 0}, -angle), {});
        c.notes.push_back(
            format("Turned by %.0f degrees about Y to face +Z.", double(radiansToDegrees(-angle))));
    }
}

void putOnFloor(Character& c) {
    if (c.mesh.positions.empty()) return;
    const float low = boundsOf(c.mesh.positions).low.y;
    if (std::abs(low) <= 0.005f) return;
    apply(c, 1, {}, {0, -low, 0});
    c.notes.push_back(
        format("Moved by %.3f m along Y to put the soles on the floor.", double(-low)));
}

}  // namespace

bool feetPointBack(const Character& c, const Humanoid& humanoid) {
    const auto at = jointPositions(c.skeleton);
    const float ankle_z =
        (at[size_t(humanoid[Bone::kLeftFoot])].z + at[size_t(humanoid[Bone::kRightFoot])].z) / 2;
    const Bounds box = boundsOf(c.mesh.positions);
    const float height = box.size().y;
    float front = 0, back = 0;
    for (Vec3 p : c.mesh.positions) {
        if (p.y > box.low.y + 0.03f * height) continue;
        front = std::max(front, p.z - ankle_z);
        back = std::max(back, ankle_z - p.z);
    }
    return back > 1.5f * front && back > 0.03f * height;
}

void place(Character& c, const RawScene& scene, double metres_per_unit, bool keep_pose) {
    placeUnits(c, scene, metres_per_unit);
    if (!keep_pose) {
        placeUpAxis(c, scene);
        if (const auto humanoid = recognise(c.skeleton)) standUp(c, *humanoid);
        turnToFront(c);
        putOnFloor(c);
        const auto humanoid = recognise(c.skeleton);
        if (humanoid && !c.mesh.positions.empty() && feetPointBack(c, *humanoid))
            c.notes.push_back(
                "The feet point backwards: left and right look swapped in the joints' names. "
                "Rename "
                "them or give a mapping file.");
    }
    c.skin.joint_from_rest = inverseRestMatrices(c.skeleton);
}

}  // namespace hem
