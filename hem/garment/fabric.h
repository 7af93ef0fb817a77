// SPDX-License-Identifier: Apache-2.0
// Fabric: what a garment is made of, in the units that textile laboratories measure.
//
// All stiffnesses are per unit width of cloth, so they do not depend on a mesh. Where the figures
// come from: docs/garment.md.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hem/core/result.h"

namespace hem {

struct Fabric {
    std::string name;
    float density = 0.15f;      // kilograms per square metre
    float thickness = 0.0005f;  // metres; two layers stay this far apart
    // Tension per unit width over strain, newtons per metre, along and across the grain.
    float stretch_warp = 3000, stretch_weft = 3000;
    float shear = 300;   // shear force per unit width over shear angle, newtons per metre
    float bend = 1e-5f;  // bending moment per unit width over curvature, newton metres
    // Seconds: a strain rate acts like that many seconds' worth of strain (Kelvin-Voigt).
    float stretch_damping = 0.01f, bend_damping = 0.05f;
    float friction = 0.3f;  // Coulomb's coefficient, on skin and on other cloth
    float air_drag = 1.1f;  // drag coefficient of a piece held across the wind

    friend bool operator==(const Fabric&, const Fabric&) = default;
};

// silk, cotton, denim, wool, leather, chiffon.
const std::vector<Fabric>& builtInFabrics();
// By name; the message lists the names.
Result<Fabric> findFabric(std::string_view name);
// All numbers finite and within what the simulator can take; the message names the field.
Status validate(const Fabric& fabric);

}  // namespace hem
