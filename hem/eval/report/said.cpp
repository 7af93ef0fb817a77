// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/said.h"

#include "hem/core/text.h"
#include "hem/eval/report/html.h"

namespace hem {

using Json = nlohmann::ordered_json;

Json infoOf(const hem_Garment* garment) {
    const Json info = Json::parse(hem_info(garment), nullptr, false);
    return info.is_object() ? info : Json::object();
}

std::string wordOf(const Json& info, const char* key) {
    return info.contains(key) && info[key].is_string() ? info[key].get<std::string>() : "";
}

std::optional<double> numberOf(const Json& info, const char* key) {
    if (!info.contains(key) || !info[key].is_number()) return std::nullopt;
    return info[key].get<double>();
}

std::string garmentsOf(const Json& info) {
    std::string list;
    if (!info.contains("garments") || !info["garments"].is_array()) return list;
    for (const Json& each : info["garments"]) {
        if (!each.is_object()) continue;
        const std::string fabric = wordOf(each, "fabric");
        list += (list.empty() ? "" : ", ") + wordOf(each, "name");
        if (!fabric.empty()) list += " (" + fabric + ")";
    }
    return list;
}

std::vector<std::string> trainedClips(const Json& info) {
    std::vector<std::string> names;
    if (info.contains("trained_on") && info["trained_on"].is_array())
        for (const Json& each : info["trained_on"])
            if (each.is_string()) names.push_back(each.get<std::string>());
    return names;
}

std::string sceneGarments(const ClothScene& scene) {
    std::string list;
    for (const Garment& garment : scene.garments)
        list += (list.empty() ? "" : " and ") + garment.name;
    return list;
}

std::string counted(size_t n, const char* one, const char* more) {
    return format("%zu %s", n, n == 1 ? one : more);
}

std::string fileName(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string tileHtml(const std::string& number, const char* unit, const std::string& meaning) {
    return "<div class=\"tile\"><b>" + number + (*unit ? "<i>" : "") + escaped(unit) +
           (*unit ? "</i>" : "") + "</b><span>" + escaped(meaning) + "</span></div>";
}

}  // namespace hem
