// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/ray_scene.h"

#include <limits>

#include "hem/core/parallel.h"
#include "hem/picture/embree_mesh.h"

namespace hem {
namespace {

// How much of a wire line covers a point with these barycentric coordinates, 0 to 1. Lines fade
// where triangles are smaller than a few pixels: else a dense mesh would be painted over.
float wireCoverage(const Vec3 position[3], const float barycentric[3], float pixel_size) {
    const float double_area = length(cross(position[1] - position[0], position[2] - position[0]));
    float nearest = std::numeric_limits<float>::max(), smallest = nearest;
    for (int i = 0; i < 3; ++i) {
        const float edge = distance(position[(i + 1) % 3], position[(i + 2) % 3]);
        const float height = edge > 0 ? double_area / edge : 0;
        nearest = std::min(nearest, barycentric[i] * height / pixel_size);
        smallest = std::min(smallest, height / pixel_size);
    }
    const float line = std::clamp(1.1f - nearest, 0.0f, 1.0f);
    return line * std::clamp(smallest / 6, 0.15f, 1.0f);
}

}  // namespace

std::vector<Vec3> cornerNormals(const Mesh& mesh, float crease_degrees) {
    const Weld weld = weldByPosition(mesh.positions);
    std::vector<Vec3> face_areas(mesh.triangles.size());  // along the normal, twice the area long
    std::vector<Vec3> face_normals(mesh.triangles.size());
    std::vector<std::vector<uint32_t>> faces_around(weld.original_from_welded.size());
    for (size_t f = 0; f < mesh.triangles.size(); ++f) {
        const auto& [a, b, c] = mesh.triangles[f];
        const Vec3 origin = mesh.positions[a];
        face_areas[f] = cross(mesh.positions[b] - origin, mesh.positions[c] - origin);
        face_normals[f] = normalized(face_areas[f]);
        for (uint32_t v : mesh.triangles[f])
            faces_around[weld.welded_from_original[v]].push_back(uint32_t(f));
    }
    const float limit = std::cos(degreesToRadians(crease_degrees));
    std::vector<Vec3> normals;
    normals.reserve(mesh.triangles.size() * 3);
    for (size_t f = 0; f < mesh.triangles.size(); ++f)
        for (uint32_t v : mesh.triangles[f]) {
            Vec3 sum{};
            for (uint32_t g : faces_around[weld.welded_from_original[v]])
                if (g == f || dot(face_normals[g], face_normals[f]) > limit) sum += face_areas[g];
            normals.push_back(normalized(sum, face_normals[f]));
        }
    return normals;
}

RayScene::RayScene(const Scene& scene) : scene_(scene), device_(rtcNewDevice(kEmbreeOptions)) {
    CHECK(device_ != nullptr);
    embree_scene_ = rtcNewScene(device_);
    rtcSetSceneFlags(embree_scene_, RTC_SCENE_FLAG_ROBUST);
    Bounds bounds{};
    bool first = true;
    for (unsigned i = 0; i < scene.objects.size(); ++i) {
        const SceneObject& object = scene.objects[i];
        CHECK(object.mesh.colors.empty() ||
              object.mesh.colors.size() == object.mesh.positions.size());
        RTCGeometry geometry =
            makeEmbreeGeometry(device_, object.mesh.positions, object.mesh.triangles);
        rtcAttachGeometryByID(embree_scene_, geometry, i);
        rtcReleaseGeometry(geometry);
        corner_normals_.push_back(cornerNormals(object.mesh, object.crease_degrees));
        const Bounds b = boundsOf(object.mesh.positions);
        bounds = first ? b : Bounds{min(bounds.low, b.low), max(bounds.high, b.high)};
        first = false;
    }
    size_ = length(bounds.size());
    // one thread builds the tree, so that ties between triangles fall the same way every time
    runOnOneThread([&] { rtcJoinCommitScene(embree_scene_); });
    CHECK_EQ(int(rtcGetDeviceError(device_)), int(RTC_ERROR_NONE));
}

RayScene::~RayScene() {
    rtcReleaseScene(embree_scene_);
    rtcReleaseDevice(device_);
}

RayScene::Corners RayScene::cornersOf(unsigned object, unsigned triangle) const {
    const Mesh& mesh = scene_.objects[object].mesh;
    Corners corners;
    for (size_t k = 0; k < 3; ++k) {
        corners.position[k] = mesh.positions[mesh.triangles[triangle][k]];
        corners.normal[k] = corner_normals_[object][3 * triangle + k];
    }
    return corners;
}

Surface RayScene::meshSurface(const RTCRayHit& hit, Vec3 unit_direction, float pixel_angle) const {
    const SceneObject& object = scene_.objects[hit.hit.geomID];
    const Corners corners = cornersOf(hit.hit.geomID, hit.hit.primID);
    const float weights[3] = {1 - hit.hit.u - hit.hit.v, hit.hit.u, hit.hit.v};
    const Vec3 out = normalized({hit.hit.Ng_x, hit.hit.Ng_y, hit.hit.Ng_z});
    const float side = dot(out, unit_direction) > 0 ? -1.0f : 1.0f;

    Surface surface{.object = int(hit.hit.geomID), .facet_normal = out * side};
    for (int k = 0; k < 3; ++k) {
        surface.position += corners.position[k] * weights[k];
        surface.normal += corners.normal[k] * (weights[k] * side);
    }
    surface.normal = normalized(surface.normal, surface.facet_normal);

    surface.ray_origin = surface.position + surface.facet_normal * (1e-4f * size_);
    for (int k = 0; k < 3; ++k) {
        const Vec3 normal = corners.normal[k] * side;
        const float below = std::min(0.0f, dot(surface.position - corners.position[k], normal));
        surface.ray_origin -= normal * (below * weights[k]);
    }

    surface.color = object.material.base_color;
    if (!object.mesh.colors.empty()) {
        const Triangle& triangle = object.mesh.triangles[hit.hit.primID];
        surface.color = {};
        for (size_t k = 0; k < 3; ++k)
            surface.color += object.mesh.colors[triangle[k]] * weights[k];
    }
    if (side < 0)
        for (int c = 0; c < 3; ++c) surface.color[c] *= object.material.back_tint[c];
    if (object.wire) {
        const float pixel_size = pixel_angle * hit.ray.tfar;
        surface.color *= 1 - 0.8f * wireCoverage(corners.position, weights, pixel_size);
    }
    return surface;
}

Surface RayScene::trace(Vec3 eye, Vec3 unit_direction, float pixel_angle) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRayHit hit{};
    hit.ray = makeEmbreeRay(eye, unit_direction);
    hit.hit.geomID = RTC_INVALID_GEOMETRY_ID;
    rtcIntersect1(embree_scene_, &context, &hit);

    const bool looks_down = unit_direction.y < -1e-6f && eye.y > scene_.ground_height;
    const float ground_distance = looks_down ? (scene_.ground_height - eye.y) / unit_direction.y
                                             : std::numeric_limits<float>::infinity();
    const bool hit_mesh = hit.hit.geomID != RTC_INVALID_GEOMETRY_ID;
    // soles that stand in the ground by a rounding error are not covered by it
    const bool ground_first =
        scene_.ground && looks_down && ground_distance + 1e-4f * size_ < hit.ray.tfar;
    if (hit_mesh && !ground_first) return meshSurface(hit, unit_direction, pixel_angle);
    if (!scene_.ground || !looks_down) return {};
    Surface ground{.object = Surface::kGround, .normal = {0, 1, 0}, .facet_normal = {0, 1, 0}};
    ground.position = eye + unit_direction * ground_distance;
    ground.ray_origin = ground.position + Vec3{0, 1e-4f * size_, 0};
    return ground;
}

bool RayScene::occluded(Vec3 origin, Vec3 unit_direction) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRay ray = makeEmbreeRay(origin, unit_direction);
    rtcOccluded1(embree_scene_, &context, &ray);
    return ray.tfar < 0;
}

}  // namespace hem
