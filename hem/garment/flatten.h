// SPDX-License-Identifier: Apache-2.0
// flattenPanels(): texture coordinates that are lengths of cloth, panel by panel.
//
// Each panel is rolled off its axis and then relaxed to be as rigid as possible (Liu, Zhang, Xu,
// Gotsman and Gortler, "A Local/Global Approach to Mesh Parameterization", 2008), so that triangles
// keep their true size wherever the panel can be laid flat.
#pragma once

#include <functional>
#include <vector>

#include "hem/core/mesh.h"
#include "hem/garment/pattern.h"

namespace hem {

// Three coordinates per triangle, metres: u along the weft, v up along the panel's axis, the warp.
// `panel` is asked at the triangles' centroids; a panel that is in several pieces is several.
// Panels lie side by side without touching. Cost: about a second for 30,000 vertices.
std::vector<Vec2> flattenPanels(const Mesh& mesh,
                                const std::function<Panel(uint32_t triangle)>& panel);

}  // namespace hem
