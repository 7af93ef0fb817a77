// SPDX-License-Identifier: Apache-2.0
// Contact of the cloth's vertices with the body, with Coulomb friction.
//
// At the start of a frame every vertex looks for the nearest point of each part of the body within
// reach of what cloth and part move in that frame; what it finds it follows through the substeps by
// walking over the surface. The side is the sign of the surface's normal, and as nothing moves
// farther in a substep than a limb is thick, that also holds for limbs that strike fast.
//
// With q the followed point, n the direction from it and s the signed distance, s < offset is a
// contact: the vertex is set back by d = offset - s along n. In its tangential motion relative to q
// over the substep, up to mu d is taken away: d is the normal force times w dt^2, so this is
// Coulomb's law for any number of substeps. Afterwards the vertex does not leave the surface faster
// than it came.
//
// An arm or a hand lets go of cloth that is not worn on it the more its edges stretch, from 4 % on,
// and wholly at 25 %.
//
// Where two parts press from opposite sides (armpits, thighs) there may be no free place: the
// vertex then takes the mean of what both ask for, which leaves it at rest in the middle.
#pragma once

#include "hem/cloth/built_in/body.h"
#include "hem/cloth/built_in/cloth_mesh.h"
#include "hem/cloth/built_in/lanes.h"

namespace hem::built_in {

class BodyContact {
public:
    struct Touch {
        uint32_t vertex;
        Vec3 normal, body_step;
        float keep;  // share of its velocity along the body; 0 between two parts: it goes with them
    };

    BodyContact(const ClothMesh& mesh, const Character& character);

    Body& body() { return body_; }

    // The frame's contacts: the cloth at its start, the joints' matrices at its start and end.
    void begin(const Particles& x, const Particles& v, const std::vector<Affine>& from,
               const std::vector<Affine>& to, float seconds, int substeps);
    // One substep, the body now at `matrices`. `before`: positions at the start of the substep.
    void solve(Particles& x, const Particles& before, const std::vector<Affine>& matrices_before,
               const std::vector<Affine>& matrices, int substep);
    // Takes from velocities what pushing out has put in.
    void settle(Particles& v, float dt) const;

    // Of the last substep; none after begin().
    const std::vector<Touch>& touches() const { return touches_; }
    size_t candidates() const { return contacts_.size(); }

private:
    struct Contact {
        uint32_t vertex;
        uint32_t triangle;
        int next_look;   // substep at which it may first matter again
        float approach;  // metres that cloth and body may come nearer in a substep
    };
    struct Press {  // what one contact asks for
        Vec3 normal, body_step;
        float depth;  // not positive: how much room there is
        bool arm;     // of the body
    };
    void chooseOffsets();
    void chooseOrder();
    void findSnags(const Particles& x);
    void look(uint32_t vertex, Vec3 p, Vec3 cloth_step, int substeps);
    bool press(Contact& contact, Vec3 p, int substep, float most_sag, Press& out) const;
    int gather(size_t begin, size_t end, Vec3 p, int substep, Press* presses, bool& held);
    void resolve(uint32_t vertex, Vec3& p, Vec3 before, const Press* presses, int count, bool held);

    const ClothMesh& mesh_;
    Body body_;
    // Per cloth vertex, in metres: the distance that is kept, how much of it is added per curvature
    // of the body (square metres) for edges that cut across, and up to what distance in all.
    std::vector<float> offsets_, sags_, most_;
    std::vector<Vec3> body_before_, body_now_, body_end_;
    std::vector<Body::Shift> shifts_;
    std::vector<uint8_t> active_;     // per part: posed for this substep
    std::vector<int> due_, skinned_;  // per part: substep of the next look, and of the last posing
    // The vertices in an order in which each has a neighbour before it, that neighbour, and the
    // triangles found so far, vertex by part: what is near to a neighbour is likely near.
    std::vector<uint32_t> order_, earlier_, hints_;
    // Cloth that hangs on an arm it is not worn on: the part each vertex is worn on, squares of
    // edges' rest lengths, and how far an arm still holds a vertex, 0 to 1, by what it has
    // stretched.
    std::vector<uint8_t> home_;
    std::vector<float> rest_squares_, grip_;
    std::vector<Contact> contacts_;  // by vertex
    std::vector<Touch> touches_;
};

}  // namespace hem::built_in
