// SPDX-License-Identifier: Apache-2.0
// Camera: where a picture is taken from, and views that frame what is in the scene.
#pragma once

#include <span>
#include <string_view>

#include "hem/core/mesh.h"

namespace hem {

// The direction a subject is seen from, in degrees. Yaw 0 looks at its front (the camera stands at
// +Z), yaw 90 at its left side (the camera stands at +X). Positive pitch looks down from above.
struct View {
    float yaw = 0, pitch = 0;
};
// "front", "side", "back", "three-quarter", "top", or "YAW,PITCH" in degrees. The named ones look
// down a little, so that the ground shows.
Result<View> parseView(std::string_view text);

// A pinhole camera; the field of view is that of the picture's height.
struct Camera {
    Vec3 eye{0, 1, 5};
    Vec3 right{1, 0, 0}, up{0, 1, 0}, forward{0, 0, -1};  // an orthonormal frame
    float tan_half_height = 0.2f;                         // of the vertical field of view
};

struct Framing {
    float margin = 0.06f;    // empty border, as a share of the picture's width or height
    float fov_degrees = 24;  // of the picture's longer side: a portrait lens, little distortion
};

// The nearest camera in that direction which sees all points, centred. `aspect` is width / height.
Camera frameCamera(std::span<const Vec3> points, View view, float aspect,
                   const Framing& framing = {});
// The same for the corners of a box.
Camera frameCamera(const Bounds& bounds, View view, float aspect, const Framing& framing = {});

// The camera moved along with its subject.
inline Camera moved(Camera camera, Vec3 by) {
    camera.eye += by;
    return camera;
}

// Where a point appears, in pixels from the top left corner; `z` is its depth along `forward` (at
// or below nought: behind the camera, and x and y mean nothing).
Vec3 projectToPixels(const Camera& camera, Vec3 point, int width, int height);

}  // namespace hem
