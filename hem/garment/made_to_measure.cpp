// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/made_to_measure.h"

#include <algorithm>

#include "hem/garment/pattern.h"

namespace hem {
namespace {

constexpr float kClearance = 0.005f;  // metres between skin and cloth

struct Entry {
    GarmentKind kind;
    double area;  // square metres for a body of 1.70 m, roughly: a first guess at the edge length
    PatternMaker cut;
};

const std::vector<Entry>& entries() {
    static const std::vector<Entry> list = {
        {{"dress", "sleeveless, fitted waist, flared to the knee", 766, "cotton"}, 1.15, cutDress},
        {{"skirt", "flared to the knee, on a waistband", 820, "cotton"}, 0.8, cutSkirt},
        {{"long_skirt", "flared to the ankle, on a waistband", 766, "cotton"}, 1.6, cutLongSkirt},
        {{"oscar_dress", "A-line: a cone from the bust to below the knee", 820, "silk"},
         1.6,
         cutOscarDress},
        {{"evening_dress", "strapless, fitted, to the floor", 820, "silk"}, 1.8, cutEveningDress},
        {{"cocktail_dress", "short dress with an overskirt held at the waist", 1500, "chiffon"},
         1.8,
         cutCocktailDress},
        {{"shirt", "long sleeves, round neck", 3329, "cotton"}, 1.4, cutShirt},
        {{"pants", "straight legs", 560, "cotton"}, 1.3, cutPants},
        {{"jeans", "close to the leg", 1200, "denim"}, 1.1, cutJeans},
        {{"cape", "from the shoulders to below the knee, behind the arms", 2242, "wool"},
         1.4,
         cutCape},
        {{"poncho", "over shoulders and arms, down to the hips", 2450, "wool"}, 1.2, cutPoncho},
        {{"robe", "hood, wide sleeves, to the ankle", 29654, "wool"}, 4.2, cutRobe},
        {{"coat", "open front, long sleeves, tails to the calf", 2170, "wool"}, 3.0, cutCoat},
        {{"vest", "open front, no sleeves, to the hips", 1000, "wool"}, 0.6, cutVest},
    };
    return list;
}

Mesh joined(const std::vector<Mesh>& layers) {
    Mesh all;
    for (const Mesh& layer : layers) {
        const uint32_t first = uint32_t(all.positions.size());
        all.positions.insert(all.positions.end(), layer.positions.begin(), layer.positions.end());
        for (const auto& [a, b, c] : layer.triangles)
            all.triangles.push_back({a + first, b + first, c + first});
    }
    return all;
}

// All layers at the edge length that gives the wanted number of vertices, within 1 %, or as near as
// ten tries come.
std::vector<Mesh> meshedTo(const std::vector<Sheet>& sheets, const Skinside& skin, size_t wanted) {
    double area = 0;
    for (const Sheet& sheet : sheets) area += sheet.area();
    float edge = float(std::sqrt(area * 1.1547 / double(wanted)));
    std::vector<Mesh> best;
    double best_error = 1e9;
    for (int attempt = 0; attempt < 10 && best_error > 0.01; ++attempt) {
        std::vector<Mesh> layers;
        size_t count = 0;
        for (const Sheet& sheet : sheets) {
            layers.push_back(sheet.meshed(edge, skin, kClearance));
            count += layers.back().positions.size();
        }
        const double ratio = double(count) / double(wanted);
        if (std::abs(ratio - 1) < best_error) {
            best_error = std::abs(ratio - 1);
            best = std::move(layers);
        }
        edge *= float(std::sqrt(ratio));
    }
    return best;
}

}  // namespace

const std::vector<GarmentKind>& garmentKinds() {
    static const std::vector<GarmentKind> kinds = [] {
        std::vector<GarmentKind> list;
        for (const Entry& entry : entries()) list.push_back(entry.kind);
        return list;
    }();
    return kinds;
}

Result<Garment> makeGarment(const Character& character, std::string_view kind,
                            const GarmentOptions& options) {
    const auto entry = std::find_if(entries().begin(), entries().end(),
                                    [&](const Entry& e) { return e.kind.name == kind; });
    if (entry == entries().end()) {
        std::string names;
        for (const Entry& e : entries()) names += (names.empty() ? "" : ", ") + e.kind.name;
        return errorf("no garment is called '%.40s'; there are %s", std::string(kind).c_str(),
                      names.c_str());
    }
    auto fabric = findFabric(options.fabric.empty() ? entry->kind.fabric : options.fabric);
    if (!fabric) return fabric.error();
    const auto body = measureSizes(character);
    if (!body) return body.error();
    const size_t wanted = options.vertices ? options.vertices : entry->kind.vertices;
    const float scale = body->scale();
    const float edge = float(std::sqrt(entry->area * scale * scale * 1.1547 / double(wanted)));
    const Block block(*body, edge);
    const Pattern pattern = entry->cut(block);
    std::vector<Sheet> sheets;
    for (const Cut& cut : pattern.layers) sheets.emplace_back(cut, body->middle, edge);
    const std::vector<Mesh> layers = meshedTo(sheets, Skinside(*body), wanted);
    Garment garment{.name = entry->kind.name, .mesh = joined(layers), .fabric = *fabric};
    for (size_t layer = 0; layer < layers.size(); ++layer)
        for (Vec3 p : layers[layer].positions) {
            p.x = body->middle + std::abs(p.x - body->middle);
            garment.pins.push_back(pattern.pin(int(layer), p));
        }
    return garment;
}

}  // namespace hem
