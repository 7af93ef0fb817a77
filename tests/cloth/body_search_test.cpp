// SPDX-License-Identifier: Apache-2.0
// The search for the body's nearest points, against looking at every triangle.
#include "hem/cloth/built_in/body_search.h"

#include <gtest/gtest.h>

#include "hem/character/mannequin/mannequin.h"
#include "hem/cloth/built_in/pose_path.h"
#include "hem/core/random.h"

namespace hem {
namespace {

using built_in::Body;
using built_in::BodyPoint;
using built_in::BodySearch;
using built_in::PosedSkin;

constexpr int kFrames = 6;

// A body that bends all its joints while it walks away.
class BodySearchTest : public testing::Test {
protected:
    const Character character_ = mannequin(Sex::kFemale);
    const Body body_{character_};
    built_in::PosePath path_{character_};

    Pose poseAt(int frame) const {
        Pose pose = restPose(character_.skeleton);
        pose.root_position.z += 0.1f * float(frame);
        for (size_t j = 0; j < pose.rotations.size(); ++j) {
            const float angle = 0.3f * std::sin(float(frame) + float(j));
            pose.rotations[j] = normalized(Quat{1, angle, 0.5f * angle, -0.3f * angle});
        }
        return pose;
    }
    std::vector<Affine> matricesAt(int frame, float time) {
        path_.set(poseAt(frame), poseAt(frame + 1));
        return path_.matricesAt(time);
    }
    void begin(BodySearch& search, int frame) {
        search.begin(matricesAt(frame, 0), matricesAt(frame, 0.5f), matricesAt(frame, 1));
    }
    // Somewhere around the skin, now and then on a corner or an edge of it, where triangles tie.
    BodySearch::Query queryAround(Random& random, PosedSkin& skin, float margin) const {
        const auto any = [&](size_t n) {
            return std::min(uint32_t(random.uniform(0, float(n))), uint32_t(n - 1));
        };
        const auto [i, j, k] = body_.triangles()[any(body_.triangles().size())];
        const uint32_t kind = any(3);
        const Vec3 on = kind == 0   ? skin[i]
                        : kind == 1 ? (skin[i] + skin[j]) * 0.5f
                                    : (skin[i] + skin[j] + skin[k]) / 3;
        const auto vector = [&](float size) {
            return Vec3{random.normal(), random.normal(), random.normal()} * size;
        };
        return {on + vector(any(4) == 0 ? 0 : 0.05f), vector(0.02f), margin};
    }
    // Of triangles that tie, the first.
    BodyPoint byEveryTriangle(size_t part, Vec3 p, float reach, PosedSkin& skin) const {
        BodyPoint best;
        best.squared = reach * reach;
        for (uint32_t t = 0; t < body_.triangles().size(); ++t) {
            if (body_.partOf(t) != part) continue;
            const BodyPoint point = body_.onTriangle(p, t, skin);
            if (point.squared < best.squared) best = point;
        }
        return best;
    }
};

TEST_F(BodySearchTest, FindsWhatLookingAtEveryTriangleFinds) {
    BodySearch search(body_);
    PosedSkin skin(body_);
    Random random(3, "search");
    const float everywhere = 1;  // beyond the longest reach, 0.4 m
    int found_some = 0;
    for (int frame = 0; frame < kFrames; ++frame) {
        begin(search, frame);
        for (const float time : {0.0f, 0.4f, 1.0f}) {
            if (time > 0) search.setTime(time);
            skin.pose(matricesAt(frame, time));
            for (int n = 0; n < 40; ++n) {
                const BodySearch::Query query = queryAround(random, skin, everywhere);
                for (size_t part = 0; part < body_.parts(); ++part) {
                    BodyPoint hint;
                    if (n % 2 == 0) hint = byEveryTriangle(part, query.position, 1e6f, skin);
                    const BodyPoint found = search.nearest(part, query, hint, skin).point;
                    const BodyPoint expected = byEveryTriangle(part, query.position, 0.4f, skin);
                    ASSERT_EQ(found.triangle, expected.triangle) << "part " << part;
                    if (expected.triangle == UINT32_MAX) continue;
                    ASSERT_EQ(found.squared, expected.squared);
                    ++found_some;
                }
            }
        }
    }
    EXPECT_GT(found_some, 1000);
}

// As a simulation that starts from a saved state has to go on bit for bit.
TEST_F(BodySearchTest, FindsTheSameWithBoxesCarriedFromEarlierFrames) {
    BodySearch carried(body_);
    PosedSkin skin(body_), other_skin(body_);
    Random random(4, "search");
    int found_some = 0;
    for (int frame = 0; frame < kFrames; ++frame) {
        BodySearch fresh(body_);
        begin(carried, frame);
        begin(fresh, frame);
        for (const float time : {0.0f, 0.7f, 1.0f}) {
            if (time > 0) carried.setTime(time), fresh.setTime(time);
            skin.pose(matricesAt(frame, time));
            other_skin.pose(matricesAt(frame, time));
            for (int n = 0; n < 200; ++n) {
                const BodySearch::Query query = queryAround(random, skin, 0.02f);
                for (size_t part = 0; part < body_.parts(); ++part) {
                    const auto a = carried.nearest(part, query, {}, skin);
                    const auto b = fresh.nearest(part, query, {}, other_skin);
                    ASSERT_EQ(a.point.triangle, b.point.triangle);
                    if (a.point.triangle == UINT32_MAX) continue;
                    ASSERT_EQ(a.point.squared, b.point.squared);
                    ASSERT_EQ(a.motion, b.motion);
                    ASSERT_TRUE(carried.mayReach(part, query, length(query.motion)));
                    ++found_some;
                }
            }
        }
    }
    EXPECT_GT(found_some, 1000);
}

}  // namespace
}  // namespace hem
