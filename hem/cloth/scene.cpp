// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/simulator.h"

namespace hem {

Status validate(const ClothScene& scene) {
    if (const Status status = validate(scene.character); !status) return status.error();
    if (scene.garments.empty()) return errorf("the scene has no garment: name at least one");
    for (const Garment& garment : scene.garments) {
        if (const Status status = validate(garment); !status) return status.error();
    }
    if (!(scene.rate >= 1 && scene.rate <= 1000)) {
        return errorf("rate = %g frames a second: give 1 to 1000", scene.rate);
    }
    if (scene.substeps < 0 || scene.substeps > 1000) {
        return errorf("substeps = %d a frame: give 1 to 1000, or 0 for the simulator's own choice",
                      scene.substeps);
    }
    if (!isFinite(scene.gravity) || length(scene.gravity) > 100) {
        return errorf("gravity = %g, %g, %g: give metres a second squared, at most 100 in all",
                      double(scene.gravity.x), double(scene.gravity.y), double(scene.gravity.z));
    }
    const Wind& wind = scene.wind;
    if (!isFinite(wind.velocity) || length(wind.velocity) > 60) {
        return errorf("wind = %g, %g, %g: give metres a second, at most 60 in all",
                      double(wind.velocity.x), double(wind.velocity.y), double(wind.velocity.z));
    }
    if (!(wind.gusts >= 0 && wind.gusts <= 1)) {
        return errorf("gusts = %g: give a share of the mean wind, 0 to 1", double(wind.gusts));
    }
    return Done{};
}

size_t vertexCount(const std::vector<Garment>& garments) {
    size_t count = 0;
    for (const Garment& garment : garments) count += garment.mesh.positions.size();
    return count;
}

Mesh joinedMesh(const std::vector<Garment>& garments) {
    Mesh joined;
    for (const Garment& garment : garments) {
        const auto first = uint32_t(joined.positions.size());
        joined.positions.insert(joined.positions.end(), garment.mesh.positions.begin(),
                                garment.mesh.positions.end());
        for (const auto& [i, j, k] : garment.mesh.triangles) {
            joined.triangles.push_back({first + i, first + j, first + k});
        }
    }
    return joined;
}

bool canSimulate(const std::string& name) {
    return name == "hemline" || name.starts_with("blender");
}

Result<std::unique_ptr<Simulator>> makeSimulator(const ClothScene& scene, const std::string& name,
                                                 const std::string& work_folder) {
    if (name == "hemline") return makeBuiltInSimulator(scene);
    if (name.starts_with("blender")) return makeBlenderSimulator(scene, work_folder);
    return errorf("there is no simulator '%s': give hemline or blender", name.c_str());
}

}  // namespace hem
