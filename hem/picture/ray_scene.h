// SPDX-License-Identifier: Apache-2.0
// RayScene: the meshes of a scene as Embree holds them, and what a ray finds there. Private to
// render().
#pragma once

#include <embree3/rtcore.h>

#include <optional>
#include <vector>

#include "hem/picture/render.h"

namespace hem {

// Where a ray met the scene.
struct Surface {
    static constexpr int kSky = -2, kGround = -1;

    int object = kSky;  // index into Scene::objects, or one of the above
    Vec3 position;
    Vec3 ray_origin;    // where rays to the lights start: lifted off the facet, see below
    Vec3 normal;        // interpolated; on the side that the ray came from
    Vec3 facet_normal;  // of the flat triangle, on the same side
    Vec3 color;         // base colour, with the back's tint and the wire where they apply
};

// A smooth normal on a flat facet makes the facet shadow itself near the terminator, in the shape
// of the triangles. Rays to the lights therefore start from the surface that the vertex normals
// suggest: the point's projections onto the three tangent planes at the vertices, blended (Hanika,
// "Hacking the Shadow Terminator", Ray Tracing Gems II, 2021).
class RayScene {
public:
    explicit RayScene(const Scene& scene);
    ~RayScene();
    RayScene(const RayScene&) = delete;
    RayScene& operator=(const RayScene&) = delete;

    // The nearest surface along the ray from `eye`; `pixel_angle` is the angle of one pixel in
    // radians, for lines that are one pixel wide.
    Surface trace(Vec3 eye, Vec3 unit_direction, float pixel_angle) const;
    // Whether a mesh (the ground does not count) stands in the way of a ray without end.
    bool occluded(Vec3 origin, Vec3 unit_direction) const;

    float size() const { return size_; }  // the diagonal of all meshes' bounds, metres

private:
    struct Corners {
        Vec3 position[3], normal[3];
    };
    Corners cornersOf(unsigned object, unsigned triangle) const;
    Surface meshSurface(const RTCRayHit& hit, Vec3 unit_direction, float pixel_angle) const;

    const Scene& scene_;
    RTCDevice device_;
    RTCScene embree_scene_;
    std::vector<std::vector<Vec3>> corner_normals_;  // per object: triangles by 3
    float size_ = 0;
};

// Normals per triangle corner: area-weighted over the faces around the vertex (welded by position)
// that lie within the crease angle of the corner's own face.
std::vector<Vec3> cornerNormals(const Mesh& mesh, float crease_degrees);

}  // namespace hem
