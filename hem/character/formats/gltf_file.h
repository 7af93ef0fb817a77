// SPDX-License-Identifier: Apache-2.0
// GltfFile: the JSON and buffers of a .gltf or .glb file, and numbers out of its accessors.
//
// Our own reader, as assimp 5.2.5 misreads weights stored as integers, crashes on skins without
// inverse bind matrices and reads STEP animations as linear. Nothing in here trusts the file: each
// index, count and range is checked before use, and errors name the accessor or buffer.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "hem/core/result.h"

namespace hem {

using Json = nlohmann::json;

// The member `key` if `object` is an object that has it, else a null value.
const Json& memberOf(const Json& object, const char* key);
// Item `index` of an array member, else a null value.
const Json& itemOf(const Json& object, const char* key, size_t index);
size_t sizeOf(const Json& object, const char* key);                  // 0 unless it is an array
std::optional<size_t> indexOf(const Json& object, const char* key);  // a whole number from 0
std::string textOf(const Json& object, const char* key);             // empty unless it is a string
// Exactly `count` finite numbers from an array member.
std::optional<std::vector<double>> numbersOf(const Json& object, const char* key, size_t count);

// The numbers of an accessor, row by row; normalized integers are scaled to 0..1 or -1..1.
struct Numbers {
    size_t count = 0;
    size_t width = 0;  // numbers in an element: 1 for SCALAR, 3 for VEC3, 16 for MAT4
    std::vector<double> values;
};

class GltfFile {
public:
    // Buffers in other files are looked for beside `path`.
    static Result<GltfFile> open(const std::string& path);

    const Json& json() const { return json_; }
    // Any accessor, sparse ones too. Fails unless its elements have `width` numbers and, where
    // `count` is given, there are as many.
    Result<Numbers> read(size_t accessor, size_t width, std::optional<size_t> count = {}) const;

private:
    struct View {
        const std::byte* data = nullptr;
        size_t size = 0, stride = 0;
    };
    struct Layout {
        int component = 0;
        bool normalized = false;
        size_t count = 0, width = 0;
    };
    Status loadBuffers(const std::string& path, std::vector<std::byte> binary_chunk);
    Result<View> viewAt(size_t index) const;
    Status decode(const Json& source, const Layout& layout, std::vector<double>& out) const;
    Status applySparse(const Json& sparse, const Layout& layout, std::vector<double>& out) const;

    Json json_;
    std::vector<std::vector<std::byte>> buffers_;
};

}  // namespace hem
