// SPDX-License-Identifier: Apache-2.0
#include "hem/character/formats/gltf_reader.h"

#include <algorithm>
#include <cmath>

#include "hem/character/formats/gltf_file.h"
#include "hem/core/text.h"

namespace hem {
namespace {

constexpr double kSplineRate = 120;  // keys a second that a cubic spline is cut into
constexpr int kTriangles = 4, kStrip = 5, kFan = 6;

struct Reader {
    const GltfFile& file;
    RawScene scene;
    std::vector<int> raw_of_node;  // index in scene.nodes per glTF node

    const Json& json() const { return file.json(); }
    std::string nameOfNode(size_t node) const;
    Status readNodes();
    Status readMeshes();
    Status readPrimitive(const Json& primitive, const std::string& name, size_t node);
    Status readColors(const Json& attributes, RawMesh& mesh) const;
    Status readTriangles(const Json& primitive, RawMesh& mesh) const;
    Status readSkin(const Json& attributes, size_t skin, RawMesh& mesh) const;
    Status readWeights(const Json& attributes, RawMesh& mesh) const;
    Status readAnimations();
    Status readChannel(const Json& animation, const Json& channel,
                       std::vector<RawChannel>& channels) const;
};

Vec3 vec3At(const std::vector<double>& v, size_t i) {
    return {float(v[3 * i]), float(v[3 * i + 1]), float(v[3 * i + 2])};
}
Quat quatAt(const std::vector<double>& v, size_t i) {
    return {float(v[4 * i + 3]), float(v[4 * i]), float(v[4 * i + 1]), float(v[4 * i + 2])};
}
// Stored by columns.
Affine affineAt(const std::vector<double>& v, size_t i) {
    Affine a;
    for (size_t r = 0; r < 3; ++r)
        for (size_t c = 0; c < 4; ++c) a.m[r][c] = float(v[16 * i + 4 * c + r]);
    return a;
}

std::string Reader::nameOfNode(size_t node) const {
    const std::string name = textOf(itemOf(json(), "nodes", node), "name");
    return name.empty() ? format("node_%zu", node) : name;
}

Result<Affine> localOf(const Json& node) {
    if (!memberOf(node, "matrix").is_null()) {
        const auto m = numbersOf(node, "matrix", 16);
        if (!m) return errorf("its matrix is not 16 numbers");
        return affineAt(*m, 0);
    }
    const auto part = [&](const char* key, std::vector<double> standard) {
        return memberOf(node, key).is_null() ? std::optional(standard)
                                             : numbersOf(node, key, standard.size());
    };
    const auto t = part("translation", {0, 0, 0}), r = part("rotation", {0, 0, 0, 1}),
               s = part("scale", {1, 1, 1});
    if (!t || !r || !s)
        return errorf("its translation, rotation or scale is not a list of numbers");
    const Quat q = quatAt(*r, 0);
    if (!(dot(q, q) > 1e-12f)) return errorf("its rotation is nought");
    const Mat3 turn = toMatrix(normalized(q));
    const Vec3 scale = vec3At(*s, 0);
    return Affine::from(Mat3::fromColumns(turn.column(0) * scale.x, turn.column(1) * scale.y,
                                          turn.column(2) * scale.z),
                        vec3At(*t, 0));
}

// Each node's parent, -1 for roots; a tree, or an error.
Result<std::vector<int>> parentsOf(const Reader& reader) {
    const size_t count = sizeOf(reader.json(), "nodes");
    std::vector<int> parents(count, -1);
    for (size_t n = 0; n < count; ++n) {
        const Json& node = itemOf(reader.json(), "nodes", n);
        for (size_t c = 0; c < sizeOf(node, "children"); ++c) {
            const Json& child = itemOf(node, "children", c);
            const std::string quoted = quoteForMessage(reader.nameOfNode(n));
            if (!child.is_number_unsigned() || child.get<size_t>() >= count)
                return errorf("node %s has a child that is not there", quoted.c_str());
            int& parent = parents[child.get<size_t>()];
            if (parent >= 0)
                return errorf("node %s has two parents, %s and %s",
                              quoteForMessage(reader.nameOfNode(child.get<size_t>())).c_str(),
                              quoteForMessage(reader.nameOfNode(size_t(parent))).c_str(),
                              quoted.c_str());
            parent = int(n);
        }
    }
    return parents;
}

// Depth first below a node of our own, so that parents stand before children and there is one root.
Status Reader::readNodes() {
    const auto parents = parentsOf(*this);
    if (!parents) return parents.error();
    raw_of_node.assign(parents->size(), -1);
    scene.nodes.push_back({"(file)", -1, {}});
    std::vector<size_t> stack;
    for (size_t n = parents->size(); n-- > 0;)
        if ((*parents)[n] < 0) stack.push_back(n);
    while (!stack.empty()) {
        const size_t n = stack.back();
        stack.pop_back();
        const Json& node = itemOf(json(), "nodes", n);
        if (!node.is_object()) return errorf("node %zu is not a JSON object", n);
        const auto local = localOf(node);
        if (!local) return inContext("node " + quoteForMessage(nameOfNode(n)), local.error());
        const int parent = (*parents)[n] < 0 ? 0 : raw_of_node[size_t((*parents)[n])];
        raw_of_node[n] = int(scene.nodes.size());
        scene.nodes.push_back({nameOfNode(n), parent, *local});
        for (size_t c = sizeOf(node, "children"); c-- > 0;)
            stack.push_back(itemOf(node, "children", c).get<size_t>());
    }
    for (size_t n = 0; n < parents->size(); ++n)
        if (raw_of_node[n] < 0)
            return errorf("node %s is below itself: the tree of nodes is a circle",
                          quoteForMessage(nameOfNode(n)).c_str());
    return Done{};
}

// With or without alpha, which is left out.
Status Reader::readColors(const Json& attributes, RawMesh& mesh) const {
    const auto accessor = indexOf(attributes, "COLOR_0");
    if (!accessor) return Done{};
    const bool has_alpha = textOf(itemOf(json(), "accessors", *accessor), "type") == "VEC4";
    const size_t width = has_alpha ? 4 : 3;
    const auto colors = file.read(*accessor, width, mesh.positions.size());
    if (!colors) return colors.error();
    for (size_t v = 0; v < colors->count; ++v) {
        const double* c = &colors->values[width * v];
        mesh.colors.push_back({float(c[0]), float(c[1]), float(c[2])});
    }
    return Done{};
}

Status Reader::readTriangles(const Json& primitive, RawMesh& mesh) const {
    const size_t vertices = mesh.positions.size();
    std::vector<double> corners;
    if (const auto accessor = indexOf(primitive, "indices")) {
        auto read = file.read(*accessor, 1);
        if (!read) return read.error();
        corners = std::move(read->values);
    } else {
        for (size_t v = 0; v < vertices; ++v) corners.push_back(double(v));
    }
    for (double c : corners)
        if (!(c >= 0 && c < double(vertices)))
            return errorf("a triangle names vertex %.0f of %zu", c, vertices);
    const auto add = [&](size_t a, size_t b, size_t c) {
        mesh.triangles.push_back(
            {uint32_t(corners[a]), uint32_t(corners[b]), uint32_t(corners[c])});
    };
    const size_t mode = indexOf(primitive, "mode").value_or(kTriangles);
    if (mode == kTriangles)
        for (size_t i = 0; i + 2 < corners.size(); i += 3) add(i, i + 1, i + 2);
    for (size_t i = 0; mode == kStrip && i + 2 < corners.size(); ++i)
        add(i, i + 1 + i % 2, i + 2 - i % 2);
    for (size_t i = 1; mode == kFan && i + 1 < corners.size(); ++i) add(i, i + 1, 0);
    return Done{};
}

Status Reader::readWeights(const Json& attributes, RawMesh& mesh) const {
    const size_t vertices = mesh.positions.size();
    for (size_t set = 0;; ++set) {
        const auto joints_at = indexOf(attributes, format("JOINTS_%zu", set).c_str());
        const auto weights_at = indexOf(attributes, format("WEIGHTS_%zu", set).c_str());
        if (!joints_at || !weights_at) return Done{};
        const auto joints = file.read(*joints_at, 4, vertices);
        if (!joints) return joints.error();
        const auto weights = file.read(*weights_at, 4, vertices);
        if (!weights) return weights.error();
        for (size_t i = 0; i < 4 * vertices; ++i) {
            if (weights->values[i] == 0) continue;
            const double joint = joints->values[i];
            if (!(joint >= 0 && joint < double(mesh.bones.size())))
                return errorf("vertex %zu follows joint %.0f of %zu", i / 4, joint,
                              mesh.bones.size());
            mesh.bones[size_t(joint)].weights.push_back(
                {uint32_t(i / 4), float(weights->values[i])});
        }
    }
}

Status Reader::readSkin(const Json& attributes, size_t skin_index, RawMesh& mesh) const {
    const Json& skin = itemOf(json(), "skins", skin_index);
    const size_t count = sizeOf(skin, "joints");
    if (count == 0)
        return errorf("its skin, number %zu, is not there or has no joints", skin_index);
    std::vector<bool> seen(scene.nodes.size(), false);
    for (const Json& joint : memberOf(skin, "joints")) {
        if (!joint.is_number_unsigned() || joint.get<size_t>() >= raw_of_node.size())
            return errorf("its skin names a joint that is not there");
        const int node = raw_of_node[joint.get<size_t>()];
        const std::string name = scene.nodes[size_t(node)].name;
        if (seen[size_t(node)])
            return errorf("its skin names joint %s twice", quoteForMessage(name).c_str());
        seen[size_t(node)] = true;
        mesh.bones.push_back({name, node, {}, {}});
    }
    // without them, joints are taken to be bound as they are: all matrices are the identity
    if (const auto accessor = indexOf(skin, "inverseBindMatrices")) {
        const auto matrices = file.read(*accessor, 16);
        if (!matrices) return matrices.error();
        if (matrices->count < count)
            return errorf("it has %zu inverse bind matrices for %zu joints", matrices->count,
                          count);
        for (size_t j = 0; j < count; ++j)
            mesh.bones[j].bone_from_mesh = affineAt(matrices->values, j);
    }
    return readWeights(attributes, mesh);
}

Status Reader::readPrimitive(const Json& primitive, const std::string& name, size_t node) {
    const size_t mode = indexOf(primitive, "mode").value_or(kTriangles);
    if (mode < kTriangles || mode > kFan) return Done{};  // points and lines
    const Json& attributes = memberOf(primitive, "attributes");
    const auto positions_at = indexOf(attributes, "POSITION");
    if (!positions_at) return errorf("it has no positions");
    const auto positions = file.read(*positions_at, 3);
    if (!positions) return positions.error();
    RawMesh mesh;
    mesh.name = name;
    mesh.node = raw_of_node[node];
    for (size_t v = 0; v < positions->count; ++v)
        mesh.positions.push_back(vec3At(positions->values, v));
    if (const auto uvs_at = indexOf(attributes, "TEXCOORD_0")) {
        const auto uvs = file.read(*uvs_at, 2, positions->count);
        if (!uvs) return uvs.error();
        for (size_t v = 0; v < uvs->count; ++v)
            mesh.uvs.push_back({float(uvs->values[2 * v]), float(1 - uvs->values[2 * v + 1])});
    }
    if (Status s = readColors(attributes, mesh); !s) return s;
    if (Status s = readTriangles(primitive, mesh); !s) return s;
    if (const auto skin = indexOf(itemOf(json(), "nodes", node), "skin"))
        if (Status s = readSkin(attributes, *skin, mesh); !s) return s;
    scene.meshes.push_back(std::move(mesh));
    return Done{};
}

Status Reader::readMeshes() {
    for (size_t n = 0; n < raw_of_node.size(); ++n) {
        const auto index = indexOf(itemOf(json(), "nodes", n), "mesh");
        if (!index) continue;
        const Json& mesh = itemOf(json(), "meshes", *index);
        const std::string given = textOf(mesh, "name");
        const std::string name = given.empty() ? format("mesh_%zu", *index) : given;
        if (!mesh.is_object())
            return errorf("node %s has a mesh that is not there",
                          quoteForMessage(nameOfNode(n)).c_str());
        for (size_t p = 0; p < sizeOf(mesh, "primitives"); ++p)
            if (Status s = readPrimitive(itemOf(mesh, "primitives", p), name, n); !s)
                return inContext("mesh " + quoteForMessage(name), s.error());
    }
    return Done{};
}

// --- Animations ----------------------------------------------------------------------------------

struct Sampler {
    std::vector<double> times;
    std::vector<double> values;  // for CUBICSPLINE: in-tangent, value, out-tangent per key
    size_t width;
    std::string interpolation;

    // Number k of key i.
    double value(size_t i, size_t k) const {
        return interpolation == "CUBICSPLINE" ? values[(3 * i + 1) * width + k]
                                              : values[i * width + k];
    }
    double tangent(size_t i, size_t k, bool out) const {
        return values[(3 * i + (out ? 2 : 0)) * width + k];
    }
};

// A cubic Hermite piece between keys i and i + 1, at s from 0 to 1.
double hermite(const Sampler& sampler, size_t i, size_t k, double s) {
    const double dt = sampler.times[i + 1] - sampler.times[i], s2 = s * s, s3 = s2 * s;
    return (2 * s3 - 3 * s2 + 1) * sampler.value(i, k) +
           (s3 - 2 * s2 + s) * dt * sampler.tangent(i, k, true) +
           (3 * s2 - 2 * s3) * sampler.value(i + 1, k) +
           (s3 - s2) * dt * sampler.tangent(i + 1, k, false);
}

// Keys that give the sampler's curve when read as linear: STEP holds a value up to the next key's
// time, a spline is cut into short pieces.
template <class T, class Make>
std::vector<RawKey<T>> keysOf(const Sampler& sampler, Make make) {
    std::vector<RawKey<T>> keys;
    std::vector<double> row(sampler.width);
    const auto add = [&](double seconds, auto number) {
        for (size_t k = 0; k < sampler.width; ++k) row[k] = number(k);
        keys.push_back({seconds, make(row, 0)});
    };
    for (size_t i = 0; i < sampler.times.size(); ++i) {
        add(sampler.times[i], [&](size_t k) { return sampler.value(i, k); });
        if (i + 1 == sampler.times.size()) break;
        const double dt = sampler.times[i + 1] - sampler.times[i];
        if (sampler.interpolation == "STEP")
            add(sampler.times[i + 1], [&](size_t k) { return sampler.value(i, k); });
        if (sampler.interpolation != "CUBICSPLINE" || !(dt > 0)) continue;
        const int pieces = int(std::clamp(std::ceil(dt * kSplineRate), 1.0, 256.0));
        for (int p = 1; p < pieces; ++p) {
            const double s = double(p) / pieces;
            add(sampler.times[i] + s * dt, [&](size_t k) { return hermite(sampler, i, k, s); });
        }
    }
    return keys;
}

Result<Sampler> readSampler(const GltfFile& file, const Json& json, size_t width) {
    const auto input = indexOf(json, "input"), output = indexOf(json, "output");
    if (!input || !output) return errorf("a sampler is not there");
    const auto times = file.read(*input, 1);
    if (!times) return times.error();
    const std::string given = textOf(json, "interpolation");
    const size_t rows = given == "CUBICSPLINE" ? 3 : 1;
    const auto values = file.read(*output, width, rows * times->count);
    if (!values) return values.error();
    return Sampler{times->values, values->values, width, given};
}

Status Reader::readChannel(const Json& animation, const Json& channel,
                           std::vector<RawChannel>& channels) const {
    const Json& target = memberOf(channel, "target");
    const auto node = indexOf(target, "node");
    const std::string path = textOf(target, "path");
    if (!node || (path != "translation" && path != "rotation" && path != "scale")) return Done{};
    if (*node >= raw_of_node.size()) return errorf("it moves node %zu, which is not there", *node);
    const size_t index = indexOf(channel, "sampler").value_or(size_t(-1));
    const auto sampler =
        readSampler(file, itemOf(animation, "samplers", index), path == "rotation" ? 4 : 3);
    if (!sampler) return inContext("joint " + quoteForMessage(nameOfNode(*node)), sampler.error());
    const int raw = raw_of_node[*node];
    auto found = std::find_if(channels.begin(), channels.end(),
                              [raw](const RawChannel& c) { return c.node == raw; });
    if (found == channels.end()) {
        channels.push_back({});
        found = channels.end() - 1;
        found->node = raw;
    }
    if (path == "rotation")
        found->rotations = keysOf<Quat>(*sampler, quatAt);
    else
        (path == "scale" ? found->scales : found->positions) = keysOf<Vec3>(*sampler, vec3At);
    return Done{};
}

Status Reader::readAnimations() {
    for (size_t a = 0; a < sizeOf(json(), "animations"); ++a) {
        const Json& json_animation = itemOf(json(), "animations", a);
        RawAnimation animation{textOf(json_animation, "name"), {}};
        for (size_t c = 0; c < sizeOf(json_animation, "channels"); ++c)
            if (Status s = readChannel(json_animation, itemOf(json_animation, "channels", c),
                                       animation.channels);
                !s)
                return inContext(format("animation %zu", a), s.error());
        scene.animations.push_back(std::move(animation));
    }
    return Done{};
}

}  // namespace

Result<RawScene> readGltf(const std::string& path) {
    const auto file = GltfFile::open(path);
    if (!file) return file.error();
    Reader reader{*file, {}, {}};
    if (Status s = reader.readNodes(); !s) return s.error();
    if (Status s = reader.readMeshes(); !s) return s.error();
    if (Status s = reader.readAnimations(); !s) return s.error();
    return std::move(reader.scene);
}

}  // namespace hem
