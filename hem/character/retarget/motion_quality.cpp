// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/motion_quality.h"

#include <algorithm>

#include "hem/character/retarget/sole.h"

namespace hem {
namespace {

constexpr double kLandingSeconds = 0.2;

struct Limb {
    Bone from, to;
};
constexpr Limb kLimbs[] = {
    {Bone::kLeftArm, Bone::kLeftForeArm},   {Bone::kLeftForeArm, Bone::kLeftHand},
    {Bone::kRightArm, Bone::kRightForeArm}, {Bone::kRightForeArm, Bone::kRightHand},
    {Bone::kLeftUpLeg, Bone::kLeftLeg},     {Bone::kLeftLeg, Bone::kLeftFoot},
    {Bone::kRightUpLeg, Bone::kRightLeg},   {Bone::kRightLeg, Bone::kRightFoot},
};

float horizontalDistance(Vec3 a, Vec3 b) { return std::hypot(a.x - b.x, a.z - b.z); }

void measureSlides(const std::vector<Vec3>& track, const std::vector<uint8_t>& contact, double rate,
                   MotionQuality& quality) {
    for (const Span& span : spansOf(contact)) {
        float slide = 0;
        for (size_t f = span.begin; f < span.end; ++f)
            for (size_t g = span.begin; g < f; ++g)
                slide = std::max(slide, horizontalDistance(track[f], track[g]));
        quality.slides.push_back(slide);
        for (size_t f = span.begin + 1; f < span.end; ++f)
            quality.slide_path += double(horizontalDistance(track[f], track[f - 1]));
        quality.slide_seconds += double(span.length() - 1) / rate;
    }
}

// The sole beneath the ankle and the ball, per frame, of one foot.
struct PlantedPoints {
    std::vector<Vec3> heel, ball;
};

PlantedPoints followFoot(const std::vector<std::vector<Transform>>& world, const Standing& standing,
                         const LegJoints& leg, FootSide side) {
    const Transform& rest = standing.world[size_t(leg.ankle)];
    const Vec3 beneath{rest.translation.x, standing.floor, rest.translation.z};
    const Vec3 heel_in_ankle = transformPoint(inverse(rest), beneath);
    PlantedPoints points;
    for (const auto& joints : world) {
        const Transform& ankle = joints[size_t(leg.ankle)];
        points.heel.push_back(transformPoint(ankle, heel_in_ankle));
        points.ball.push_back(transformPoint(ankle, standing.ball_in_ankle[size_t(side)]));
    }
    return points;
}

// Per frame, the height of each foot's lowest point.
std::array<std::vector<float>, 2> soleHeights(const Motion& motion, const Humanoid& humanoid,
                                              const std::vector<std::vector<Transform>>& world,
                                              const Character* character) {
    std::array<std::vector<float>, 2> heights;
    if (!character) {
        const std::array<Sole, 2> soles = solesOf(motion.skeleton, humanoid);
        for (size_t foot = 0; foot < 2; ++foot)
            for (const auto& joints : world)
                heights[foot].push_back(lowestHeight(soles[foot], joints));
        return heights;
    }
    const std::array<FootMesh, 2> meshes = footMeshesOf(*character, humanoid);
    std::vector<Affine> matrices(motion.skeleton.size());
    for (const Pose& pose : motion.frames) {
        skinningMatrices(motion.skeleton, pose, character->skin.joint_from_rest.data(),
                         matrices.data());
        for (size_t foot = 0; foot < 2; ++foot)
            heights[foot].push_back(lowestHeight(meshes[foot], matrices.data()));
    }
    return heights;
}

void measureHeights(const std::array<std::vector<float>, 2>& heights, const Contacts& contacts,
                    float floor, double rate, MotionQuality& quality) {
    const size_t landing_frames = size_t(std::ceil(kLandingSeconds * rate));
    size_t since_flight = landing_frames;
    for (size_t f = 0; f < heights[0].size(); ++f) {
        since_flight = contacts.flight[f] ? 0 : since_flight + 1;
        for (size_t foot = 0; foot < 2; ++foot) {
            const FootContacts& contact = contacts.feet[foot];
            const float height = heights[foot][f] - floor;
            float& deepest = since_flight > 0 && since_flight <= landing_frames
                                 ? quality.landing_penetration
                                 : quality.penetration;
            deepest = std::max(deepest, -height);
            if (contact.heel[f] || contact.ball[f]) quality.floating.push_back(height);
        }
    }
}

void measureBody(const Motion& motion, const Humanoid& humanoid,
                 const std::vector<std::vector<Transform>>& world, const QualityOptions& options,
                 MotionQuality& quality) {
    const std::vector<SolePoint> points = options.character
                                              ? bodyPointsOf(*options.character, humanoid)
                                              : bodyPointsOf(motion.skeleton, humanoid);
    for (const auto& joints : world)
        quality.body_penetration =
            std::max(quality.body_penetration, options.floor - lowestHeight(points, joints));
}

void measureLimbs(const std::vector<std::vector<Transform>>& world, const Humanoid& humanoid,
                  const Motion& source, const Humanoid& source_humanoid, MotionQuality& quality) {
    CHECK_EQ(world.size(), source.frames.size());
    for (size_t f = 0; f < world.size(); ++f) {
        const std::vector<Transform> other = worldTransforms(source.skeleton, source.frames[f]);
        for (const Limb& limb : kLimbs) {
            const auto direction = [&limb](const auto& joints, const Humanoid& h) {
                return normalized(joints[size_t(h[limb.to])].translation -
                                  joints[size_t(h[limb.from])].translation);
            };
            if (!humanoid.has(limb.to) || !source_humanoid.has(limb.to)) continue;
            const Vec3 a = direction(world[f], humanoid), b = direction(other, source_humanoid);
            const float error = radiansToDegrees(std::atan2(length(cross(a, b)), dot(a, b)));
            (limb.from >= Bone::kLeftUpLeg ? quality.leg_errors : quality.arm_errors)
                .push_back(error);
        }
    }
}

void measureSteps(const Motion& motion, MotionQuality& quality) {
    for (size_t f = 1; f < motion.frames.size(); ++f)
        for (size_t j = 0; j < motion.skeleton.size(); ++j) {
            const float step = radiansToDegrees(
                angleBetween(motion.frames[f - 1].rotations[j], motion.frames[f].rotations[j]));
            if (step <= quality.joint_step) continue;
            quality.joint_step = step;
            quality.joint_step_name = motion.skeleton.joints[j].name;
        }
}

}  // namespace

Distribution distributionOf(std::vector<float> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const auto at = [&](double fraction) {
        return values[size_t(std::lround(fraction * double(values.size() - 1)))];
    };
    return {values.size(), at(0.5), at(0.95), values.back()};
}

std::vector<float> MotionQuality::limbErrors() const {
    std::vector<float> errors = arm_errors;
    errors.insert(errors.end(), leg_errors.begin(), leg_errors.end());
    return errors;
}

void MotionQuality::add(const MotionQuality& other) {
    slides.insert(slides.end(), other.slides.begin(), other.slides.end());
    slide_path += other.slide_path;
    slide_seconds += other.slide_seconds;
    penetration = std::max(penetration, other.penetration);
    landing_penetration = std::max(landing_penetration, other.landing_penetration);
    body_penetration = std::max(body_penetration, other.body_penetration);
    floating.insert(floating.end(), other.floating.begin(), other.floating.end());
    arm_errors.insert(arm_errors.end(), other.arm_errors.begin(), other.arm_errors.end());
    leg_errors.insert(leg_errors.end(), other.leg_errors.begin(), other.leg_errors.end());
    if (other.joint_step > joint_step) {
        joint_step = other.joint_step;
        joint_step_name = other.joint_step_name;
    }
}

MotionQuality measureQuality(const Motion& motion, const Humanoid& humanoid,
                             const QualityOptions& options) {
    MotionQuality quality;
    if (motion.frames.empty()) return quality;
    const Contacts contacts =
        options.contacts ? *options.contacts : detectContacts(motion, humanoid);
    CHECK_EQ(contacts.flight.size(), motion.frames.size());
    std::vector<std::vector<Transform>> world;
    for (const Pose& pose : motion.frames) world.push_back(worldTransforms(motion.skeleton, pose));
    const Standing standing = standingOf(motion.skeleton, humanoid);
    for (FootSide side : kBothFeet) {
        const PlantedPoints points = followFoot(world, standing, legOf(humanoid, side), side);
        const FootContacts& contact = contacts.feet[size_t(side)];
        measureSlides(points.heel, contact.heel, motion.rate, quality);
        measureSlides(points.ball, contact.ball, motion.rate, quality);
    }
    measureHeights(soleHeights(motion, humanoid, world, options.character), contacts, options.floor,
                   motion.rate, quality);
    measureBody(motion, humanoid, world, options, quality);
    if (options.source) {
        CHECK(options.source_humanoid != nullptr);
        measureLimbs(world, humanoid, *options.source, *options.source_humanoid, quality);
    }
    measureSteps(motion, quality);
    return quality;
}

}  // namespace hem
