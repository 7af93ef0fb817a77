// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/fabric.h"

#include <cmath>

namespace hem {
namespace {

// Kelvin-Voigt times from damping ratios: a fold of 1 cm radius swings at about
// omega = sqrt(B q^4 / W) with q = 100 / m, and time = 2 zeta / omega.
constexpr float kStretchDamping = 0.002f;

std::vector<Fabric> makeFabrics() {
    return {
        {.name = "silk",
         .density = 0.082f,
         .thickness = 0.0002f,
         .stretch_warp = 12000,
         .stretch_weft = 8000,
         .shear = 17,
         .bend = 3.2e-6f,
         .stretch_damping = kStretchDamping,
         .bend_damping = 0.004f,
         .friction = 0.25f,
         .air_drag = 1.2f},
        {.name = "cotton",
         .density = 0.130f,
         .thickness = 0.00032f,
         .stretch_warp = 21000,
         .stretch_weft = 21000,
         .shear = 50,
         .bend = 7e-6f,
         .stretch_damping = kStretchDamping,
         .bend_damping = 0.009f,
         .friction = 0.4f,
         .air_drag = 1.2f},
        {.name = "denim",
         .density = 0.373f,
         .thickness = 0.0009f,
         .stretch_warp = 9000,
         .stretch_weft = 9000,
         .shear = 90,
         .bend = 39e-6f,
         .stretch_damping = kStretchDamping,
         .bend_damping = 0.005f,
         .friction = 0.45f,
         .air_drag = 1.2f},
        {.name = "wool",
         .density = 0.235f,
         .thickness = 0.00057f,
         .stretch_warp = 10000,
         .stretch_weft = 5000,
         .shear = 32,
         .bend = 7e-6f,
         .stretch_damping = kStretchDamping,
         .bend_damping = 0.006f,
         .friction = 0.4f,
         .air_drag = 1.2f},
        {.name = "leather",
         .density = 0.55f,
         .thickness = 0.0008f,
         .stretch_warp = 3000,
         .stretch_weft = 3000,
         .shear = 1100,
         .bend = 60e-6f,
         .stretch_damping = kStretchDamping,
         .bend_damping = 0.004f,
         .friction = 0.5f,
         .air_drag = 1.2f},
        {.name = "chiffon",
         .density = 0.035f,
         .thickness = 0.00012f,
         .stretch_warp = 6000,
         .stretch_weft = 6000,
         .shear = 11,
         .bend = 1.1e-6f,
         .stretch_damping = kStretchDamping,
         .bend_damping = 0.004f,
         .friction = 0.25f,
         .air_drag = 1.0f},
    };
}

}  // namespace

const std::vector<Fabric>& builtInFabrics() {
    static const std::vector<Fabric> fabrics = makeFabrics();
    return fabrics;
}

Result<Fabric> findFabric(std::string_view name) {
    std::string names;
    for (const Fabric& fabric : builtInFabrics()) {
        if (fabric.name == name) return fabric;
        names += (names.empty() ? "" : ", ") + fabric.name;
    }
    return errorf("no fabric is called '%.40s'; there are %s", std::string(name).c_str(),
                  names.c_str());
}

Status validate(const Fabric& fabric) {
    struct Limit {
        const char* field;
        float value, low, high;
    };
    const Limit limits[] = {{"density", fabric.density, 0.005f, 5},
                            {"thickness", fabric.thickness, 1e-5f, 0.02f},
                            {"stretch_warp", fabric.stretch_warp, 1, 1e6f},
                            {"stretch_weft", fabric.stretch_weft, 1, 1e6f},
                            {"shear", fabric.shear, 0, 1e6f},
                            {"bend", fabric.bend, 0, 1},
                            {"stretch_damping", fabric.stretch_damping, 0, 10},
                            {"bend_damping", fabric.bend_damping, 0, 10},
                            {"friction", fabric.friction, 0, 5},
                            {"air_drag", fabric.air_drag, 0, 10}};
    for (const Limit& limit : limits)
        if (!(limit.value >= limit.low && limit.value <= limit.high))  // false for NaN too
            return errorf("fabric %s: %s is %g, but must lie between %g and %g",
                          fabric.name.c_str(), limit.field, double(limit.value), double(limit.low),
                          double(limit.high));
    return Done{};
}

}  // namespace hem
