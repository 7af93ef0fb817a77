// SPDX-License-Identifier: Apache-2.0
// FootPlan: how one foot of a carried-over motion is to be turned and where it is to stand. A part
// of grounding (grounding.h has the rules).
#pragma once

#include <functional>

#include "hem/character/retarget/contacts.h"
#include "hem/character/retarget/leg_ik.h"
#include "hem/character/retarget/sole.h"

namespace hem {

class FootPlan {
public:
    // `world` has the carried-over transforms, frames by joints. All references must outlive the
    // plan.
    FootPlan(FootSide side, const Humanoid& humanoid, const Skeleton& skeleton,
             const Standing& standing, const FootContacts& contacts, const Sole& sole,
             const std::vector<std::vector<Transform>>& world, double rate, float roll_fade);

    const LegJoints& leg() const { return leg_; }
    bool stands(size_t frame) const { return stands_[frame] != 0; }
    const std::vector<uint8_t>& stance() const { return stands_; }
    Vec3 ankle(size_t frame) const { return ankle_[frame]; }        // as carried over
    Quat rotation(size_t frame) const { return rotation_[frame]; }  // of the ankle, in the world
    Quat toe(size_t frame) const { return toe_[frame]; }            // of the toes, in the ankle
    Quat restToe() const { return rest_toe_; }                      // the same, standing
    // Toes beside the humanoid's one (rigs with five): joints on the ankle that are called so.
    const std::vector<int>& otherToes() const { return other_toes_; }
    // How far the ankle is above the foot's lowest point.
    float clearance(size_t frame) const { return clearance_[frame]; }

    // The leg as carried over.
    Leg legAt(size_t frame) const;
    // The leg reaching for its ankle's place plus `shift` after the pelvis has moved by `pelvis`:
    // as near as it gets with thigh and shank turned by less than 5 degrees each.
    LegTurn reach(size_t frame, Vec3 shift, Vec3 pelvis) const;

    // Tilts the foot so that its ankle is `height` above the floor, where an ankle that goes along
    // with the pelvis is: back towards level where the foot would need more,
    // the heel up while the ball stands where it would need less. A foot that stands flat stays
    // so over the first 1.5 cm.
    void fitTo(size_t frame, float height);

    // Evens out what fitTo() did from frame to frame, over about `seconds`, in the flagged frames.
    void smoothTilts(float seconds, const std::vector<uint8_t>& where);

    // What a standing foot's ankle moves by, per frame; nought in the air. From frame to frame the
    // foot turns about the point that stands in both; the whole stance lies where the carried-over
    // one is on average.
    std::vector<Vec3> plant() const;

private:
    void boundAnkle();
    void level(float fade_frames);
    void set(size_t frame, Quat rotation);
    void search(size_t frame, float height, float low, float high,
                const std::function<Quat(float)>& rotation);
    Vec3 aheadOf(Quat rotation) const;
    Quat levelled(Quat rotation) const;
    Quat bentToe(size_t frame, Quat rotation) const;
    float clearanceOf(Quat rotation, Quat toe) const;
    size_t frames() const { return ankle_.size(); }

    LegJoints leg_;
    const Standing& standing_;
    const FootContacts& contacts_;
    const Sole& sole_;
    const std::vector<std::vector<Transform>>& world_;
    Vec3 heel_in_ankle_, ball_in_ankle_;  // the two points it stands on
    Quat rest_, rest_toe_;                // standing rotations: of the ankle, of the toes in it
    std::vector<int> other_toes_;
    std::vector<uint8_t> stands_;
    std::vector<Vec3> ankle_;
    std::vector<Quat> wanted_;    // rotations before fitTo()
    std::vector<Quat> rotation_;  // and after
    std::vector<Quat> carried_toe_, toe_;
    std::vector<float> flat_weight_;  // 1 while heel and ball stand, faded
    std::vector<float> toe_weight_;   // how far the toes are kept level
    std::vector<float> clearance_;
    double rate_;
};

}  // namespace hem
