// SPDX-License-Identifier: Apache-2.0
// Left and right. A sweep over constraints has an order, and a mirrored mesh in the same order has
// the same sweeps: its cloth is the mirror image up to rounding. A symmetric mesh is swept from one
// side to the other, so its halves differ by what the order of a sweep decides.
#include <algorithm>

#include "hem/character/mannequin/mannequin.h"
#include "hem/character/motions/motion_sets.h"
#include "hem/garment/made_to_measure.h"
#include "tests/cloth/cloth_frames.h"

namespace hem {
namespace {

Vec3 reflected(Vec3 p) { return {-p.x, p.y, p.z}; }
Quat reflected(Quat q) { return {q.w, q.x, -q.y, -q.z}; }

Pose reflected(Pose pose) {
    pose.root_position = reflected(pose.root_position);
    for (Quat& q : pose.rotations) q = reflected(q);
    return pose;
}

Mesh reflected(Mesh mesh) {
    for (Vec3& p : mesh.positions) p = reflected(p);
    for (Triangle& t : mesh.triangles) std::swap(t[1], t[2]);
    return mesh;
}

// The scene in a mirror, every vertex, triangle and joint under its old number.
ClothScene reflected(ClothScene scene) {
    Character& body = scene.character;
    for (Joint& joint : body.skeleton.joints) {
        joint.parent_from_rest.rotation = reflected(joint.parent_from_rest.rotation);
        joint.parent_from_rest.translation = reflected(joint.parent_from_rest.translation);
    }
    body.skin.joint_from_rest = inverseRestMatrices(body.skeleton);
    body.mesh = reflected(body.mesh);
    for (Garment& garment : scene.garments) {
        garment.mesh = reflected(garment.mesh);
        for (size_t c = 0; c < garment.corner_uvs.size(); c += 3)
            std::swap(garment.corner_uvs[c + 1], garment.corner_uvs[c + 2]);
    }
    return scene;
}

struct Difference {
    double mean = 0, worst = 0;  // metres
};

Difference fromReflection(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
    Difference d;
    for (size_t v = 0; v < a.size(); ++v) {
        const double off = double(distance(a[v], reflected(b[v])));
        d.mean += off / double(a.size());
        d.worst = std::max(d.worst, off);
    }
    return d;
}

std::vector<Vec3> worn(const ClothScene& scene, const std::vector<Pose>& poses) {
    const std::unique_ptr<Simulator> simulator = simulatorOf(scene);
    ClothState state = orExit(simulator->drape(poses[0]));
    orExit(simulator->advance(state, poses, [&](const ClothState& s) {
        state = s;
        return true;
    }));
    return state.positions;
}

TEST(ClothSymmetry, AWalkInAMirrorIsTheMirrorImageOfTheWalk) {
    ClothScene scene{mannequin(Sex::kFemale), {}};
    scene.garments.push_back(orExit(makeGarment(scene.character, "dress", {766, "cotton"})));
    std::vector<Pose> poses =
        resampled(orExit(makeMotion("train_02_walk_normal", scene.character.skeleton)), 30).frames;
    poses.resize(31);
    std::vector<Pose> others;
    for (const Pose& pose : poses) others.push_back(reflected(pose));
    const Difference d = fromReflection(worn(scene, poses), worn(reflected(scene), others));
    // rounding, grown by what cloth makes of it in a second
    EXPECT_LT(d.mean, 1e-4);
    EXPECT_LT(d.worst, 1e-3);
}

// A square sheet of symmetric triangles, weft from left to right.
Garment symmetricSheet() {
    Garment garment = sheet({-0.3f, 0, 0}, 0.05f, 12, 12);
    std::vector<Triangle>& triangles = garment.mesh.triangles;
    for (size_t square = 0; square < 144; ++square) {
        if (square % 12 < 6) continue;  // the other diagonal on the right half
        const auto [a, b, c] = triangles[2 * square];
        const uint32_t d = triangles[2 * square + 1][2];
        triangles[2 * square] = {a, b, d};
        triangles[2 * square + 1] = {b, c, d};
    }
    addGrainAlongZ(garment);
    for (size_t v = 0; v < 13; ++v) garment.pins[v] = 1;
    return garment;
}

// Metres by which the halves of a swinging sheet differ on average after two thirds of a second.
double lopsidedness(int substeps) {
    ClothScene scene{farAway(), {symmetricSheet()}};
    scene.substeps = substeps;
    const std::vector<Vec3> p = framesFrom(scene, asMade(scene), 20).back().positions;
    std::vector<Vec3> partners;
    for (size_t v = 0; v < p.size(); ++v) partners.push_back(p[v / 13 * 13 + 12 - v % 13]);
    return fromReflection(p, partners).mean;
}

TEST(ClothSymmetry, ASymmetricSwingStaysSymmetricUpToTheOrderOfASweep) {
    const double by_default = lopsidedness(0), fine = lopsidedness(60);
    EXPECT_LT(by_default, 0.0015);
    EXPECT_LT(fine, 0.0004);
    EXPECT_LT(fine, by_default / 2);  // shorter sweeps decide less
}

}  // namespace
}  // namespace hem
