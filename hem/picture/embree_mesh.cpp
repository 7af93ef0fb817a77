// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/embree_mesh.h"

#include <limits>

namespace hem {

RTCGeometry makeEmbreeGeometry(RTCDevice device, const std::vector<Vec3>& positions,
                               const std::vector<Triangle>& triangles) {
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    // Embree reads 16 bytes at the last vertex, so it gets a buffer of its own rather than ours
    void* vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                             sizeof(Vec3), positions.size());
    std::copy(positions.begin(), positions.end(), static_cast<Vec3*>(vertices));
    void* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            sizeof(Triangle), triangles.size());
    std::copy(triangles.begin(), triangles.end(), static_cast<Triangle*>(indices));
    rtcCommitGeometry(geometry);
    return geometry;
}

RTCRay makeEmbreeRay(Vec3 origin, Vec3 direction) {
    RTCRay ray{};
    ray.org_x = origin.x, ray.org_y = origin.y, ray.org_z = origin.z;
    ray.dir_x = direction.x, ray.dir_y = direction.y, ray.dir_z = direction.z;
    ray.tfar = std::numeric_limits<float>::infinity();
    ray.mask = ~0u;
    return ray;
}

}  // namespace hem
