// SPDX-License-Identifier: Apache-2.0
// Motion quality: figures that say whether a humanoid motion stands on its floor, and how
// faithfully it follows the motion that it was carried over from.
//
// Definitions (metres, seconds, degrees; the floor is a horizontal plane):
// - A stance phase is a run of frames in which one point of a foot is in contact (contacts.h):
//   the heel, followed at the sole beneath the ankle joint, or the ball, followed at the toe joint.
//   Both move with the foot.
// - Sliding of a stance phase: the largest horizontal distance between any two positions of its
// point
//   during it. The sliding speed is the mean over all frame steps within stance phases.
// - Penetration: how far the deepest point of either foot is below the floor, over all frames but
//   landings; a landing is the 0.2 s after a flight (contacts.h). With a character the skinned
//   vertices that follow the feet are taken; without, the points of sole.h.
// - Body penetration: the same for the rest of the body (hands, knees, back), over all frames, at
//   the points of sole.h.
// - Floating: the height of a foot's lowest point above the floor, over the frames in which that
// foot
//   stands.
// - Limb error: the angle between the directions of the same bone in both motions at the same
// frame,
//   over upper arms, forearms, thighs and shanks of both sides; a bone's direction runs from its
//   joint to the next (elbow, wrist, knee, ankle) in the world.
// - Joint step: the largest angle by which any joint's rotation in its parent changes from one
// frame
//   to the next.
#pragma once

#include "hem/character/character.h"
#include "hem/character/retarget/contacts.h"

namespace hem {

struct Distribution {
    size_t count = 0;
    float median = 0, p95 = 0, max = 0;
};
Distribution distributionOf(std::vector<float> values);

struct MotionQuality {
    std::vector<float> slides;      // metres, one per stance phase
    double slide_path = 0;          // metres, all steps within stance phases
    double slide_seconds = 0;       // their duration
    float penetration = 0;          // metres below the floor, at least 0; outside landings
    float landing_penetration = 0;  // metres; in landings
    float body_penetration = 0;     // metres; of all but the feet
    std::vector<float> floating;    // metres, one per standing foot and frame
    // Degrees, one per bone and frame; empty without a source. Grounding moves legs only.
    std::vector<float> arm_errors, leg_errors;
    float joint_step = 0;         // degrees
    std::string joint_step_name;  // of the joint it happens in

    float slideSpeed() const { return slide_seconds > 0 ? float(slide_path / slide_seconds) : 0; }
    std::vector<float> limbErrors() const;  // of arms and legs
    // Adds another clip's samples to these.
    void add(const MotionQuality& other);
};

struct QualityOptions {
    float floor = 0;                       // world height
    const Contacts* contacts = nullptr;    // whose stances to measure in; null: the motion's own
    const Character* character = nullptr;  // whose skinned feet to measure; null: joints alone
    // The motion carried over: the same number of frames, another skeleton.
    const Motion* source = nullptr;
    const Humanoid* source_humanoid = nullptr;
};

MotionQuality measureQuality(const Motion& motion, const Humanoid& humanoid,
                             const QualityOptions& options = {});

}  // namespace hem
