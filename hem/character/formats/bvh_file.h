// SPDX-License-Identifier: Apache-2.0
// BvhFile: what a BVH file says, in its own units and angles, before any rule is applied.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "hem/core/result.h"

namespace hem {

struct BvhChannel {
    enum Kind { kPosition, kRotation, kScale } kind;
    int axis;
};

struct BvhNode {
    std::string name;  // of an End Site: "<Parent>_end", or "<Parent>_end2" and so on
    int parent = -1;
    size_t line = 0;
    bool has_offset = false, has_channels = false, is_end_site = false;
    std::array<double, 3> offset{};
    std::vector<BvhChannel> channels;
    size_t first_channel = 0;  // where its numbers start in a frame's line
};

struct BvhFile {
    std::vector<BvhNode> nodes;  // depth first, End Sites among them; names are unique
    size_t channels = 0;
    double rate = 0;
    std::vector<std::vector<double>> frames;  // frames by channels; at least one
};

// All numbers are finite and below 1e7. Errors start with `name`, a colon and the line.
Result<BvhFile> parseBvhFile(std::string_view text, const std::string& name);

}  // namespace hem
