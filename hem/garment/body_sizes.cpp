// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/body_sizes.h"

#include <algorithm>
#include <cmath>

#include "hem/garment/outline.h"

namespace hem {
namespace {

BodyPart partOf(Bone bone) {
    switch (bone) {
        case Bone::kNeck:
        case Bone::kNeck1:
            return BodyPart::kNeck;
        case Bone::kHead:
            return BodyPart::kHead;
        case Bone::kLeftArm:
        case Bone::kLeftForeArm:
        case Bone::kLeftHand:
        case Bone::kRightArm:
        case Bone::kRightForeArm:
        case Bone::kRightHand:
            return BodyPart::kArm;
        case Bone::kLeftUpLeg:
        case Bone::kLeftLeg:
        case Bone::kLeftFoot:
        case Bone::kLeftToe:
        case Bone::kRightUpLeg:
        case Bone::kRightLeg:
        case Bone::kRightFoot:
        case Bone::kRightToe:
            return BodyPart::kLeg;
        default:
            return BodyPart::kTrunk;
    }
}

// Joints that are no bone of their own belong with their parent.
std::vector<BodyPart> partsOfJoints(const Skeleton& skeleton, const Humanoid& humanoid) {
    std::vector<BodyPart> parts(skeleton.size(), BodyPart::kTrunk);
    for (size_t j = 0; j < skeleton.size(); ++j) {
        if (skeleton.joints[j].parent >= 0) parts[j] = parts[size_t(skeleton.joints[j].parent)];
        for (int b = 0; b < kBoneCount; ++b)
            if (humanoid[Bone(b)] == int(j)) parts[j] = partOf(Bone(b));
    }
    return parts;
}

std::vector<BodyPart> partsOfVertices(const Character& character, const Weld& weld,
                                      const std::vector<BodyPart>& joint_parts) {
    const Skin& skin = character.skin;
    std::vector<BodyPart> parts;
    for (uint32_t v : weld.original_from_welded) {
        std::array<float, 5> sums{};
        for (int i = 0; i < skin.influences; ++i) {
            const size_t at = size_t(v) * size_t(skin.influences) + size_t(i);
            sums[size_t(joint_parts[skin.joints[at]])] += skin.weights[at];
        }
        parts.push_back(BodyPart(std::max_element(sums.begin(), sums.end()) - sums.begin()));
    }
    return parts;
}

Status checkParts(const std::string& name, const BodySizes& body) {
    size_t trunk = 0, arm = 0, leg = 0;
    for (uint32_t t = 0; t < body.skin.triangles.size(); ++t) {
        const bool left = body.skin.positions[body.skin.triangles[t][0]].x > body.middle;
        trunk += body.partIs(t, BodyPart::kTrunk);
        arm += left && body.partIs(t, BodyPart::kArm);
        leg += left && body.partIs(t, BodyPart::kLeg);
    }
    if (trunk >= 8 && arm >= 8 && leg >= 8) return Done{};
    return errorf(
        "%s: the weights of its skin do not tell trunk, arms and legs apart (%zu, %zu and "
        "%zu triangles), so it cannot be measured",
        name.c_str(), trunk, arm, leg);
}

// The lowest point of the section by the plane of symmetry: between the legs.
float findCrotch(const BodySizes& body) {
    float lowest = body.crown;
    for (const auto& [a, b] : uniqueEdges(body.skin.triangles)) {
        const Vec3 p = body.skin.positions[a], q = body.skin.positions[b];
        const float dp = p.x - body.middle, dq = q.x - body.middle;
        if ((dp < 0) == (dq < 0) && dp != 0 && dq != 0) continue;
        lowest = std::min(lowest, dp == dq ? std::min(p.y, q.y) : lerp(p, q, dp / (dp - dq)).y);
    }
    return lowest;
}

// The highest place below the shoulder where daylight shows between arm and trunk.
float findArmpit(const BodySizes& body) {
    const float top = body.shoulder_joint.y, bottom = top - 0.12f * body.height;
    auto armAndTrunk = [&](float y, float& arm_low, float& trunk_high) {
        arm_low = 1e9f, trunk_high = -1e9f;
        for (uint32_t t = 0; t < body.skin.triangles.size(); ++t)
            for (int k = 0; k < 3; ++k) {
                const Vec3 p = body.skin.positions[body.skin.triangles[t][size_t(k)]],
                           q = body.skin.positions[body.skin.triangles[t][size_t(k + 1) % 3]];
                if ((p.y < y) == (q.y < y)) continue;
                const float x = lerp(p, q, (y - p.y) / (q.y - p.y)).x - body.middle;
                if (x < 0) continue;
                if (body.partIs(t, BodyPart::kArm))
                    arm_low = std::min(arm_low, x);
                else
                    trunk_high = std::max(trunk_high, x);
            }
    };
    for (float y = top; y > bottom; y -= 0.005f) {
        float arm_low, trunk_high;
        armAndTrunk(y, arm_low, trunk_high);
        if (arm_low - trunk_high > 0.008f * body.height) return y;
    }
    return bottom;
}

float heightOfExtreme(float low, float high, const std::function<double(float)>& value) {
    float best = low;
    for (float y = low; y <= high; y += 0.005f)
        if (value(y) > value(best)) best = y;
    return best;
}

void measureTrunk(BodySizes& body) {
    const Outline trunk(body, [&](uint32_t t) {
        return !body.partIs(t, BodyPart::kArm) && !body.partIs(t, BodyPart::kHead);
    });
    const float span = body.armpit - body.hip_joint.y;
    body.waist = heightOfExtreme(body.hip_joint.y + 0.3f * span, body.hip_joint.y + 0.55f * span,
                                 [&](float y) { return -trunk.girth(y); });
    body.hips = heightOfExtreme(body.crotch + 0.03f * body.height, body.waist,
                                [&](float y) { return trunk.girth(y); });
    body.bust = heightOfExtreme(body.waist + 0.45f * (body.armpit - body.waist), body.armpit,
                                [&](float y) { return trunk.reach(y, 0, 1); });
    body.bust_girth = float(trunk.girth(body.bust));
    body.waist_girth = float(trunk.girth(body.waist));
    body.hip_girth = float(trunk.girth(body.hips));
    const Outline thigh(
        body, [&](uint32_t t) { return body.partIs(t, BodyPart::kLeg); }, 0, false);
    body.thigh_girth = float(thigh.girth(body.crotch - 0.03f * body.height));
}

void measureNeck(BodySizes& body, float base, float head) {
    const Outline neck(body, [&](uint32_t t) { return !body.partIs(t, BodyPart::kArm); });
    body.neck = heightOfExtreme(base, head, [&](float y) { return -neck.girth(y); });
    body.neck_girth = float(neck.girth(body.neck));
    const float front = float(neck.reach(body.neck, 0, 1)),
                back = float(neck.reach(body.neck, 0, -1));
    body.neck_centre = {body.middle, body.neck, (front - back) / 2};
    body.neck_half_width = float(neck.reach(body.neck, 1, 0));
    body.neck_front = body.neck_back = (front + back) / 2;
}

// The middle of the skin's section around a bone between two shares of its length, and the largest
// distance from there.
struct Band {
    Vec3 offset;  // of the middle from the bone
    float radius = 0;
};
Band armBand(const BodySizes& body, Vec3 from, Vec3 to, float low, float high) {
    const Vec3 axis = normalized(to - from);
    const Vec3 u = anyPerpendicular(axis), w = cross(axis, u);
    std::vector<Vec2> section;
    for (size_t v = 0; v < body.parts.size(); ++v) {
        const Vec3 p = body.skin.positions[v] - from;
        if (body.parts[v] != BodyPart::kArm || body.skin.positions[v].x < body.middle) continue;
        const float s = dot(p, axis) / distance(from, to);
        if (s >= low && s <= high) section.push_back({dot(p, u), dot(p, w)});
    }
    Band band;
    if (section.empty()) return band;
    Vec2 least = section[0], most = section[0];
    for (const Vec2 q : section) {
        least = {std::min(least.x, q.x), std::min(least.y, q.y)};
        most = {std::max(most.x, q.x), std::max(most.y, q.y)};
    }
    const Vec2 centre{(least.x + most.x) / 2, (least.y + most.y) / 2};
    for (const Vec2 q : section) {
        const float dx = q.x - centre.x, dy = q.y - centre.y;
        band.radius = std::max(band.radius, std::sqrt(dx * dx + dy * dy));
    }
    band.offset = u * centre.x + w * centre.y;
    return band;
}

// Low meshes have few rings, so bands are wide.
void measureArm(BodySizes& body) {
    const Band upper = armBand(body, body.shoulder_joint, body.elbow, 0.4f, 0.7f),
               elbow = armBand(body, body.shoulder_joint, body.elbow, 0.85f, 1.1f),
               wrist = armBand(body, body.elbow, body.wrist, 0.8f, 1.02f);
    body.upper_arm_radius = upper.radius;
    body.elbow_radius = std::min(elbow.radius, upper.radius);
    body.wrist_radius = std::min(wrist.radius, body.elbow_radius);
    body.sleeve_line = {body.shoulder_joint + upper.offset, body.elbow + elbow.offset,
                        body.wrist + wrist.offset};
}

}  // namespace

bool BodySizes::partIs(uint32_t triangle, BodyPart part) const {
    int count = 0;
    for (uint32_t v : skin.triangles[triangle]) count += parts[v] == part;
    return count >= 2;
}

bool BodySizes::isAboveNeck(uint32_t triangle) const {
    const auto& [a, b, c] = skin.triangles[triangle];
    const float y = (skin.positions[a].y + skin.positions[b].y + skin.positions[c].y) / 3;
    return y > neck && (partIs(triangle, BodyPart::kHead) || partIs(triangle, BodyPart::kNeck));
}

float topOfShoulder(const BodySizes& body, float x) {
    float top = -1e9f;
    for (uint32_t t = 0; t < body.skin.triangles.size(); ++t) {
        if (body.partIs(t, BodyPart::kHead)) continue;
        for (int k = 0; k < 3; ++k) {
            const Vec3 p = body.skin.positions[body.skin.triangles[t][size_t(k)]],
                       q = body.skin.positions[body.skin.triangles[t][size_t(k + 1) % 3]];
            const float dp = p.x - body.middle - x, dq = q.x - body.middle - x;
            if ((dp < 0) != (dq < 0)) top = std::max(top, lerp(p, q, dp / (dp - dq)).y);
        }
    }
    return top;
}

Result<BodySizes> measureSizes(const Character& character) {
    if (character.mesh.triangles.empty())
        return errorf("%s: has no mesh to cut a garment for", character.name.c_str());
    const auto humanoid = recognise(character.skeleton);
    if (!humanoid) return inContext(character.name, humanoid.error());
    BodySizes body;
    const Weld weld = weldByPosition(character.mesh.positions, 1e-5f);
    body.skin = welded(character.mesh, weld);
    body.parts = partsOfVertices(character, weld, partsOfJoints(character.skeleton, *humanoid));
    const auto joints = worldFromJoints(character.skeleton, restPose(character.skeleton));
    auto at = [&](Bone bone) { return joints[size_t((*humanoid)[bone])].translation(); };
    const Bounds bounds = boundsOf(body.skin.positions);
    body.floor = bounds.low.y;
    body.crown = bounds.high.y;
    body.height = bounds.size().y;
    body.middle = (at(Bone::kLeftUpLeg).x + at(Bone::kRightUpLeg).x) / 2;
    body.shoulder_joint = at(Bone::kLeftArm);
    body.elbow = at(Bone::kLeftForeArm);
    body.hip_joint = at(Bone::kLeftUpLeg);
    body.knee_joint = at(Bone::kLeftLeg);
    body.ankle_joint = at(Bone::kLeftFoot);
    body.knee = body.knee_joint.y;
    body.ankle = body.ankle_joint.y;
    body.wrist = humanoid->has(Bone::kLeftHand)
                     ? at(Bone::kLeftHand)
                     : body.elbow + (body.elbow - body.shoulder_joint) * 0.9f;
    if (!(body.height > 0.3f) || body.hip_joint.y > body.shoulder_joint.y ||
        body.shoulder_joint.x <= body.middle)
        return errorf("%s: does not stand upright facing +Z, so it cannot be measured",
                      character.name.c_str());
    if (const Status parts = checkParts(character.name, body); !parts) return parts.error();
    body.crotch = findCrotch(body);
    if (body.crotch > body.hip_joint.y + 0.1f * body.height || body.crotch < body.knee)
        body.crotch = body.hip_joint.y - 0.05f * body.height;
    body.armpit = findArmpit(body);
    body.shoulder = topOfShoulder(body, body.shoulder_joint.x - body.middle);
    measureTrunk(body);
    const float head =
        humanoid->has(Bone::kHead) ? at(Bone::kHead).y : body.shoulder + 0.08f * body.height;
    const float base = humanoid->has(Bone::kNeck) ? at(Bone::kNeck).y : body.shoulder;
    measureNeck(body, std::min(base, head), head);
    measureArm(body);
    return body;
}

}  // namespace hem
