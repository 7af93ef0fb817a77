// SPDX-License-Identifier: Apache-2.0
// Puts a ViewScene together: arrays under their addresses, and the JSON that names them. Private to
// ViewScene::make().
#pragma once

#include <memory>
#include <nlohmann/json.hpp>

#include "hem/core/npy.h"
#include "hem/view/motion_kit.h"
#include "hem/view/scene.h"

namespace hem {

using ViewJson = nlohmann::ordered_json;

class SceneWriter {
public:
    explicit SceneWriter(ViewScene& scene) : scene_(scene) {}

    Result<ViewJson> describe(const std::shared_ptr<const ViewInput>& input);

private:
    // Each returns the address, for the JSON.
    template <class T>
    std::string addArray(const std::string& address, NpyType type, std::vector<size_t> shape,
                         const std::vector<T>& values);
    std::string addLazily(const std::string& address, std::function<Content()> make);

    ViewJson body(const ViewInput& input);
    ViewJson hidden(const ViewInput& input);
    ViewJson kitClip(const KitClip& clip);
    ViewJson garment(const WornGarment& garment, size_t layer, const ViewInput& input);
    ViewJson model(const WornGarment& garment, const GarmentModel& model);
    ViewJson skinOf(const std::string& folder, const Skin& skin, size_t each = 4);
    ViewJson carried(const std::string& folder, const hem_Garment* garment);
    void addPoses(const std::string& folder, std::function<std::vector<Pose>()> poses,
                  ViewJson& clip);
    Result<ViewJson> recordedClip(const ViewInput& input, const std::string& name);
    ViewJson recorded(const ViewInput& input, const std::string& name, uint64_t motion_hash);
    ViewJson madeClip(const std::shared_ptr<const ViewInput>& input, size_t motion);

    ViewScene& scene_;
};

}  // namespace hem
