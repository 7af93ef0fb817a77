// SPDX-License-Identifier: Apache-2.0
// What .hem files say of themselves, in words for a report, and figures of its head.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hem/cloth/simulator.h"
#include "hem/runtime/hem.h"

namespace hem {

// An empty object where the file says nothing that can be read.
nlohmann::ordered_json infoOf(const hem_Garment* garment);
// The string at the key; empty where there is none.
std::string wordOf(const nlohmann::ordered_json& info, const char* key);
std::optional<double> numberOf(const nlohmann::ordered_json& info, const char* key);
// "dress (cotton), cape (silk)"
std::string garmentsOf(const nlohmann::ordered_json& info);
// Names of the clips that it was trained on.
std::vector<std::string> trainedClips(const nlohmann::ordered_json& info);

// What a scene wears: "shirt and pants".
std::string sceneGarments(const ClothScene& scene);
// "1 clip", "3 clips".
std::string counted(size_t n, const char* one, const char* more);
// The last part of a path.
std::string fileName(const std::string& path);

// A figure of the page's head. `number` is HTML, the others text.
std::string tileHtml(const std::string& number, const char* unit, const std::string& meaning);

}  // namespace hem
