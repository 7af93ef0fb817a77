// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/skin_attachment.h"

#include <gtest/gtest.h>

namespace hem {
namespace {

// One triangle, a joint of its own at each corner.
Character triangleBody() {
    Character body;
    body.skeleton.joints = {{"a", kNoParent, {}}, {"b", 0, {}}, {"c", 0, {}}};
    body.mesh.positions = {{0, 0, 0}, {0, 0, 1}, {1, 0, 0}};
    body.mesh.triangles = {{0, 1, 2}};
    body.skin = makeSkin({{{0, 1.0f}}, {{1, 1.0f}}, {{2, 1.0f}}}, std::vector<Affine>(3));
    return body;
}

float weightOf(const Skin& skin, size_t vertex, int joint) {
    float sum = 0;
    for (int i = 0; i < skin.influences; ++i) {
        const size_t at = vertex * size_t(skin.influences) + size_t(i);
        if (skin.joints[at] == joint) sum += skin.weights[at];
    }
    return sum;
}

TEST(SkinAttachment, APointTakesTheWeightsOfTheSkinUnderIt) {
    const Character body = triangleBody();
    const std::vector<Vec3> points{{0.5f, 0.1f, 0.3f}, {2, 0, 0}};
    const Skin attached = attachToSkin(body, points);
    ASSERT_TRUE(validate(attached, 2, 3));
    EXPECT_NEAR(weightOf(attached, 0, 0), 0.2f, 1e-6f);
    EXPECT_NEAR(weightOf(attached, 0, 1), 0.3f, 1e-6f);
    EXPECT_NEAR(weightOf(attached, 0, 2), 0.5f, 1e-6f);
    EXPECT_NEAR(weightOf(attached, 1, 2), 1, 1e-6f) << "the nearest corner's";
}

TEST(SkinAttachment, InfluencesOfTheSameJointAddUp) {
    Character body = triangleBody();
    body.skin =
        makeSkin({{{0, 0.5f}, {1, 0.5f}}, {{1, 1.0f}}, {{1, 1.0f}}}, std::vector<Affine>(3));
    const Skin attached = attachToSkin(body, std::vector<Vec3>{{0.25f, 0, 0.25f}});
    EXPECT_NEAR(weightOf(attached, 0, 0), 0.25f, 1e-6f);
    EXPECT_NEAR(weightOf(attached, 0, 1), 0.75f, 1e-6f);
}

}  // namespace
}  // namespace hem
