// SPDX-License-Identifier: Apache-2.0
// Wearer: one character wearing a garment, played with the shipping player frame by frame.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "hem/character/root.h"
#include "hem/core/transform.h"
#include "hem/recording/recording.h"
#include "hem/runtime/hem.h"

namespace hem {

class Wearer {
public:
    // The garment's bytes must outlive the wearer. `flags` of hem_Batch.
    explicit Wearer(const hem_Garment* garment, unsigned flags = 0);

    // `velocity` of the root in the world and its rate of heading, as hem_Batch::root_motion.
    void reset(std::span<const Affine> joints, const float* root_motion = nullptr);
    void step(std::span<const Affine> joints, float seconds);
    void setDial(float dial) { dial_ = dial; }         // of hem_Batch
    void setModes(unsigned modes) { modes_ = modes; }  // the same; 0: all

    // Of the last call.
    std::span<const Vec3> positions() const { return positions_; }
    std::span<const float> weights() const { return weights_; }  // hem_modeCount() of them
    float confidence() const { return confidence_; }

    // The wearer's state: to go back to it later, as a game's rollback does.
    std::vector<std::byte> state() const { return state_; }
    void setState(std::vector<std::byte> state) { state_ = std::move(state); }

private:
    hem_Batch batch(std::span<const Affine> joints);

    const hem_Garment* garment_;
    unsigned flags_;
    std::vector<std::byte> state_;
    std::vector<Vec3> positions_;
    std::vector<float> weights_;
    float confidence_ = 0, dial_ = 0;
    unsigned modes_ = 0;
};

// What reset() wants: how the root moves from `first` to `second` in one frame.
struct RootMotion {
    float values[4];
};
RootMotion rootMotion(const Root& first, const Root& second, double rate);

// Frame t of the clip, t = 0, 1, ... in turn: a reset in the first pose, knowing the body's
// velocity, then steps.
void startOrStep(Wearer& wearer, const Recording& clip, size_t t);

// The whole motion in the same way, at its rate: `each` is called after every frame. `hips` of the
// character's skeleton, which is the motion's too and the one that the garment was trained on.
void playMotion(Wearer& wearer, const Character& character, const Motion& motion,
                const HipJoints& hips, const std::function<void(size_t frame)>& each);

}  // namespace hem
