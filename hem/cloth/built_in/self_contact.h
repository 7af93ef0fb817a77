// SPDX-License-Identifier: Apache-2.0
// Contact of cloth with cloth: within a garment, and between garments worn over each other.
//
// Vertices against triangles. At the start of a frame a grid finds the pairs that may meet in it.
// The side that the vertex is on then is the side where it belongs, so nothing has to be remembered
// from frame to frame. Where the cloth has got through itself nevertheless, the side is no guide:
// contact there would hold the tangle, so vertices at an edge that passes through a triangle nearby
// are left alone for the frame, and the cloth pulls itself out.
//
// Between garments, or pieces of one, that lie on each other as they are worn, facing the same way,
// the order in which they are worn says the side: triangles face away from the body, so the outer
// garment's vertices belong in front of the inner one's triangles and the inner one's behind the
// outer's. A flap that has turned over, or round the other garment, is met as cloth of the same
// garment would be.
//
// With b_i the weights of the triangle's corners below the vertex, n its normal and
// s = +-n . (p - sum b_i x_i) the distance on the right side, s < h is a contact; corrections
//     dp = w l n,  dx_i = -w_i b_i l n,  l = (h - s) / (w + sum w_i b_i^2)
// part the two, and Coulomb friction takes up to mu (h - s) of their sliding in the substep. Cloth
// does not bounce off cloth: what velocity they then have away from each other is taken again, so
// that a pair that is first met too near, or held by a fold it hangs on, is not kicked.
#pragma once

#include "hem/cloth/built_in/cloth_mesh.h"
#include "hem/cloth/built_in/lanes.h"

namespace hem::built_in {

class SelfContact {
public:
    explicit SelfContact(const ClothMesh& mesh);

    // The frame's pairs.
    void begin(const Particles& x, const Particles& v, float seconds);
    // One substep. `before`: positions at its start.
    void solve(Particles& x, const Particles& before);
    // Takes from velocities what parting the pairs of that substep has put in.
    void settle(Particles& v) const;

private:
    struct Pair {
        uint32_t vertex, triangle;
        float side;                // 1 where the vertex belongs in front of the triangle, else -1
        float distance, friction;  // to keep, and Coulomb's coefficient
        bool worn;                 // of two garments that lie as they are worn
    };
    struct Touch {  // a pair that has been parted
        uint32_t vertex;
        Triangle corners;
        std::array<float, 3> weights;  // of the corners
        Vec3 normal;                   // from the triangle to the vertex
        float mobility;                // w + sum w_i b_i^2
    };
    void sortIntoCells(const Particles& x);
    void lookAround(uint32_t triangle, const Particles& x);
    void consider(uint32_t vertex, uint32_t triangle, const Particles& x);
    bool neighbours(uint32_t vertex, uint32_t triangle) const;
    void findNormals(const Particles& x);
    void leaveTangles(const Particles& x);
    void markPiercing(uint32_t vertex, uint32_t triangle, const Particles& x);

    const ClothMesh& mesh_;
    float cell_ = 0;
    std::vector<float> reach_;  // per vertex, this frame, metres
    float longest_reach_ = 0;
    std::vector<uint32_t> cell_begin_, cells_;  // vertices by hash of their cell
    std::vector<std::array<int, 3>> cell_of_;
    std::vector<Vec3> rest_centres_;  // of triangles
    std::vector<Pair> pairs_;
    std::vector<Touch> touches_;    // of the last substep
    std::vector<Vec3> normals_;     // per vertex, at the frame's start
    std::vector<uint8_t> tangled_;  // per vertex, this frame
};

}  // namespace hem::built_in
