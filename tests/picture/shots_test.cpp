// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/shots.h"

#include <gtest/gtest.h>

#include "hem/picture/stick_figure.h"
#include "tests/picture/shapes.h"

namespace hem {
namespace {

Skeleton threeJoints() {
    return {{{"Hips", kNoParent, {{}, {0, 1, 0}}},
             {"LeftArm", 0, {{}, {0.4f, 0.3f, 0}}},
             {"RightArm", 0, {{}, {-0.4f, 0.3f, 0}}}}};
}

Shot ballAt(const Mesh& ball, Vec3 place) {
    Shot shot{.anchor = place};
    for (Vec3 p : ball.positions) shot.positions.push_back(p + place);
    return shot;
}

// The mean place of the pixels that differ from the backdrop's grey: a red ball's.
Vec2 centreOfRed(const Image& image) {
    double x_sum = 0, y_sum = 0, count = 0;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            if (image.at(x, y).r > image.at(x, y).b + 60) x_sum += x, y_sum += y, ++count;
    return {float(x_sum / count), float(y_sum / count)};
}

class BallShots : public testing::Test {
protected:
    Mesh ball = sphere({0, 0.5f, 0}, 0.5f, 16, 32);
    std::vector<Shot> shots{ballAt(ball, {0, 0, 0}), ballAt(ball, {4, 0, 0}),
                            ballAt(ball, {8, 0, 3})};
    ShotOptions options{.view = {0, 10},
                        .render = {.width = 120, .height = 90},
                        .material = {.base_color = {0.7f, 0.02f, 0.02f}}};
};

TEST_F(BallShots, OneCameraSeesAllShotsWhereTheyStand) {
    const std::vector<Image> images = renderShots(ball, shots, options);
    ASSERT_EQ(images.size(), 3u);
    EXPECT_LT(centreOfRed(images[0]).x, 30);
    EXPECT_NEAR(centreOfRed(images[1]).x, 60, 12);
    EXPECT_GT(centreOfRed(images[2]).x, 90);
}

TEST_F(BallShots, AFollowingCameraKeepsTheBodyInItsPlace) {
    options.follow = true;
    const std::vector<Image> images = renderShots(ball, shots, options);
    for (const Image& image : images) {
        EXPECT_NEAR(centreOfRed(image).x, centreOfRed(images[0]).x, 0.5f);
        EXPECT_NEAR(centreOfRed(image).y, centreOfRed(images[0]).y, 0.5f);
        EXPECT_NEAR(centreOfRed(image).x, 60, 1);
    }
}

TEST_F(BallShots, AShotsOwnColoursWin) {
    options.material.unlit = 1;
    shots.resize(1);
    shots[0].colors.assign(ball.positions.size(), {0, 0, 1});
    const Image image = renderShots(ball, shots, options)[0];
    EXPECT_GT(image.at(60, 45).b, 200);
    EXPECT_LT(image.at(60, 45).r, 40);
}

TEST(Shots, TimesAreEvenAndIncludeBothEnds) {
    EXPECT_EQ(evenTimes(1, 3, 5), (std::vector<double>{1, 1.5, 2, 2.5, 3}));
    EXPECT_EQ(evenTimes(1, 3, 1), (std::vector<double>{1}));
}

TEST(Shots, ACharacterStandsWhereItsPoseSaysAtEachMoment) {
    const Character figure = stickFigure(threeJoints(), "figure");
    Motion motion{.name = "slide", .skeleton = figure.skeleton, .rate = 10};
    for (int i = 0; i <= 10; ++i) {
        motion.frames.push_back(restPose(figure.skeleton));
        motion.frames.back().root_position.x += float(i);
    }
    const std::vector<Shot> shots = shotsOf(figure, motion, {0, 0.55, 1});
    ASSERT_EQ(shots.size(), 3u);
    for (size_t i = 0; i < figure.mesh.positions.size(); i += 7) {
        EXPECT_NEAR(shots[1].positions[i].x, figure.mesh.positions[i].x + 5.5f, 1e-4f);
        EXPECT_NEAR(shots[2].positions[i].x, figure.mesh.positions[i].x + 10, 1e-4f);
    }
    EXPECT_NEAR(shots[1].anchor.x, 5.5f, 1e-5f);
}

TEST(StickFigure, IsAValidCharacterOfClosedPiecesThatFaceOutwards) {
    const Character figure = stickFigure(threeJoints(), "figure");
    const Status valid = validate(figure);
    EXPECT_TRUE(valid) << valid.error().message;
    const Topology topology = topologyOf(figure.mesh);
    EXPECT_TRUE(topology.watertight());
    EXPECT_EQ(topology.components, 5u);  // three balls, two bones
    EXPECT_EQ(topology.euler_characteristic, 2 * 5);
    EXPECT_GT(signedVolume(figure.mesh), 0);
}

TEST(StickFigure, LeftIsBluishAndRightIsReddish) {
    const Mesh mesh = stickFigure(threeJoints(), "figure").mesh;
    for (size_t i = 0; i < mesh.positions.size(); ++i) {
        if (mesh.positions[i].x > 0.2f) {
            EXPECT_GT(mesh.colors[i].z, mesh.colors[i].x);
        }
        if (mesh.positions[i].x < -0.2f) {
            EXPECT_LT(mesh.colors[i].z, mesh.colors[i].x);
        }
    }
}

TEST(StickFigure, JointsInOnePlaceGiveNoBoneBetweenThem) {
    Skeleton skeleton = threeJoints();
    skeleton.joints[1].parent_from_rest.translation = {};
    const Character figure = stickFigure(skeleton, "figure");
    EXPECT_TRUE(validate(figure));
    EXPECT_EQ(topologyOf(figure.mesh).components, 4u);
    for (Vec3 p : stickFigure({{{"Root"}}}, "point").mesh.positions) EXPECT_TRUE(isFinite(p));
}

}  // namespace
}  // namespace hem
