// SPDX-License-Identifier: Apache-2.0
// Contact of the built-in simulator's cloth, with bodies and with cloth, on bodies known by hand.
#include <cmath>

#include "hem/character/mannequin/mannequin.h"
#include "hem/cloth/judge.h"
#include "tests/cloth/cloth_frames.h"

namespace hem {
namespace {

Character levelFloor() {
    Mesh floor;
    floor.positions = {{-3, 0, -3}, {3, 0, -3}, {3, 0, 3}, {-3, 0, 3}};
    floor.triangles = {{0, 2, 1}, {0, 3, 2}};
    return rigidCharacter(floor);
}

// The x by which a sheet on a level floor moves in a second, gravity tilted by `degrees`.
double slideOn(float degrees, float friction) {
    ClothScene scene{levelFloor(), {sheet({0, 0.003f, 0}, 0.05f, 4, 4)}};
    scene.garments[0].fabric.friction = friction;
    scene.garments[0].fabric.air_drag = 0;
    const float angle = degreesToRadians(degrees);
    scene.gravity = {9.81f * std::sin(angle), -9.81f * std::cos(angle), 0};
    const ClothState start = asMade(scene);
    const std::vector<ClothState> states = framesFrom(scene, start, 30);
    EXPECT_GT(meanOf(states.back().positions).y, 0.001f);
    return double(meanOf(states.back().positions).x - meanOf(start.positions).x);
}

TEST(ClothContact, ClothSlidesOnASlopeSteeperThanItsFrictionAngleOnly) {
    // tan 26.6 degrees = 0.5
    EXPECT_LT(slideOn(23, 0.5f), 0.003);
    const double sliding = 9.81 * (std::sin(0.6109) - 0.5 * std::cos(0.6109)) / 2;
    EXPECT_NEAR(slideOn(35, 0.5f), sliding, 0.05 * sliding);
}

TEST(ClothContact, FrictionDoesNotDependOnTheSubstepCount) {
    const auto slid = [](int substeps) {
        ClothScene scene{levelFloor(), {sheet({0, 0.0023f, 0}, 0.05f, 4, 4)}};
        scene.garments[0].fabric.air_drag = 0;
        scene.substeps = substeps;
        ClothState start = asMade(scene);
        for (Vec3& v : start.velocities) v = {1, 0, 0};
        const std::vector<ClothState> states = framesFrom(scene, start, 30);
        return double(meanOf(states.back().positions).x - meanOf(start.positions).x);
    };
    // v^2 / (2 mu g)
    const double expected = 1 / (2 * 0.3 * 9.81);
    EXPECT_NEAR(slid(8), expected, 0.05 * expected);
    EXPECT_NEAR(slid(40), expected, 0.05 * expected);
}

TEST(ClothContact, ClothInsideTheBodyIsPutOutsideWithoutAKick) {
    ClothScene scene{levelFloor(), {sheet({0, -0.005f, 0}, 0.05f, 6, 6)}};
    scene.garments[0].fabric.air_drag = 0;
    for (const ClothState& state : framesFrom(scene, asMade(scene), 10))
        for (size_t v = 0; v < state.positions.size(); ++v) {
            EXPECT_NEAR(state.positions[v].y, 0.0022f, 0.0003f);
            EXPECT_LT(length(state.velocities[v]), 0.01f);
        }
}

TEST(ClothContact, ClothDeepInABodyThatIsStillComesOutAtHalfAMetreASecond) {
    ClothScene scene{levelFloor(), {sheet({0, -0.012f, 0}, 0.05f, 6, 6)}};
    scene.rate = 120;
    const std::vector<ClothState> states = framesFrom(scene, asMade(scene), 6);
    EXPECT_NEAR(meanOf(states[0].positions).y, -0.012f + 0.5f / 120, 0.0002f);
    EXPECT_NEAR(meanOf(states[1].positions).y, -0.012f + 1.0f / 120, 0.0002f);
    EXPECT_NEAR(meanOf(states.back().positions).y, 0.0022f, 0.0003f);
}

// A ball on a rod of a metre swings through the lowest point of its circle, where a curtain hangs
// across its way, held by a second ball.
struct Club {
    explicit Club(float metres_per_second)
        : speed(metres_per_second),
          scene{hingedCharacter(sphereMesh({0, 1.5f, 0}, 0.15f, 8), sphereMesh({0, 2, -1}, 0.12f),
                                {0, 2, 0}),
                {sheet({-0.3f, 0, 0}, 0.04f, 15, 15)}} {
        Garment& curtain = scene.garments[0];
        for (Vec3& p : curtain.mesh.positions) p = {p.x, 1.3f - p.z, 0};
        for (size_t v = 0; v < 16; ++v) curtain.pins[v] = 1;
        for (int f = 0; angleAt(f) > -0.3f; ++f) {
            poses.push_back(restPose(scene.character.skeleton));
            poses.back().rotations[1] = fromAxisAngle({1, 0, 0}, angleAt(f) - kPi / 2);
        }
    }
    float angleAt(int frame) const { return 0.4f - speed * float(frame) / 30; }
    Vec3 ballAt(int frame) const {
        return {0, 2 - std::cos(angleAt(frame)), -std::sin(angleAt(frame))};
    }

    float speed;
    ClothScene scene;
    std::vector<Pose> poses;
};

// At 6 m/s the ball goes 20 cm in a frame.
TEST(ClothContact, AClubThatSwingsFastTakesTheCurtainAlong) {
    for (const float speed : {3.0f, 4.5f, 6.0f}) {
        const Club club(speed);
        ClothJudge judge(club.scene);
        int frame = 0;
        const auto look = [&](const ClothState& state) {
            judge.add(club.poses[size_t(++frame)], state.positions);
            const Vec3 ball = club.ballAt(frame);
            int ahead = 0;
            for (const Vec3 p : state.positions)
                ahead += std::abs(p.x) < 0.05f && std::abs(p.y - ball.y) < 0.05f && p.z > ball.z;
            if (ball.z > 0) {
                EXPECT_GT(ahead, 2) << speed << " m/s, frame " << frame;
            }
            return true;
        };
        const Status done = simulatorOf(club.scene)->advance(asMade(club.scene), club.poses, look);
        ASSERT_TRUE(done) << done.error().message;
        EXPECT_LT(judge.verdict().penetration_max_mm, 5) << speed << " m/s";
    }
}

// Two sheets above a ball, the second `above` the first.
ClothScene twoSheets(float above) {
    ClothScene scene{rigidCharacter(sphereMesh({0, 0, 0}, 0.2f, 16)),
                     {sheet({-0.3f, 0.21f, -0.3f}, 0.05f, 12, 12),
                      sheet({-0.3f, 0.21f + above, -0.3f}, 0.05f, 12, 12)}};
    scene.garments[1].name = "upper";
    return scene;
}

// On the crown: how far the upper sheet's middle is above the lower one's.
float gapOf(const ClothState& state) { return state.positions[169 + 84].y - state.positions[84].y; }

TEST(ClothContact, TwoSheetsThatFallOnABallStayApartInTheirOrder) {
    const ClothScene scene = twoSheets(0.01f);
    const std::vector<ClothState> states = framesFrom(scene, asMade(scene), 45);
    const Mesh mesh = joinedMesh(scene.garments);
    const auto edges = uniqueEdges(mesh.triangles);
    // vertices keep off triangles; two edges of such coarse cloth may still cross
    for (const size_t frame : {10u, 25u, 44u})
        EXPECT_LT(countPiercingEdges(states[frame].positions, mesh.triangles, edges),
                  edges.size() / 50)
            << "frame " << frame;
    EXPECT_GT(gapOf(states.back()), 0.0025f);
}

TEST(ClothContact, TheOuterLayerGetsOutFromUnderTheInner) {
    const ClothScene scene = twoSheets(-0.001f);
    EXPECT_GT(gapOf(framesFrom(scene, asMade(scene), 45).back()), 0.0005f);
}

// Half a millimetre apart, where they keep four: put right in a frame, and at rest.
TEST(ClothContact, SheetsThatAreTooNearEachOtherPartWithoutAKick) {
    ClothScene scene = twoSheets(0.0005f);
    for (Garment& garment : scene.garments)
        for (Vec3& p : garment.mesh.positions) p.y += 1;
    scene.gravity = {};
    const std::vector<ClothState> states = framesFrom(scene, asMade(scene), 2);
    EXPECT_GT(gapOf(states[0]), 0.002f);
    for (const ClothState& state : states)
        for (const Vec3 v : state.velocities) EXPECT_LT(length(v), 0.02f);
}

// A strip lies on the mannequin's forearm, worn there or at the hip, while the whole body moves
// along the arm at `speed` and gravity is tilted along it by 12 degrees: tan 12 = 0.21, half of the
// friction. Metres that the strip moves by the arm in half a second, having settled for one: along
// it and up.
struct Strip {
    bool worn_there;
    float speed;
    int substeps = 0;
    bool arms_pass = false;
};
struct Way {
    float along, up;
};
Way wayOnForearm(const Strip& strip) {
    const float speed = strip.speed;
    ClothScene scene{mannequin(Sex::kFemale), {sheet({}, 0.02f, 2, 8)}};
    scene.garments[0].fabric.friction = 0.4f;
    scene.substeps = strip.substeps;
    scene.arms_pass = strip.arms_pass;
    const Skeleton& skeleton = scene.character.skeleton;
    const std::vector<Transform> joints = worldTransforms(skeleton, restPose(skeleton));
    const auto placeOf = [&](const char* name) {
        return joints[size_t(skeleton.find(name))].translation;
    };
    const Vec3 elbow = placeOf("LeftForeArm"), along = normalized(placeOf("LeftHand") - elbow);
    const Vec3 up = normalized(Vec3{0, 1, 0} - along * along.y), across = cross(along, up);
    ClothState start = asMade(scene);
    for (size_t v = 0; v < start.positions.size(); ++v) {
        const Vec3 flat = start.positions[v];
        start.positions[v] = elbow + along * (0.04f + flat.z) + across * (flat.x - 0.02f);
        start.positions[v] += up * 0.06f;
        start.velocities[v] = along * speed;
        Vec3& worn = scene.garments[0].mesh.positions[v];
        worn = strip.worn_there ? start.positions[v] : placeOf("Hips") + Vec3{flat.x, flat.z, 0.3f};
    }
    const float angle = degreesToRadians(12);
    scene.gravity = (along * std::sin(angle) - up * std::cos(angle)) * 9.81f;
    std::vector<Pose> poses(46, restPose(skeleton));
    for (size_t f = 0; f < poses.size(); ++f)
        poses[f].root_position += along * (speed * float(f) / 30);
    std::vector<Vec3> places;
    const auto keep = [&](const ClothState& state) {
        places.push_back(meanOf(state.positions));
        return true;
    };
    EXPECT_TRUE(simulatorOf(scene)->advance(start, poses, keep));
    const Vec3 way = places[44] - places[29];
    return {dot(way, along) - speed / 2, dot(way, up)};
}
float slideOnForearm(bool worn_there, float speed, int substeps = 0) {
    return wayOnForearm({worn_there, speed, substeps}).along;
}

TEST(ClothContact, AnArmThatMovesDragsClothThatIsNotWornOnItAndDoesNotGripIt) {
    EXPECT_LT(std::abs(slideOnForearm(true, 0)), 0.0005f);
    EXPECT_LT(std::abs(slideOnForearm(true, 0.2f)), 0.0005f);
    EXPECT_LT(std::abs(slideOnForearm(false, 0)), 0.0005f);
    EXPECT_GT(slideOnForearm(false, 0.2f), 0.001f);
    EXPECT_LT(slideOnForearm(false, 0.2f), 0.02f);
}

TEST(ClothContact, TheDragOfAnArmDoesNotDependOnTheSubstepCount) {
    // the gravity of one substep is not dragged: a fifth more at 20 than at 40
    const float coarse = slideOnForearm(false, 0.2f, 20), fine = slideOnForearm(false, 0.2f, 40);
    EXPECT_NEAR(coarse, fine, 0.3f * fine);
}

TEST(ClothContact, WhereArmsPassOnlyClothThatIsWornOnThemLiesOnThem) {
    EXPECT_LT(std::abs(wayOnForearm({.worn_there = true, .speed = 0, .arms_pass = true}).up),
              0.0005f);
    EXPECT_LT(wayOnForearm({.worn_there = false, .speed = 0, .arms_pass = true}).up, -0.3f);
}

// Gusts, and a sheet folded through itself: all that a frame could wrongly remember of the last.
TEST(ClothContact, TangledClothInTheWindContinuesBitForBit) {
    ClothScene scene = twoSheets(0.01f);
    scene.wind = {{4, 0, 1}, 0.8f, 3};
    ClothState start = asMade(scene);
    for (size_t v = 169; v < start.positions.size(); ++v) {
        Vec3& p = start.positions[v];
        if (p.x > 0) p = {-p.x, p.y + 0.1f * (p.z - 0.02f), p.z};
    }
    const std::vector<ClothState> whole = framesFrom(scene, start, 45);
    const std::vector<ClothState> rest = framesFrom(scene, whole[24], 20);
    for (size_t f = 0; f < rest.size(); ++f) ASSERT_EQ(rest[f], whole[25 + f]) << "frame " << f;
}

}  // namespace
}  // namespace hem
