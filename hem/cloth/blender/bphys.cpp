// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cstring>

#include "hem/cloth/blender/blender.h"

namespace hem::blender {
namespace {

static_assert(std::endian::native == std::endian::little, "files are written as memory is");

struct Header {
    char signature[8] = {'B', 'P', 'H', 'Y', 'S', 'I', 'C', 'S'};
    uint32_t kind = 2;  // cloth
    uint32_t points = 0;
    uint32_t contents = 0x16;  // positions, velocities, pinned positions
};
struct Point {
    Vec3 position, velocity, pinned;
};
static_assert(sizeof(Header) == 20 && sizeof(Point) == 36);

}  // namespace

std::vector<std::byte> bphysBytes(const ClothState& state, std::span<const Vec3> pinned_positions) {
    const size_t count = state.positions.size();
    CHECK_EQ(state.velocities.size(), count);
    CHECK_EQ(pinned_positions.size(), count);
    std::vector<std::byte> bytes(sizeof(Header) + count * sizeof(Point));
    Header header;
    header.points = uint32_t(count);
    std::memcpy(bytes.data(), &header, sizeof(header));
    for (size_t i = 0; i < count; ++i) {
        const Point point{state.positions[i], state.velocities[i] * kTimeUnit, pinned_positions[i]};
        std::memcpy(bytes.data() + sizeof(Header) + i * sizeof(Point), &point, sizeof(point));
    }
    return bytes;
}

Result<ClothState> parseBphys(std::span<const std::byte> bytes, size_t vertices,
                              const std::string& name) {
    Header header;
    const Header expected;
    if (bytes.size() < sizeof(header))
        return errorf("%s: cut short: %zu bytes", name.c_str(), bytes.size());
    std::memcpy(&header, bytes.data(), sizeof(header));
    if (std::memcmp(header.signature, expected.signature, sizeof(header.signature)) != 0 ||
        header.kind != expected.kind || header.contents != expected.contents)
        return errorf("%s: not a cloth cache as Blender 3.4 writes it", name.c_str());
    if (header.points != vertices)
        return errorf("%s: holds %u points where the garments have %zu vertices", name.c_str(),
                      header.points, vertices);
    if (bytes.size() != sizeof(header) + vertices * sizeof(Point))
        return errorf("%s: %zu bytes, not the %zu of %zu points", name.c_str(), bytes.size(),
                      sizeof(header) + vertices * sizeof(Point), vertices);
    ClothState state;
    state.positions.resize(vertices), state.velocities.resize(vertices);
    for (size_t i = 0; i < vertices; ++i) {
        Point point;
        std::memcpy(&point, bytes.data() + sizeof(header) + i * sizeof(point), sizeof(point));
        if (!isFinite(point.position) || !isFinite(point.velocity))
            return errorf("%s: vertex %zu: not a finite position; the cloth exploded", name.c_str(),
                          i);
        state.positions[i] = point.position;
        state.velocities[i] = point.velocity * (1 / kTimeUnit);
    }
    return state;
}

}  // namespace hem::blender
