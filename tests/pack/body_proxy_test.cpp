// SPDX-License-Identifier: Apache-2.0
// The proxy of a body is where its skin is, in poses that it was not fitted to.
#include "hem/pack/body_proxy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/portable_math.h"
#include "hem/core/surface_tree.h"

namespace hem {
namespace {

std::vector<Affine> walkingJoints(const Character& body, float phase) {
    Pose pose = restPose(body.skeleton);
    for (const char* side : {"Left", "Right"}) {
        const double shift = side[0] == 'L' ? 0 : 3.14159;
        const float swing = float(portable::sin(double(phase) + shift));
        pose.rotations[size_t(body.skeleton.find(std::string(side) + "UpLeg"))] =
            portable::fromAxisAngle({1, 0, 0}, 0.7f * swing);
        pose.rotations[size_t(body.skeleton.find(std::string(side) + "Leg"))] =
            portable::fromAxisAngle({1, 0, 0}, 0.5f + 0.5f * swing);
    }
    std::vector<Affine> joints(body.skeleton.size());
    skinningMatrices(body.skeleton, pose, body.skin.joint_from_rest.data(), joints.data());
    return joints;
}

// Cloth that lies on the hips and thighs, 4 mm above every other vertex of the skin.
struct Worn {
    Character body = mannequin(Sex::kFemale);
    std::vector<uint32_t> under;

    // Not between the thighs, where there is no room for it.
    Worn() {
        for (uint32_t v = 0; v < body.mesh.positions.size(); v += 2) {
            const Vec3 p = body.mesh.positions[v];
            if (p.y > 0.6f && p.y < 1.15f && std::abs(p.x) < 0.24f) under.push_back(v);
        }
        const std::vector<Vec3> skin_at_rest = skin(0), tips = above(0, 1);
        std::vector<uint32_t> kept;
        for (size_t i = 0; i < under.size(); ++i) {
            const Vec3 p = skin_at_rest[under[i]];
            if ((tips[i] - p).x * p.x > -0.3f * std::abs(p.x)) kept.push_back(under[i]);
        }
        under = kept;
    }
    std::vector<Vec3> skin(float phase) const {
        std::vector<Vec3> result(body.mesh.positions.size());
        skinLinear(body.skin, body.mesh.positions.data(), walkingJoints(body, phase).data(),
                   result.data());
        return result;
    }
    std::vector<Vec3> above(float phase, float height) const {
        SurfaceTree tree(body.mesh);
        tree.refit(skin(phase));
        std::vector<Vec3> normals(body.mesh.positions.size());
        for (const auto& [a, b, c] : body.mesh.triangles) {
            const auto& p = tree.positions();
            const Vec3 n = cross(p[b] - p[a], p[c] - p[a]);
            for (const uint32_t v : {a, b, c}) normals[v] = normals[v] + n;
        }
        std::vector<Vec3> cloth;
        for (const uint32_t v : under)
            cloth.push_back(tree.positions()[v] + normalized(normals[v], {0, 1, 0}) * height);
        return cloth;
    }
    BodyFrame frame(float phase) const {
        return {walkingJoints(body, phase), above(phase, 0.004f), {}};
    }
};

double distanceBy(const BodyProxy& proxy, const std::vector<Affine>& joints, Vec3 x) {
    double weight = 0, sum = 0;
    for (const BodyProxy::Point& p : proxy.points) {
        Vec3 centre{}, tip{};
        for (const Influence& i : p.influences) {
            centre = centre + transformPoint(joints[size_t(i.joint)], p.centre) * i.weight;
            tip = tip + transformPoint(joints[size_t(i.joint)], p.centre + p.normal) * i.weight;
        }
        const double t =
            std::max(0.0, 1 - double(lengthSquared(x - centre) / (proxy.reach * proxy.reach)));
        const double g = t * t * t * t;
        weight += g;
        sum += g * double(dot(tip - centre, x - centre) - p.offset);
    }
    return weight > 1e-12 ? sum / weight : 1;
}

class BodyProxyTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        worn_ = new Worn;
        std::vector<BodyFrame> frames;
        for (int i = 0; i < 12; ++i) frames.push_back(worn_->frame(0.5236f * float(i)));
        proxy_ = new BodyProxy(fitBodyProxy(worn_->body, frames));
    }
    static void TearDownTestSuite() {
        delete worn_;
        delete proxy_;
    }
    static Worn* worn_;
    static BodyProxy* proxy_;
};
Worn* BodyProxyTest::worn_ = nullptr;
BodyProxy* BodyProxyTest::proxy_ = nullptr;

TEST_F(BodyProxyTest, EveryVertexThatTouchesIsInOneTile) {
    std::multiset<uint32_t> seen;
    for (const BodyProxy::Tile& tile : proxy_->tiles) {
        EXPECT_GE(tile.size(), 1u);
        EXPECT_LE(tile.size(), 16u);
        seen.insert(tile.begin(), tile.end());
    }
    EXPECT_EQ(seen.size(), worn_->under.size());
    EXPECT_EQ(std::set<uint32_t>(seen.begin(), seen.end()).size(), seen.size());
    EXPECT_LE(proxy_->points.size(), 700u);
}

TEST_F(BodyProxyTest, ClothThatLiesNearerThanAskedInTrainingIsNotKeptFarther) {
    EXPECT_NEAR(proxy_->distance, 0.004, 5e-4);
    BodyFrame tight = worn_->frame(0);
    tight.cloth = worn_->above(0, 0.001f);
    const float kept = fitBodyProxy(worn_->body, {tight}).distance;
    EXPECT_LE(kept, 0.0011f);
    EXPECT_GE(kept, 0.0005f);
}

TEST_F(BodyProxyTest, SkinIsWhereItIsInPosesThatItWasNotFittedTo) {
    std::vector<double> errors;
    for (const float phase : {0.3f, 1.9f, 4.4f}) {
        const std::vector<Affine> joints = walkingJoints(worn_->body, phase);
        SurfaceTree tree(worn_->body.mesh);
        tree.refit(worn_->skin(phase));
        for (const float height : {-0.008f, 0.0f, 0.004f}) {
            const std::vector<Vec3> cloth = worn_->above(phase, height);
            for (const BodyProxy::Tile& tile : proxy_->tiles)
                for (const uint32_t v : tile) {
                    const double truth = double(tree.signedDistance(cloth[v]));
                    // where thighs touch, the nearest skin is not the one below
                    if (std::abs(truth - double(height)) > 0.002) continue;
                    errors.push_back(std::abs(distanceBy(*proxy_, joints, cloth[v]) - truth));
                }
        }
    }
    ASSERT_GT(errors.size(), 3000u);
    std::sort(errors.begin(), errors.end());
    EXPECT_LT(errors[errors.size() / 2], 0.001);
    EXPECT_LT(errors[errors.size() * 95 / 100], 0.004);
}

// The skin of the left leg passes, but through what is worn on it, the hip's cloth.
TEST_F(BodyProxyTest, SkinThatPassesIsLookedAtOnlyByWhatIsWornOnIt) {
    const std::vector<Vec3>& skin = worn_->body.mesh.positions;
    BodyProxyOptions options;
    for (const Vec3 p : skin) options.passing_skin.push_back(p.x > 0);
    for (const uint32_t v : worn_->under) options.worn_on_it.push_back(skin[v].y > 1);
    const BodyProxy proxy = fitBodyProxy(worn_->body, {worn_->frame(0), worn_->frame(2)}, options);
    ASSERT_GT(proxy.worn_tiles, 0u);
    ASSERT_LT(proxy.worn_tiles, proxy.tiles.size());
    for (size_t tile = 0; tile < proxy.tiles.size(); ++tile)
        for (const uint32_t v : proxy.tiles[tile])
            EXPECT_EQ(options.worn_on_it[v], tile < proxy.worn_tiles);
    ASSERT_GT(proxy.common_points, 0u);
    ASSERT_LT(proxy.common_points, proxy.points.size());
    for (size_t k = 0; k < proxy.points.size(); ++k) {
        const Vec3 on_skin = proxy.points[k].centre + proxy.points[k].normal * 0.02f;
        if (std::abs(on_skin.x) < 0.001f) continue;
        EXPECT_EQ(on_skin.x > 0, k >= proxy.common_points);
        EXPECT_TRUE(on_skin.x < 0 || on_skin.y > 0.9f);  // below nothing is worn on it
    }
    EXPECT_EQ(proxy_->common_points, proxy_->points.size());
    EXPECT_EQ(proxy_->worn_tiles, 0u);
}

TEST_F(BodyProxyTest, AGarmentFarFromTheBodyHasNoTiles) {
    BodyFrame frame = worn_->frame(0);
    for (Vec3& p : frame.cloth) p.z += 2;
    const BodyProxy proxy = fitBodyProxy(worn_->body, {frame});
    EXPECT_TRUE(proxy.tiles.empty());
    EXPECT_TRUE(proxy.points.empty());
}

}  // namespace
}  // namespace hem
