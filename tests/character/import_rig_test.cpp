// SPDX-License-Identifier: Apache-2.0
// Which joints stay and how a body is put in place, on a body written by saveGlb() and read back.
#include <gtest/gtest.h>

#include "hem/character/formats/character_import.h"
#include "hem/character/formats/glb_export.h"
#include "hem/character/humanoid.h"
#include "tests/character/t_body.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

Character roundTrip(const Character& c, const CharacterOptions& options = {}) {
    const TemporaryFolder folder;
    const Status saved = saveGlb(folder.path("body.glb"), c, c.motions);
    EXPECT_TRUE(saved) << saved.error().message;
    auto back = loadCharacter(folder.path("body.glb"), options);
    if (!back) ADD_FAILURE() << back.error().message;
    return back ? *back : Character{};
}

bool hasNote(const Character& c, const std::string& words) {
    return std::any_of(c.notes.begin(), c.notes.end(),
                       [&](const std::string& note) { return note.find(words) != note.npos; });
}

Vec3 placeOf(const Character& c, const char* joint) {
    const auto rest = worldFromJoints(c.skeleton, restPose(c.skeleton));
    return rest[size_t(c.skeleton.find(joint))].translation();
}

// The T body below a "master" joint that also has a weapon, which moves vertex 7, and a helper,
// which moves nothing.
Character armed() {
    Character c = tBody();
    for (Joint& joint : c.skeleton.joints) ++joint.parent;
    c.skeleton.joints[0].parent_from_rest.translation = {0, 0.5f, 0};
    c.skeleton.joints.insert(c.skeleton.joints.begin(),
                             {"master", kNoParent, {Quat{}, {0, 0.5f, 0}}});
    c.skeleton.joints.push_back({"weapon", 0, {Quat{}, {0.5f, 0.6f, 0}}});
    c.skeleton.joints.push_back({"ik_helper", 0, {}});
    std::vector<std::vector<Influence>> weights;
    for (int v = 0; v < 6; ++v) weights.push_back({{1 + v, 1.0f}});
    weights.push_back({{0, 0.75f}, {2, 0.25f}});  // vertex 6 follows the master
    weights.push_back({{int(c.skeleton.size()) - 2, 1.0f}});
    c.skin = makeSkin(weights, inverseRestMatrices(c.skeleton));
    return c;
}

TEST(ImportRig, HipsBecomeTheRootAndTakeWhatStoodAbove) {
    const Character c = roundTrip(armed());
    EXPECT_EQ(c.skeleton.joints[0].name, "Hips");
    EXPECT_EQ(c.skeleton.find("master"), -1);
    EXPECT_TRUE(hasNote(c, "master"));
    EXPECT_LE(distance(placeOf(c, "Hips"), {0, 1, 0}), 1e-6f);
    // vertex 6 had 0.75 on the master
    EXPECT_EQ(c.skin.joints[4 * 6], 0);
    EXPECT_NEAR(c.skin.weights[4 * 6], 0.75, 1e-6);
}

TEST(ImportRig, BranchesBesideTheHipsStayOnlyIfTheyMoveSomething) {
    const Character c = roundTrip(armed());
    const int weapon = c.skeleton.find("weapon");
    ASSERT_GE(weapon, 0);
    EXPECT_EQ(c.skeleton.joints[size_t(weapon)].parent, 0);
    EXPECT_LE(distance(placeOf(c, "weapon"), {0.5f, 1.1f, 0}), 1e-6f);
    EXPECT_EQ(c.skin.joints[4 * 7], weapon);
    EXPECT_EQ(c.skeleton.find("ik_helper"), -1);
    EXPECT_TRUE(hasNote(c, "now hang from it: 'weapon'"));
    EXPECT_TRUE(hasNote(c, "left out: 'ik_helper'"));
}

TEST(ImportRig, MotionOfTheMasterIsCarriedByTheHips) {
    Character c = armed();
    Pose pose = restPose(c.skeleton);
    pose.root_position = {1, 0.5f, 2};
    pose.rotations[0] = fromAxisAngle({0, 1, 0}, kPi / 2);
    c.motions = {{"turn", c.skeleton, 30, {restPose(c.skeleton), pose}, {}}};
    const Character back = roundTrip(c);
    ASSERT_EQ(back.motions.size(), 1u);
    ASSERT_EQ(back.motions[0].frames.size(), 2u);
    const auto a = posedVertices(c, pose), b = posedVertices(back, back.motions[0].frames[1]);
    for (size_t v = 0; v < 6; ++v) EXPECT_LE(distance(a[v], b[v]), 1e-5f) << v;
    EXPECT_LE(distance(back.motions[0].frames[1].root_position, {1, 1, 2}), 1e-5f);
}

// The whole body, moved.
Character moved(const Character& c, Quat turn, float scale, Vec3 shift) {
    Character m = c;
    for (Vec3& p : m.mesh.positions) p = rotate(turn, p * scale) + shift;
    for (Joint& joint : m.skeleton.joints) joint.parent_from_rest.translation *= scale;
    Transform& root = m.skeleton.joints[0].parent_from_rest;
    root = {turn * root.rotation, rotate(turn, root.translation) + shift};
    m.skin.joint_from_rest = inverseRestMatrices(m.skeleton);
    return m;
}

TEST(ImportRig, BodiesAreTurnedStoodAndScaledBack) {
    const Character body = tBody();
    const Quat quarter = fromAxisAngle({0, 1, 0}, kPi / 2), odd = fromAxisAngle({0, 1, 0}, 0.6f);
    const Quat lying = fromAxisAngle({1, 0, 0}, kPi / 2), on_head = fromAxisAngle({0, 0, 1}, kPi);
    const struct {
        Quat turn;
        float scale;
        Vec3 shift;
        const char* note;
    } cases[] = {{quarter, 1, {}, "-90 degrees about Y"},
                 {quarter * quarter, 1, {}, "180 degrees about Y"},
                 {odd, 1, {}, "-34 degrees about Y"},
                 {lying, 1, {}, "lay along the file's Z axis"},
                 {on_head, 1, {}, "lay along the file's -Y axis"},
                 {lying * quarter, 1, {}, "degrees about Y"},
                 {{}, 1, {0, -0.9f, 0}, "0.900 m along Y"},
                 {{}, 100, {}, "Scaled by 0.01"},
                 {{}, 0.01f, {}, "Scaled by 100"}};
    for (const auto& [turn, scale, shift, note] : cases) {
        SCOPED_TRACE(note);
        const Character back = roundTrip(moved(body, turn, scale, shift));
        EXPECT_TRUE(hasNote(back, note)) << (back.notes.empty() ? "no note" : back.notes[0]);
        ASSERT_EQ(back.mesh.positions.size(), 8u);
        for (size_t v = 0; v < 8; ++v)
            EXPECT_LE(distance(back.mesh.positions[v], body.mesh.positions[v]), 1e-5f) << v;
        EXPECT_LE(distance(placeOf(back, "LeftHand"), placeOf(body, "LeftHand")), 1e-5f);
        const auto posed = posedVertices(back, restPose(back.skeleton));
        for (size_t v = 0; v < 8; ++v)
            EXPECT_LE(distance(posed[v], body.mesh.positions[v]), 1e-5f) << v;
    }
}

TEST(ImportRig, ABodyInPlaceIsLeftAlone) {
    const Character back = roundTrip(tBody());
    EXPECT_TRUE(back.notes.empty()) << back.notes[0];
}

TEST(ImportRig, FeetThatPointBackAreRemarkedOn) {
    Character c = tBody();
    for (Vec3& p : c.mesh.positions) p.z -= 0.1f;
    EXPECT_TRUE(hasNote(roundTrip(c), "swapped"));
}

}  // namespace
}  // namespace hem
