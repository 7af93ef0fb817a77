// SPDX-License-Identifier: Apache-2.0
#include "hem/core/files.h"
#include "hem/core/mesh.h"
#include "hem/core/text.h"

namespace hem {
namespace {

struct ObjParser {
    std::string name;
    size_t line_number = 0;
    Mesh mesh;
    std::vector<Vec2> texture_coordinates;
    std::vector<bool> has_uv;

    Error fault(const std::string& what) const {
        return errorf("%s:%zu: %s", name.c_str(), line_number, what.c_str());
    }

    Status parseVertex(const std::vector<std::string_view>& words) {
        if (words.size() < 4) return fault("a vertex needs three coordinates");
        float values[6] = {};
        const size_t count = std::min<size_t>(words.size() - 1, 6);
        for (size_t i = 0; i < count; ++i) {
            const auto number = parseNumber(words[i + 1]);
            if (!number) return fault("not a finite number: " + quoteForMessage(words[i + 1]));
            values[i] = float(*number);
            if (!std::isfinite(values[i]))
                return fault("too large for a coordinate: " + quoteForMessage(words[i + 1]));
        }
        mesh.positions.push_back({values[0], values[1], values[2]});
        if (count == 6) mesh.colors.push_back({values[3], values[4], values[5]});
        return Done{};
    }

    Status parseTextureCoordinate(const std::vector<std::string_view>& words) {
        const auto u = words.size() > 1 ? parseNumber(words[1]) : std::nullopt;
        const auto v = words.size() > 2 ? parseNumber(words[2]) : 0.0;
        if (!u || !v) return fault("a texture coordinate needs finite numbers");
        texture_coordinates.push_back({float(*u), float(*v)});
        return Done{};
    }

    // OBJ counts from 1, or from the end when negative.
    Result<uint32_t> resolveIndex(std::string_view text, size_t count, const char* what) const {
        const auto index = parseInteger(text);
        if (!index)
            return fault(format("not a %s number: %s", what, quoteForMessage(text).c_str()));
        const long resolved = *index < 0 ? long(count) + *index : *index - 1;
        if (*index == 0 || resolved < 0 || resolved >= long(count))
            return fault(
                format("%s %ld does not exist; %zu stand above this line", what, *index, count));
        return uint32_t(resolved);
    }

    Result<uint32_t> parseCorner(std::string_view corner) {
        const size_t slash = corner.find('/');
        auto vertex = resolveIndex(corner.substr(0, slash), mesh.positions.size(), "vertex");
        if (!vertex || slash == corner.npos) return vertex;
        std::string_view uv_text = corner.substr(slash + 1);
        uv_text = uv_text.substr(0, uv_text.find('/'));
        if (uv_text.empty()) return vertex;
        auto uv = resolveIndex(uv_text, texture_coordinates.size(), "texture coordinate");
        if (!uv) return uv;
        mesh.uvs.resize(mesh.positions.size());
        has_uv.resize(mesh.positions.size());
        if (!has_uv[*vertex]) mesh.uvs[*vertex] = texture_coordinates[*uv];
        has_uv[*vertex] = true;
        return vertex;
    }

    Status parseFace(const std::vector<std::string_view>& words) {
        if (words.size() < 4) return fault("a face needs at least three corners");
        std::vector<uint32_t> corners;
        for (size_t i = 1; i < words.size(); ++i) {
            const auto corner = parseCorner(words[i]);
            if (!corner) return corner.error();
            corners.push_back(*corner);
        }
        for (size_t i = 2; i < corners.size(); ++i)
            mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
        return Done{};
    }

    Status parseLine(std::string_view line) {
        const auto words = splitWords(line.substr(0, line.find('#')));
        if (words.empty()) return Done{};
        if (words[0] == "v") return parseVertex(words);
        if (words[0] == "vt") return parseTextureCoordinate(words);
        if (words[0] == "f") return parseFace(words);
        return Done{};
    }
};

}  // namespace

Result<Mesh> parseObj(std::string_view text, const std::string& name) {
    ObjParser parser{.name = name};
    while (!text.empty()) {
        ++parser.line_number;
        const size_t end = std::min(text.find('\n'), text.size());
        if (const Status status = parser.parseLine(text.substr(0, end)); !status)
            return status.error();
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    Mesh& mesh = parser.mesh;
    if (mesh.positions.empty())
        return errorf("%s: no vertices; is this a Wavefront OBJ file?", name.c_str());
    if (mesh.triangles.empty())
        return errorf("%s: no faces; export the mesh with its faces", name.c_str());
    if (!mesh.uvs.empty()) mesh.uvs.resize(mesh.positions.size());
    if (mesh.colors.size() != mesh.positions.size()) mesh.colors.clear();
    return std::move(mesh);
}

Result<Mesh> loadObj(const std::string& path) {
    const auto text = readTextFile(path);
    if (!text) return text.error();
    return parseObj(*text, path);
}

Status saveObj(const std::string& path, const Mesh& mesh) {
    std::string text;
    for (size_t i = 0; i < mesh.positions.size(); ++i) {
        const Vec3 p = mesh.positions[i];
        text += format("v %.9g %.9g %.9g", double(p.x), double(p.y), double(p.z));
        if (!mesh.colors.empty()) {
            const Vec3 c = mesh.colors[i];
            text += format(" %.6g %.6g %.6g", double(c.x), double(c.y), double(c.z));
        }
        text += '\n';
    }
    for (Vec2 uv : mesh.uvs) text += format("vt %.9g %.9g\n", double(uv.x), double(uv.y));
    for (const auto& [a, b, c] : mesh.triangles) {
        if (mesh.uvs.empty())
            text += format("f %u %u %u\n", a + 1, b + 1, c + 1);
        else
            text += format("f %u/%u %u/%u %u/%u\n", a + 1, a + 1, b + 1, b + 1, c + 1, c + 1);
    }
    return writeFile(path, text);
}

}  // namespace hem
