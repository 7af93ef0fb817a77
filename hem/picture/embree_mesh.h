// SPDX-License-Identifier: Apache-2.0
// A mesh and a ray as Embree wants them. Private to this folder.
#pragma once

#include <embree3/rtcore.h>

#include <vector>

#include "hem/core/mesh.h"

namespace hem {

// The code path that every x86-64 processor has, so that what was tested here runs anywhere; the
// wider ones save an eighth of the time and round rays differently from machine to machine.
inline constexpr const char* kEmbreeOptions = "isa=sse2";

// Committed; the caller attaches and releases it.
RTCGeometry makeEmbreeGeometry(RTCDevice device, const std::vector<Vec3>& positions,
                               const std::vector<Triangle>& triangles);

// Without end.
RTCRay makeEmbreeRay(Vec3 origin, Vec3 direction);

}  // namespace hem
