// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/made_to_measure.h"

#include <algorithm>

#include "hem/character/joint_names.h"
#include "hem/core/portable_math.h"
#include "hem/core/text.h"
#include "hem/garment/flatten.h"
#include "hem/garment/pattern.h"

namespace hem {
namespace {

constexpr float kClearance = 0.005f;    // metres between skin and cloth
constexpr float kLongestEdge = 0.075f;  // metres on a body of 1.70 m: a limb keeps five corners
constexpr size_t kMostVertices = 200000;
constexpr double kSmallestAngle = 0.12;  // radians, 7 degrees: worse is not usable cloth

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
        {{"evening_dress", "strapless, fitted, to the ankle", 820, "silk"}, 1.8, cutEveningDress},
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

// All layers at the edge length that gives the wanted number of vertices. The count is not quite a
// smooth function of the length, so the nearest of some tries is taken.
Result<std::vector<Mesh>> meshedTo(const std::vector<Sheet>& sheets, const Skinside& skin,
                                   size_t wanted) {
    double area = 0;
    for (const Sheet& sheet : sheets) area += sheet.area();
    float edge = float(std::sqrt(area * 1.1547 / double(wanted)));
    std::vector<Mesh> best;
    double best_error = 1e9;
    for (int attempt = 0; attempt < 12 && best_error > 0.008; ++attempt) {
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
    if (best_error > 0.02)
        return errorf("%zu vertices could not be met within 2 %%; ask for a few more or less",
                      wanted);
    return best;
}

// Radians.
double smallestAngle(const Mesh& mesh) {
    double largest_cosine = -1;
    for (const Triangle& t : mesh.triangles)
        for (size_t k = 0; k < 3; ++k) {
            const Vec3 a = mesh.positions[t[k]];
            const Vec3 u = normalized(mesh.positions[t[(k + 1) % 3]] - a),
                       w = normalized(mesh.positions[t[(k + 2) % 3]] - a);
            largest_cosine = std::max(largest_cosine, double(dot(u, w)));
        }
    return portable::acos(largest_cosine);
}

Vec3 onLeft(Vec3 p, float middle) { return {middle + std::abs(p.x - middle), p.y, p.z}; }

std::vector<Vec2> layFlat(const Mesh& mesh, const std::vector<Mesh>& layers, const Pattern& pattern,
                          float middle) {
    const size_t first_layer = layers[0].triangles.size();
    return flattenPanels(mesh, [&](uint32_t t) {
        const auto& [a, b, c] = mesh.triangles[t];
        const Vec3 centre = (mesh.positions[a] + mesh.positions[b] + mesh.positions[c]) / 3;
        const int layer = layers.size() > 1 && t >= first_layer ? 1 : 0;
        Panel panel = pattern.panel(layer, onLeft(centre, middle));
        const bool on_right = centre.x < middle;
        if (on_right) {
            panel.origin.x = 2 * middle - panel.origin.x;
            panel.axis.x = -panel.axis.x;
        }
        panel.number = 2 * panel.number + (pattern.middle_seams && on_right);
        return panel;
    });
}

}  // namespace

Error unknownGarment(const std::string& kind) {
    std::vector<std::pair<size_t, std::string>> ranked;
    for (const Entry& e : entries())
        ranked.push_back({editDistance(foldedName(kind), foldedName(e.kind.name)), e.kind.name});
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string names;
    for (const auto& [distance, name] : ranked) names += (names.empty() ? "" : ", ") + name;
    return errorf("no garment is called %s; there are %s", quoteForMessage(kind).c_str(),
                  names.c_str());
}

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
    if (entry == entries().end()) return unknownGarment(std::string(kind));
    const auto fabric = findFabric(options.fabric.empty() ? entry->kind.fabric : options.fabric);
    if (!fabric) return fabric.error();
    const auto body = measureSizes(character);
    if (!body) return body.error();
    const size_t wanted = options.vertices ? options.vertices : entry->kind.vertices;
    if (wanted > kMostVertices)
        return errorf("%s: %zu vertices are more than the most, %zu", entry->kind.name.c_str(),
                      wanted, kMostVertices);
    const float scale = body->scale();
    const float edge = std::min(float(std::sqrt(entry->area * 1.1547 / double(wanted))) * scale,
                                kLongestEdge * scale);
    const Block block(*body, edge);
    const Pattern pattern = entry->cut(block);
    std::vector<Sheet> sheets;
    double area = 0;
    for (const Cut& cut : pattern.layers) {
        sheets.emplace_back(cut, body->middle, edge);
        area += sheets.back().area();
        if (sheets.back().area() <= 0)
            return errorf(
                "%s: a %s cannot be cut for it; its proportions are too far from a "
                "human's (hemline garment skirt.obj takes one modelled by hand)",
                character.name.c_str(), entry->kind.name.c_str());
    }
    const double longest = double(kLongestEdge * scale);
    if (const size_t least = size_t(area * 1.1547 / (longest * longest)) + 1; wanted < least)
        return errorf("%s: %zu vertices are too few to hold its shape; the least is %zu",
                      entry->kind.name.c_str(), wanted, least);
    const auto layers = meshedTo(sheets, Skinside(*body), wanted);
    if (!layers) return inContext(entry->kind.name, layers.error());
    Garment garment{.name = entry->kind.name, .mesh = joined(*layers), .fabric = *fabric};
    for (size_t layer = 0; layer < layers->size(); ++layer)
        for (const Vec3 p : (*layers)[layer].positions)
            garment.pins.push_back(pattern.pin(int(layer), onLeft(p, body->middle)));
    garment.corner_uvs = layFlat(garment.mesh, *layers, pattern, body->middle);
    if (const Status valid = validate(garment); !valid)
        return inContext("made for " + character.name, valid.error());
    if (smallestAngle(garment.mesh) < kSmallestAngle)
        return errorf(
            "%s: a %s of %zu vertices comes out with slivers on it; the body's skin is "
            "too coarse or too angular to cut for",
            character.name.c_str(), entry->kind.name.c_str(), wanted);
    return garment;
}

}  // namespace hem
