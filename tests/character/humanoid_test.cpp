// SPDX-License-Identifier: Apache-2.0
#include "hem/character/humanoid.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/text.h"

namespace hem {
namespace {

// A skeleton from "name" or "name<parent" words; without a parent, the word before is it. Names may
// hold '~' for a space.
Skeleton skeletonOf(std::string_view words) {
    Skeleton skeleton;
    for (std::string_view word : splitWords(words)) {
        const size_t arrow = word.find('<');
        const auto spaced = [](std::string_view text) {
            std::string name(text);
            for (char& c : name) c = c == '~' ? ' ' : c;
            return name;
        };
        const std::string name = spaced(word.substr(0, arrow));
        int parent = int(skeleton.size()) - 1;
        if (arrow != std::string_view::npos) parent = skeleton.find(spaced(word.substr(arrow + 1)));
        skeleton.joints.push_back({name, parent, {Quat{}, {0, 0.1f, 0}}});
    }
    EXPECT_TRUE(validate(skeleton));
    return skeleton;
}

struct Expectation {
    Bone bone;
    const char* joint;
};

void expectRecognised(const Skeleton& skeleton, const char* convention,
                      const std::vector<Expectation>& expected) {
    const auto humanoid = recognise(skeleton);
    ASSERT_TRUE(humanoid) << humanoid.error().message;
    EXPECT_EQ(humanoid->convention, convention);
    for (const auto& [bone, joint] : expected) {
        const int found = (*humanoid)[bone];
        EXPECT_EQ(found < 0 ? "(none)" : skeleton.joints[size_t(found)].name, joint)
            << nameOf(bone);
    }
}

const char* const kCmu =
    "Hips LHipJoint LeftUpLeg LeftLeg LeftFoot LeftToeBase RHipJoint<Hips RightUpLeg RightLeg "
    "RightFoot "
    "RightToeBase LowerBack<Hips Spine Spine1 Neck Neck1 Head LeftShoulder<Spine1 LeftArm "
    "LeftForeArm "
    "LeftHand LeftFingerBase LeftHandIndex1 LThumb<LeftHand RightShoulder<Spine1 RightArm "
    "RightForeArm "
    "RightHand RightFingerBase RightHandIndex1 RThumb<RightHand";

const char* const kMixamo =
    "mixamorig:Hips mixamorig:Spine mixamorig:Spine1 mixamorig:Spine2 mixamorig:Neck "
    "mixamorig:Head "
    "mixamorig:LeftShoulder<mixamorig:Spine2 mixamorig:LeftArm mixamorig:LeftForeArm "
    "mixamorig:LeftHand "
    "mixamorig:RightShoulder<mixamorig:Spine2 mixamorig:RightArm mixamorig:RightForeArm "
    "mixamorig:RightHand mixamorig:LeftUpLeg<mixamorig:Hips mixamorig:LeftLeg mixamorig:LeftFoot "
    "mixamorig:LeftToeBase mixamorig:RightUpLeg<mixamorig:Hips mixamorig:RightLeg "
    "mixamorig:RightFoot "
    "mixamorig:RightToeBase";

TEST(Recognition, FindsEveryBoneOfTheCmuSkeleton) {
    expectRecognised(skeletonOf(kCmu), "CMU",
                     {{Bone::kHips, "Hips"},
                      {Bone::kLowerBack, "LowerBack"},
                      {Bone::kSpine, "Spine"},
                      {Bone::kChest, "Spine1"},
                      {Bone::kNeck, "Neck"},
                      {Bone::kNeck1, "Neck1"},
                      {Bone::kHead, "Head"},
                      {Bone::kLeftShoulder, "LeftShoulder"},
                      {Bone::kLeftUpLeg, "LeftUpLeg"},
                      {Bone::kRightLeg, "RightLeg"},
                      {Bone::kRightToe, "RightToeBase"},
                      {Bone::kRightHand, "RightHand"}});
}

TEST(Recognition, KnowsTheMannequin) {
    const auto humanoid = recognise(mannequinSkeleton(Sex::kFemale));
    ASSERT_TRUE(humanoid);
    EXPECT_EQ(humanoid->convention, "CMU");
    for (int b = 0; b < kBoneCount; ++b) EXPECT_TRUE(humanoid->has(Bone(b))) << nameOf(Bone(b));
}

TEST(Recognition, TellsMixamoFromCmuByItsSpine) {
    const std::vector<Expectation> expected = {
        {Bone::kLowerBack, "mixamorig:Spine"},     {Bone::kSpine, "mixamorig:Spine1"},
        {Bone::kChest, "mixamorig:Spine2"},        {Bone::kNeck1, "(none)"},
        {Bone::kLeftUpLeg, "mixamorig:LeftUpLeg"}, {Bone::kRightToe, "mixamorig:RightToeBase"}};
    expectRecognised(skeletonOf(kMixamo), "Mixamo", expected);
}

TEST(Recognition, TakesVRoidAndVrmHumanoidNames) {
    expectRecognised(
        skeletonOf(
            "J_Bip_C_Hips J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest J_Bip_C_Neck J_Bip_C_Head "
            "J_Bip_L_Shoulder<J_Bip_C_UpperChest J_Bip_L_UpperArm J_Bip_L_LowerArm J_Bip_L_Hand "
            "J_Bip_R_Shoulder<J_Bip_C_UpperChest J_Bip_R_UpperArm J_Bip_R_LowerArm J_Bip_R_Hand "
            "J_Bip_L_UpperLeg<J_Bip_C_Hips J_Bip_L_LowerLeg J_Bip_L_Foot J_Bip_L_ToeBase "
            "J_Bip_R_UpperLeg<J_Bip_C_Hips J_Bip_R_LowerLeg J_Bip_R_Foot J_Bip_R_ToeBase"),
        "VRM",
        {{Bone::kHips, "J_Bip_C_Hips"},
         {Bone::kSpine, "J_Bip_C_Chest"},
         {Bone::kChest, "J_Bip_C_UpperChest"},
         {Bone::kLeftArm, "J_Bip_L_UpperArm"},
         {Bone::kRightLeg, "J_Bip_R_LowerLeg"},
         {Bone::kLeftToe, "J_Bip_L_ToeBase"}});
    expectRecognised(
        skeletonOf("hips spine chest neck head leftUpperArm<chest leftLowerArm leftHand "
                   "rightUpperArm<chest rightLowerArm rightHand leftUpperLeg<hips leftLowerLeg "
                   "leftFoot leftToes rightUpperLeg<hips rightLowerLeg rightFoot rightToes"),
        "VRM",
        {{Bone::kChest, "chest"},
         {Bone::kSpine, "spine"},
         {Bone::kLeftShoulder, "(none)"},
         {Bone::kRightLeg, "rightLowerLeg"},
         {Bone::kLeftToe, "leftToes"}});
}

TEST(Recognition, TakesTheFirstOfMakeHumansTwistBones) {
    expectRecognised(
        skeletonOf(
            "root spine05 spine04 spine03 spine02 spine01 neck01 neck02 neck03 head "
            "clavicle.L<spine01 shoulder01.L upperarm01.L upperarm02.L lowerarm01.L lowerarm02.L "
            "wrist.L clavicle.R<spine01 shoulder01.R upperarm01.R upperarm02.R lowerarm01.R "
            "lowerarm02.R wrist.R pelvis.L<root upperleg01.L upperleg02.L lowerleg01.L "
            "lowerleg02.L "
            "foot.L toe1-1.L toe2-1.L<foot.L pelvis.R<root upperleg01.R upperleg02.R lowerleg01.R "
            "lowerleg02.R foot.R toe1-1.R"),
        "MakeHuman",
        {{Bone::kHips, "root"},
         {Bone::kLowerBack, "spine05"},
         {Bone::kSpine, "spine03"},
         {Bone::kChest, "spine01"},
         {Bone::kNeck, "neck01"},
         {Bone::kNeck1, "neck03"},
         {Bone::kLeftShoulder, "clavicle.L"},
         {Bone::kLeftArm, "upperarm01.L"},
         {Bone::kLeftUpLeg, "upperleg01.L"},
         {Bone::kRightHand, "wrist.R"},
         {Bone::kRightToe, "toe1-1.R"}});
}

const char* const kMetarig =
    "spine spine.001 spine.002 spine.003 spine.004 spine.005 shoulder.L<spine.003 upper_arm.L "
    "forearm.L "
    "hand.L shoulder.R<spine.003 upper_arm.R forearm.R hand.R pelvis.L<spine thigh.L<spine shin.L "
    "foot.L "
    "toe.L heel.02.L<foot.L pelvis.R<spine thigh.R<spine shin.R foot.R toe.R heel.02.R<foot.R";

TEST(Recognition, TakesRigifysLastNeckJointForAHeadThatIsNotThere) {
    expectRecognised(skeletonOf(kMetarig), "Rigify",
                     {{Bone::kHips, "spine"},
                      {Bone::kLowerBack, "spine.001"},
                      {Bone::kChest, "spine.003"},
                      {Bone::kNeck, "spine.004"},
                      {Bone::kNeck1, "(none)"},
                      {Bone::kHead, "spine.005"},
                      {Bone::kLeftLeg, "shin.L"},
                      {Bone::kRightArm, "upper_arm.R"},
                      {Bone::kLeftToe, "toe.L"}});
}

TEST(Recognition, PrefersRigifysDeformingBones) {
    expectRecognised(
        skeletonOf(
            "root ORG-spine<root DEF-spine<root DEF-spine.001 DEF-spine.002 DEF-spine.003 "
            "DEF-spine.004 DEF-spine.005 DEF-spine.006 DEF-upper_arm.L<DEF-spine.003 "
            "DEF-upper_arm.L.001 DEF-forearm.L DEF-forearm.L.001 DEF-hand.L "
            "DEF-upper_arm.R<DEF-spine.003 DEF-forearm.R DEF-hand.R ORG-thigh.L<DEF-spine "
            "DEF-thigh.L<DEF-spine DEF-thigh.L.001 DEF-shin.L DEF-foot.L DEF-thigh.R<DEF-spine "
            "DEF-shin.R DEF-foot.R"),
        "Rigify",
        {{Bone::kHips, "DEF-spine"},
         {Bone::kHead, "DEF-spine.006"},
         {Bone::kNeck1, "DEF-spine.005"},
         {Bone::kLeftUpLeg, "DEF-thigh.L"},
         {Bone::kLeftForeArm, "DEF-forearm.L"},
         {Bone::kRightToe, "(none)"}});
}

TEST(Recognition, TakesBipedUnrealPoserAndPlainNames) {
    expectRecognised(
        skeletonOf("Bip01 Bip01~Pelvis Bip01~Spine Bip01~Spine1 Bip01~Neck Bip01~Head "
                   "Bip01~L~Clavicle<Bip01~Neck Bip01~L~UpperArm Bip01~L~Forearm Bip01~L~Hand "
                   "Bip01~R~Clavicle<Bip01~Neck Bip01~R~UpperArm Bip01~R~Forearm Bip01~R~Hand "
                   "Bip01~L~Thigh<Bip01~Pelvis Bip01~L~Calf Bip01~L~Foot Bip01~L~Toe0 "
                   "Bip01~R~Thigh<Bip01~Pelvis Bip01~R~Calf Bip01~R~Foot Bip01~R~Toe0"),
        "Biped", {{Bone::kHips, "Bip01 Pelvis"}, {Bone::kLeftLeg, "Bip01 L Calf"}});
    expectRecognised(
        skeletonOf(
            "pelvis spine_01 spine_02 spine_03 neck_01 head clavicle_l<spine_03 upperarm_l "
            "lowerarm_l hand_l clavicle_r<spine_03 upperarm_r lowerarm_r hand_r thigh_l<pelvis "
            "calf_l foot_l ball_l thigh_r<pelvis calf_r foot_r ball_r"),
        "Unreal", {{Bone::kLowerBack, "spine_01"}, {Bone::kRightToe, "ball_r"}});
    expectRecognised(
        skeletonOf(
            "hip abdomen chest neck head lCollar<chest lShldr lForeArm lHand rCollar<chest rShldr "
            "rForeArm rHand lThigh<hip lShin lFoot lToe rThigh<hip rShin rFoot rToe"),
        "Poser",
        {{Bone::kSpine, "abdomen"}, {Bone::kLeftArm, "lShldr"}, {Bone::kRightLeg, "rShin"}});
    expectRecognised(
        skeletonOf(
            "PELVIS Spine UpperArm_Left<Spine LowerArm_Left UpperArm_Right<Spine LowerArm_Right "
            "Thigh_Left<PELVIS Knee_Left Ankle_Left Thigh_Right<PELVIS Knee_Right Ankle_Right"),
        "plain names", {{Bone::kLeftFoot, "Ankle_Left"}, {Bone::kRightForeArm, "LowerArm_Right"}});
}

const char* const kCesiumMan =
    "Skeleton_torso_joint_1 Skeleton_torso_joint_2 torso_joint_3 Skeleton_neck_joint_1 "
    "Skeleton_neck_joint_2 Skeleton_arm_joint_L__4_<torso_joint_3 Skeleton_arm_joint_L__3_ "
    "Skeleton_arm_joint_L__2_ Skeleton_arm_joint_R<torso_joint_3 Skeleton_arm_joint_R__2_ "
    "Skeleton_arm_joint_R__3_ leg_joint_L_1<Skeleton_torso_joint_1 leg_joint_L_2 leg_joint_L_3 "
    "leg_joint_L_5 leg_joint_R_1<Skeleton_torso_joint_1 leg_joint_R_2 leg_joint_R_3 leg_joint_R_5";

TEST(Recognition, TakesTheKhronosFigures) {
    expectRecognised(skeletonOf(kCesiumMan), "CesiumMan",
                     {{Bone::kLeftArm, "Skeleton_arm_joint_L__4_"},
                      {Bone::kLeftHand, "Skeleton_arm_joint_L__2_"},
                      {Bone::kRightArm, "Skeleton_arm_joint_R"},
                      {Bone::kRightHand, "Skeleton_arm_joint_R__3_"},
                      {Bone::kRightToe, "leg_joint_R_5"}});
}

TEST(Recognition, SaysWhatIsMissing) {
    const auto snake = recognise(skeletonOf("a b c"));
    ASSERT_FALSE(snake);
    EXPECT_NE(snake.error().message.find("mapping file"), std::string::npos);
    const auto armless =
        recognise(skeletonOf("Hips Spine LeftUpLeg<Hips LeftLeg LeftFoot RightUpLeg<Hips RightLeg "
                             "RightFoot LeftArm<Spine"));
    ASSERT_FALSE(armless);
    EXPECT_NE(armless.error().message.find("LeftForeArm, RightArm, RightForeArm"),
              std::string::npos)
        << armless.error().message;
}

TEST(Recognition, RefusesATreeThatIsNoHuman) {
    std::string words = kCmu;
    words.replace(words.find(" LeftLeg "), 9, " LeftLeg<Hips ");
    const auto humanoid = recognise(skeletonOf(words));
    ASSERT_FALSE(humanoid);
    EXPECT_NE(humanoid.error().message.find("LeftLeg"), std::string::npos)
        << humanoid.error().message;
    EXPECT_NE(humanoid.error().message.find("does not hang below"), std::string::npos);
}

// --- Mapping files -----------------------------------------------------------------------------

const char* const kOdd = "p q la<q lf ra<q rf lt<p ls lk rt<p rs rk thigh_01_L<p";
const char* const kOddMapping = R"({"Hips": "p", "Chest": "q", "LeftArm": "la", "LeftForeArm": "lf",
 "RightArm": "ra", "RightForeArm": "rf", "LeftUpLeg": "lt", "LeftLeg": "ls", "LeftFoot": "lk",
 "RightUpLeg": "rt", "RightLeg": "rs", "RightFoot": "rk"})";

std::string mappingError(std::string text, const std::string& from, const std::string& to) {
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    const auto humanoid = parseMapping(text, "map.json", skeletonOf(kOdd));
    return humanoid ? "" : humanoid.error().message;
}

TEST(MappingFile, NamesEveryBone) {
    const Skeleton skeleton = skeletonOf(kOdd);
    const auto humanoid = parseMapping(kOddMapping, "map.json", skeleton);
    ASSERT_TRUE(humanoid) << humanoid.error().message;
    EXPECT_EQ(humanoid->convention, "mapping file");
    EXPECT_EQ((*humanoid)[Bone::kRightFoot], skeleton.find("rk"));
    EXPECT_FALSE(humanoid->has(Bone::kHead));
}

TEST(MappingFile, ErrorsNameTheKeyAndTheJointAndSuggestNames) {
    EXPECT_EQ(mappingError(kOddMapping, "\"LeftUpLeg\"", "\"LeftUppLeg\"").substr(0, 42),
              "map.json: 'LeftUppLeg' is not a bone; did ");
    EXPECT_NE(
        mappingError(kOddMapping, "\"lt\"", "\"thigh_1_L\"").find("did you mean 'thigh_01_L'"),
        std::string::npos);
    EXPECT_NE(mappingError(kOddMapping, "\"lt\"", "7").find("LeftUpLeg must have"),
              std::string::npos);
    EXPECT_NE(mappingError(kOddMapping, "\"rt\"", "\"lt\"").find("both"), std::string::npos);
    EXPECT_NE(mappingError(kOddMapping, ", \"RightFoot\": \"rk\"", "").find("RightFoot"),
              std::string::npos);
    EXPECT_NE(mappingError(kOddMapping, "\"ls\"", "\"thigh_01_L\"").find("does not hang below"),
              std::string::npos);
    EXPECT_NE(mappingError("{\n\n\"Hips\" \"p\"}", "", "").find("map.json:3"), std::string::npos);
    EXPECT_NE(mappingError("[1]", "", "").find("JSON object"), std::string::npos);
}

// --- Partners ----------------------------------------------------------------------------------

void expectPartners(const Skeleton& skeleton, const char* left, const char* right) {
    const std::vector<int> partners = mirrorPartners(skeleton);
    const int l = skeleton.find(left), r = skeleton.find(right);
    ASSERT_TRUE(l >= 0 && r >= 0) << left << " " << right;
    EXPECT_EQ(partners[size_t(l)], r) << left;
    EXPECT_EQ(partners[size_t(r)], l) << right;
}

TEST(MirrorPartners, AreFoundInEveryStyle) {
    expectPartners(skeletonOf(kCmu), "LHipJoint", "RHipJoint");
    expectPartners(skeletonOf(kCmu), "LThumb", "RThumb");
    expectPartners(skeletonOf(kCmu), "LeftToeBase", "RightToeBase");
    expectPartners(skeletonOf(kMixamo), "mixamorig:LeftArm", "mixamorig:RightArm");
    expectPartners(skeletonOf(kMetarig), "heel.02.L", "heel.02.R");
    expectPartners(skeletonOf(kCesiumMan), "Skeleton_arm_joint_L__4_", "Skeleton_arm_joint_R");
    expectPartners(skeletonOf(kCesiumMan), "Skeleton_arm_joint_L__2_", "Skeleton_arm_joint_R__3_");
    const std::vector<int> partners = mirrorPartners(skeletonOf(kCmu));
    EXPECT_EQ(partners[size_t(skeletonOf(kCmu).find("LowerBack"))],
              skeletonOf(kCmu).find("LowerBack"));
}

TEST(MirrorPartners, KeepTheTree) {
    // the right hand hangs elsewhere: it is nobody's partner
    const Skeleton skeleton = skeletonOf("Hips LeftArm LeftHand RightArm<Hips RightHand<Hips");
    const std::vector<int> partners = mirrorPartners(skeleton);
    EXPECT_EQ(partners, (std::vector<int>{0, 3, 2, 1, 4}));
}

}  // namespace
}  // namespace hem
