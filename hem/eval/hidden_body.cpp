// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/hidden_body.h"

#include <algorithm>
#include <cmath>

#include "hem/core/parallel.h"
#include "hem/core/random.h"
#include "hem/picture/occluder.h"

namespace hem {
namespace {

constexpr float kLift = 1e-3f;  // metres off the skin, for rays past the rest of the body

// Evenly over the sphere, and the same on every machine.
std::vector<Vec3> directionsOf(size_t frame, const HiddenOptions& options) {
    Random random(options.seed, frame);
    std::vector<Vec3> directions;
    while (directions.size() < size_t(4 * options.rays)) {
        const Vec3 v{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)};
        const float size = lengthSquared(v);
        if (size > 0.01f && size <= 1) directions.push_back(v / std::sqrt(size));
    }
    return directions;
}

// Whether a ray is still above the floor at the distance from which the body is looked at.
bool leadsToAnEye(Vec3 origin, Vec3 direction, float distance) {
    const float level = std::sqrt(direction.x * direction.x + direction.z * direction.z);
    return origin.y * level + direction.y * distance > 0;
}

// The body and the garment of one frame, seen from one of its triangles.
class HidingFrame {
public:
    HidingFrame(const Character& character, const std::vector<Triangle>& garment,
                const BodyFrame& frame, size_t number, const HiddenOptions& options)
        : body_triangles_(character.mesh.triangles),
          skin_(skinned(character, frame)),
          garment_(frame.cloth, garment),
          body_(skin_, body_triangles_),
          directions_(directionsOf(number, options)),
          number_(number),
          options_(options) {}

    // Whether nobody sees it; `covered` counts the frames in which cloth is straight above.
    bool hides(size_t triangle, uint32_t& covered) const {
        const auto& [a, b, c] = body_triangles_[triangle];
        const Vec3 corners[3] = {skin_[a], skin_[b], skin_[c]};
        const Vec3 normal =
            normalized(cross(corners[1] - corners[0], corners[2] - corners[0]), {0, 0, 0});
        if (lengthSquared(normal) == 0) return true;  // has no area to be seen
        Vec3 point = (corners[0] + corners[1] + corners[2]) / 3;
        // another place on the triangle in every frame: the middle, or towards a corner
        if (number_ % 4) point = lerp(point, corners[number_ % 4 - 1], 0.7f);
        const Vec3 inside = point - normal * options_.depth, outside = point + normal * kLift;
        covered += garment_.blocks(inside, normal);
        int rays = 0;
        for (size_t i = 0; i < directions_.size() && rays < options_.rays; ++i) {
            const Vec3 d = directions_[(i + triangle) % directions_.size()];
            if (dot(d, normal) < options_.grazing || !leadsToAnEye(outside, d, options_.distance))
                continue;
            ++rays;
            if (!garment_.blocks(outside, d) && !garment_.blocks(inside, d) &&
                !body_.blocks(outside, d))
                return false;
        }
        return true;
    }

private:
    static std::vector<Vec3> skinned(const Character& character, const BodyFrame& frame) {
        std::vector<Vec3> positions(character.mesh.positions.size());
        skinLinear(character.skin, character.mesh.positions.data(), frame.joints.data(),
                   positions.data());
        return positions;
    }

    const std::vector<Triangle>& body_triangles_;
    std::vector<Vec3> skin_;
    Occluder garment_, body_;
    std::vector<Vec3> directions_;
    size_t number_;
    const HiddenOptions& options_;
};

// Without the triangles that share a place with one that is not hidden.
std::vector<uint8_t> withoutRim(const Mesh& mesh, const std::vector<uint8_t>& hidden) {
    const Weld weld = weldByPosition(mesh.positions);
    std::vector<uint8_t> seen(weld.original_from_welded.size());
    for (size_t t = 0; t < mesh.triangles.size(); ++t)
        for (uint32_t v : mesh.triangles[t])
            if (!hidden[t]) seen[weld.welded_from_original[v]] = 1;
    std::vector<uint8_t> inner = hidden;
    for (size_t t = 0; t < mesh.triangles.size(); ++t)
        for (uint32_t v : mesh.triangles[t])
            if (seen[weld.welded_from_original[v]]) inner[t] = 0;
    return inner;
}

}  // namespace

std::vector<uint8_t> hiddenTriangles(const Character& character,
                                     const std::vector<Triangle>& garment,
                                     const std::vector<BodyFrame>& frames,
                                     const HiddenOptions& options) {
    const Mesh& mesh = character.mesh;
    if (frames.empty() || garment.empty()) return std::vector<uint8_t>(mesh.triangles.size());
    std::vector<uint8_t> hidden(mesh.triangles.size(), 1);
    std::vector<uint32_t> covered(mesh.triangles.size());
    const size_t count = std::min(options.frames, frames.size());
    for (size_t k = 0; k < count; ++k) {
        const HidingFrame frame(character, garment, frames[k * frames.size() / count], k, options);
        parallelFor(hidden.size(), 256, [&](size_t begin, size_t size) {
            for (size_t t = begin; t < begin + size; ++t)
                if (hidden[t]) hidden[t] = frame.hides(t, covered[t]);
        });
    }
    for (size_t t = 0; t < hidden.size(); ++t)
        if (covered[t] < count - count / 4) hidden[t] = 0;
    return withoutRim(mesh, hidden);
}

}  // namespace hem
