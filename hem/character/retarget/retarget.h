// SPDX-License-Identifier: Apache-2.0
// Retargeting: a motion of one humanoid skeleton made into one of another, of other names,
// proportions and rest pose.
//
// First every pose is carried over (pose_map.h): bone directions and the turning of the trunk agree
// with the source, the root's path is scaled by leg length. Then the feet are grounded
// (grounding.h): the floor of the source is estimated per clip and becomes y = 0, standing feet
// stand still and flat on it, jumps keep their height times the scale. docs/retarget.md has the
// rules at length, and what is measured.
//
// Where both skeletons have the same tree and rest pose, whatever their names, the motion comes
// back as it is: there is nothing to correct.
#pragma once

#include <memory>
#include <optional>

#include "hem/character/character.h"
#include "hem/character/humanoid.h"
#include "hem/character/retarget/contacts.h"
#include "hem/character/retarget/grounding.h"

namespace hem {

struct RetargetOptions {
    // Without grounding the directions agree exactly, and the root is the source's times the scale.
    bool ground = true;
    // Toes follow the source's. Capture data mostly has no usable toes: by default they lie
    // straight, and bend while the heel is up and the ball of the foot stands.
    bool toes_from_source = false;
    // Which joint is which bone; recognised by name where not given.
    std::optional<Humanoid> source_humanoid, target_humanoid;
    ContactOptions contacts;
    GroundingOptions grounding;
};

// Made once for a pair of skeletons, then used for any number of motions, from any thread.
class Retargeter {
public:
    // Fails where a skeleton is no humanoid that can be recognised (humanoid.h).
    static Result<Retargeter> make(const Skeleton& source, const Skeleton& target,
                                   const RetargetOptions& options = {});
    // With the soles of the character's mesh in place of a guess from its joints.
    static Result<Retargeter> make(const Skeleton& source, const Character& target,
                                   const RetargetOptions& options = {});

    // What was found on the way, for those who measure.
    struct Details {
        Contacts contacts;  // of the source
    };
    // The motion's skeleton must be the source's (CHECK). The same frames at the same rate.
    Motion retarget(const Motion& motion, Details* details = nullptr) const;

    const Humanoid& sourceHumanoid() const;
    const Humanoid& targetHumanoid() const;
    float scale() const;  // target's leg length over the source's

private:
    struct Pair;
    explicit Retargeter(std::shared_ptr<const Pair> pair) : pair_(std::move(pair)) {}
    static Result<Retargeter> makeWith(const Skeleton& source, const Skeleton& target,
                                       const Character* character, const RetargetOptions& options);

    std::shared_ptr<const Pair> pair_;
};

Result<Motion> retarget(const Motion& source, const Skeleton& target,
                        const RetargetOptions& options = {});
Result<Motion> retarget(const Motion& source, const Character& target,
                        const RetargetOptions& options = {});

}  // namespace hem
