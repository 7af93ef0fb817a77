// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/arm_overlap.h"

#include <algorithm>
#include <cmath>

#include "hem/core/check.h"
#include "hem/core/surface_tree.h"

namespace hem {
namespace {

constexpr float kCell = 0.06f;         // metres
constexpr float kNoticeable = 0.005f;  // metres

class OverlapMeter {
public:
    OverlapMeter(const Humanoid& humanoid, const Character& character) : character_(character) {
        const size_t vertices = character.mesh.positions.size();
        std::vector<float> carried(vertices, 0.0f);
        for (Bone bone : {Bone::kLeftArm, Bone::kRightArm}) chooseArm(humanoid, bone, carried);
        for (size_t v = 0; v < vertices; ++v)
            if (carried[v] < 0.02f) body_.push_back(uint32_t(v));
        around_.resize(vertices);
        rim_.assign(vertices, 0);
        for (const Triangle& t : character.mesh.triangles) {
            const bool whole =
                std::all_of(t.begin(), t.end(), [&](uint32_t v) { return carried[v] < 0.02f; });
            for (uint32_t v : t) {
                if (whole) around_[v].push_back(t);
                rim_[v] |= !whole;
            }
        }
        next_.resize(vertices);
    }

    void look(const Pose& pose, size_t frame, ArmOverlap& out) {
        positions_ = posedVertices(character_, pose);
        fillGrid();
        float deepest = 0;
        for (uint32_t v : arm_) {
            const int near = nearestOfBody(positions_[v]);
            if (near < 0 || rim_[size_t(near)]) continue;
            const float depth = depthBehind(positions_[v], uint32_t(near));
            deepest = std::max(deepest, depth);
            if (depth > out.depth)
                out = {depth, frame, joint(v), joint(uint32_t(near)), out.frames};
        }
        out.frames += deepest > kNoticeable;
    }

private:
    int joint(uint32_t vertex) const {
        const Skin& skin = character_.skin;
        const size_t n = size_t(skin.influences), first = vertex * n;
        const auto begin = skin.weights.begin() + long(first);
        return skin.joints[first + size_t(std::max_element(begin, begin + long(n)) - begin)];
    }

    bool hangsFrom(int joint, int root) const {
        while (joint >= 0 && joint != root)
            joint = character_.skeleton.joints[size_t(joint)].parent;
        return joint == root;
    }

    void chooseArm(const Humanoid& humanoid, Bone bone, std::vector<float>& carried) {
        const int upper = humanoid[bone], fore = humanoid[Bone(int(bone) + 1)];
        if (upper < 0 || fore < 0) return;
        const auto rest = worldTransforms(character_.skeleton, restPose(character_.skeleton));
        const Vec3 from = rest[size_t(upper)].translation,
                   along = rest[size_t(fore)].translation - from;
        const Skin& skin = character_.skin;
        const size_t n = size_t(skin.influences);
        for (size_t v = 0; v < carried.size(); ++v) {
            float weight = 0;
            for (size_t k = v * n; k < (v + 1) * n; ++k)
                if (hangsFrom(skin.joints[k], upper)) weight += skin.weights[k];
            carried[v] += weight;
            const Vec3 way = character_.mesh.positions[v] - from;
            if (weight > 0.99f && dot(way, along) > 0.45f * dot(along, along))
                arm_.push_back(uint32_t(v));
        }
    }

    struct Cell {
        int x, y, z;
    };
    Cell cellOf(Vec3 p) const {
        return {int(std::floor((p.x - low_.x) / kCell)), int(std::floor((p.y - low_.y) / kCell)),
                int(std::floor((p.z - low_.z) / kCell))};
    }
    size_t indexOf(Cell c) const { return size_t((c.z * size_.y + c.y) * size_.x + c.x); }

    // Chains of vertices per cell.
    void fillGrid() {
        low_ = positions_[body_[0]];
        Vec3 high = low_;
        for (uint32_t v : body_) {
            low_ = min(low_, positions_[v]);
            high = max(high, positions_[v]);
        }
        const Cell last = cellOf(high);
        size_ = {last.x + 1, last.y + 1, last.z + 1};
        first_.assign(size_t(size_.x) * size_t(size_.y) * size_t(size_.z), -1);
        for (uint32_t v : body_) {
            int& head = first_[indexOf(cellOf(positions_[v]))];
            next_[v] = head;
            head = int(v);
        }
    }

    // Within the cells around; -1 where there is none.
    int nearestOfBody(Vec3 p) const {
        const Cell c = cellOf(p);
        int best = -1;
        float least = 4 * kCell * kCell;
        for (int z = std::max(0, c.z - 1); z <= std::min(size_.z - 1, c.z + 1); ++z)
            for (int y = std::max(0, c.y - 1); y <= std::min(size_.y - 1, c.y + 1); ++y)
                for (int x = std::max(0, c.x - 1); x <= std::min(size_.x - 1, c.x + 1); ++x)
                    for (int v = first_[indexOf({x, y, z})]; v >= 0; v = next_[size_t(v)]) {
                        const Vec3 d = positions_[size_t(v)] - p;
                        if (dot(d, d) < least) least = dot(d, d), best = v;
                    }
        return best;
    }

    // 0 in front of the surface.
    float depthBehind(Vec3 p, uint32_t vertex) const {
        float nearest = 1e9f, side = 0;
        for (const Triangle& t : around_[vertex]) {
            const Vec3 a = positions_[t[0]], b = positions_[t[1]], c = positions_[t[2]];
            const Vec3 way = p - nearestOnTriangle(p, a, b, c).at(a, b, c);
            if (length(way) >= nearest) continue;
            nearest = length(way);
            side = dot(way, cross(b - a, c - a));
        }
        return side < 0 ? nearest : 0;
    }

    const Character& character_;
    std::vector<uint32_t> arm_, body_;
    std::vector<std::vector<Triangle>> around_;  // per vertex, of the body alone
    std::vector<char> rim_;                      // next to what the arms carry
    std::vector<Vec3> positions_;
    Vec3 low_;
    Cell size_{};
    std::vector<int> first_, next_;
};

}  // namespace

ArmOverlap measureArmOverlap(const Motion& motion, const Humanoid& humanoid,
                             const Character& character, size_t stride) {
    CHECK(stride > 0);
    OverlapMeter meter(humanoid, character);
    ArmOverlap result;
    for (size_t f = 0; f < motion.frames.size(); f += stride)
        meter.look(motion.frames[f], f, result);
    return result;
}

}  // namespace hem
