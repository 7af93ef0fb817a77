// SPDX-License-Identifier: Apache-2.0
// PoseDrawer: random poses within human joint ranges, of bodies that do not run into themselves.
//
// Fourteen joints vary: the pelvis's tilt, three of the trunk, both shoulder girdles, upper arms,
// forearms, thighs and shanks. What the 14 of the 2021 paper are it does not say; neck, hands and
// feet hardly move a coat. Angles (joint_ranges.h) are drawn from their whole human ranges, most
// often near standing at ease (0) and more and more rarely towards both limits (a triangular
// density): drawn evenly, fourteen joints make an acrobat of every pose. Exceptions:
// - The trunk's range is that of the whole spine (flexion -25 to 80, side 35, twist 45 degrees);
//   its three joints share a draw by parts that vary by three tenths.
// - Arms that point within 30 degrees of straight up are drawn again: there flexion and twist lose
//   their meaning.
// - Knees and elbows are hinges: side is 0, and the knee's twist a quarter of its range.
// - The pelvis tilts by -10 to 20 degrees forwards and by 10 to either side, never about the
//   vertical: the heading is 0.
// `reach` draws every range in towards standing at ease: 0.5 halves all of them. At 1 figures kick
// above their heads; 0.7 still holds walks, runs, bows and blows, and 0.5 has the distances between
// skinned and simulated coat that the paper has, should they be in square metres.
//
// A pose is drawn again where two segments of its body are closer than kClearance, the room that a
// sleeve and a coat's front take; or where they pass through each other on the straight way there
// from the rest pose, on which the garment is brought: a sleeve cannot follow through the trunk.
#pragma once

#include "hem/character/joint_ranges.h"
#include "hem/core/random.h"
#include "hem/poses/body_overlap.h"

namespace hem {

struct DrawnPose {
    Pose pose;              // rotations have w >= 0
    uint32_t rejected = 0;  // draws before it
};

class PoseDrawer {
public:
    static constexpr float kClearance = 0.01f;      // metres
    static constexpr float kThroughOnWay = -0.01f;  // metres: deeper than flesh gives
    static constexpr uint32_t kMostDraws = 10000;

    // Fails on a character that is no recognisable humanoid or lacks one of the 14 joints. The
    // character must outlive it.
    static Result<PoseDrawer> make(const Character& character, float reach);

    // The pose of that number: a function of seed and number alone, the same bits on every machine.
    // Fails where kMostDraws bodies in a row run into themselves. A few milliseconds. From any
    // thread.
    Result<DrawnPose> draw(uint64_t seed, uint64_t number) const;
    // Whether draw() would take that pose.
    bool isClear(const Pose& pose) const;

    // The joints that vary, increasing.
    const std::vector<int>& joints() const { return joints_; }

private:
    PoseDrawer(const Character& character, const Humanoid& humanoid, std::vector<int> joints,
               float reach);
    Pose drawOnce(Random& random) const;

    const Character* character_;
    Humanoid humanoid_;
    float reach_;
    AnatomicalFrame anatomy_;
    BodyOverlap overlap_;
    std::vector<int> joints_;
};

// The fourteen joints, increasing. Fails on a character that is no recognisable humanoid or lacks
// one.
Result<std::vector<int>> posedJoints(const Character& character);

// The way from the rest pose to `pose`, t from 0 to 1; portable.
Pose onTheWay(const Skeleton& skeleton, const Pose& pose, float t);

}  // namespace hem
