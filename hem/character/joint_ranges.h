// SPDX-License-Identifier: Apache-2.0
// Joint angles as anatomists measure them, on any humanoid skeleton, and how far humans can turn
// them.
//
// Angles count from the anatomical zero: standing upright, legs straight down, feet flat, arms
// hanging straight down with the palms to the thighs. A bone's turn against its parent is split
// into where it points (flexion in the sagittal plane, then side in the plane across) and twist
// about itself: turn = swing * twist with the shortest swing. The split inverts exactly and has no
// singularity for a bone that does not point straight back along its parent; for one that points
// straight to the side (within 15 degrees) flexion means nothing and is given as 0.
//
//   part            flexion +            side +                 twist +
//   trunk, neck     forwards             to the left            to the left
//   hip, shoulder   forwards             away from the body     inwards
//   knee            backwards            away from the body     inwards
//   elbow           forwards             away from the body     inwards (pronation)
//   wrist           to the thumb         towards the back of the hand
//   ankle, toes     toes up              sole outwards          toes inwards
//   shoulder girdle about its length     up                     forwards
#pragma once

#include "hem/character/humanoid.h"
#include "hem/character/motion.h"

namespace hem {

// Degrees.
struct JointAngles {
    float flexion = 0, side = 0, twist = 0;
};

struct JointRange {
    Bone bone;
    JointAngles low, high;
};
// One per bone but the hips, in the order of Bone. After the American Academy of Orthopaedic
// Surgeons (1965; Norkin and White 2016) and Kapandji (1974-82); joint_ranges.cpp says which figure
// is whose, which were found again in print, and where a bone of a skeleton is a part of what they
// measured.
const std::vector<JointRange>& humanJointRanges();
const JointRange& humanJointRange(Bone bone);

// The anatomical zero of one skeleton; measures and makes poses. The rest pose must face +Z.
class AnatomicalFrame {
public:
    AnatomicalFrame(const Skeleton& skeleton, const Humanoid& humanoid);

    // Not the hips, nor bones that the skeleton has no joint for.
    bool has(Bone bone) const;
    // `world` from worldTransforms().
    JointAngles anglesOf(Bone bone, const std::vector<Transform>& world) const;
    // The joint's rotation in its parent that gives these angles, where joints between the two
    // bones (such as LHipJoint) are as at rest.
    Quat rotationFor(Bone bone, JointAngles angles) const;
    // Standing at the anatomical zero, the root as in the rest pose.
    Pose zeroPose() const;

private:
    Bone parentOf(Bone bone) const;
    Quat turnFromZero(Bone bone, const std::vector<Transform>& world) const;

    const Skeleton* skeleton_;
    Humanoid humanoid_;
    std::vector<Transform> rest_;
    std::array<Quat, kBoneCount> zero_;  // world turn of each bone from rest to the anatomical zero
};

// The worst moment of one angle outside its range.
struct RangeViolation {
    Bone bone;
    const char* angle;  // "flexion", "side", "twist"
    float degrees, low, high;
    size_t frame;   // of the worst
    size_t frames;  // that are outside

    float excess() const { return degrees < low ? low - degrees : degrees - high; }
};
// Angles that leave their range by more than `tolerance` degrees anywhere; one entry per angle.
std::vector<RangeViolation> rangeViolations(const Motion& motion, const Humanoid& humanoid,
                                            float tolerance = 0);
// "LeftLeg flexion -3.1 degrees at frame 40 (range 0 to 150), 12 frames"
std::string describe(const RangeViolation& violation);

}  // namespace hem
