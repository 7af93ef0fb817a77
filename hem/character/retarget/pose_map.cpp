// SPDX-License-Identifier: Apache-2.0
#include "hem/character/retarget/pose_map.h"

#include <algorithm>

#include "hem/character/joint_names.h"

namespace hem {
namespace {

constexpr Vec3 kUp{0, 1, 0};
// A hand that stands further off than this from its forearm at rest is posed, not aligned.
const float kCosHandLimit = std::cos(degreesToRadians(35));

bool sameGeometry(const Skeleton& a, const Skeleton& b) {
    if (a.size() != b.size()) return false;
    for (size_t j = 0; j < a.size(); ++j) {
        const Transform &x = a.joints[j].parent_from_rest, &y = b.joints[j].parent_from_rest;
        if (a.joints[j].parent != b.joints[j].parent) return false;
        if (std::abs(dot(x.rotation, y.rotation)) < 1 - 1e-6f) return false;
        // where the root stands at rest is of no account: a pose says it
        if (j > 0 && distance(x.translation, y.translation) > 1e-5f) return false;
    }
    return true;
}

// The turn about the vertical from one horizontal direction to another.
Quat headingBetween(Vec3 from, Vec3 to) {
    return fromAxisAngle(kUp, std::atan2(cross(from, to).y, dot(from, to)));
}

// Joints from `top` (left out) down to `bottom` (included); empty where bottom is missing or not
// below.
std::vector<int> pathBetween(const Skeleton& skeleton, int top, int bottom) {
    std::vector<int> path;
    for (int j = bottom; j >= 0 && j != top; j = skeleton.joints[size_t(j)].parent)
        path.push_back(j);
    const bool below = !path.empty() && skeleton.joints[size_t(path.back())].parent == top;
    if (!below) path.clear();
    std::reverse(path.begin(), path.end());
    return path;
}

// From the wrist to the mean of the finger joints; nought where there are none.
Vec3 handDirection(const Skeleton& skeleton, const std::vector<Transform>& world, int hand) {
    Vec3 sum;
    std::vector<uint8_t> inside(skeleton.size(), 0);
    inside[size_t(hand)] = 1;
    for (size_t j = size_t(hand) + 1; j < skeleton.size(); ++j) {
        const int parent = skeleton.joints[j].parent;
        inside[j] = inside[size_t(parent)] &&
                    takeApart(skeleton.joints[j].name).stem.find("thumb") == std::string::npos;
        if (inside[j]) sum += world[j].translation - world[size_t(hand)].translation;
    }
    return length(sum) > 1e-4f ? normalized(sum) : Vec3{};
}

}  // namespace

PoseMap::PoseMap(const Skeleton& source, const Humanoid& source_humanoid, const Skeleton& target,
                 const Humanoid& target_humanoid, bool toes_from_source)
    : source_(source),
      target_(target),
      source_humanoid_(source_humanoid),
      target_humanoid_(target_humanoid),
      source_standing_(standingOf(source, source_humanoid)),
      target_standing_(standingOf(target, target_humanoid)),
      facing_(headingBetween(target_standing_.facing, source_standing_.facing)),
      same_body_(sameGeometry(source, target)),
      scale_(target_standing_.leg_length / source_standing_.leg_length),
      drivers_(target.size()) {
    driveTrunk();
    using enum Bone;
    driveLimb({kLeftArm, kLeftForeArm, kLeftHand, kCount}, facing_, false);
    driveLimb({kRightArm, kRightForeArm, kRightHand, kCount}, facing_, false);
    driveLimb({kLeftUpLeg, kLeftLeg, kLeftFoot, kCount}, facing_, true);
    driveLimb({kRightUpLeg, kRightLeg, kRightFoot, kCount}, facing_, true);
    for (FootSide side : kBothFeet) driveFoot(side, toes_from_source);
}

void PoseMap::driveChain(const std::vector<int>& source, const std::vector<int>& target) {
    // both begin with a joint that is driven already; joint k of m + 1 is at k/m along its chain
    if (source.size() < 2) return;
    for (size_t k = 1; k < target.size(); ++k) {
        const double along = double(k) / double(target.size() - 1) * double(source.size() - 1);
        const size_t low = std::min(size_t(along + 1e-9), source.size() - 2);
        const int joint = target[k];
        const Quat rest = target_standing_.world[size_t(joint)].rotation;
        drivers_[size_t(joint)] = {source[low], source[low + 1], float(along - double(low)),
                                   facing_ * rest, -1};
    }
}

void PoseMap::driveTrunk() {
    using enum Bone;
    const Humanoid &s = source_humanoid_, &t = target_humanoid_;
    const int hips = t[kHips];
    const Quat rest = target_standing_.world[size_t(hips)].rotation;
    drivers_[size_t(hips)] = {s[kHips], s[kHips], 0, facing_ * rest, -1};
    const auto chain = [](const Skeleton& skeleton, const Humanoid& h, Bone top, Bone bottom) {
        std::vector<int> joints = {h[top]};
        const std::vector<int> path = pathBetween(skeleton, h[top], h[bottom]);
        joints.insert(joints.end(), path.begin(), path.end());
        return joints;
    };
    driveChain(chain(source_, s, kHips, kChest), chain(target_, t, kHips, kChest));
    const Bone source_top = s.has(kChest) ? kChest : kHips;
    const Bone target_top = t.has(kChest) ? kChest : kHips;
    driveChain(chain(source_, s, source_top, kHead), chain(target_, t, target_top, kHead));
    for (Bone bone : {kLeftShoulder, kRightShoulder})
        if (s.has(bone) && t.has(bone)) {
            const Quat collar = target_standing_.world[size_t(t[bone])].rotation;
            drivers_[size_t(t[bone])] = {s[bone], s[bone], 0, facing_ * collar, -1};
        }
}

void PoseMap::driveLimb(const std::array<Bone, 4>& bones, Quat align, bool leg) {
    for (size_t i = 0; bones[i] != Bone::kCount; ++i) {
        const int s = source_humanoid_[bones[i]], t = target_humanoid_[bones[i]];
        if (s < 0 || t < 0) return;
        const bool last = bones[i + 1] == Bone::kCount;
        if (last && leg) return;  // feet have their own rule
        const int s_next = last ? -1 : source_humanoid_[bones[i + 1]];
        const int t_next = last ? -1 : target_humanoid_[bones[i + 1]];
        Vec3 source_direction, target_direction;
        if (last) {
            source_direction = handDirection(source_, source_standing_.world, s);
            target_direction = handDirection(target_, target_standing_.world, t);
        } else if (s_next >= 0 && t_next >= 0) {
            const auto along = [](const Standing& standing, int from, int to) {
                return normalized(standing.world[size_t(to)].translation -
                                  standing.world[size_t(from)].translation);
            };
            source_direction = along(source_standing_, s, s_next);
            target_direction = along(target_standing_, t, t_next);
        }
        const Vec3 aligned = rotate(align, target_direction);
        const bool known = length(source_direction) > 0.5f && length(target_direction) > 0.5f;
        if (known && (!last || dot(aligned, source_direction) > kCosHandLimit))
            align = rotationBetween(aligned, source_direction) * align;
        const Quat rest = target_standing_.world[size_t(t)].rotation;
        drivers_[size_t(t)] = {s, s, 0, normalized(align * rest), -1};
    }
}

void PoseMap::driveFoot(FootSide side, bool toes) {
    const LegJoints s = legOf(source_humanoid_, side), t = legOf(target_humanoid_, side);
    const Quat align = headingBetween(target_standing_.foot_ahead[size_t(side)],
                                      source_standing_.foot_ahead[size_t(side)]);
    const Quat rest = target_standing_.world[size_t(t.ankle)].rotation;
    drivers_[size_t(t.ankle)] = {s.ankle, s.ankle, 0, align * rest, int(side)};
    if (toes && s.toe >= 0 && t.toe >= 0) {
        const Quat toe_rest = target_standing_.world[size_t(t.toe)].rotation;
        drivers_[size_t(t.toe)] = {s.toe, s.toe, 0, align * toe_rest, int(side)};
    }
}

Vec3 PoseMap::midHip(const Humanoid& humanoid, const std::vector<Transform>& world) const {
    return (world[size_t(humanoid[Bone::kLeftUpLeg])].translation +
            world[size_t(humanoid[Bone::kRightUpLeg])].translation) /
           2;
}

Pose PoseMap::carry(const Pose& pose, const SoleNormals& soles) const {
    if (same_body_) return pose;
    const std::vector<Transform> source = worldTransforms(source_, pose);
    const auto turn = [&](int joint) {
        return source[size_t(joint)].rotation *
               conjugate(source_standing_.world[size_t(joint)].rotation);
    };
    Pose result = restPose(target_);
    std::vector<Quat> world(target_.size());
    for (size_t j = 0; j < target_.size(); ++j) {
        const Driver& driver = drivers_[j];
        const int parent = target_.joints[j].parent;
        const Quat above = parent < 0 ? Quat{} : world[size_t(parent)];
        if (driver.a < 0) {
            world[j] = normalized(above * result.rotations[j]);
            continue;
        }
        Quat turned = turn(driver.a);
        if (driver.t > 0) turned = slerp(turned, turn(driver.b), driver.t);
        if (driver.foot >= 0) turned = turned * rotationBetween(kUp, soles[size_t(driver.foot)]);
        world[j] = normalized(turned * driver.align);
        result.rotations[j] = normalized(conjugate(above) * world[j]);
    }
    result.root_position = {};
    const std::vector<Transform> placed = worldTransforms(target_, result);
    result.root_position =
        scale_ * midHip(source_humanoid_, source) - midHip(target_humanoid_, placed);
    return result;
}

}  // namespace hem
