// SPDX-License-Identifier: Apache-2.0
// After the glTF 2.0 specification, Khronos Group 2021: sections 3.6 (buffers and accessors) and 4
// (GLB).
#include "hem/character/formats/gltf_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <span>

#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

constexpr size_t kMaxNumbers = size_t(1) << 28;  // in one accessor
constexpr int kByte = 5120, kUnsignedByte = 5121, kShort = 5122, kUnsignedShort = 5123,
              kUnsignedInt = 5125, kFloat = 5126;

size_t sizeOfComponent(int component) {
    switch (component) {
        case kByte:
        case kUnsignedByte:
            return 1;
        case kShort:
        case kUnsignedShort:
            return 2;
        case kUnsignedInt:
        case kFloat:
            return 4;
        default:
            return 0;
    }
}

template <class T>
double load(const std::byte* from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return double(value);
}

double loadComponent(const std::byte* from, int component, bool normalized) {
    switch (component) {
        case kByte:
            return normalized ? std::max(-1.0, load<int8_t>(from) / 127) : load<int8_t>(from);
        case kUnsignedByte:
            return normalized ? load<uint8_t>(from) / 255 : load<uint8_t>(from);
        case kShort:
            return normalized ? std::max(-1.0, load<int16_t>(from) / 32767) : load<int16_t>(from);
        case kUnsignedShort:
            return normalized ? load<uint16_t>(from) / 65535 : load<uint16_t>(from);
        case kUnsignedInt:
            return load<uint32_t>(from);
        default:
            return load<float>(from);
    }
}

size_t widthOf(const std::string& type) {
    constexpr std::array<std::pair<const char*, size_t>, 7> kTypes{{{"SCALAR", 1},
                                                                    {"VEC2", 2},
                                                                    {"VEC3", 3},
                                                                    {"VEC4", 4},
                                                                    {"MAT2", 4},
                                                                    {"MAT3", 9},
                                                                    {"MAT4", 16}}};
    for (const auto& [name, width] : kTypes)
        if (type == name) return width;
    return 0;
}

int base64Digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    if (c == '+' || c == '-') return 62;
    if (c == '/' || c == '_') return 63;
    return -1;
}

std::optional<std::vector<std::byte>> decodeBase64(std::string_view text) {
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 4 * 3);
    while (text.ends_with('=')) text.remove_suffix(1);
    uint32_t bits = 0;
    int held = 0;
    for (char c : text) {
        const int digit = base64Digit(c);
        if (digit < 0) return {};
        bits = bits << 6 | uint32_t(digit);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        bytes.push_back(std::byte(bits >> held & 0xff));
    }
    return bytes;
}

// "My%20buffer.bin" to "My buffer.bin".
std::string decodePercent(std::string_view uri) {
    std::string text;
    for (size_t i = 0; i < uri.size(); ++i) {
        unsigned value = 0;
        if (uri[i] == '%' && i + 2 < uri.size() &&
            std::sscanf(std::string(uri.substr(i + 1, 2)).c_str(), "%2x", &value) == 1) {
            text += char(value);
            i += 2;
        } else {
            text += uri[i];
        }
    }
    return text;
}

Result<std::vector<std::byte>> loadUri(const std::string& uri, const std::string& path) {
    if (uri.starts_with("data:")) {
        const size_t comma = uri.find(";base64,");
        const auto bytes = comma == uri.npos
                               ? std::nullopt
                               : decodeBase64(std::string_view(uri).substr(comma + 8));
        if (!bytes) return errorf("a buffer's data URI is not base64");
        return *bytes;
    }
    if (uri.find("://") != uri.npos)
        return errorf("buffer %s is not on this machine", quoteForMessage(uri).c_str());
    return readFile((std::filesystem::path(path).parent_path() / decodePercent(uri)).string());
}

struct Chunks {
    std::string_view json;
    std::span<const std::byte> binary;
};

uint32_t wordAt(std::span<const std::byte> bytes, size_t at) {
    uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, 4);
    return word;
}

// A GLB's JSON and first binary chunk; a file without GLB's magic is all JSON.
Result<Chunks> splitChunks(std::span<const std::byte> bytes) {
    constexpr uint32_t kMagic = 0x46546C67, kJson = 0x4E4F534A, kBinary = 0x004E4942;
    if (bytes.size() < 4 || wordAt(bytes, 0) != kMagic)
        return Chunks{{reinterpret_cast<const char*>(bytes.data()), bytes.size()}, {}};
    if (bytes.size() < 20 || wordAt(bytes, 4) != 2)
        return errorf("it is not a GLB file of version 2, or it is cut short");
    if (wordAt(bytes, 8) > bytes.size())
        return errorf("the GLB header speaks of %u bytes, there are %zu: the file is cut short",
                      wordAt(bytes, 8), bytes.size());
    Chunks chunks;
    for (size_t at = 12; at + 8 <= bytes.size();) {
        const size_t size = wordAt(bytes, at);
        const uint32_t kind = wordAt(bytes, at + 4);
        if (size > bytes.size() - at - 8)
            return errorf("byte %zu: a chunk runs past the end of the file", at);
        const auto chunk = bytes.subspan(at + 8, size);
        if (kind == kJson && chunks.json.empty())
            chunks.json = {reinterpret_cast<const char*>(chunk.data()), chunk.size()};
        if (kind == kBinary && chunks.binary.empty()) chunks.binary = chunk;
        at += 8 + size;
    }
    return chunks;
}

// Extensions without which the geometry cannot be had.
Status checkExtensions(const Json& json) {
    for (size_t i = 0; i < sizeOf(json, "extensionsRequired"); ++i) {
        const Json& name = itemOf(json, "extensionsRequired", i);
        if (name == "KHR_draco_mesh_compression" || name == "EXT_meshopt_compression")
            return errorf("its meshes are compressed (%s); export it without compression",
                          name.get<std::string>().c_str());
    }
    return Done{};
}

}  // namespace

const Json& memberOf(const Json& object, const char* key) {
    static const Json kNull;
    if (!object.is_object()) return kNull;
    const auto found = object.find(key);
    return found == object.end() ? kNull : *found;
}

const Json& itemOf(const Json& object, const char* key, size_t index) {
    static const Json kNull;
    const Json& list = memberOf(object, key);
    return list.is_array() && index < list.size() ? list[index] : kNull;
}

size_t sizeOf(const Json& object, const char* key) {
    const Json& list = memberOf(object, key);
    return list.is_array() ? list.size() : 0;
}

std::optional<size_t> indexOf(const Json& object, const char* key) {
    const Json& value = memberOf(object, key);
    if (!value.is_number_unsigned()) return {};
    return value.get<size_t>();
}

std::string textOf(const Json& object, const char* key) {
    const Json& value = memberOf(object, key);
    return value.is_string() ? value.get<std::string>() : "";
}

std::optional<std::vector<double>> numbersOf(const Json& object, const char* key, size_t count) {
    std::vector<double> numbers;
    if (sizeOf(object, key) != count) return {};
    for (const Json& value : memberOf(object, key)) {
        if (!value.is_number() || !std::isfinite(value.get<double>())) return {};
        numbers.push_back(value.get<double>());
    }
    return numbers;
}

Result<GltfFile> GltfFile::open(const std::string& path) {
    const auto bytes = readFile(path);
    if (!bytes) return bytes.error();
    if (bytes->empty()) return errorf("the file is empty");
    const auto chunks = splitChunks(*bytes);
    if (!chunks) return chunks.error();
    GltfFile file;
    file.json_ = Json::parse(chunks->json, nullptr, false);
    const bool is_json = chunks->json.find_first_not_of(" \t\r\n") == chunks->json.find('{');
    if (!is_json) return errorf("it is not glTF: it begins neither with 'glTF' nor with '{'");
    if (!file.json_.is_object()) return errorf("its JSON is damaged or cut short");
    const std::string version = textOf(memberOf(file.json_, "asset"), "version");
    if (!version.starts_with("2"))
        return errorf("it is glTF of version %s; version 2 is read",
                      quoteForMessage(version).c_str());
    if (Status s = checkExtensions(file.json_); !s) return s.error();
    if (Status s = file.loadBuffers(path, {chunks->binary.begin(), chunks->binary.end()}); !s)
        return s.error();
    return file;
}

Status GltfFile::loadBuffers(const std::string& path, std::vector<std::byte> binary_chunk) {
    for (size_t b = 0; b < sizeOf(json_, "buffers"); ++b) {
        const Json& buffer = itemOf(json_, "buffers", b);
        const auto size = indexOf(buffer, "byteLength");
        const std::string uri = textOf(buffer, "uri");
        std::vector<std::byte> bytes;
        if (uri.empty()) {
            if (b == 0) bytes.swap(binary_chunk);
        } else {
            auto loaded = loadUri(uri, path);
            if (!loaded) return inContext(format("buffer %zu", b), loaded.error());
            bytes = std::move(*loaded);
        }
        if (!size || *size > bytes.size())
            return errorf("buffer %zu should have %zu bytes and has %zu: the file is cut short", b,
                          size.value_or(0), bytes.size());
        buffers_.push_back(std::move(bytes));
    }
    return Done{};
}

Result<GltfFile::View> GltfFile::viewAt(size_t index) const {
    const Json& json = itemOf(json_, "bufferViews", index);
    const auto buffer = indexOf(json, "buffer");
    const size_t offset = indexOf(json, "byteOffset").value_or(0);
    const size_t size = indexOf(json, "byteLength").value_or(0);
    if (!buffer || *buffer >= buffers_.size())
        return errorf("buffer view %zu is not there or has no buffer", index);
    const auto& bytes = buffers_[*buffer];
    if (offset > bytes.size() || size > bytes.size() - offset)
        return errorf("buffer view %zu runs past the end of buffer %zu", index, *buffer);
    return View{bytes.data() + offset, size, indexOf(json, "byteStride").value_or(0)};
}

// `source` has a bufferView and a byteOffset: an accessor, or a sparse accessor's parts.
Status GltfFile::decode(const Json& source, const Layout& layout, std::vector<double>& out) const {
    const auto index = indexOf(source, "bufferView");
    if (!index) return errorf("it has no buffer view");
    const auto view = viewAt(*index);
    if (!view) return view.error();
    const size_t offset = indexOf(source, "byteOffset").value_or(0);
    const size_t component = sizeOfComponent(layout.component), element = component * layout.width;
    const size_t stride = view->stride ? view->stride : element;
    const size_t room = offset <= view->size ? view->size - offset : 0;
    const bool fits =
        layout.count == 0 || (element <= room && (layout.count - 1) <= (room - element) / stride);
    if (!fits) return errorf("it runs past the end of buffer view %zu", *index);
    out.resize(layout.count * layout.width);
    for (size_t i = 0; i < layout.count; ++i)
        for (size_t k = 0; k < layout.width; ++k)
            out[i * layout.width + k] =
                loadComponent(view->data + offset + i * stride + k * component, layout.component,
                              layout.normalized);
    return Done{};
}

Status GltfFile::applySparse(const Json& sparse, const Layout& layout,
                             std::vector<double>& out) const {
    Layout values = layout, indices{0, false, 0, 1};
    values.count = indices.count = indexOf(sparse, "count").value_or(0);
    indices.component = int(indexOf(memberOf(sparse, "indices"), "componentType").value_or(0));
    if (sizeOfComponent(indices.component) == 0 || values.count > layout.count)
        return errorf("its sparse part is damaged");
    std::vector<double> places, replacements;
    if (Status s = decode(memberOf(sparse, "indices"), indices, places); !s) return s;
    if (Status s = decode(memberOf(sparse, "values"), values, replacements); !s) return s;
    for (size_t i = 0; i < places.size(); ++i) {
        if (!(places[i] >= 0 && places[i] < double(layout.count)))
            return errorf("its sparse part names element %.0f of %zu", places[i], layout.count);
        std::copy_n(replacements.begin() + long(i * layout.width), layout.width,
                    out.begin() + long(size_t(places[i]) * layout.width));
    }
    return Done{};
}

Result<Numbers> GltfFile::read(size_t accessor, size_t width, std::optional<size_t> count) const {
    const Json& json = itemOf(json_, "accessors", accessor);
    const Layout layout{int(std::min<size_t>(indexOf(json, "componentType").value_or(0), 1 << 20)),
                        memberOf(json, "normalized") == true, indexOf(json, "count").value_or(0),
                        widthOf(textOf(json, "type"))};
    const std::string context = format("accessor %zu", accessor);
    if (layout.width != width || sizeOfComponent(layout.component) == 0)
        return errorf("%s is not there or not of the type that is needed", context.c_str());
    if (count && layout.count != *count)
        return errorf("%s has %zu elements where %zu are needed", context.c_str(), layout.count,
                      *count);
    if (layout.count > kMaxNumbers / width)
        return errorf("%s has %zu elements; that is too many", context.c_str(), layout.count);
    Numbers numbers{layout.count, width, {}};
    if (!memberOf(json, "bufferView").is_null()) {
        if (Status s = decode(json, layout, numbers.values); !s)
            return inContext(context, s.error());
    } else {
        numbers.values.resize(layout.count * width);
    }
    if (const Json& sparse = memberOf(json, "sparse"); !sparse.is_null())
        if (Status s = applySparse(sparse, layout, numbers.values); !s)
            return inContext(context, s.error());
    return numbers;
}

}  // namespace hem
