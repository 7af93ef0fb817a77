// SPDX-License-Identifier: Apache-2.0
#include "hem/character/mannequin/mannequin_weights.h"

#include <algorithm>

#include "hem/character/humanoid.h"

namespace hem::mannequin_parts {
namespace {

// 0 below -width, 1 above width, with level ends of first and second order.
float band(float s, float width) {
    const float t = std::clamp(0.5f + 0.5f * s / width, 0.0f, 1.0f);
    return t * t * t * (t * (t * 6 - 15) + 10);
}

// Weights of all joints at one vertex. A joint takes its share from what its parent has.
class Shares {
public:
    explicit Shares(size_t joints) : weights_(joints, 0.0f) {}
    void give(int joint, float weight) { weights_[size_t(joint)] = weight; }
    void take(int from, int to, float share) {
        weights_[size_t(to)] = weights_[size_t(from)] * share;
        weights_[size_t(from)] *= 1 - share;
    }
    // From every joint that has some.
    void takeFromAll(int to, float share) {
        for (float& w : weights_) w *= 1 - share;
        weights_[size_t(to)] += share;
    }
    std::vector<float> weights() && { return std::move(weights_); }

private:
    std::vector<float> weights_;
};

class Weigher {
public:
    Weigher(const BodyField& field, const Skeleton& skeleton) : field_(field), skeleton_(skeleton) {
        for (const Transform& t : worldTransforms(skeleton, restPose(skeleton)))
            rest_.push_back(t.translation);
        unit_ = relativeSize(skeleton);
    }

    std::vector<float> weightsAt(Vec3 p) const {
        Shares shares(skeleton_.size());
        shares.give(0, 1);
        spine(p, shares);
        leg(p, shares);
        arm(p, shares);
        return std::move(shares).weights();
    }

private:
    int joint(const char* name) const { return skeleton_.find(name); }
    Vec3 at(const char* name) const { return rest_[size_t(skeleton_.find(name))]; }

    // Bands across the spine; `tilt` lowers a band's front, `from_z` metres ahead of the joint and
    // farther.
    struct SpineBand {
        const char *parent, *joint;
        float width, tilt, from_z;
    };
    void spine(Vec3 p, Shares& shares) const {
        static constexpr SpineBand kBands[] = {
            {"Hips", "LowerBack", 0.060f, 0, 0},      {"LowerBack", "Spine", 0.070f, 0, 0},
            {"Spine", "Spine1", 0.075f, 0.5f, 0.02f}, {"Spine1", "Neck", 0.042f, 0.5f, -0.1f},
            {"Neck", "Neck1", 0.040f, 0.3f, -0.1f},   {"Neck1", "Head", 0.030f, 1.4f, 0.015f},
        };
        for (const SpineBand& b : kBands) {
            const Vec3 d = p - at(b.joint);
            const float ahead = b.from_z < 0 ? d.z : std::max(0.0f, d.z - b.from_z * unit_);
            shares.take(joint(b.parent), joint(b.joint),
                        band(d.y + b.tilt * ahead, b.width * unit_));
        }
    }

    void leg(Vec3 p, Shares& shares) const {
        const Vec3 hip = at("LeftUpLeg"), knee = at("LeftLeg"), ankle = at("LeftFoot"),
                   toe = at("LeftToeBase");
        const Vec3 d = (p - hip) / unit_;
        // from the fork, 10 cm below the hip's centre, up and out along the groin
        const float outwards = std::clamp(p.x / hip.x, 0.0f, 1.6f);
        const float edge = -0.100f + 0.066f * outwards + (d.z < 0 ? 0.18f * d.z : 0.0f);
        // at the fork itself the thigh's share goes to nothing, because both thighs meet there
        const float clear = p.x / unit_ + std::max(0.0f, -0.088f - d.y) * 1.5f;
        const float inner = band(clear - 0.034f, 0.034f);
        shares.takeFromAll(joint("LeftUpLeg"), band(edge - d.y, 0.070f) * inner);
        shares.take(joint("LeftUpLeg"), joint("LeftLeg"), band(knee.y - p.y, 0.046f * unit_));
        const float below = ankle.y - p.y + 0.35f * (p.z - ankle.z) + 0.008f * unit_;
        shares.take(joint("LeftLeg"), joint("LeftFoot"), band(below, 0.030f * unit_));
        const Vec3 forwards = normalized(Vec3{toe.x - ankle.x, 0, toe.z - ankle.z});
        shares.take(joint("LeftFoot"), joint("LeftToeBase"),
                    band(dot(p - toe, forwards), 0.028f * unit_));
    }

    void arm(Vec3 p, Shares& shares) const {
        const Vec3 shoulder = at("LeftArm"), elbow = at("LeftForeArm"), wrist = at("LeftHand");
        const Vec3 upper = normalized(elbow - shoulder), lower = normalized(wrist - elbow);
        const float nearer = float(field_.allButArms(p) - field_.arm(p));
        const float is_arm = band(nearer + 0.011f * unit_, 0.0545f * unit_);

        const float collar = band((p.x - 0.090f * unit_), 0.075f * unit_) *
                             band(p.y - (shoulder.y - 0.045f * unit_), 0.075f * unit_);
        shares.takeFromAll(joint("LeftShoulder"),
                           collar * (1 - band(p.y - at("Neck").y, 0.04f * unit_)));
        const Vec3 across = normalized(upper + Vec3{0.9f, 0, 0});
        const float beyond = dot(p - shoulder, across);
        shares.takeFromAll(joint("LeftArm"),
                           band(beyond - 0.004f * unit_, 0.066f * unit_) * is_arm);
        shares.take(joint("LeftArm"), joint("LeftForeArm"),
                    band(dot(p - elbow, normalized(upper + lower)), 0.045f * unit_));
        shares.take(joint("LeftForeArm"), joint("LeftHand"),
                    band(dot(p - wrist, lower), 0.032f * unit_));
        hand(p, lower, shares);
    }

    void hand(Vec3 p, Vec3 lower, Shares& shares) const {
        const Vec3 knuckles = at("LeftHandIndex1"), thumb = at("LThumb");
        const float is_thumb = band(float(field_.thumbMargin(p)), 0.016f * unit_);
        const float up_thumb =
            band(dot(p - thumb, field_.thumbAxis()) - 0.006f * unit_, 0.024f * unit_);
        const float fingers = band(dot(p - knuckles, lower), 0.026f * unit_);
        shares.take(joint("LeftHand"), joint("LThumb"), is_thumb * up_thumb);
        shares.take(joint("LeftHand"), joint("LeftHandIndex1"), fingers);
    }

    const BodyField& field_;
    const Skeleton& skeleton_;
    std::vector<Vec3> rest_;
    float unit_;  // the body's size relative to the female
};

using Rows = std::vector<std::vector<float>>;  // vertices by joints

// Each vertex about half way towards the mean of its neighbours. On the middle, where the
// neighbours on the right are mirror images, both sides' joints get the same.
Rows smoothed(const Rows& rows, const Mesh& half, const std::vector<int>& partners) {
    Rows sums = rows;
    std::vector<float> counts(rows.size(), 1.0f);
    for (const auto& [a, b] : uniqueEdges(half.triangles)) {
        constexpr float kShare = 0.2f;
        for (size_t j = 0; j < rows[a].size(); ++j) {
            sums[a][j] += kShare * rows[b][j];
            sums[b][j] += kShare * rows[a][j];
        }
        counts[a] += kShare;
        counts[b] += kShare;
    }
    for (size_t v = 0; v < sums.size(); ++v) {
        for (float& w : sums[v]) w /= counts[v];
        if (half.positions[v].x != 0) continue;
        const std::vector<float> own = sums[v];
        for (size_t j = 0; j < own.size(); ++j)
            sums[v][j] = (own[j] + own[size_t(partners[j])]) / 2;
    }
    return sums;
}

std::vector<Influence> influencesOf(const std::vector<float>& row, Vec3 p, const Skeleton& skeleton,
                                    const std::vector<int>& partners) {
    constexpr float kFade = 0.01f;
    std::vector<Influence> list;
    float sum = 0;
    for (size_t j = 0; j < row.size(); ++j) {
        const bool sided = partners[j] != int(j);
        const bool right = sided && skeleton.joints[j].name.starts_with("R");
        // on the middle a limb of either side would pull to that side
        if (right || (sided && p.x == 0) || row[j] <= kFade) continue;
        list.push_back({int(j), row[j] - kFade});
        sum += list.back().weight;
    }
    for (Influence& i : list) i.weight /= sum;
    return list;
}

}  // namespace

float relativeSize(const Skeleton& skeleton) {
    constexpr float kFemaleHeadJoint = 1.475f;
    const int head = skeleton.find("Head");
    return worldTransforms(skeleton, restPose(skeleton))[size_t(head)].translation.y /
           kFemaleHeadJoint;
}

std::vector<std::vector<Influence>> halfWeights(const Mesh& half, const BodyField& field,
                                                const Skeleton& skeleton) {
    const Weigher weigher(field, skeleton);
    const std::vector<int> partners = mirrorPartners(skeleton);
    Rows rows;
    for (Vec3 p : half.positions) rows.push_back(weigher.weightsAt(p));
    for (int i = 0; i < 4; ++i) rows = smoothed(rows, half, partners);
    std::vector<std::vector<Influence>> lists;
    for (size_t v = 0; v < rows.size(); ++v)
        lists.push_back(influencesOf(rows[v], half.positions[v], skeleton, partners));
    return lists;
}

}  // namespace hem::mannequin_parts
