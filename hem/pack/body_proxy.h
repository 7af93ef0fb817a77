// SPDX-License-Identifier: Apache-2.0
// BodyProxy: the body under a garment as a few hundred points, for the player to push cloth out of
// (hem/runtime/format.h, BodyHeader, has the mathematics).
//
// Points are vertices of the body, spread evenly over what the cloth comes near in training, in all
// of its poses. Each point's offset is fitted so that the blend of their planes is the skin: planes
// alone lie outside of whatever is round; and it has in it how far off the recorded cloth stays
// there. Hands have no points: what is thinner than twice the centres' depth has two skins at every
// place. Points that no cloth came near are left out. Vertices go into tiles of 16 neighbours; those
// that never come near have no tile.
#pragma once

#include <cstdint>
#include <vector>

#include "hem/character/character.h"
#include "hem/core/transform.h"

namespace hem {

// A frame of training, in the world.
struct BodyFrame {
    std::vector<Affine> joints;  // skinning matrices
    std::vector<Vec3> cloth;     // as recorded
    std::vector<Vec3> played;    // as the model plays it, or empty
};

// Metres, for a body of 1.7 m; a body of another height has them in proportion, but for `distance`.
struct BodyProxyOptions {
    float spacing = 0.035f;  // of the points
    float depth = 0.02f;     // of their centres below the skin
    float reach = 0.043f;    // of their weights
    float most = 0.05f;      // that a vertex is moved
    // From the skin that cloth is kept at, at least; less where 4 % of it come nearer in training.
    float distance = 0.004f;
    // Skin that passes through cloth which is not worn on it (ClothScene::arms_pass), per vertex of
    // the body, and what of the garment is worn on it. Empty: no skin does.
    std::vector<uint8_t> passing_skin, worn_on_it;
};

struct BodyProxy {
    struct Point {
        Vec3 centre, normal;  // at rest
        float offset;
        std::vector<Influence> influences;
    };
    using Tile = std::vector<uint32_t>;  // 1 to 16 vertices
    // Neighbours in the list have joints in common. The first `common_points` are looked at by all
    // tiles, the others, of passing skin, by the first `worn_tiles` alone.
    std::vector<Point> points;
    size_t common_points = 0;
    std::vector<Tile> tiles;
    size_t worn_tiles = 0;
    float reach = 0, distance = 0, most = 0;
};

// `frames`: at least one, each with the character's joints and the garment's vertices; a few
// hundred from all of training are enough, and take a second or two at 766 vertices. The same bits
// on every machine and any number of threads. A garment that is nowhere near the body gives a proxy
// without tiles.
BodyProxy fitBodyProxy(const Character& character, const std::vector<BodyFrame>& frames,
                       const BodyProxyOptions& options = {});

}  // namespace hem
