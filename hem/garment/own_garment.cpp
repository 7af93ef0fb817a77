// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/own_garment.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "hem/character/formats/import_rig.h"
#include "hem/character/formats/scene_reader.h"
#include "hem/character/joint_names.h"
#include "hem/core/files.h"
#include "hem/core/surface_tree.h"
#include "hem/core/text.h"

namespace hem {
namespace {

constexpr float kMostEase = 0.1f;  // metres

// What a file holds, in one mesh.
struct Cloth {
    Mesh mesh;  // colors one per vertex or none
    std::vector<Vec2> corner_uvs;
    std::map<std::string, std::set<uint32_t>> groups;  // vertices by the group's name
};

// --- OBJ ---------------------------------------------------------------------------------------

long indexIn(std::string_view text, size_t count) {
    const auto number = parseInteger(text);
    if (!number) return -1;
    return *number < 0 ? long(count) + *number : *number - 1;
}

// Groups and texture seams of a text that parseObj() has found in order.
class ObjSeams {
public:
    explicit ObjSeams(Cloth& cloth) : cloth_(cloth) {}

    void readLine(std::string_view line) {
        const auto words = splitWords(line.substr(0, line.find('#')));
        if (words.empty()) return;
        if (words[0] == "v") ++vertices_;
        if (words[0] == "vt" && words.size() > 1)
            uvs_.push_back({float(parseNumber(words[1]).value_or(0)),
                            float(words.size() > 2 ? parseNumber(words[2]).value_or(0) : 0)});
        if (words[0] == "o") object_ = nameOf(line, "o");
        if (words[0] == "g") {
            groups_.clear();
            for (size_t i = 1; i < words.size(); ++i) groups_.emplace_back(words[i]);
        }
        if (words[0] == "f") readFace(words);
    }

    // Texture coordinates count only if every corner has one.
    void finish() {
        if (!complete_) cloth_.corner_uvs.clear();
    }

private:
    // The rest of the line: names may hold blanks.
    static std::string nameOf(std::string_view line, std::string_view keyword) {
        const size_t at = line.find(keyword) + keyword.size();
        const auto words = splitWords(line.substr(at));
        if (words.empty()) return "";
        const size_t first = size_t(words.front().data() - line.data());
        const size_t end = size_t(words.back().data() + words.back().size() - line.data());
        return std::string(line.substr(first, end - first));
    }

    void readFace(const std::vector<std::string_view>& words) {
        std::vector<Vec2> corners;
        for (size_t i = 1; i < words.size(); ++i) {
            const size_t slash = words[i].find('/');
            const uint32_t v = uint32_t(indexIn(words[i].substr(0, slash), vertices_));
            for (const std::string& group : groups_) cloth_.groups[group].insert(v);
            if (!object_.empty()) cloth_.groups[object_].insert(v);
            corners.push_back(uvAt(slash == words[i].npos ? "" : words[i].substr(slash + 1)));
        }
        for (size_t i = 2; i < corners.size(); ++i)
            for (const Vec2 uv : {corners[0], corners[i - 1], corners[i]})
                cloth_.corner_uvs.push_back(uv);
    }

    Vec2 uvAt(std::string_view text) {
        const long at = indexIn(text.substr(0, text.find('/')), uvs_.size());
        if (at >= 0 && at < long(uvs_.size())) return uvs_[size_t(at)];
        complete_ = false;
        return {};
    }

    Cloth& cloth_;
    std::string object_;
    std::vector<std::string> groups_;
    std::vector<Vec2> uvs_;
    size_t vertices_ = 0;
    bool complete_ = true;
};

Result<Cloth> readObjCloth(const std::string& path) {
    const auto text = readTextFile(path);
    if (!text) return text.error();
    auto mesh = parseObj(*text, path);
    if (!mesh) return mesh.error();
    Cloth cloth{.mesh = std::move(*mesh)};
    cloth.mesh.uvs.clear();
    ObjSeams seams(cloth);
    std::string_view rest = *text;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find('\n'), rest.size());
        seams.readLine(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    seams.finish();
    return cloth;
}

// --- glTF --------------------------------------------------------------------------------------

Result<Cloth> readGltfCloth(const std::string& path) {
    const auto scene = readScene(path);
    if (!scene) return inContext(path, scene.error());
    const std::vector<Affine> world_from_node = worldFromNodes(*scene);
    Cloth cloth;
    bool colors = true, uvs = true;
    for (const RawMesh& mesh : scene->meshes) {
        const uint32_t first = uint32_t(cloth.mesh.positions.size());
        for (const std::string& name : {mesh.name, scene->nodes[size_t(mesh.node)].name})
            for (uint32_t v = 0; v < mesh.positions.size(); ++v)
                cloth.groups[name].insert(first + v);
        for (const Vec3 p : mesh.positions)
            cloth.mesh.positions.push_back(transformPoint(world_from_node[size_t(mesh.node)], p));
        colors = colors && !mesh.colors.empty();
        uvs = uvs && !mesh.uvs.empty();
        cloth.mesh.colors.insert(cloth.mesh.colors.end(), mesh.colors.begin(), mesh.colors.end());
        for (const Triangle& t : mesh.triangles) {
            cloth.mesh.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
            for (uint32_t v : t) cloth.corner_uvs.push_back(uvs ? mesh.uvs[v] : Vec2{});
        }
    }
    if (!colors) cloth.mesh.colors.clear();
    if (!uvs) cloth.corner_uvs.clear();
    if (cloth.mesh.triangles.empty()) return errorf("%s: has no triangles", path.c_str());
    return cloth;
}

// --- Common ------------------------------------------------------------------------------------

// Merges vertices in one place, drops triangles without corners of their own and unused vertices.
void merge(Cloth& cloth) {
    const Weld weld = weldByPosition(cloth.mesh.positions);
    std::vector<uint32_t> number(weld.original_from_welded.size(), UINT32_MAX);
    Cloth merged;
    for (size_t n = 0; n < cloth.mesh.triangles.size(); ++n) {
        Triangle t = cloth.mesh.triangles[n];
        for (uint32_t& v : t) v = weld.welded_from_original[v];
        if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) continue;
        for (uint32_t& v : t) {
            if (number[v] == UINT32_MAX) {
                number[v] = uint32_t(merged.mesh.positions.size());
                const uint32_t original = weld.original_from_welded[v];
                merged.mesh.positions.push_back(cloth.mesh.positions[original]);
                if (!cloth.mesh.colors.empty())
                    merged.mesh.colors.push_back(cloth.mesh.colors[original]);
            }
            v = number[v];
        }
        merged.mesh.triangles.push_back(t);
        if (!cloth.corner_uvs.empty())
            for (size_t k = 0; k < 3; ++k) merged.corner_uvs.push_back(cloth.corner_uvs[3 * n + k]);
    }
    for (const auto& [name, vertices] : cloth.groups)
        for (uint32_t v : vertices)
            if (const uint32_t now = number[weld.welded_from_original[v]]; now != UINT32_MAX)
                merged.groups[name].insert(now);
    cloth = std::move(merged);
}

// Where sheets touch in a single vertex, each gets one of its own.
void splitPinches(Cloth& cloth) {
    std::vector<Triangle>& triangles = cloth.mesh.triangles;
    std::vector<std::vector<uint32_t>> around(cloth.mesh.positions.size());
    for (uint32_t t = 0; t < triangles.size(); ++t)
        for (uint32_t v : triangles[t]) around[v].push_back(t);
    auto share = [&](uint32_t s, uint32_t t, uint32_t v) {
        for (uint32_t a : triangles[s])
            for (uint32_t b : triangles[t])
                if (a == b && a != v) return true;
        return false;
    };
    for (uint32_t v = 0; v < around.size(); ++v) {
        std::vector<uint32_t> rest = around[v];
        for (bool first = true; !rest.empty(); first = false) {
            std::vector<uint32_t> fan{rest[0]};
            rest.erase(rest.begin());
            for (size_t n = 0; n < fan.size(); ++n)
                for (size_t i = rest.size(); i-- > 0;)
                    if (share(fan[n], rest[i], v)) {
                        fan.push_back(rest[i]);
                        rest.erase(rest.begin() + long(i));
                    }
            if (first) continue;
            const uint32_t twin = uint32_t(cloth.mesh.positions.size());
            cloth.mesh.positions.push_back(cloth.mesh.positions[v]);
            if (!cloth.mesh.colors.empty()) cloth.mesh.colors.push_back(cloth.mesh.colors[v]);
            for (auto& [name, vertices] : cloth.groups)
                if (vertices.contains(v)) vertices.insert(twin);
            for (uint32_t t : fan) std::replace(triangles[t].begin(), triangles[t].end(), v, twin);
        }
    }
}

// Texture coordinates scaled so that areas agree with the cloth's; none where they have no area.
void scaleToCloth(Cloth& cloth) {
    double area = 0, flat = 0;
    for (size_t n = 0; n < cloth.mesh.triangles.size() && !cloth.corner_uvs.empty(); ++n) {
        const auto& [i, j, k] = cloth.mesh.triangles[n];
        const std::vector<Vec3>& p = cloth.mesh.positions;
        area += double(length(cross(p[j] - p[i], p[k] - p[i])));
        const Vec2 a = cloth.corner_uvs[3 * n], b = cloth.corner_uvs[3 * n + 1],
                   c = cloth.corner_uvs[3 * n + 2];
        flat +=
            std::abs(double(b.x - a.x) * double(c.y - a.y) - double(c.x - a.x) * double(b.y - a.y));
    }
    if (!(flat > 1e-12) || !std::isfinite(flat)) {
        cloth.corner_uvs.clear();
        return;
    }
    const float scale = float(std::sqrt(area / flat));
    for (Vec2& uv : cloth.corner_uvs) uv = {uv.x * scale, uv.y * scale};
}

std::string sizeText(const Bounds& bounds) {
    const Vec3 size = bounds.size(), centre = bounds.centre();
    return format("%.2f x %.2f x %.2f m around (%.2f, %.2f, %.2f)", double(size.x), double(size.y),
                  double(size.z), double(centre.x), double(centre.y), double(centre.z));
}

// On the body: half of the vertices within a quarter of a metre of the skin at least, and not
// mostly inside of it.
Status checkPlace(const std::string& path, const Mesh& cloth, const Character& character,
                  const SurfaceTree& skin) {
    constexpr float kNear = 0.25f;
    size_t near = 0, inside = 0;
    for (const Vec3 p : cloth.positions)
        if (const SurfacePoint point = skin.nearest(p, kNear)) {
            ++near;
            inside += dot(p - point.position, skin.normalAt(point)) < 0;
        }
    const std::string sizes =
        format("the garment is %s, the body %s", sizeText(boundsOf(cloth.positions)).c_str(),
               sizeText(boundsOf(character.mesh.positions)).c_str());
    if (2 * near < cloth.positions.size())
        return errorf(
            "%s: is nowhere near %s in its rest pose: %s; is the unit metres, and was it modelled "
            "on this body?",
            path.c_str(), character.name.c_str(), sizes.c_str());
    if (2 * inside > cloth.positions.size())
        return errorf("%s: lies mostly inside %s: %s; it must be modelled on this body's rest pose",
                      path.c_str(), character.name.c_str(), sizes.c_str());
    return Done{};
}

// Triangles face away from the skin under them, by majority.
void faceOutwards(Cloth& cloth, const SurfaceTree& skin) {
    const std::vector<Vec3>& p = cloth.mesh.positions;
    double sum = 0;
    for (const auto& [a, b, c] : cloth.mesh.triangles) {
        const SurfacePoint point = skin.nearest((p[a] + p[b] + p[c]) / 3);
        sum += double(dot(cross(p[b] - p[a], p[c] - p[a]), skin.normalAt(point)));
    }
    if (sum >= 0) return;
    for (size_t n = 0; n < cloth.mesh.triangles.size(); ++n) {
        std::swap(cloth.mesh.triangles[n][1], cloth.mesh.triangles[n][2]);
        if (!cloth.corner_uvs.empty())
            std::swap(cloth.corner_uvs[3 * n + 1], cloth.corner_uvs[3 * n + 2]);
    }
}

// "a", "b", ... of up to ten names, those nearest to `wanted` first.
std::string nearestNames(const std::string& wanted, std::vector<std::string> names) {
    const std::string folded = foldedName(wanted);
    std::stable_sort(names.begin(), names.end(), [&](const auto& a, const auto& b) {
        return editDistance(folded, foldedName(a)) < editDistance(folded, foldedName(b));
    });
    std::string text;
    for (size_t i = 0; i < names.size() && i < 10; ++i)
        text += (i ? ", " : "") + quoteForMessage(names[i]);
    return names.size() > 10 ? text + ", ..." : text;
}

Status pinGroups(const std::string& path, const Cloth& cloth, const PinRules& rules,
                 std::vector<float>& pins) {
    for (const std::string& name : rules.groups) {
        const auto group = cloth.groups.find(name);
        if (group == cloth.groups.end()) {
            std::vector<std::string> names;
            for (const auto& [other, vertices] : cloth.groups) names.push_back(other);
            return errorf("%s: no group is called %s; %s", path.c_str(),
                          quoteForMessage(name).c_str(),
                          names.empty() ? "the file has none"
                                        : ("there are " + nearestNames(name, names)).c_str());
        }
        for (uint32_t v : group->second) pins[v] = std::max(pins[v], rules.strength);
    }
    return Done{};
}

Status pinColors(const std::string& path, const Cloth& cloth, std::vector<float>& pins) {
    if (cloth.mesh.colors.empty())
        return errorf(
            "%s: has no colours per vertex to pin by; export them, or pin by group or "
            "joint",
            path.c_str());
    float most = 0;
    for (size_t v = 0; v < pins.size(); ++v) {
        const float red = std::clamp(cloth.mesh.colors[v].x, 0.0f, 1.0f);
        pins[v] = std::max(pins[v], red);
        most = std::max(most, red);
    }
    if (most > 0) return Done{};
    return errorf("%s: no vertex has any red in its colour, so nothing would be pinned",
                  path.c_str());
}

// The share of the nearest skin's weight that the joints have.
float shareOf(const Skin& skin, const SurfaceTree& tree, const SurfacePoint& point,
              const std::vector<bool>& joints) {
    const Triangle& t = tree.triangles()[point.triangle];
    const float weights[3] = {point.weights.a, point.weights.b, point.weights.c};
    float share = 0;
    for (size_t k = 0; k < 3; ++k)
        for (int i = 0; i < skin.influences; ++i) {
            const size_t at = size_t(t[k]) * size_t(skin.influences) + size_t(i);
            if (joints[skin.joints[at]]) share += weights[k] * skin.weights[at];
        }
    return share;
}

Status pinNearJoints(const std::string& path, const Cloth& cloth, const PinRules& rules,
                     const Character& character, const SurfaceTree& tree,
                     std::vector<float>& pins) {
    if (rules.near_joints.empty()) return Done{};
    std::vector<bool> joints(character.skeleton.size(), false);
    for (const std::string& name : rules.near_joints) {
        const int joint = character.skeleton.find(name);
        if (joint < 0) {
            std::vector<std::string> names;
            for (const Joint& other : character.skeleton.joints) names.push_back(other.name);
            return errorf("%s: cannot pin near %s, no joint of %s is called that; there are %s",
                          path.c_str(), quoteForMessage(name).c_str(), character.name.c_str(),
                          nearestNames(name, names).c_str());
        }
        joints[size_t(joint)] = true;
    }
    size_t pinned = 0;
    float nearest = 1e9f;
    for (size_t v = 0; v < pins.size(); ++v) {
        const SurfacePoint point = tree.nearest(cloth.mesh.positions[v]);
        if (!point || shareOf(character.skin, tree, point, joints) < 0.5f) continue;
        nearest = std::min(nearest, point.distance);
        if (point.distance > rules.near_distance) continue;
        pins[v] = std::max(pins[v], rules.strength);
        ++pinned;
    }
    if (pinned > 0) return Done{};
    if (nearest > 1e8f)
        return errorf("%s: no part of it lies over the skin of %s", path.c_str(),
                      nearestNames("", rules.near_joints).c_str());
    return errorf("%s: nothing is within %g m of the skin of %s; the nearest vertex is %.4f m away",
                  path.c_str(), double(rules.near_distance),
                  nearestNames("", rules.near_joints).c_str(), double(nearest));
}

// The rings of vertices at which the cloth ends.
std::vector<std::vector<uint32_t>> openingsOf(const Mesh& mesh) {
    std::set<std::array<uint32_t, 2>> directed;
    for (const Triangle& t : mesh.triangles)
        for (size_t k = 0; k < 3; ++k) directed.insert({t[k], t[(k + 1) % 3]});
    std::map<uint32_t, uint32_t> next;
    for (const auto& [a, b] : directed)
        if (!directed.contains({b, a})) next[a] = b;
    std::vector<std::vector<uint32_t>> rings;
    while (!next.empty()) {
        std::vector<uint32_t>& ring = rings.emplace_back();
        for (auto at = next.begin(); at != next.end(); at = next.find(ring.back())) {
            if (ring.empty()) ring.push_back(at->first);
            ring.push_back(at->second);
            next.erase(at);
        }
    }
    return rings;
}

Status pinOpenings(const std::string& path, const Cloth& cloth, const PinRules& rules,
                   std::vector<float>& pins) {
    if (rules.openings.empty()) return Done{};
    std::vector<std::vector<uint32_t>> rings = openingsOf(cloth.mesh);
    if (rings.empty())
        return errorf("%s: is closed all around, so it has no opening to pin", path.c_str());
    const auto height = [&](const std::vector<uint32_t>& ring) {
        double sum = 0;
        for (const uint32_t v : ring) sum += double(cloth.mesh.positions[v].y);
        return sum / double(ring.size());
    };
    const auto [bottom, top] =
        std::minmax_element(rings.begin(), rings.end(),
                            [&](const auto& a, const auto& b) { return height(a) < height(b); });
    for (const std::string& name : rules.openings) {
        if (name != "top" && name != "bottom")
            return errorf("%s: cannot pin the opening %s; give \"top\" or \"bottom\"", path.c_str(),
                          quoteForMessage(name).c_str());
        for (const uint32_t v : name == "top" ? *top : *bottom)
            pins[v] = std::max(pins[v], rules.strength);
    }
    return Done{};
}

Status checkRules(const std::string& path, const PinRules& rules) {
    if (!(rules.strength >= 0 && rules.strength <= 1))
        return errorf("%s: pins of strength %g; it must lie between 0 and 1", path.c_str(),
                      double(rules.strength));
    if (!(rules.near_distance > 0) || !std::isfinite(rules.near_distance))
        return errorf("%s: pins within %g m; the distance must be positive", path.c_str(),
                      double(rules.near_distance));
    return Done{};
}

}  // namespace

Result<Garment> loadGarment(const std::string& path, const Character& character,
                            const Fabric& fabric, const PinRules& rules, float ease,
                            ImportNotes* notes) {
    const std::string extension = extensionOf(path);
    const bool is_gltf = extension == "glb" || extension == "gltf";
    if (extension != "obj" && !is_gltf)
        return errorf("%s: a garment comes as .obj, .glb or .gltf", path.c_str());
    if (const Status valid = checkRules(path, rules); !valid) return valid.error();
    if (!(ease >= 0 && ease <= kMostEase))
        return errorf("%s: an ease of %g m; it must lie between 0 and %g", path.c_str(),
                      double(ease), double(kMostEase));
    if (character.mesh.triangles.empty())
        return errorf("%s: has no mesh to wear %s", character.name.c_str(), path.c_str());
    auto cloth = is_gltf ? readGltfCloth(path) : readObjCloth(path);
    if (!cloth) return cloth.error();
    ImportNotes done;
    const size_t read = cloth->mesh.positions.size();
    merge(*cloth);
    const size_t merged = cloth->mesh.positions.size();
    splitPinches(*cloth);
    done.merged = read - merged;
    done.split = cloth->mesh.positions.size() - merged;
    if (cloth->mesh.triangles.empty())
        return errorf("%s: all its triangles are without area", path.c_str());
    const SurfaceTree skin(welded(character.mesh, weldByPosition(character.mesh.positions, 1e-5f)));
    if (const Status place = checkPlace(path, cloth->mesh, character, skin); !place)
        return place.error();
    faceOutwards(*cloth, skin);
    std::vector<float> pins(cloth->mesh.positions.size(), 0.0f);
    const SurfaceTree split_skin(character.mesh);
    if (const Status s = pinGroups(path, *cloth, rules, pins); !s) return s.error();
    if (rules.by_color)
        if (const Status s = pinColors(path, *cloth, pins); !s) return s.error();
    if (const Status s = pinNearJoints(path, *cloth, rules, character, split_skin, pins); !s)
        return s.error();
    if (const Status s = pinOpenings(path, *cloth, rules, pins); !s) return s.error();
    if (ease > 0) done.let_out = letOut(cloth->mesh, skin, ease);
    scaleToCloth(*cloth);
    if (notes) *notes = done;
    Garment garment{.name = stemOf(path),
                    .mesh = std::move(cloth->mesh),
                    .corner_uvs = std::move(cloth->corner_uvs),
                    .pins = std::move(pins),
                    .fabric = fabric};
    garment.mesh.colors.clear();
    if (const Status valid = validate(garment); !valid) return inContext(path, valid.error());
    return garment;
}

}  // namespace hem
