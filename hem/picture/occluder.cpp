// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/occluder.h"

#include "hem/core/parallel.h"
#include "hem/picture/embree_mesh.h"

namespace hem {

struct Occluder::Scene {
    RTCDevice device = rtcNewDevice(kEmbreeOptions);
    RTCScene scene = rtcNewScene(device);

    ~Scene() {
        rtcReleaseScene(scene);
        rtcReleaseDevice(device);
    }
};

Occluder::Occluder(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles)
    : scene_(std::make_unique<Scene>()) {
    CHECK(scene_->device != nullptr);
    rtcSetSceneFlags(scene_->scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = makeEmbreeGeometry(scene_->device, positions, triangles);
    rtcAttachGeometry(scene_->scene, geometry);
    rtcReleaseGeometry(geometry);
    runOnOneThread([&] { rtcJoinCommitScene(scene_->scene); });
    CHECK_EQ(int(rtcGetDeviceError(scene_->device)), int(RTC_ERROR_NONE));
}

Occluder::Occluder(Occluder&&) noexcept = default;
Occluder::~Occluder() = default;

bool Occluder::blocks(Vec3 origin, Vec3 direction) const {
    RTCIntersectContext context;
    rtcInitIntersectContext(&context);
    RTCRay ray = makeEmbreeRay(origin, direction);
    rtcOccluded1(scene_->scene, &context, &ray);
    return ray.tfar < 0;
}

}  // namespace hem
