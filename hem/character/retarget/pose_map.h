// SPDX-License-Identifier: Apache-2.0
// PoseMap: carries one pose over to another humanoid skeleton, bone by bone, without regard to the
// floor. The first half of retargeting (retarget.h).
//
// Both skeletons are compared standing (standing.h). With G the rotation of a joint in the world,
// R the same in the standing pose, and s and t for source and target:
//     G_t = (G_s R_s^-1) A R_t.
// (G_s R_s^-1) is the source bone's turn from standing, in the world's axes. A aligns the standing
// target bone with the standing source bone:
// - trunk, neck, head and collar bones: a turn about the vertical that makes both face the same
//   way. Standing upright is upright on both, whatever the curve of the spine.
// - arms and legs: after the alignment of the bone above, the smallest further rotation that takes
//   the target's bone direction to the source's. So directions agree exactly, and elbows and knees
//   keep bending about their own axes: no twist comes in along the limb.
// - hands: likewise, by the direction from the wrist to the knuckles, where both have any.
// - feet: a turn about the vertical that makes the feet point the same way, and a tilt that makes
//   the source's sole level (Soles below): flat on the source is flat on the target, whatever the
//   angle between ankle and toes.
// A spine or neck of another number of joints takes rotations in between, by slerp, so that the
// last joint agrees. Joints that neither map to a bone nor lie between two (fingers, twist bones,
// face) keep their rest rotation; toes go along with the foot unless asked for.
#pragma once

#include "hem/character/retarget/standing.h"

namespace hem {

// Which way is up on a level source foot, in the world's axes of the standing source: {0, 1, 0}
// where the standing pose has its soles level.
using SoleNormals = std::array<Vec3, 2>;
inline constexpr SoleNormals kLevelSoles = {Vec3{0, 1, 0}, Vec3{0, 1, 0}};

class PoseMap {
public:
    PoseMap(const Skeleton& source, const Humanoid& source_humanoid, const Skeleton& target,
            const Humanoid& target_humanoid, bool toes_from_source);

    // True where both have the same tree and rest pose, whatever the names: a pose carries over as
    // it is, all joints of it.
    bool sameBody() const { return same_body_; }
    // Target's leg over source's.
    float scale() const { return scale_; }
    const Standing& sourceStanding() const { return source_standing_; }
    const Standing& targetStanding() const { return target_standing_; }

    // The middle between the target's hip joints stands where the source's does, times scale().
    Pose carry(const Pose& pose, const SoleNormals& soles = kLevelSoles) const;

private:
    // A target joint's rotation: of source joints a and b, slerped by t, then `align`.
    struct Driver {
        int a = -1, b = -1;  // -1: keeps its rest rotation
        float t = 0;
        Quat align;     // A R_t
        int foot = -1;  // by FootSide, where the sole's tilt comes in
    };

    void driveTrunk();
    void driveChain(const std::vector<int>& source, const std::vector<int>& target);
    void driveLimb(const std::array<Bone, 4>& bones, Quat align, bool leg);
    void driveFoot(FootSide side, bool toes);
    Vec3 midHip(const Humanoid& humanoid, const std::vector<Transform>& world) const;

    Skeleton source_, target_;
    Humanoid source_humanoid_, target_humanoid_;
    Standing source_standing_, target_standing_;
    Quat facing_;  // turns the standing target to face as the source does
    bool same_body_ = false;
    float scale_ = 1;
    std::vector<Driver> drivers_;
};

}  // namespace hem
