// SPDX-License-Identifier: Apache-2.0
#include "hem/view/garment_files.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "hem/character/by_name.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

using Json = nlohmann::json;

// The value where it is a string; files may say anything of themselves.
std::string textAt(const Json& object, const char* key) {
    if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return "";
    return object[key].get<std::string>();
}

std::string keyOf(const std::string& text) {
    std::string key;
    for (char c : text.substr(0, 60)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                           (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (plain)
            key += c;
        else if (!key.empty() && key.back() != '-')
            key += '-';
    }
    return key.empty() ? "garment" : key;
}

template <class Items>
std::string unusedKey(const std::string& wanted, const Items& items) {
    std::string key = wanted;
    for (int n = 2;
         std::any_of(items.begin(), items.end(), [&](const auto& item) { return item.key == key; });
         ++n)
        key = format("%s-%d", wanted.c_str(), n);
    return key;
}

// "shirt + pants", and what they are made of, "cotton", where all are of the same.
void nameGarments(const Json& info, std::string& names, std::string& fabric) {
    const Json none = Json::array();
    const Json& garments =
        info.is_object() && info.contains("garments") && info["garments"].is_array()
            ? info["garments"]
            : none;
    for (const Json& g : garments) {
        const std::string name = textAt(g, "name"), made_of = textAt(g, "fabric");
        if (!name.empty()) names += (names.empty() ? "" : " + ") + name;
        fabric = &g == &garments.front() || fabric == made_of ? made_of : "";
    }
}

std::string labelOf(const GarmentModel& model) {
    if (model.kind == "S") return "S, ours";
    if (model.kind == "A" || model.kind == "B" || model.kind == "C")
        return model.kind + ", of the 2010 paper";
    if (model.kind == "N") return "N, of the 2021 paper";
    return stemOf(model.path);
}

bool sameMesh(const hem_Garment* a, const hem_Garment* b) {
    const size_t triangles = hem_triangleCount(a);
    return hem_vertexCount(a) == hem_vertexCount(b) && triangles == hem_triangleCount(b) &&
           !std::memcmp(hem_triangles(a), hem_triangles(b), triangles * 3 * sizeof(uint32_t));
}

// Where two joints' names differ first; -1 where they do not.
long firstDifference(const hem_Garment* garment, const std::vector<std::string>& joints) {
    const size_t count = hem_jointCount(garment);
    for (size_t j = 0; j < std::max(count, joints.size()); ++j)
        if (j >= count || j >= joints.size() || hem_jointName(garment, j) != joints[j])
            return long(j);
    return -1;
}
std::vector<std::string> jointNames(const hem_Garment* garment) {
    std::vector<std::string> names;
    for (size_t j = 0; j < hem_jointCount(garment); ++j)
        names.emplace_back(hem_jointName(garment, j));
    return names;
}

struct NamedModel {
    GarmentModel model;
    std::string garment_name;
};
Result<NamedModel> readModel(const std::string& path) {
    auto bytes = readFile(path);
    if (!bytes) return bytes.error();
    hem_Error reason = HEM_OK;
    const hem_Garment* garment = hem_open(bytes->data(), bytes->size(), &reason);
    if (!garment)
        return errorf("%s: %s; hemline train makes files that can be viewed", path.c_str(),
                      hem_errorText(reason));
    const Json info = Json::parse(hem_info(garment), nullptr, false);
    NamedModel named{{.path = path, .bytes = std::move(*bytes)}, ""};
    nameGarments(info, named.garment_name, named.model.fabric);
    if (named.garment_name.empty()) named.garment_name = stemOf(path);
    named.model.kind = textAt(info, "model");
    named.model.character = textAt(info, "character");
    named.model.label = labelOf(named.model);
    return named;
}

// Labels that say what models differ in.
void tellApart(std::vector<GarmentModel>& models) {
    std::vector<std::string> labels;
    for (const GarmentModel& m : models) labels.push_back(m.label);
    for (GarmentModel& m : models)
        if (std::count(labels.begin(), labels.end(), m.label) > 1)
            m.label += " (" + stemOf(m.path) + ")";
}

}  // namespace

Result<std::vector<WornGarment>> readGarmentFiles(const std::vector<std::string>& paths) {
    std::vector<WornGarment> garments;
    for (const std::string& path : paths) {
        auto read = readModel(path);
        if (!read) return read.error();
        GarmentModel& model = read->model;
        if (!garments.empty()) {
            const GarmentModel& first = garments[0].models[0];
            if (model.character != first.character ||
                firstDifference(model.garment(), jointNames(first.garment())) >= 0)
                return errorf(
                    "%s was trained on another character than %s: garments worn together, "
                    "or compared, are of one character",
                    path.c_str(), first.path.c_str());
        }
        auto same = std::find_if(garments.begin(), garments.end(), [&](const WornGarment& g) {
            return sameMesh(g.garment(), model.garment());
        });
        if (same == garments.end()) {
            const std::string key = unusedKey(keyOf(read->garment_name), garments);
            same = garments.insert(garments.end(), {read->garment_name, key, {}});
        }
        model.key = unusedKey(keyOf(model.kind.empty() ? stemOf(path) : model.kind), same->models);
        same->models.push_back(std::move(model));
    }
    for (WornGarment& g : garments) tellApart(g.models);
    return garments;
}

Result<Character> characterOf(const std::vector<WornGarment>& garments,
                              const std::vector<RecordingSet>& recordings,
                              const std::string& name) {
    const GarmentModel& first = garments[0].models[0];
    Character character;
    if (!name.empty()) {
        auto named = characterByName(name);
        if (!named) return named.error();
        character = std::move(*named);
    } else if (!recordings.empty()) {
        character = recordings[0].scene().character;
    } else if (first.character == "mannequin_female") {
        character = mannequin(Sex::kFemale);
    } else if (first.character == "mannequin_male") {
        character = mannequin(Sex::kMale);
    } else {
        return errorf(
            "%s: %s, which is not built in: give its file with --character, or "
            "recordings of it with --recordings",
            first.path.c_str(),
            first.character.empty() ? "does not say which character it was trained on"
                                    : ("trained on " + quoteForMessage(first.character)).c_str());
    }
    std::vector<std::string> names;
    for (const Joint& joint : character.skeleton.joints) names.push_back(joint.name);
    const long joint = firstDifference(first.garment(), names);
    if (joint >= 0)
        return errorf(
            "%s was trained on %zu joints, %s has %zu, and number %ld is another: give "
            "the character that it was trained on with --character",
            first.path.c_str(), hem_jointCount(first.garment()), character.name.c_str(),
            names.size(), joint);
    return character;
}

}  // namespace hem
