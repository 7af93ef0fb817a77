// SPDX-License-Identifier: Apache-2.0
// The numbers of a Fabric by name, for files that hold them.
#pragma once

#include "hem/garment/fabric.h"

namespace hem {

struct FabricField {
    const char* name;
    float Fabric::*number;
};
inline constexpr FabricField kFabricFields[] = {
    {"density", &Fabric::density},
    {"thickness", &Fabric::thickness},
    {"stretch_warp", &Fabric::stretch_warp},
    {"stretch_weft", &Fabric::stretch_weft},
    {"shear", &Fabric::shear},
    {"bend", &Fabric::bend},
    {"stretch_damping", &Fabric::stretch_damping},
    {"bend_damping", &Fabric::bend_damping},
    {"friction", &Fabric::friction},
    {"air_drag", &Fabric::air_drag},
};
// A field that the table lacks would be lost in recordings.
static_assert(sizeof(Fabric) == sizeof(std::string) + std::size(kFabricFields) * sizeof(float));

}  // namespace hem
