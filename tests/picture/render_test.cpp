// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/render.h"

#include <gtest/gtest.h>

#include "hem/core/parallel.h"
#include "tests/picture/shapes.h"

namespace hem {
namespace {

constexpr RenderOptions kSmall{.width = 160, .height = 120};

Camera lookingAtOrigin(View view, float distance) {
    Camera camera = frameCamera(Bounds{{-1, -1, -1}, {1, 1, 1}}, view, 4.0f / 3);
    camera.eye = camera.forward * -distance;
    return camera;
}

float brightness(const Image& image, Vec3 pixel) {
    return luminance(linearFromSrgb(image.at(int(pixel.x), int(pixel.y))));
}

// Chalk under one lamp: brightness is the base colour times the lamp times the cosine.
Scene lampOnly(const Mesh& mesh, Vec3 to_lamp) {
    Scene scene;
    scene.objects.push_back(
        {.mesh = mesh, .material = {.base_color = {0.5f, 0.5f, 0.5f}, .gloss = 0}});
    scene.lights = {
        .key_direction = normalized(to_lamp), .key_radius = 0.01f, .key_color = {1, 1, 1}};
    scene.lights.sky_color = scene.lights.horizon_color = scene.lights.rim_color = {};
    scene.ground = false;
    scene.background = {};
    return scene;
}

TEST(Render, ThePictureDoesNotDependOnTheNumberOfThreads) {
    Scene scene;
    scene.objects.push_back(
        {.mesh = sphere({0, 1, 0}, 1, 24, 48), .material = mannequinMaterial()});
    scene.objects.push_back(
        {.mesh = plate({0.5f, 2.2f, 0.3f}, 0.6f), .material = clothMaterial({0.1f, 0.2f, 0.4f})});
    const Camera camera = lookingAtOrigin({30, 15}, 9);
    setThreadLimit(1);
    const Image alone = render(scene, camera, kSmall);
    setThreadLimit(3);
    const Image crowd = render(scene, camera, kSmall);
    setThreadLimit(0);
    EXPECT_EQ(alone, crowd);
    EXPECT_EQ(alone, render(scene, camera, kSmall));
}

TEST(Render, ASpheresOutlineHasTheAreaOfItsCone) {
    Scene scene = lampOnly(sphere({}, 1, 128, 256), {0, 0, 1});
    scene.objects[0].material.unlit = 1;
    const float distance = 9;
    const Camera camera = lookingAtOrigin({20, 10}, distance);
    const RenderOptions options{.width = 400, .height = 300, .quality = Quality::kHigh};
    const Image image = render(scene, camera, options);
    const double covered = double(linearFromSrgb(srgbFromLinear(0.5f)));  // the base colour's code
    double area = 0;
    for (Rgb pixel : image.pixels) area += double(linearFromSrgb(pixel.g)) / covered;
    // the outline's cone has the sine radius / distance, and meets the picture in a circle
    const double tangent = 1 / std::sqrt(double(distance * distance) - 1);
    const double radius = tangent / double(camera.tan_half_height) * options.height / 2;
    EXPECT_NEAR(area, double(kPi) * radius * radius, 0.003 * area);
}

TEST(Render, TheSideTowardsTheLampIsBrighterByTheCosine) {
    const Scene scene = lampOnly(sphere({}, 1, 64, 128), {1, 0, 1});
    const Camera camera = lookingAtOrigin({0, 0}, 8);
    const Image image = render(scene, camera, kSmall);
    for (float degrees : {-30.0f, 0.0f, 20.0f, 45.0f}) {
        const float angle = degreesToRadians(degrees);
        const Vec3 point{std::sin(angle), 0, std::cos(angle)};
        const float cosine = dot(point, scene.lights.key_direction);
        EXPECT_NEAR(brightness(image, projectToPixels(camera, point, kSmall.width, kSmall.height)),
                    0.5f * cosine, 0.03f)
            << degrees;
    }
    const Vec3 dark{-0.95f, 0, 0.3f};
    EXPECT_LT(brightness(image, projectToPixels(camera, dark, kSmall.width, kSmall.height)), 0.01f);
}

TEST(Render, TheShadowFallsWhereTheLampSendsIt) {
    Scene scene;
    scene.objects.push_back({.mesh = plate({0, 1, 0}, 0.25f)});
    scene.lights = {.key_direction = normalized(Vec3{0.75f, 1, 0}), .key_radius = 0.02f};
    scene.background_shading = 0;
    const Camera camera = lookingAtOrigin({0, 40}, 7);
    const RenderOptions options{.width = 480, .height = 360};
    const Image image = render(scene, camera, options);
    const auto ground = [&](float x) {
        return brightness(image, projectToPixels(camera, {x, 0, 0}, options.width, options.height));
    };
    // the plate's edges at x = -0.25 and 0.25 go to -1 and -0.5
    const float lit = ground(1.4f), dark = ground(-0.75f);
    EXPECT_LT(dark, 0.7f * lit);
    const float half_way = (lit + dark) / 2;
    EXPECT_GT(ground(-1.06f), half_way);
    EXPECT_LT(ground(-0.94f), half_way);
    EXPECT_LT(ground(-0.56f), half_way);
    EXPECT_GT(ground(-0.44f), half_way);
}

TEST(Render, DotsStandOnTheGroundWhereTheirSpacingSays) {
    Scene scene;
    scene.ground_dots = 0.5f;
    const Camera camera = lookingAtOrigin({20, 40}, 6);
    const Image with = render(scene, camera, kSmall);
    scene.ground_dots = 0;
    const Image without = render(scene, camera, kSmall);
    const auto darkening = [&](Vec3 place) {
        const Vec3 pixel = projectToPixels(camera, place, kSmall.width, kSmall.height);
        return brightness(with, pixel) / brightness(without, pixel);
    };
    for (Vec3 dot : {Vec3{0, 0, 0}, Vec3{0.5f, 0, 0}, Vec3{-0.5f, 0, 0.5f}}) {
        EXPECT_LT(darkening(dot), 0.9f);
        EXPECT_GT(darkening(dot + Vec3{0.25f, 0, 0.25f}), 0.99f);
    }
}

TEST(Render, ALargerLampMakesASofterShadow) {
    const auto edgeWidth = [](float lamp_radius) {
        Scene scene;
        scene.objects.push_back({.mesh = plate({0, 1, 0}, 0.5f)});
        scene.lights = {.key_direction = normalized(Vec3{1, 1, 0}), .key_radius = lamp_radius};
        scene.background_shading = 0;
        const Camera camera = lookingAtOrigin({0, 50}, 8);
        const Image image =
            render(scene, camera, {.width = 480, .height = 360, .quality = Quality::kHigh});
        int between = 0;
        for (float x = -1; x < 0; x += 0.01f) {
            const float b = brightness(image, projectToPixels(camera, {x, 0, 0}, 480, 360));
            const float b_lit =
                brightness(image, projectToPixels(camera, {1.2f, 0, 0.3f}, 480, 360));
            const float b_dark = brightness(image, projectToPixels(camera, {-1, 0, 0}, 480, 360));
            between += b > b_dark + 0.2f * (b_lit - b_dark) && b < b_dark + 0.8f * (b_lit - b_dark);
        }
        return between;
    };
    EXPECT_GT(edgeWidth(0.2f), 2 * edgeWidth(0.02f));
}

// A ball of radius 1 that lies on the ground hides D^-3 of the cosine-weighted sky from a point of
// the ground at distance D from its centre.
TEST(Render, ABallHidesAsMuchSkyAsItsClosedForm) {
    Scene scene;
    scene.objects.push_back({.mesh = sphere({0, 1, 0}, 1, 64, 128)});
    scene.lights.key_color = {};
    scene.background_shading = 0;
    const Camera camera = lookingAtOrigin({0, 30}, 14);
    const RenderOptions options{.width = 320, .height = 240};
    const Image image = render(scene, camera, options);
    for (float away : {1.0f, 1.3f, 1.7f}) {
        const Vec3 pixel = projectToPixels(camera, {0, 0, away}, options.width, options.height);
        const float hidden = 1 / std::pow(1 + away * away, 1.5f);
        EXPECT_NEAR(brightness(image, pixel) / luminance(scene.background), 1 - hidden, 0.03f)
            << away;
    }
}

// A coarse ball's facets turn away from the lamp before its smooth normals do: without care, whole
// triangles go black along the terminator.
TEST(Render, ACoarseMeshShowsNoTrianglesAlongTheTerminator) {
    // the facet from -36 to 0 degrees looks away from the lamp, but half of its normals do not
    const Scene scene = lampOnly(sphere({}, 1, 6, 10), {0.956f, 0, 0.292f});
    const Camera camera = lookingAtOrigin({0, 0}, 8);
    const RenderOptions options{.width = 320, .height = 240};
    const Image image = render(scene, camera, options);
    int looked_at = 0, black = 0;
    for (float x = -0.6f; x < 0.6f; x += 0.01f)
        for (float y = -0.6f; y < 0.6f; y += 0.01f) {
            const Vec3 point{x, y, std::sqrt(1 - x * x - y * y)};
            const float cosine = dot(point, scene.lights.key_direction);
            if (cosine < 0.1f || cosine > 0.28f) continue;
            ++looked_at;
            const Vec3 pixel = projectToPixels(camera, point, options.width, options.height);
            black += brightness(image, pixel) < 0.25f * 0.5f * cosine;
        }
    EXPECT_GT(looked_at, 1000);
    EXPECT_LT(black, looked_at / 200) << "of " << looked_at;
}

TEST(Render, ColoursPerVertexReplaceTheMaterials) {
    Mesh mesh = plate({}, 1);
    mesh.colors = {{1, 0, 0}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}};
    Scene scene = lampOnly(mesh, {0, 1, 0});
    scene.objects[0].material.unlit = 1;
    const Camera camera = lookingAtOrigin({0, 80}, 8);
    const Image image = render(scene, camera, kSmall);
    const auto at = [&](Vec3 p) {
        const Vec3 pixel = projectToPixels(camera, p, kSmall.width, kSmall.height);
        return linearFromSrgb(image.at(int(pixel.x), int(pixel.y)));
    };
    EXPECT_GT(at({-0.8f, 0, 0}).x, 0.8f);
    EXPECT_LT(at({-0.8f, 0, 0}).y, 0.2f);
    EXPECT_GT(at({0.8f, 0, 0}).y, 0.8f);
    EXPECT_NEAR(at({0, 0, 0}).x, 0.5f, 0.03f);
}

TEST(Render, TheBackOfATriangleIsTinted) {
    Scene scene = lampOnly(plate({}, 1), {0, 1, 0});
    scene.objects[0].material.unlit = 1;
    const Image above = render(scene, lookingAtOrigin({0, 60}, 8), kSmall);
    const Image below = render(scene, lookingAtOrigin({0, -60}, 8), kSmall);
    const Vec3 centre{80, 60, 0};
    EXPECT_NEAR(brightness(above, centre), 0.5f, 0.01f);
    EXPECT_NEAR(brightness(below, centre), 0.3f, 0.01f);
}

TEST(Render, WireShowsTheDiagonalOfASquare) {
    Scene scene = lampOnly(plate({}, 1), {0, 1, 0});
    scene.objects[0].material.unlit = 1;
    scene.objects[0].wire = true;
    const Camera camera = lookingAtOrigin({0, 80}, 8);
    const Image image = render(scene, camera, kSmall);
    const auto at = [&](Vec3 p) {
        return brightness(image, projectToPixels(camera, p, kSmall.width, kSmall.height));
    };
    EXPECT_LT(at({0, 0, 0}), 0.35f);
    EXPECT_LT(at({0.5f, 0, -0.5f}), 0.35f);
    EXPECT_NEAR(at({0.5f, 0, 0.3f}), 0.5f, 0.01f);
}

TEST(Render, AnEmptySceneAndAnEmptyMeshAreTheBackdrop) {
    Scene scene;
    scene.background_shading = 0;
    scene.background = linearFromSrgb(Rgb{200, 100, 50});
    const Image empty = render(scene, Camera{}, {.width = 8, .height = 8});
    for (Rgb pixel : empty.pixels) EXPECT_EQ(pixel, (Rgb{200, 100, 50}));
    scene.objects.push_back({});
    EXPECT_EQ(render(scene, Camera{}, {.width = 8, .height = 8}), empty);
}

TEST(Render, DegenerateTrianglesDoNoHarm) {
    Mesh mesh = sphere({0, 1, 0}, 1, 8, 16);
    mesh.triangles.push_back({0, 0, 0});
    mesh.triangles.push_back({5, 5, 40});
    Scene scene;
    scene.objects.push_back({.mesh = mesh, .wire = true});
    const Image image = render(scene, lookingAtOrigin({0, 10}, 9), kSmall);
    EXPECT_EQ(image.width, kSmall.width);
}

}  // namespace
}  // namespace hem
