// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/made_to_measure.h"

#include <gtest/gtest.h>

#include <map>

#include "hem/character/formats/character_import.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/core/files.h"
#include "hem/core/random.h"
#include "hem/garment/garment_report.h"
#include "tests/character/t_body.h"
#include "tests/garment/posed_body.h"
#include "tests/shared_data.h"

namespace hem {
namespace {

// What any garment must be before it is simulated.
void expectGoodCloth(const Garment& garment, const Character& body, const std::string& what,
                     double least_angle = 15) {
    SCOPED_TRACE(what);
    const Status valid = validate(garment);
    EXPECT_TRUE(valid) << valid.error().message;
    const GarmentReport r = reportOn(garment, body);
    EXPECT_GT(r.nearest_to_skin, 0.004);
    EXPECT_EQ(r.self_intersections, 0u);
    EXPECT_GT(r.smallest_angle, least_angle);
    EXPECT_GT(r.mean_quality, 0.9);
    EXPECT_GE(r.uv_stretch, 1);
    EXPECT_LT(r.uv_stretch, 1.2);
    EXPECT_GT(r.pinned, 8u);
    EXPECT_LT(r.pinned_share, 0.12);
}

double outwardShare(const Garment& garment, const Character& body) {
    const Vec3 axis = boundsOf(body.mesh.positions).centre();
    double with = 0, all = 0;
    for (const auto& [a, b, c] : garment.mesh.triangles) {
        const std::vector<Vec3>& p = garment.mesh.positions;
        const Vec3 n = cross(p[b] - p[a], p[c] - p[a]);
        Vec3 away = (p[a] + p[b] + p[c]) / 3 - axis;
        away.y = 0;
        with += dot(n, away) > 0 ? double(length(n)) : 0;
        all += double(length(n));
    }
    return with / all;
}

class EveryKind : public testing::TestWithParam<std::string> {};
std::vector<std::string> kindNames() {
    std::vector<std::string> names;
    for (const GarmentKind& kind : garmentKinds()) names.push_back(kind.name);
    return names;
}
INSTANTIATE_TEST_SUITE_P(Kinds, EveryKind, testing::ValuesIn(kindNames()),
                         [](const auto& kind) { return kind.param; });

size_t loopsOf(const std::string& kind) {
    const std::map<std::string, size_t> loops = {
        {"skirt", 2}, {"long_skirt", 2},    {"evening_dress", 2}, {"poncho", 2},
        {"pants", 3}, {"jeans", 3},         {"cape", 1},          {"coat", 3},
        {"vest", 3},  {"cocktail_dress", 6}};
    const auto found = loops.find(kind);
    return found == loops.end() ? 4 : found->second;
}

TEST_P(EveryKind, IsGoodClothOfTheCountAskedForOnTheMannequin) {
    const Character body = mannequin(Sex::kFemale);
    const GarmentKind& kind = *std::find_if(garmentKinds().begin(), garmentKinds().end(),
                                            [](const auto& k) { return k.name == GetParam(); });
    const size_t wanted = std::min<size_t>(kind.vertices, 4000);
    const auto garment = makeGarment(body, kind.name, {.vertices = wanted});
    ASSERT_TRUE(garment) << garment.error().message;
    EXPECT_EQ(garment->name, kind.name);
    EXPECT_EQ(garment->fabric.name, kind.fabric);
    EXPECT_NEAR(double(garment->mesh.positions.size()), double(wanted), 0.02 * double(wanted));
    expectGoodCloth(*garment, body, kind.name);
    const GarmentReport r = reportOn(*garment, body);
    EXPECT_EQ(r.components, kind.name == "cocktail_dress" ? 2u : 1u);
    EXPECT_EQ(r.boundary_loops, loopsOf(kind.name));
    EXPECT_GT(outwardShare(*garment, body), 0.7);
}

TEST(MadeToMeasure, IsSymmetricToTheBit) {
    for (const char* kind : {"dress", "shirt", "pants", "coat"}) {
        const auto garment = makeGarment(mannequin(Sex::kMale), kind, {.vertices = 1200});
        ASSERT_TRUE(garment) << garment.error().message;
        std::map<std::array<float, 3>, float> pins;
        for (size_t v = 0; v < garment->pins.size(); ++v) {
            const Vec3 p = garment->mesh.positions[v];
            pins[{p.x, p.y, p.z}] = garment->pins[v];
        }
        for (const auto& [p, pin] : pins) {
            const auto partner = pins.find({-p[0], p[1], p[2]});
            ASSERT_NE(partner, pins.end()) << kind;
            EXPECT_EQ(partner->second, pin);
        }
    }
}

TEST(MadeToMeasure, HasTheDressInAllTheCountsOfThePaper) {
    const Character body = mannequin(Sex::kFemale);
    for (const size_t wanted : {766u, 3410u, 5178u}) {
        const auto dress = makeGarment(body, "dress", {.vertices = wanted});
        ASSERT_TRUE(dress) << dress.error().message;
        EXPECT_NEAR(double(dress->mesh.positions.size()), double(wanted), 0.02 * double(wanted));
        expectGoodCloth(*dress, body, std::to_string(wanted));
    }
}

TEST(SlowMadeToMeasure, HasTheFinestDressAndTheRobe) {
    const Character body = mannequin(Sex::kFemale);
    for (const auto& [kind, wanted] : {std::pair("dress", 20530u), std::pair("robe", 29654u)}) {
        const auto garment = makeGarment(body, kind, {.vertices = wanted});
        ASSERT_TRUE(garment) << garment.error().message;
        EXPECT_NEAR(double(garment->mesh.positions.size()), double(wanted), 0.02 * double(wanted));
        expectGoodCloth(*garment, body, kind);
    }
}

// Whoever changes the dress's cut on purpose pins the new hash; on another machine or compiler the
// old one must come out.
TEST(MadeToMeasure, HasTheSameBitsEverywhere) {
    const auto dress = makeGarment(mannequin(Sex::kFemale), "dress");
    ASSERT_TRUE(dress);
    uint64_t hash =
        hashBytes(dress->mesh.positions.data(), dress->mesh.positions.size() * sizeof(Vec3));
    hash = hashBytes(dress->mesh.triangles.data(), dress->mesh.triangles.size() * sizeof(Triangle),
                     hash);
    hash = hashBytes(dress->corner_uvs.data(), dress->corner_uvs.size() * sizeof(Vec2), hash);
    hash = hashBytes(dress->pins.data(), dress->pins.size() * sizeof(float), hash);
    EXPECT_EQ(hash, 0xaca7a27c30bbc373u) << std::hex << "0x" << hash;
}

TEST(MadeToMeasure, TheDressHasAFittedWaistAndAFullHemAtTheKnee) {
    const Character body = mannequin(Sex::kFemale);
    const auto dress = makeGarment(body, "dress", {.vertices = 3000});
    ASSERT_TRUE(dress);
    const Bounds bounds = boundsOf(dress->mesh.positions);
    EXPECT_NEAR(bounds.low.y, 0.47, 0.05);
    auto width = [&](float low, float high) {
        float most = 0;
        for (const Vec3 p : dress->mesh.positions)
            if (p.y > low && p.y < high) most = std::max(most, 2 * p.x);
        return most;
    };
    EXPECT_LT(width(1.03f, 1.06f), 0.32f);                       // waist
    EXPECT_GT(width(bounds.low.y, bounds.low.y + 0.02f), 0.5f);  // hem
    EXPECT_LT(bounds.high.y, 1.46f);                             // below the chin
    EXPECT_GT(bounds.high.y, 1.34f);                             // and over the shoulders
}

TEST(MadeToMeasure, TheOverskirtStaysOutsideTheDress) {
    const auto dress = makeGarment(mannequin(Sex::kFemale), "cocktail_dress");
    ASSERT_TRUE(dress);
    const Topology topology = topologyOf(dress->mesh);
    EXPECT_EQ(topology.components, 2u);
    EXPECT_EQ(reportOn(*dress, mannequin(Sex::kFemale)).self_intersections, 0u);
}

TEST(MadeToMeasure, FitsArmsThatHangAndArmsThatAreRaised) {
    for (const float degrees : {-22.0f, 45.0f}) {
        const Character body = withArmsRaised(mannequin(Sex::kMale), degrees);
        for (const char* kind : {"dress", "shirt", "vest"}) {
            const auto garment = makeGarment(body, kind, {.vertices = 1500});
            ASSERT_TRUE(garment) << garment.error().message;
            expectGoodCloth(*garment, body, std::string(kind) + " at " + std::to_string(degrees),
                            10);
        }
    }
}

TEST(MadeToMeasure, FitsRealCharacters) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    for (const char* file : {"/characters/makehuman_female/female_cmu_mb.glb",
                             "/characters/makehuman_male/male_cmu_mb.glb",
                             "/characters/male_base_mesh/male_base_mesh.glb"}) {
        const auto body = loadCharacter(sharedData() + file);
        ASSERT_TRUE(body) << body.error().message;
        for (const char* kind : {"dress", "coat"}) {
            const auto garment = makeGarment(*body, kind);
            ASSERT_TRUE(garment) << garment.error().message;
            expectGoodCloth(*garment, *body, file + std::string(" ") + kind);
        }
    }
}

std::string messageOf(const Result<Garment>& result) {
    return result ? "no error" : result.error().message;
}

TEST(MadeToMeasure, SaysWhatItCannotMake) {
    const Character body = mannequin(Sex::kFemale);
    EXPECT_NE(messageOf(makeGarment(body, "drss")).find("there are dress"), std::string::npos);
    EXPECT_NE(messageOf(makeGarment(body, "dress", {.fabric = "tin"})).find("silk"),
              std::string::npos);
    EXPECT_NE(messageOf(makeGarment(body, "dress", {.vertices = 50})).find("the least is"),
              std::string::npos);
    EXPECT_NE(messageOf(makeGarment(body, "dress", {.vertices = 10000000})).find("the most"),
              std::string::npos);
    EXPECT_NE(messageOf(makeGarment(tBody(), "dress")).find("cannot be measured"),
              std::string::npos);
    Character stick = body;
    stick.mesh = {};
    EXPECT_NE(messageOf(makeGarment(stick, "dress")).find("no mesh"), std::string::npos);
}

}  // namespace
}  // namespace hem
