// SPDX-License-Identifier: Apache-2.0
#include "hem/character/character_report.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/text.h"
#include "tests/character/t_body.h"

namespace hem {
namespace {

bool says(const CharacterReport& report, const std::string& words) {
    return std::any_of(report.problems.begin(), report.problems.end(), [&](const Problem& p) {
        return p.what.find(words) != p.what.npos && !p.cure.empty();
    });
}

TEST(CharacterReport, FindsNothingWrongWithAWholeBody) {
    const Character c = tBody();
    ASSERT_TRUE(validate(c));
    const CharacterReport report = inspect(c);
    for (const Problem& problem : report.problems) ADD_FAILURE() << problem.what;
    EXPECT_TRUE(report.topology.watertight());
    EXPECT_NEAR(report.volume, 1.8 * 1.8 * 0.3, 1e-5);
    EXPECT_EQ(report.most_weights, 2u);
    ASSERT_TRUE(report.humanoid);
    EXPECT_STREQ(report.poseName(), "T pose");
    EXPECT_NEAR(*report.arm_angle, 0, 1e-3);
}

TEST(CharacterReport, FindsNothingWrongWithTheMannequins) {
    for (Sex sex : {Sex::kFemale, Sex::kMale}) {
        const CharacterReport report = inspect(mannequin(sex));
        for (const Problem& problem : report.problems) ADD_FAILURE() << problem.what;
        EXPECT_STREQ(report.poseName(), "A pose");
    }
}

TEST(CharacterReport, NamesHolesAndTriangleFaults) {
    Character c = tBody();
    c.mesh.triangles.pop_back();
    EXPECT_TRUE(says(inspect(c), "3 edges have one triangle"));
    c = tBody();
    c.mesh.triangles.push_back({0, 1, 7});
    EXPECT_TRUE(says(inspect(c), "three or more"));
    c = tBody();
    for (Triangle& t : c.mesh.triangles) std::swap(t[0], t[1]);
    EXPECT_TRUE(says(inspect(c), "inwards"));
}

TEST(CharacterReport, NamesAnUnlikelySizeAndASkeletonElsewhere) {
    Character c = tBody();
    for (Vec3& p : c.mesh.positions) p *= 0.01f;
    EXPECT_TRUE(says(inspect(c), "0.02 m high"));
    EXPECT_TRUE(says(inspect(c), "outside the mesh"));
}

TEST(CharacterReport, NamesFeetThatPointBackAndUnknownBones) {
    Character c = tBody();
    for (Vec3& p : c.mesh.positions) p.z -= 0.1f;  // reaches 0.2 behind the ankles, 0.1 before them
    EXPECT_TRUE(says(inspect(c), "backwards"));
    c = tBody();
    for (Joint& joint : c.skeleton.joints)
        joint.name = format("bone %d", int(&joint - c.skeleton.joints.data()));
    const CharacterReport report = inspect(c);
    EXPECT_FALSE(report.humanoid);
    EXPECT_TRUE(says(report, "not known"));
    const auto mapping = recognise(tBody().skeleton);
    EXPECT_FALSE(says(inspect(c, *mapping), "not known"));
}

TEST(CharacterReport, NamesASkinOnOneJointAlone) {
    Character c = tBody();
    c.skin = makeSkin(std::vector<std::vector<Influence>>(8, {{2, 1.0f}}),
                      inverseRestMatrices(c.skeleton));
    EXPECT_TRUE(says(inspect(c), "one joint"));
}

}  // namespace
}  // namespace hem
