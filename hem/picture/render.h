// SPDX-License-Identifier: Apache-2.0
// render(): meshes in a small photo studio, ray cast on the processor; needs no display.
//
// One large soft key light that casts shadows, a sky that fills and occludes, a gentle light from
// behind, and a seamless ground that carries shadows and fades into the background. The picture
// depends on the scene, the camera and the options alone: not on the number of threads, and two
// runs give the same bytes. (Another processor may round a ray differently, so bytes are not pinned
// across machines.)
//
//     Scene scene;
//     scene.objects.push_back({mesh, mannequinMaterial()});
//     const Camera camera = frameCamera(mesh.positions, {.yaw = 35, .pitch = 10}, 480 / 640.0f);
//     scene.lights = studioLights(camera);
//     savePng("body.png", render(scene, camera, {.width = 480, .height = 640}));
//
// Cost: about a second of one core for a 400 by 600 picture of 10,000 triangles at normal quality.
#pragma once

#include <string_view>
#include <vector>

#include "hem/core/mesh.h"
#include "hem/picture/camera.h"
#include "hem/picture/image.h"

namespace hem {

// Colours are linear light. Surfaces are seen from both sides.
struct Material {
    Vec3 base_color{0.62f, 0.55f, 0.47f};  // unless the mesh has colours per vertex
    Vec3 back_tint{0.6f, 0.6f, 0.6f};      // times the colour where a triangle is seen from behind
    float gloss = 0.04f;                   // reflectance at normal incidence; 0 is chalk
    float roughness = 0.45f;               // of the highlight, 0.05 (lacquer) to 1
    float sheen = 0;                       // light edges, as of cloth fibres, 0 to 1
    float unlit = 0;                       // share of the colour shown as it is, without light
};
Material mannequinMaterial();             // warm off-white, satin
Material clothMaterial(Vec3 base_color);  // matt, with the sheen of fibres
Material dataMaterial();  // for colours that carry values: readable against a legend

struct SceneObject {
    Mesh mesh;  // its colors, where present, replace the material's base colour
    Material material;
    bool wire = false;          // draw the triangles' edges over the surface
    float crease_degrees = 75;  // faces that meet at less are shaded smooth; 0 shows the facets
};

// Directions point from the scene to the light and are unit vectors.
struct Lights {
    Vec3 key_direction{-0.45f, 0.78f, 0.44f};
    float key_radius =
        0.18f;  // half the angle that the key light spans, radians: softness of shadows
    Vec3 key_color{1.12f, 1.07f, 0.99f};
    Vec3 sky_color{0.36f, 0.39f, 0.45f};  // overhead
    Vec3 horizon_color{0.19f, 0.20f, 0.22f};
    Vec3 rim_direction{0.6f, 0.4f, -0.7f};
    Vec3 rim_color{0.85f, 0.88f, 0.95f};
};
// Key light over the camera's left shoulder, rim light from behind on the right.
Lights studioLights(const Camera& camera);

struct Scene {
    std::vector<SceneObject> objects;
    Lights lights;
    bool ground = true;
    float ground_height = 0;
    float ground_dots = 0;  // metres between faint dots, which tell that it moves by; 0: none
    Vec3 background{0.80f, 0.79f, 0.765f};  // shown as it is, not lit
    float background_shading = 0.10f;       // how much darker the corners of the picture are
};

// Lowest vertex of all objects; 0 for a scene without vertices.
float lowestPoint(const Scene& scene);

enum class Quality { kDraft, kNormal, kHigh };
// "draft", "normal" or "high".
Result<Quality> parseQuality(std::string_view text);

// 70 bytes of memory a pixel: 1.2 GB at the limit.
inline constexpr int kMaxRenderSide = 4096;

struct RenderOptions {
    int width = 480, height = 640;  // 1 to kMaxRenderSide
    Quality quality = Quality::kNormal;
};

// Triangles must index their mesh's vertices, positions must be finite, colours one per vertex or
// none.
Image render(const Scene& scene, const Camera& camera, const RenderOptions& options = {});

}  // namespace hem
