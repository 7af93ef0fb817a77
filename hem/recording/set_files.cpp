// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/set_files.h"

#include <cstring>

#include "hem/core/files.h"
#include "hem/core/npy.h"
#include "hem/recording/checksum.h"
#include "hem/recording/fabric_fields.h"
#include "hem/recording/json_fields.h"

namespace hem {
namespace {

constexpr const char* kSetFile = "set.json";
constexpr size_t kMostParts = 1000000;

// --- Writing -----------------------------------------------------------------------------------

class Parts {
public:
    void add(const std::string& name, const Json& document) {
        const std::string text = jsonText(document);
        const auto bytes = std::as_bytes(std::span(text));
        parts_.push_back({name, {bytes.begin(), bytes.end()}});
    }
    template <class Item>
    void add(const std::string& name, NpyType type, std::vector<size_t> shape,
             const std::vector<Item>& items) {
        parts_.push_back(
            {name, npyBytes({type, std::move(shape)}, std::as_bytes(std::span(items)))});
    }
    std::vector<SetFilePart> take() { return std::move(parts_); }
    const std::vector<SetFilePart>& all() const { return parts_; }

private:
    std::vector<SetFilePart> parts_;
};

// A joint's place in its parent: wxyz, xyz.
struct RestRow {
    float numbers[7];
};

void addBody(Parts& parts, const Character& body) {
    const size_t vertices = body.mesh.positions.size(), joints = body.skeleton.size();
    const size_t influences = size_t(body.skin.influences);
    Json tree = Json::array();
    std::vector<RestRow> rest;
    for (const Joint& joint : body.skeleton.joints) {
        tree.push_back({{"name", joint.name}, {"parent", joint.parent}});
        const auto& [q, t] = joint.parent_from_rest;
        rest.push_back({{q.w, q.x, q.y, q.z, t.x, t.y, t.z}});
    }
    const std::vector<uint32_t> carriers(body.skin.joints.begin(), body.skin.joints.end());
    parts.add("body/body.json", Json{{"name", body.name}, {"joints", tree}});
    parts.add("body/positions.npy", NpyType::kFloat32, {vertices, 3}, body.mesh.positions);
    parts.add("body/triangles.npy", NpyType::kUint32, {body.mesh.triangles.size(), 3},
              body.mesh.triangles);
    if (!body.mesh.uvs.empty())
        parts.add("body/uvs.npy", NpyType::kFloat32, {vertices, 2}, body.mesh.uvs);
    if (!body.mesh.colors.empty())
        parts.add("body/colors.npy", NpyType::kFloat32, {vertices, 3}, body.mesh.colors);
    parts.add("body/rest.npy", NpyType::kFloat32, {joints, 7}, rest);
    parts.add("body/joint_from_rest.npy", NpyType::kFloat32, {joints, 3, 4},
              body.skin.joint_from_rest);
    parts.add("body/skin_joints.npy", NpyType::kUint32, {vertices, influences}, carriers);
    parts.add("body/skin_weights.npy", NpyType::kFloat32, {vertices, influences},
              body.skin.weights);
}

Json fabricJson(const Fabric& fabric) {
    Json json{{"name", fabric.name}};
    for (const FabricField& field : kFabricFields)
        json[field.name] = jsonNumber(fabric.*field.number);
    return json;
}

void addGarments(Parts& parts, const std::vector<Garment>& garments) {
    Json list = Json::array();
    Mesh joined;
    std::vector<Vec2> uvs;
    std::vector<float> pins;
    for (const Garment& garment : garments) {
        const size_t first = joined.positions.size(), first_triangle = joined.triangles.size();
        const size_t triangles = garment.mesh.triangles.size();
        list.push_back({{"name", garment.name},
                        {"first_vertex", first},
                        {"vertices", garment.mesh.positions.size()},
                        {"first_triangle", first_triangle},
                        {"triangles", triangles},
                        {"has_uvs", !garment.corner_uvs.empty()},
                        {"fabric", fabricJson(garment.fabric)}});
        const auto& positions = garment.mesh.positions;
        joined.positions.insert(joined.positions.end(), positions.begin(), positions.end());
        for (const Triangle& t : garment.mesh.triangles)
            joined.triangles.push_back(
                {uint32_t(t[0] + first), uint32_t(t[1] + first), uint32_t(t[2] + first)});
        uvs.insert(uvs.end(), garment.corner_uvs.begin(), garment.corner_uvs.end());
        uvs.resize(joined.triangles.size() * 3);
        pins.insert(pins.end(), garment.pins.begin(), garment.pins.end());
    }
    parts.add("garment/garment.json", Json{{"garments", list}});
    parts.add("garment/positions.npy", NpyType::kFloat32, {joined.positions.size(), 3},
              joined.positions);
    parts.add("garment/triangles.npy", NpyType::kUint32, {joined.triangles.size(), 3},
              joined.triangles);
    parts.add("garment/corner_uvs.npy", NpyType::kFloat32, {joined.triangles.size(), 3, 2}, uvs);
    parts.add("garment/pins.npy", NpyType::kFloat32, {joined.positions.size()}, pins);
}

Json vectorJson(Vec3 v) { return Json::array({jsonNumber(v.x), jsonNumber(v.y), jsonNumber(v.z)}); }

void addSet(Parts& parts, const ClothScene& scene) {
    Json checksums = Json::object();
    for (const SetFilePart& part : parts.all()) checksums[part.name] = checksumOf(part.bytes);
    Json set{{"format", kSetFormat},
             {"version", kRecordingVersion},
             {"rate", scene.rate},
             {"substeps", scene.substeps},
             {"gravity", vectorJson(scene.gravity)},
             {"wind",
              {{"velocity", vectorJson(scene.wind.velocity)},
               {"gusts", jsonNumber(scene.wind.gusts)},
               {"seed", scene.wind.seed}}},
             {"files", checksums}};
    if (scene.arms_pass) set["arms_pass"] = true;
    parts.add(kSetFile, set);
}

// --- Reading -----------------------------------------------------------------------------------

// The files of a set, each held against its checksum.
class Reader {
public:
    Reader(std::string folder, const Json& checksums)
        : folder_(std::move(folder)), checksums_(checksums) {}

    std::string path(const std::string& name) const { return folder_ + "/" + name; }
    bool lists(const std::string& name) const { return checksums_.contains(name); }

    Result<std::vector<std::byte>> bytes(const std::string& name) const {
        auto file = readFile(path(name));
        if (!file) return file.error();
        if (!lists(name) || checksums_.at(name) != checksumOf(*file))
            return errorf(
                "%s: does not have the checksum that set.json says; the file is damaged or "
                "was edited: record the set again",
                path(name).c_str());
        return file;
    }

    Result<Json> json(const std::string& name) const {
        const auto file = bytes(name);
        if (!file) return file.error();
        return parseJson({reinterpret_cast<const char*>(file->data()), file->size()}, path(name));
    }

    // The array's rows as Items. A shape of nought stands for any size.
    template <class Item>
    Result<std::vector<Item>> array(const std::string& name, NpyType type,
                                    std::vector<size_t> expected) const {
        const auto file = bytes(name);
        if (!file) return file.error();
        const auto view = parseNpy(*file, path(name));
        if (!view) return view.error();
        const auto& shape = view->header.shape;
        bool fits = view->header.type == type && shape.size() == expected.size();
        for (size_t i = 0; fits && i < shape.size(); ++i)
            fits = expected[i] == 0 || expected[i] == shape[i];
        if (!fits || view->data.size() % sizeof(Item) != 0)
            return errorf("%s: holds %s, which does not fit the other files of the set",
                          path(name).c_str(), describe(view->header).c_str());
        std::vector<Item> items(view->data.size() / sizeof(Item));
        if (!items.empty()) std::memcpy(items.data(), view->data.data(), view->data.size());
        return items;
    }

private:
    std::string folder_;
    const Json& checksums_;
};

// Moves a result's value to `target`, or its error to `fault`; false then.
template <class T>
bool take(Result<T> result, T& target, std::optional<Error>& fault) {
    if (result)
        target = std::move(*result);
    else if (!fault)
        fault = result.error();
    return !fault;
}

std::optional<Error> readSkeleton(const Reader& reader, Character& body) {
    const auto document = reader.json("body/body.json");
    if (!document) return document.error();
    JsonFields fields(*document, reader.path("body/body.json") + ": ");
    body.name = fields.text("name");
    for (const Json& entry : fields.array("joints")) {
        if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string() ||
            !entry.contains("parent") || !entry["parent"].is_number_integer())
            return errorf("%s: a joint needs a name and a parent",
                          reader.path("body/body.json").c_str());
        body.skeleton.joints.push_back(
            {entry["name"].get<std::string>(), entry["parent"].get<int>()});
    }
    if (fields.fault()) return fields.fault();
    std::vector<RestRow> rest;
    std::optional<Error> fault;
    const size_t joints = body.skeleton.size();
    if (joints == 0) return errorf("%s: lists no joints", reader.path("body/body.json").c_str());
    if (!take(reader.array<RestRow>("body/rest.npy", NpyType::kFloat32, {joints, 7}), rest, fault))
        return fault;
    for (size_t j = 0; j < joints; ++j) {
        const float* n = rest[j].numbers;
        body.skeleton.joints[j].parent_from_rest = {{n[0], n[1], n[2], n[3]}, {n[4], n[5], n[6]}};
    }
    return {};
}

Result<Character> readBody(const Reader& reader) {
    Character body;
    std::optional<Error> fault = readSkeleton(reader, body);
    if (fault) return *fault;
    const size_t joints = body.skeleton.size();
    constexpr NpyType kFloat = NpyType::kFloat32, kInteger = NpyType::kUint32;
    std::vector<uint32_t> carriers;
    if (!take(reader.array<Vec3>("body/positions.npy", kFloat, {0, 3}), body.mesh.positions, fault))
        return *fault;
    const size_t vertices = body.mesh.positions.size();
    if (vertices == 0) return errorf("%s: is empty", reader.path("body/positions.npy").c_str());
    take(reader.array<Triangle>("body/triangles.npy", kInteger, {0, 3}), body.mesh.triangles,
         fault);
    if (reader.lists("body/uvs.npy"))
        take(reader.array<Vec2>("body/uvs.npy", kFloat, {vertices, 2}), body.mesh.uvs, fault);
    if (reader.lists("body/colors.npy"))
        take(reader.array<Vec3>("body/colors.npy", kFloat, {vertices, 3}), body.mesh.colors, fault);
    take(reader.array<Affine>("body/joint_from_rest.npy", kFloat, {joints, 3, 4}),
         body.skin.joint_from_rest, fault);
    take(reader.array<uint32_t>("body/skin_joints.npy", kInteger, {vertices, 0}), carriers, fault);
    body.skin.influences = int(std::min<size_t>(carriers.size() / vertices, 255));
    take(reader.array<float>("body/skin_weights.npy", kFloat,
                             {vertices, size_t(body.skin.influences)}),
         body.skin.weights, fault);
    if (fault) return *fault;
    for (uint32_t joint : carriers) {
        if (joint >= joints)
            return errorf("%s: joint %u does not exist",
                          reader.path("body/skin_joints.npy").c_str(), joint);
        body.skin.joints.push_back(uint16_t(joint));
    }
    if (const Status valid = validate(body); !valid)
        return inContext(reader.path("body"), valid.error());
    return body;
}

Fabric readFabric(JsonFields fields, std::optional<Error>& fault) {
    Fabric fabric{.name = fields.text("name")};
    for (const FabricField& field : kFabricFields)
        fabric.*field.number = fields.single(field.name, -1e30, 1e30);
    if (fields.fault() && !fault) fault = fields.fault();
    return fabric;
}

// What all garments are cut from.
struct Joined {
    std::vector<Vec3> positions;
    std::vector<Triangle> triangles;
    std::vector<std::array<Vec2, 3>> uvs;
    std::vector<float> pins;
};

Result<Joined> readJoined(const Reader& reader) {
    Joined all;
    std::optional<Error> fault;
    constexpr NpyType kFloat = NpyType::kFloat32;
    take(reader.array<Vec3>("garment/positions.npy", kFloat, {0, 3}), all.positions, fault);
    take(reader.array<Triangle>("garment/triangles.npy", NpyType::kUint32, {0, 3}), all.triangles,
         fault);
    take(reader.array<std::array<Vec2, 3>>("garment/corner_uvs.npy", kFloat, {0, 3, 2}), all.uvs,
         fault);
    take(reader.array<float>("garment/pins.npy", kFloat, {0}), all.pins, fault);
    if (fault) return *fault;
    if (all.uvs.size() != all.triangles.size() || all.pins.size() != all.positions.size())
        return errorf("%s: the arrays do not fit each other", reader.path("garment").c_str());
    return all;
}

// The next garment of `all`: it starts where the ones before it end.
Result<Garment> cutOut(const Joined& all, const Json& entry, const std::string& where,
                       size_t& first_vertex, size_t& first_triangle) {
    JsonFields fields(entry, where);
    std::optional<Error> fault;
    Garment garment{.name = fields.text("name")};
    const size_t vertices = fields.count("vertices", all.positions.size() - first_vertex);
    const size_t triangles = fields.count("triangles", all.triangles.size() - first_triangle);
    const bool has_uvs = fields.flag("has_uvs");
    garment.fabric = readFabric(JsonFields(fields.object("fabric"), where + "fabric."), fault);
    if (fields.fault()) return *fields.fault();
    if (fault) return *fault;
    for (size_t i = first_vertex; i < first_vertex + vertices; ++i) {
        garment.mesh.positions.push_back(all.positions[i]);
        garment.pins.push_back(all.pins[i]);
    }
    for (size_t i = first_triangle; i < first_triangle + triangles; ++i) {
        Triangle t = all.triangles[i];
        for (uint32_t& corner : t) {
            if (corner < first_vertex || corner >= first_vertex + vertices)
                return errorf("%striangle %zu has a corner outside of the garment", where.c_str(),
                              i);
            corner -= uint32_t(first_vertex);
        }
        garment.mesh.triangles.push_back(t);
        if (has_uvs)
            garment.corner_uvs.insert(garment.corner_uvs.end(), all.uvs[i].begin(),
                                      all.uvs[i].end());
    }
    first_vertex += vertices;
    first_triangle += triangles;
    return garment;
}

Result<std::vector<Garment>> readGarments(const Reader& reader) {
    const auto document = reader.json("garment/garment.json");
    if (!document) return document.error();
    const auto all = readJoined(reader);
    if (!all) return all.error();
    const std::string where = reader.path("garment/garment.json") + ": ";
    JsonFields fields(*document, where);
    const Json& list = fields.array("garments");
    if (fields.fault()) return *fields.fault();
    std::vector<Garment> garments;
    size_t first_vertex = 0, first_triangle = 0;
    for (const Json& entry : list) {
        auto garment = cutOut(*all, entry, where, first_vertex, first_triangle);
        if (!garment) return garment.error();
        if (const Status valid = validate(*garment); !valid)
            return inContext(reader.path("garment"), valid.error());
        garments.push_back(std::move(*garment));
    }
    if (first_vertex != all->positions.size() || first_triangle != all->triangles.size())
        return errorf("%sthe garments do not make up all vertices and triangles", where.c_str());
    return garments;
}

Vec3 readVector(const Json& array, const std::string& where, std::optional<Error>& fault) {
    Vec3 v;
    bool good = array.size() == 3;
    for (size_t i = 0; good && i < 3; ++i) {
        good = array[i].is_number();
        if (good) v[int(i)] = array[i].get<float>();
    }
    if ((!good || !isFinite(v)) && !fault)
        fault = errorf("%s: three numbers were expected", where.c_str());
    return v;
}

std::optional<Error> readSettings(const Json& set, const std::string& path, ClothScene& scene) {
    JsonFields fields(set, path + ": ");
    std::optional<Error> fault;
    if (fields.text("format") != kSetFormat || fields.fault())
        return errorf("%s: is not a set of recordings of hemline's", path.c_str());
    if (fields.count("version") != kRecordingVersion)
        return errorf(
            "%s: is of another version of the format (this hemline reads version %d); record "
            "it again",
            path.c_str(), kRecordingVersion);
    scene.rate = fields.number("rate", 1, 10000);
    scene.substeps = int(fields.count("substeps", kMostParts));
    scene.gravity = readVector(fields.array("gravity"), path + ": gravity", fault);
    JsonFields wind(fields.object("wind"), path + ": wind.");
    scene.wind.velocity = readVector(wind.array("velocity"), path + ": wind.velocity", fault);
    scene.wind.gusts = wind.single("gusts", 0, 1);
    scene.wind.seed = wind.count("seed");
    if (fields.has("arms_pass")) scene.arms_pass = fields.flag("arms_pass");
    fields.object("files");
    if (fields.fault()) return fields.fault();
    if (wind.fault()) return wind.fault();
    return fault;
}

// --- Comparing ---------------------------------------------------------------------------------

std::string jsonDifference(const std::string& name, const Json& there, const Json& now) {
    const Json patch = Json::diff(there, now);
    for (const Json& step : patch) {
        const std::string at = step.value("path", "");
        if (at.starts_with("/files")) continue;
        const Json::json_pointer pointer(at);
        auto value = [&](const Json& document) {
            return document.contains(pointer) ? document.at(pointer).dump().substr(0, 60)
                                              : "not there";
        };
        return name + " says that " + at.substr(1) + " is " + value(there) + ", now it is " +
               value(now);
    }
    return "";
}

bool isJson(const std::string& name) { return name.ends_with(".json"); }

}  // namespace

std::vector<SetFilePart> filesOf(const ClothScene& scene) {
    Parts parts;
    addBody(parts, scene.character);
    addGarments(parts, scene.garments);
    addSet(parts, scene);
    return parts.take();
}

Result<ClothScene> loadSceneFiles(const std::string& folder) {
    const std::string path = folder + "/" + kSetFile;
    const auto set = loadJson(path);
    if (!set) return set.error();
    ClothScene scene;
    if (const auto fault = readSettings(*set, path, scene)) return *fault;
    const Reader reader(folder, set->at("files"));
    auto body = readBody(reader);
    if (!body) return body.error();
    auto garments = readGarments(reader);
    if (!garments) return garments.error();
    scene.character = std::move(*body);
    scene.garments = std::move(*garments);
    return scene;
}

Result<std::string> sceneDifference(const std::string& folder,
                                    const std::vector<SetFilePart>& files) {
    std::string arrays;
    for (const SetFilePart& part : files) {
        const auto there = readFile(folder + "/" + part.name);
        if (!there) return there.error();
        if (*there == part.bytes) continue;
        if (!isJson(part.name)) {
            arrays += (arrays.empty() ? "" : ", ") + part.name;
            continue;
        }
        auto text = [](const std::vector<std::byte>& bytes) {
            return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        };
        const auto old = parseJson(text(*there), folder + "/" + part.name);
        if (!old) return old.error();
        const std::string difference =
            jsonDifference(part.name, *old, parseJson(text(part.bytes), part.name).value());
        if (!difference.empty()) return difference;
    }
    return arrays.empty() ? arrays : "other contents of " + arrays;
}

}  // namespace hem
