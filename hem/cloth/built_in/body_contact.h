// SPDX-License-Identifier: Apache-2.0
// Contact of the cloth's vertices with the body, with Coulomb friction.
//
// At the start of a frame every vertex looks for the nearest point of each part of the body within
// reach of what cloth and part move in that frame, the body as its joints say and the vertex at its
// velocity; of an arm also the other side of a gap, between fingers, that a neighbour is nearer to.
// What it finds it follows through the substeps by walking over the surface. A vertex
// that has left its course by more than the margin that it looked with, because a limb or other
// cloth has struck it, looks again there and then. The side is the sign of the surface's normal,
// and as nothing moves farther in a substep than a limb is thick, that also holds for limbs that
// strike fast.
//
// With q the followed point, n the direction from it and s the signed distance, s < offset is a
// contact: the vertex is set back by d = offset - s along n. In its tangential motion relative to q
// over the substep, up to mu d is taken away: d is the normal force times w dt^2, so this is
// Coulomb's law for any number of substeps. Afterwards the vertex does not leave the surface faster
// than it came.
//
// Cloth that is found inside, because it slipped past or because two parts press it from both
// sides, comes out at no more than half a metre a second, and three times the speed of the skin
// there: out at once, a vertex that finds other skin nearest in the next frame would leap to and
// fro for ever. That it came in during the substep itself is undone at once.
//
// An arm or a hand that moves does not grip cloth that is not worn on it: in place of Coulomb's law
// it drags it, halving the sliding velocity every 2 ms. With friction as well, whether a fold
// catches on a hand is chance. From 3 cm/s down it grips more and more, so that cloth comes to rest
// on it.
//
// It also gives way to such cloth the more it stretches its edges, from 4 % on, and wholly at 45 %,
// but by 5 mm and no more. What counts is the stretch that it leaves behind, substep by substep: by
// that of the last frame it would hold the cloth in every other frame and never rest.
//
// In scenes that let arms pass none of this happens: arms are not looked for from such cloth.
//
// Where two parts press from opposite sides (armpits, thighs) there may be no free place: the
// vertex then takes the mean of what both ask for, which leaves it at rest in the middle.
#pragma once

#include "hem/cloth/built_in/body_search.h"
#include "hem/cloth/built_in/cloth_mesh.h"
#include "hem/cloth/built_in/lanes.h"

namespace hem::built_in {

class BodyContact {
public:
    struct Touch {
        uint32_t vertex;
        Vec3 normal, body_step;
        float keep;  // share of its velocity along the body; 0 between two parts: it goes with them
        bool close;  // of a garment that is cut close to the body or has sleeves
    };

    // `arms_pass`: arms do not touch cloth that is not worn on them.
    BodyContact(const ClothMesh& mesh, const Character& character, bool arms_pass);

    const Body& body() const { return body_; }

    // The frame's contacts: the cloth at its start, the joints' matrices at its start, middle and
    // end.
    void begin(const Particles& x, const Particles& v, const std::vector<Affine>& start,
               const std::vector<Affine>& middle, const std::vector<Affine>& end, float seconds,
               int substeps);
    // One substep, the body now at `matrices`. `before`: positions at the start of the substep.
    void solve(Particles& x, const Particles& before, const std::vector<Affine>& matrices,
               int substep);
    // Takes from velocities what pushing out has put in.
    void settle(Particles& v, float dt) const;

    // Of the last substep; none after begin().
    const std::vector<Touch>& touches() const { return touches_; }

private:
    static constexpr int kMostContacts = 6;  // of a vertex
    struct Contact {
        uint32_t triangle;
        int next_look;   // substep at which it may first matter again
        float approach;  // metres that cloth and body may come nearer in a substep
    };
    // What a vertex has found, and the course on which that holds: from `start` at substep `since`
    // by `step` a substep.
    struct Watch {
        Vec3 start, step;
        int since = 0, count = 0;
        Contact contacts[kMostContacts];
    };
    struct Seen {
        Vec3 position, outwards;
    };
    struct Press {  // what one contact asks for
        Vec3 normal, body_step;
        float depth;  // not positive: how much room there is
        bool arm;     // of the body
    };
    void chooseOffsets();
    void chooseOrder();
    float givingWay(uint32_t vertex, float depth, const Particles& x) const;
    bool armsAreForeign(uint32_t vertex) const;
    void look(uint32_t vertex, Vec3 p, Vec3 step, int substep);
    void follow(Watch& watch, Vec3 p, const BodyPoint& point, float approach);
    void lookAtArms(uint32_t vertex, Vec3 p, int substep);
    bool offCourse(const Watch& watch, Vec3 p, int substep) const;
    bool press(uint32_t vertex, Contact& contact, Vec3 p, int substep, float most_sag, Press& out);
    bool armPress(uint32_t vertex, Vec3 p, int substep, Press& arm, float& room);
    int gather(uint32_t vertex, const Particles& x, int substep, Press* presses, bool& held);
    float still(Vec3 body_step) const;
    void resolve(uint32_t vertex, Vec3& p, Vec3 before, const Press* presses, int count, bool held);

    const ClothMesh& mesh_;
    Body body_;
    BodySearch search_;
    PosedSkin skin_before_, skin_;
    bool arms_pass_;
    int substeps_ = 1;
    float most_push_ = 0, most_grip_ = 0;  // metres a substep
    float kept_by_arm_ = 1;                // share of the sliding velocity, a substep
    // Per cloth vertex, in metres: the distance that is kept, how much of it is added per curvature
    // of the body (square metres) for edges that cut across, and up to what distance in all.
    std::vector<float> offsets_, sags_, most_;
    // The vertices in an order in which each has a neighbour before it, that neighbour, and the
    // triangles found so far, vertex by part: what is near to a neighbour is likely near.
    std::vector<uint32_t> order_, earlier_, hints_;
    std::vector<uint8_t> home_;  // per vertex: the part that it is worn on
    std::vector<uint8_t>
        fits_close_;              // per garment: whether it is cut close to the body or has sleeves
    std::vector<Watch> watches_;  // per vertex
    Seen seen_[kMostContacts];    // the contacts of the vertex that is looking
    std::vector<Touch> touches_;
};

}  // namespace hem::built_in
