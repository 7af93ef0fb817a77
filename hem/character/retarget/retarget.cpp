// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/retarget.h"

#include "hem/character/retarget/pose_map.h"
#include "hem/character/retarget/sole.h"

namespace hem {

struct Retargeter::Pair {
    Skeleton source, target;
    Humanoid source_humanoid, target_humanoid;
    PoseMap map;
    FloorPoints floor_points;
    RetargetOptions options;
};

namespace {

constexpr Vec3 kUp{0, 1, 0};
const float kCosSoleLimit = std::cos(degreesToRadians(25));

Result<Humanoid> humanoidOf(const std::optional<Humanoid>& given, const Skeleton& skeleton,
                            const char* which) {
    if (given) {
        if (Status s = validate(*given, skeleton); !s) return inContext(which, s.error());
        return *given;
    }
    auto found = recognise(skeleton);
    if (!found) return inContext(which, found.error());
    return found;
}

// Which way is up on the source's soles: the mean over the frames in which heel and ball both
// stand, as no calibration pose has them level to better than ten degrees.
SoleNormals findSoleNormals(const Motion& motion, const Humanoid& humanoid,
                            const Standing& standing, const Contacts& contacts) {
    SoleNormals normals = kLevelSoles;
    for (FootSide side : kBothFeet) {
        const size_t ankle = size_t(legOf(humanoid, side).ankle);
        const FootContacts& foot = contacts.feet[size_t(side)];
        Vec3 sum;
        size_t count = 0;
        for (size_t f = 0; f < motion.frames.size(); ++f) {
            if (!foot.heel[f] || !foot.ball[f]) continue;
            const Quat world = worldTransforms(motion.skeleton, motion.frames[f])[ankle].rotation;
            sum += rotate(standing.world[ankle].rotation * conjugate(world), kUp);
            ++count;
        }
        const Vec3 normal = normalized(sum, kUp);
        const bool enough = double(count) >= 0.2 * motion.rate;
        if (enough && dot(normal, kUp) > kCosSoleLimit) normals[size_t(side)] = normal;
    }
    return normals;
}

// How far the carried-over motion has to be raised for the standing source to stand.
float raise(const Contacts& contacts, const Standing& target, const Humanoid& humanoid,
            const std::array<Sole, 2>& soles, float scale) {
    float height = 0;
    for (FootSide side : kBothFeet) {
        const size_t ankle = size_t(legOf(humanoid, side).ankle);
        height += (target.world[ankle].translation.y - soles[size_t(side)].rest_height) / 2;
        height -= scale * contacts.feet[size_t(side)].ankle_height / 2;
    }
    return height;
}

}  // namespace

Result<Retargeter> Retargeter::makeWith(const Skeleton& source, const Skeleton& target,
                                        const Character* character,
                                        const RetargetOptions& options) {
    const auto source_humanoid = humanoidOf(options.source_humanoid, source, "the source");
    if (!source_humanoid) return source_humanoid.error();
    const auto target_humanoid = humanoidOf(options.target_humanoid, target, "the target");
    if (!target_humanoid) return target_humanoid.error();
    const PoseMap map(source, *source_humanoid, target, *target_humanoid, options.toes_from_source);
    const bool has_mesh = character && !character->mesh.positions.empty();
    const FloorPoints points = has_mesh ? FloorPoints{solesOf(*character, *target_humanoid),
                                                      bodyPointsOf(*character, *target_humanoid)}
                                        : FloorPoints{solesOf(target, *target_humanoid),
                                                      bodyPointsOf(target, *target_humanoid)};
    return Retargeter(std::make_shared<const Pair>(
        Pair{source, target, *source_humanoid, *target_humanoid, map, points, options}));
}

Result<Retargeter> Retargeter::make(const Skeleton& source, const Skeleton& target,
                                    const RetargetOptions& options) {
    return makeWith(source, target, nullptr, options);
}

Result<Retargeter> Retargeter::make(const Skeleton& source, const Character& target,
                                    const RetargetOptions& options) {
    return makeWith(source, target.skeleton, &target, options);
}

const Humanoid& Retargeter::sourceHumanoid() const { return pair_->source_humanoid; }
const Humanoid& Retargeter::targetHumanoid() const { return pair_->target_humanoid; }
float Retargeter::scale() const { return pair_->map.scale(); }

Motion Retargeter::retarget(const Motion& motion, Details* details) const {
    CHECK(motion.skeleton == pair_->source);
    const PoseMap& map = pair_->map;
    Motion result{.name = motion.name, .skeleton = pair_->target, .rate = motion.rate};
    if (motion.frames.empty()) return result;
    const Contacts contacts =
        detectContacts(motion, pair_->source_humanoid, pair_->options.contacts);
    if (details) details->contacts = contacts;
    const bool grounds = pair_->options.ground && !map.sameBody();
    const SoleNormals soles =
        grounds ? findSoleNormals(motion, pair_->source_humanoid, map.sourceStanding(), contacts)
                : kLevelSoles;
    for (const Pose& pose : motion.frames) result.frames.push_back(map.carry(pose, soles));
    if (!grounds) return result;
    const float up = raise(contacts, map.targetStanding(), pair_->target_humanoid,
                           pair_->floor_points.soles, map.scale());
    for (Pose& pose : result.frames) pose.root_position.y += up;
    ground(result, pair_->target_humanoid, contacts, pair_->floor_points, pair_->options.grounding);
    return result;
}

Result<Motion> retarget(const Motion& source, const Skeleton& target,
                        const RetargetOptions& options) {
    const auto retargeter = Retargeter::make(source.skeleton, target, options);
    if (!retargeter) return retargeter.error();
    return retargeter->retarget(source);
}

Result<Motion> retarget(const Motion& source, const Character& target,
                        const RetargetOptions& options) {
    const auto retargeter = Retargeter::make(source.skeleton, target, options);
    if (!retargeter) return retargeter.error();
    return retargeter->retarget(source);
}

}  // namespace hem
