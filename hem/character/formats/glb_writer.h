// SPDX-License-Identifier: Apache-2.0
// GlbWriter: a GLB file as it grows, its JSON and its binary chunk.
//
// After the glTF 2.0 specification, Khronos Group 2021: sections 3.6 (buffers and accessors) and 4
// (GLB).
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "hem/core/transform.h"

namespace hem::glb {

using Json = nlohmann::ordered_json;

enum Component { kFloat = 5126, kUnsignedShort = 5123, kUnsignedInt = 5125 };
enum Target { kNoTarget = 0, kVertexData = 34962, kIndexData = 34963 };  // of a buffer view

inline Json toJson(Vec3 v) { return {v.x, v.y, v.z}; }
inline Json toJson(Quat q) { return {q.x, q.y, q.z, q.w}; }

struct GlbWriter {
    Json json;
    std::vector<std::byte> binary;

    // Appends a buffer view and an accessor over it; returns the accessor's index.
    size_t add(const void* data, size_t bytes, size_t count, Component component, const char* type,
               Target target);
    template <class T>
    size_t add(const std::vector<T>& list, size_t count, Component component, const char* type,
               Target target) {
        return add(list.data(), list.size() * sizeof(T), count, component, type, target);
    }
    // Positions, or offsets of them: with the bounds that glTF wants of both.
    size_t addPositions(const std::vector<Vec3>& positions);

    // The whole file: header, JSON chunk padded with blanks, binary chunk padded with noughts.
    std::vector<std::byte> assemble();
};

}  // namespace hem::glb
