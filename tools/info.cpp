// SPDX-License-Identifier: Apache-2.0
// hemline info: everything that a .hem file holds.
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "hem/runtime/garment.h"
#include "tools/verbs.h"

namespace hem::tools {
namespace {

constexpr const char* kExamples =
    "  hemline info dress.hem\n"
    "  hemline info dress.hem --json";

using Json = nlohmann::ordered_json;

const char* encodingName(uint32_t encoding) {
    constexpr const char* kNames[] = {"float32", "float16", "mixed 16 and 8 bits"};
    return encoding < 3 ? kNames[encoding] : "unknown";
}

const char* sectionName(uint32_t id) {
    constexpr const char* kNames[] = {
        "",        "info",   "triangles", "",       "joint names",     "frame",
        "pose",    "inputs", "linear",    "static", "modal",           "output",
        "basis",   "proof",  "",          "",       "texture corners", "hidden",
        "network", "skin",   "body",      "mirror", "odd basis"};
    return id < std::size(kNames) ? kNames[id] : "unknown";
}

Json sectionsOf(const std::vector<std::byte>& bytes) {
    Json sections = Json::array();
    const auto* header = reinterpret_cast<const format::FileHeader*>(bytes.data());
    const auto* table = reinterpret_cast<const format::Section*>(header + 1);
    for (uint32_t i = 0; i < header->section_count; ++i)
        sections.push_back({{"id", table[i].id},
                            {"name", sectionName(table[i].id)},
                            {"offset", table[i].offset},
                            {"bytes", table[i].size}});
    return sections;
}

Json dynamicsOf(const runtime::Garment& g) {
    if (g.modal)
        return {{"kind", "modal"},           {"inputs", g.inputs},
                {"hidden", g.modal->hidden}, {"states", g.modal->states},
                {"outer", g.modal->outer},   {"joints_read", g.joints_read}};
    if (g.network) {
        Json widths = Json::array();
        for (uint32_t i = 0; i < g.network->layers; ++i) widths.push_back(g.network->widths[i]);
        return {{"kind", "neural"},
                {"inputs", g.inputs},
                {"rotations", g.network->rotations},
                {"numbers_a_rotation", g.network->numbers},
                {"activation", g.network->activation == format::kRelu ? "relu" : "silu"},
                {"weights", g.network->weights == format::kInt16Weights ? "16 bits" : "float32"},
                {"layers", widths},
                {"joints_read", g.joints_read},
                {"skin_influences", g.carrier_count}};
    }
    return {{"kind", "linear"},
            {"inputs", g.inputs},
            {"order", g.linear->order},
            {"uses_root", bool(g.linear->uses_root)},
            {"warm_up", g.linear->warm_up},
            {"joints_read", g.joints_read}};
}

Json basisOf(const runtime::Garment& g) {
    const format::BasisHeader& h = *g.bases[0].header;
    const uint32_t odd = g.mirror ? g.bases[1].header->wide_modes : 0;
    return {{"encoding", encodingName(h.encoding)},
            {"wide_modes", h.wide_modes + odd},
            {"tolerance_um", h.tolerance_um},
            {"largest_error_um", h.largest_error_um}};
}

// Half of the vertices and the modes that play them all; null where the file has them all.
Json mirrorOf(const runtime::Garment& g) {
    if (!g.mirror) return {};
    return {{"vertices_kept", g.mirror->half},
            {"even_modes", g.bases[0].modes},
            {"odd_modes", g.bases[1].modes}};
}

// What HEM_PUSH_OUT uses; null where the file has none.
Json bodyOf(const runtime::Garment& g) {
    if (!g.body) return {};
    return {{"joints", g.body->joints},       {"points", g.body->points + g.body->worn_points},
            {"tiles", g.body->tiles},         {"reach_m", g.body->reach},
            {"distance_m", g.body->distance}, {"most_m", g.body->most}};
}

// Triangles of the body that need not be drawn; null where the file does not say.
Json hiddenOf(const runtime::Garment& g) {
    if (!g.hidden) return {};
    return {{"body_triangles", g.hidden->body_triangles}, {"hidden", g.hidden->hidden}};
}

// Without a state nothing decays: Model N has only the bound of its output.
Json stabilityOf(const runtime::Garment& g) {
    Json stability;
    if (!g.network)
        stability = {{"lambda", g.stability->lambda},
                     {"k_max", g.stability->k_max},
                     {"energy_bound", g.stability->energy_bound}};
    stability["largest_output_m"] = g.stability->largest_output;
    return stability;
}

Json describe(const std::vector<std::byte>& bytes, const hem_Garment* garment) {
    const runtime::Garment g = runtime::garmentOf(garment);
    Json joints = Json::array();
    for (size_t j = 0; j < hem_jointCount(garment); ++j)
        joints.push_back(hem_jointName(garment, j));
    return {{"version", g.header->version},
            {"bytes", bytes.size()},
            {"vertices", hem_vertexCount(garment)},
            {"triangles", hem_triangleCount(garment)},
            {"modes", hem_modeCount(garment)},
            {"rate", hem_rate(garment)},
            {"state_bytes", hem_stateSize(garment)},
            {"dynamics", dynamicsOf(g)},
            {"basis", basisOf(g)},
            {"mirror", mirrorOf(g)},
            {"stability", stabilityOf(g)},
            {"body", bodyOf(g)},
            {"hidden_triangles", hiddenOf(g)},
            {"joints", joints},
            {"info", Json::parse(hem_info(garment), nullptr, false)},
            {"sections", sectionsOf(bytes)}};
}

void print(const std::string& path, const Json& j) {
    std::printf("%s: format %u, %zu bytes\n", path.c_str(), j["version"].get<unsigned>(),
                j["bytes"].get<size_t>());
    for (const auto& [key, value] : j.items()) {
        if (key == "version" || key == "bytes" || key == "sections") continue;
        if (key == "joints") {
            std::printf("  %-12s %zu\n", "joints", value.size());
        } else if (value.is_object()) {
            std::printf("  %s\n", key.c_str());
            for (const auto& [inner, content] : value.items())
                std::printf("    %-18s %s\n", inner.c_str(),
                            content.is_array() && content.size() > 4
                                ? (std::to_string(content.size()) + " of them").c_str()
                                : content.dump().c_str());
        } else {
            std::printf("  %-12s %s\n", key.c_str(), value.dump().c_str());
        }
    }
    std::printf("  sections\n");
    for (const Json& s : j["sections"])
        std::printf("    %-18s %9zu bytes at %zu\n", s["name"].get<std::string>().c_str(),
                    s["bytes"].get<size_t>(), s["offset"].get<size_t>());
}

int run(const std::string& path, const Common& common) {
    const auto bytes = readFile(path);
    if (!bytes) return fail(bytes.error());
    hem_Error reason = HEM_OK;
    const hem_Garment* garment = hem_open(bytes->data(), bytes->size(), &reason);
    if (!garment) return fail(errorf("%s: %s", path.c_str(), hem_errorText(reason)));
    const Json json = describe(*bytes, garment);
    if (common.json) {
        std::printf("%s\n", json.dump(2).c_str());
    } else {
        print(path, json);
    }
    return 0;
}

}  // namespace

void addInfoVerb(CLI::App& app, Common& common) {
    auto path = std::make_shared<std::string>();
    CLI::App* verb =
        addVerb(app, common, "info", "Say everything that a .hem file holds", kExamples);
    verb->add_option("file", *path, "A .hem file")->required();
    verb->callback([path, &common] { common.exit_code = run(*path, common); });
}

}  // namespace hem::tools
