// SPDX-License-Identifier: Apache-2.0
#include "hem/character/vary.h"

#include <algorithm>
#include <cmath>

#include "hem/character/motions/curves.h"
#include "hem/core/check.h"

namespace hem {
namespace {

constexpr float kDegree = 0.01745329252f;

// Standard deviations at strength 1; of factors, of their logarithms.
constexpr double kSpeed = 0.2, kSpeedWaver = 0.1;
constexpr float kAmplitude = 0.15f, kJointAmplitude = 0.08f;
constexpr float kPosture = 4 * kDegree, kPostureWaver = 2 * kDegree, kLean = 3 * kDegree;
constexpr float kTravel = 0.15f;
constexpr double kTurning = 25 * kDegree;  // a second
// Hertz, of all that wavers.
constexpr double kSlowest = 0.1, kFastest = 0.7;

// No more than two standard deviations: nobody limps with their knees bent backwards.
float chance(Random& random) { return std::clamp(random.normal(), -2.0f, 2.0f); }

Vec3 randomTurn(Random& random, float size) {
    const float x = chance(random), y = chance(random), z = chance(random);
    return size * Vec3{x, y, z};
}

// Three wavering numbers: a rotation vector.
struct TurnNoise {
    SlowNoise x, y, z;

    explicit TurnNoise(Random& random)
        : x(random, kSlowest, kFastest),
          y(random, kSlowest, kFastest),
          z(random, kSlowest, kFastest) {}
    Vec3 operator()(double seconds) const {
        return {float(x(seconds)), float(y(seconds)), float(z(seconds))};
    }
};

Quat meanRotation(const Motion& motion, size_t joint) {
    const Quat first = motion.frames[0].rotations[joint];
    Quat sum{0, 0, 0, 0};
    for (const Pose& pose : motion.frames) {
        const Quat q = nearest(pose.rotations[joint], first);
        sum = {sum.w + q.w, sum.x + q.x, sum.y + q.y, sum.z + q.z};
    }
    return normalized(sum);
}

// Played at a speed that wavers about one drawn for the clip.
Motion atOtherSpeed(const Motion& motion, float strength, Random& random) {
    const double usual = strength * kSpeed * double(chance(random));
    const SlowNoise waver(random, kSlowest, kFastest);
    Motion result{motion.name, motion.skeleton, motion.rate, {}};
    const double end = motion.duration() + 1e-9;  // rounding does not cost the last frame
    double seconds = 0;                           // of the original
    for (size_t i = 0; seconds <= end; ++i) {
        result.frames.push_back(sampleAt(motion, seconds));
        const double now = strength * kSpeedWaver * waver(double(i) / motion.rate);
        seconds += std::exp(std::clamp(usual + now, -0.5, 0.5)) / motion.rate;
    }
    return result;
}

// What one joint does differently throughout the clip.
class JointChange {
public:
    JointChange(const Motion& motion, size_t joint, float amplitude, float strength, Random& random)
        : mean_(meanRotation(motion, joint)),
          amplitude_(amplitude * std::exp(strength * kJointAmplitude * chance(random))),
          turn_(exponential(randomTurn(random, strength * kPosture))),
          waver_size_(strength * kPostureWaver),
          waver_(random) {}

    Quat operator()(Quat rotation, double seconds) const {
        const Vec3 off = logarithm(conjugate(mean_) * rotation);
        return mean_ * turn_ * exponential(waver_size_ * waver_(seconds)) *
               exponential(amplitude_ * off);
    }

private:
    Quat mean_;
    float amplitude_;
    Quat turn_;
    float waver_size_;
    TurnNoise waver_;
};

void changePoses(Motion& motion, float strength, Random& random) {
    const float amplitude = std::exp(strength * kAmplitude * chance(random));
    for (size_t joint = 1; joint < motion.skeleton.size(); ++joint) {
        const JointChange change(motion, joint, amplitude, strength, random);
        for (size_t i = 0; i < motion.frames.size(); ++i) {
            Quat& rotation = motion.frames[i].rotations[joint];
            rotation = change(rotation, double(i) / motion.rate);
        }
    }
}

void changePath(Motion& motion, float strength, Random& random) {
    const float travel = std::exp(strength * kTravel * chance(random));
    Vec3 lean = randomTurn(random, strength * kLean);
    lean.y = 0;  // about the vertical the path is bent instead
    const SlowNoise turning(random, kSlowest, kFastest);
    double bend = 0;
    Vec3 before = motion.frames[0].root_position, position = before;
    for (size_t i = 0; i < motion.frames.size(); ++i) {
        Pose& pose = motion.frames[i];
        const Quat bent = fromAxisAngle({0, 1, 0}, float(bend));
        const Vec3 step = rotate(bent, pose.root_position - before);
        position = position + Vec3{travel * step.x, step.y, travel * step.z};
        before = pose.root_position;
        pose.root_position = position;
        pose.rotations[0] = bent * pose.rotations[0] * exponential(lean);
        bend += strength * kTurning * turning(double(i) / motion.rate) / motion.rate;
    }
}

}  // namespace

Motion varied(const Motion& motion, const VariationOptions& options) {
    CHECK(!motion.frames.empty());
    Random random(options.seed, motion.name);
    Motion result = atOtherSpeed(motion, options.strength, random);
    changePoses(result, options.strength, random);
    changePath(result, options.strength, random);
    return result;
}

}  // namespace hem
