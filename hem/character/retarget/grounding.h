// SPDX-License-Identifier: Apache-2.0
// Grounding: puts the feet of a carried-over motion on the floor. The second half of retargeting.
//
// Given when each foot stood on the source (contacts.h):
// 1. While heel and ball both stand, the foot is level and keeps one heading, that phase's mean.
//    While only the ball stands, the toes bend to stay level.
// 2. A standing foot turns about its standing point, which stays at one place of the floor. A
//    stance as a whole lies where the carried-over motion has it on average. Its lowest point is on
//    the floor.
// 3. The pelvis moves along, by the smoothest path that asks the least turning of the legs
//    (pelvis_path.h), and so that no thigh or shank turns by as much as 5 degrees.
// 4. A foot in the air goes along with the pelvis; what its last and next stance ask beyond that is
//    faded out and in. It never dips below the floor.
// 5. A tilted foot of other proportions than the source's would lift or lower its ankle by more
//    than the source's does (heel strike, push-off): it is tilted less where that spares the knee.
// 6. Where any other part of the body would go through the floor (hands of a cartwheel, the back in
//    a roll), hands bend back at the wrist (palms.h), and the pelvis is raised, smoothly. Arms stay
//    as they are.
// 7. Thigh and shank reach for the ankle (leg_ik.h), within 5 degrees: what they miss, the foot
//    slides or floats.
#pragma once

#include "hem/character/retarget/contacts.h"
#include "hem/character/retarget/smooth_path.h"
#include "hem/character/retarget/sole.h"

namespace hem {

struct GroundingOptions {
    float fade = 0.25f;      // seconds, longest, of rule 4
    float roll_fade = 0.1f;  // seconds over which a foot levels before and after its flat phase
    // Of the pelvis's path, in radians^2 of leg turning.
    PathPrice pelvis{.bending = 5e-5, .tension = 3e-3, .pull = 0.01};
};

// What of a body may touch the floor (sole.h).
struct FloorPoints {
    std::array<Sole, 2> soles;
    std::vector<SolePoint> body;
};

// The floor becomes y = 0. `motion` has as many frames as `contacts`. The points belong to its
// skeleton.
void ground(Motion& motion, const Humanoid& humanoid, const Contacts& contacts,
            const FloorPoints& points, const GroundingOptions& options = {});

}  // namespace hem
