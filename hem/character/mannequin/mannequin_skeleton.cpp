// SPDX-License-Identifier: Apache-2.0
// Joint centres of the mannequin, from stature and segment lengths.
//
// Statures, shoulder breadths, arm and foot lengths: ANSUR II (Gordon et al. 2014), means of women
// and men. Joint centres lie inside the measured landmarks: shoulders 35 mm below the acromion and
// 25 mm inwards of it, ankles 10 and 7 mm above the tip of the outer malleolus. Heights of hip and
// knee are 0.530 and 0.285 of stature, trochanter and knee of Drillis and Contini (1966). Half the
// distance between the hip centres is 0.36 of that between the iliac spines (Bell, Pedersen and
// Brand 1990). docs/mannequin.md compares figure by figure, and says where these are off.
#include <cmath>

#include "hem/character/mannequin/mannequin.h"

namespace hem {
namespace {

struct Measures {
    float stature;
    float hip_half_width, hip_height, knee_height, ankle_height;
    float shoulder_half_width, shoulder_height;
    float upper_arm, forearm, palm;
    float foot_length;
};
constexpr Measures kFemale{1.630f, 0.088f, 0.864f, 0.465f, 0.074f, 0.158f,
                           1.300f, 0.286f, 0.243f, 0.085f, 0.246f};
constexpr Measures kMale{1.756f, 0.086f, 0.931f, 0.500f, 0.081f, 0.181f,
                         1.405f, 0.312f, 0.269f, 0.092f, 0.271f};

struct Builder {
    Skeleton skeleton;
    std::vector<Vec3> positions;

    void add(const char* name, const char* parent, Vec3 position) {
        const int p = parent ? skeleton.find(parent) : kNoParent;
        const Vec3 offset = p < 0 ? position : position - positions[size_t(p)];
        skeleton.joints.push_back({name, p, {Quat{}, offset}});
        positions.push_back(position);
    }
};

void addTrunk(Builder& b, const Measures& m) {
    const float pelvis = m.hip_height + 0.040f * m.stature;
    const float neck = m.shoulder_height + 0.050f * m.stature;
    const float head = m.stature * 0.905f;
    b.add("Hips", nullptr, {0, pelvis, -0.015f});
    b.add("LowerBack", "Hips", {0, pelvis + 0.025f * m.stature, -0.022f});
    b.add("Spine", "LowerBack", {0, std::lerp(pelvis, neck, 0.33f), -0.020f});
    b.add("Spine1", "Spine", {0, std::lerp(pelvis, neck, 0.58f), -0.025f});
    b.add("Neck", "Spine1", {0, neck, -0.030f});
    b.add("Neck1", "Neck", {0, std::lerp(neck, head, 0.5f), -0.018f});
    b.add("Head", "Neck1", {0, head, -0.005f});
}

void addArm(Builder& b, const Measures& m, float side) {
    const std::string s = side > 0 ? "Left" : "Right";
    // 50 degrees below the horizontal; the elbow bent a little forwards, so that its axis is plain
    const Vec3 upper{side * 0.643f, -0.766f, 0.0f},
        lower = normalized(Vec3{side * 0.630f, -0.766f, 0.13f});
    const Vec3 shoulder{side * m.shoulder_half_width, m.shoulder_height, -0.020f};
    const Vec3 elbow = shoulder + upper * m.upper_arm, wrist = elbow + lower * m.forearm;
    b.add((s + "Shoulder").c_str(), "Spine1",
          {side * 0.022f, m.shoulder_height + 0.012f * m.stature, 0.0f});
    b.add((s + "Arm").c_str(), (s + "Shoulder").c_str(), shoulder);
    b.add((s + "ForeArm").c_str(), (s + "Arm").c_str(), elbow);
    b.add((s + "Hand").c_str(), (s + "ForeArm").c_str(), wrist);
    b.add((s + "HandIndex1").c_str(), (s + "Hand").c_str(), wrist + lower * m.palm);
    b.add(side > 0 ? "LThumb" : "RThumb", (s + "Hand").c_str(),
          wrist + lower * (0.3f * m.palm) + Vec3{-side * 0.005f, 0, 0.025f});
}

void addLeg(Builder& b, const Measures& m, float side) {
    const std::string s = side > 0 ? "Left" : "Right";
    const float x = side * m.hip_half_width;
    b.add((s + "UpLeg").c_str(), "Hips", {x, m.hip_height, 0.0f});
    b.add((s + "Leg").c_str(), (s + "UpLeg").c_str(), {x * 1.08f, m.knee_height, 0.006f});
    b.add((s + "Foot").c_str(), (s + "Leg").c_str(), {x * 1.12f, m.ankle_height, -0.025f});
    b.add((s + "ToeBase").c_str(), (s + "Foot").c_str(),
          {x * 1.25f, 0.022f, -0.025f + 0.53f * m.foot_length});
}

}  // namespace

const char* nameOf(Sex sex) { return sex == Sex::kFemale ? "female" : "male"; }

Skeleton mannequinSkeleton(Sex sex) {
    const Measures& m = sex == Sex::kFemale ? kFemale : kMale;
    Builder builder;
    addTrunk(builder, m);
    for (float side : {1.0f, -1.0f}) addArm(builder, m, side);
    for (float side : {1.0f, -1.0f}) addLeg(builder, m, side);
    return std::move(builder.skeleton);
}

}  // namespace hem
