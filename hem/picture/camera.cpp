// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/camera.h"

#include <array>
#include <limits>

#include "hem/core/text.h"

namespace hem {
namespace {

struct NamedView {
    const char* name;
    View view;
};
constexpr NamedView kNamedViews[] = {{"front", {0, 6}},
                                     {"side", {90, 6}},
                                     {"back", {180, 6}},
                                     {"three-quarter", {35, 10}},
                                     {"top", {0, 75}}};

Camera lookAlong(View view) {
    const float yaw = degreesToRadians(view.yaw), pitch = degreesToRadians(view.pitch);
    Camera camera;
    camera.right = {std::cos(yaw), 0, -std::sin(yaw)};
    camera.forward = {-std::sin(yaw) * std::cos(pitch), -std::sin(pitch),
                      -std::cos(yaw) * std::cos(pitch)};
    camera.up = cross(camera.right, camera.forward);
    return camera;
}

// The two planes of the frustum that bound one axis of the picture, pushed outwards until they
// touch the points. A point at (x, depth) is inside when x - slope * depth <= above and -x - slope
// * depth <= below.
struct Slab {
    float above = -std::numeric_limits<float>::max(), below = above;

    void include(float x, float depth, float slope) {
        above = std::max(above, x - slope * depth);
        below = std::max(below, -x - slope * depth);
    }
    float centre() const { return (above - below) / 2; }
    // Along the forward axis, the furthest forward that the eye may stand.
    float eyeDepth(float slope) const { return -(above + below) / (2 * slope); }
};

}  // namespace

Result<View> parseView(std::string_view text) {
    for (const NamedView& named : kNamedViews)
        if (text == named.name) return named.view;
    const size_t comma = text.find(',');
    const auto yaw = parseNumber(text.substr(0, comma));
    const auto pitch =
        comma == text.npos ? std::optional(0.0) : parseNumber(text.substr(comma + 1));
    if (!yaw || !pitch || std::abs(*yaw) > 3600)
        return errorf(
            "no such view: %s; use front, side, back, three-quarter, top, or YAW,PITCH in degrees",
            quoteForMessage(text).c_str());
    if (std::abs(*pitch) > 89)
        return errorf("the pitch of a view lies within -89 and 89 degrees, not %g", *pitch);
    return View{float(*yaw), float(*pitch)};
}

Camera frameCamera(std::span<const Vec3> points, View view, float aspect, const Framing& framing) {
    CHECK_GT(aspect, 0.0f);
    Camera camera = lookAlong(view);
    const float tan_half_longer = std::tan(degreesToRadians(framing.fov_degrees) / 2);
    camera.tan_half_height = aspect > 1 ? tan_half_longer / aspect : tan_half_longer;
    if (points.empty()) return camera;
    const float inner = std::max(0.1f, 1 - 2 * framing.margin);
    const float slope_x = camera.tan_half_height * aspect * inner,
                slope_y = camera.tan_half_height * inner;
    Slab horizontal, vertical;
    float nearest = std::numeric_limits<float>::max();
    for (Vec3 p : points) {
        const float depth = dot(p, camera.forward);
        horizontal.include(dot(p, camera.right), depth, slope_x);
        vertical.include(dot(p, camera.up), depth, slope_y);
        nearest = std::min(nearest, depth);
    }
    // never inside the subject, nor on it where it is a single point
    const float depth =
        std::min({horizontal.eyeDepth(slope_x), vertical.eyeDepth(slope_y), nearest - 1e-3f});
    camera.eye =
        camera.right * horizontal.centre() + camera.up * vertical.centre() + camera.forward * depth;
    return camera;
}

Camera frameCamera(const Bounds& bounds, View view, float aspect, const Framing& framing) {
    std::array<Vec3, 8> corners;
    for (size_t i = 0; i < 8; ++i)
        corners[i] = {i & 1 ? bounds.high.x : bounds.low.x, i & 2 ? bounds.high.y : bounds.low.y,
                      i & 4 ? bounds.high.z : bounds.low.z};
    return frameCamera(corners, view, aspect, framing);
}

Vec3 projectToPixels(const Camera& camera, Vec3 point, int width, int height) {
    const Vec3 offset = point - camera.eye;
    const float depth = dot(offset, camera.forward);
    const float half_height = float(height) / 2;
    const float scale = half_height / (camera.tan_half_height * depth);
    return {float(width) / 2 + dot(offset, camera.right) * scale,
            half_height - dot(offset, camera.up) * scale, depth};
}

}  // namespace hem
