// SPDX-License-Identifier: Apache-2.0
#include "hem/character/formats/glb_writer.h"

#include "hem/core/mesh.h"

namespace hem::glb {
namespace {

void append(std::vector<std::byte>& bytes, const void* data, size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), begin, begin + size);
}

}  // namespace

size_t GlbWriter::add(const void* data, size_t bytes, size_t count, Component component,
                      const char* type, Target target) {
    Json view = {{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", bytes}};
    if (target != kNoTarget) view["target"] = int(target);
    append(binary, data, bytes);
    binary.resize((binary.size() + 3) / 4 * 4);
    json["bufferViews"].push_back(view);
    json["accessors"].push_back({{"bufferView", json["bufferViews"].size() - 1},
                                 {"componentType", int(component)},
                                 {"count", count},
                                 {"type", type}});
    return json["accessors"].size() - 1;
}

size_t GlbWriter::addPositions(const std::vector<Vec3>& positions) {
    static_assert(sizeof(Vec3) == 12);
    const size_t accessor = add(positions, positions.size(), kFloat, "VEC3", kVertexData);
    const Bounds box = boundsOf(positions);
    json["accessors"][accessor]["min"] = toJson(box.low);
    json["accessors"][accessor]["max"] = toJson(box.high);
    return accessor;
}

std::vector<std::byte> GlbWriter::assemble() {
    if (!binary.empty()) json["buffers"] = {{{"byteLength", binary.size()}}};
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    text.resize((text.size() + 3) / 4 * 4, ' ');
    const size_t total = 12 + 8 + text.size() + (binary.empty() ? 0 : 8 + binary.size());
    std::vector<std::byte> bytes;
    bytes.reserve(total);
    const auto word = [&](uint32_t w) { append(bytes, &w, 4); };
    word(0x46546C67), word(2), word(uint32_t(total));
    word(uint32_t(text.size())), word(0x4E4F534A);
    append(bytes, text.data(), text.size());
    if (binary.empty()) return bytes;
    word(uint32_t(binary.size())), word(0x004E4942);
    append(bytes, binary.data(), binary.size());
    return bytes;
}

}  // namespace hem::glb
