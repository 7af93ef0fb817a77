// SPDX-License-Identifier: Apache-2.0
#include "hem/garment/own_garment.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hem/character/formats/character_import.h"
#include "hem/character/formats/glb_export.h"
#include "hem/character/mannequin/mannequin.h"
#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/garment/garment_report.h"
#include "hem/garment/made_to_measure.h"
#include "tests/shared_data.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

class OwnGarment : public testing::Test {
protected:
    static void SetUpTestSuite() {
        body_ = new Character(mannequin(Sex::kFemale));
        skirt_ = new Garment(*makeGarment(*body_, "skirt", {.vertices = 400}));
    }
    static void TearDownTestSuite() {
        delete body_;
        delete skirt_;
    }

    // The skirt as OBJ: triangles with a pinned corner in the group "band", the others in "cloth".
    std::string obj(bool turned = false, float scale = 1) const {
        std::string text;
        for (const Vec3 p : skirt_->mesh.positions)
            text += format("v %.9g %.9g %.9g\n", double(p.x * scale), double(p.y * scale),
                           double(p.z * scale));
        for (const auto& [a, b, c] : skirt_->mesh.triangles) {
            const bool band = skirt_->pins[a] + skirt_->pins[b] + skirt_->pins[c] > 0;
            text += format("g %s\nf %u %u %u\n", band ? "band" : "cloth", a + 1,
                           (turned ? c : b) + 1, (turned ? b : c) + 1);
        }
        return text;
    }
    Result<Garment> load(const std::string& text, const PinRules& rules) const {
        EXPECT_TRUE(writeFile(folder_.path("skirt.obj"), text));
        return loadGarment(folder_.path("skirt.obj"), *body_, *findFabric("wool"), rules);
    }
    std::string faultOf(const std::string& text, const PinRules& rules) const {
        const auto garment = load(text, rules);
        return garment ? "none" : garment.error().message;
    }

    static Character* body_;
    static Garment* skirt_;
    TemporaryFolder folder_;
};
Character* OwnGarment::body_ = nullptr;
Garment* OwnGarment::skirt_ = nullptr;

TEST_F(OwnGarment, IsReadFromObjAndPinnedByGroup) {
    const auto garment = load(obj(), {.groups = {"band"}, .strength = 0.75f});
    ASSERT_TRUE(garment) << garment.error().message;
    EXPECT_EQ(garment->name, "skirt");
    EXPECT_EQ(garment->fabric.name, "wool");
    EXPECT_EQ(garment->mesh.positions.size(), skirt_->mesh.positions.size());
    EXPECT_EQ(garment->mesh.triangles.size(), skirt_->mesh.triangles.size());
    const size_t pinned = size_t(std::count(garment->pins.begin(), garment->pins.end(), 0.75f));
    EXPECT_GT(pinned, 10u);
    EXPECT_LT(pinned, 60u);
    for (size_t v = 0; v < garment->pins.size(); ++v)
        EXPECT_TRUE(garment->pins[v] == 0 || garment->mesh.positions[v].y > 1.0f);
}

TEST_F(OwnGarment, IsPinnedWhereItIsNearTheSkinOfJoints) {
    const auto garment =
        load(obj(), {.near_joints = {"LowerBack", "Spine", "Hips"}, .near_distance = 0.015f});
    ASSERT_TRUE(garment) << garment.error().message;
    const auto pinned = std::count(garment->pins.begin(), garment->pins.end(), 1.0f);
    EXPECT_GT(pinned, 10);
    EXPECT_LT(pinned, long(garment->pins.size()) / 2);
    EXPECT_NE(faultOf(obj(), {.near_joints = {"Hipps"}}).find("'Hips'"), std::string::npos);
    EXPECT_NE(faultOf(obj(), {.near_joints = {"LeftHand"}}).find("LeftHand"), std::string::npos);
    EXPECT_NE(faultOf(obj(), {.near_joints = {"Hips"}, .near_distance = 0.0001f})
                  .find("the nearest vertex is"),
              std::string::npos);
}

TEST_F(OwnGarment, IsPinnedByTheRedOfItsColours) {
    std::string text = obj();
    EXPECT_NE(faultOf(text, {.by_color = true}).find("no colours"), std::string::npos);
    std::string colored;
    size_t v = 0;
    for (const Vec3 p : skirt_->mesh.positions)
        colored += format("v %.9g %.9g %.9g %g 0 0\n", double(p.x), double(p.y), double(p.z),
                          v++ == 7 ? 0.25 : 0.0);
    const auto garment = load(colored + text.substr(text.find("g ")), {.by_color = true});
    ASSERT_TRUE(garment) << garment.error().message;
    EXPECT_EQ(std::count(garment->pins.begin(), garment->pins.end(), 0.25f), 1);
    EXPECT_EQ(std::count(garment->pins.begin(), garment->pins.end(), 0.0f),
              long(garment->pins.size()) - 1);
}

TEST_F(OwnGarment, ComesAsGltfWithColours) {
    Character cloth;
    cloth.name = "skirt";
    cloth.skeleton.joints.push_back({"Root", kNoParent, {}});
    cloth.mesh.positions = skirt_->mesh.positions;
    cloth.mesh.triangles = skirt_->mesh.triangles;
    for (const float pin : skirt_->pins) cloth.mesh.colors.push_back({pin, 0, 0});
    cloth.skin =
        makeSkin(std::vector<std::vector<Influence>>(cloth.mesh.positions.size(), {{0, 1.0f}}),
                 inverseRestMatrices(cloth.skeleton));
    ASSERT_TRUE(saveGlb(folder_.path("skirt.glb"), cloth));
    const auto garment =
        loadGarment(folder_.path("skirt.glb"), *body_, *findFabric("silk"), {.by_color = true});
    ASSERT_TRUE(garment) << garment.error().message;
    EXPECT_EQ(garment->mesh.positions.size(), skirt_->mesh.positions.size());
    EXPECT_EQ(std::count(garment->pins.begin(), garment->pins.end(), 1.0f),
              std::count(skirt_->pins.begin(), skirt_->pins.end(), 1.0f));
    const auto by_name =
        loadGarment(folder_.path("skirt.glb"), *body_, *findFabric("silk"), {.groups = {"bodice"}});
    ASSERT_FALSE(by_name);
    EXPECT_NE(by_name.error().message.find("there are"), std::string::npos);
}

TEST_F(OwnGarment, FacesOutwardsWhicheverWayTheFileWasWound) {
    const auto straight = load(obj(false), {}), turned = load(obj(true), {});
    ASSERT_TRUE(straight && turned);
    auto volume = [](const Garment& g) { return signedVolume(g.mesh); };
    EXPECT_GT(volume(*straight) * volume(*turned), 0);
}

TEST_F(OwnGarment, VerticesThatSeamsSplitAreMerged) {
    std::string text;
    for (const auto& [a, b, c] : skirt_->mesh.triangles)
        for (const uint32_t v : {a, b, c}) {
            const Vec3 p = skirt_->mesh.positions[v];
            text += format("v %.9g %.9g %.9g\n", double(p.x), double(p.y), double(p.z));
        }
    for (size_t t = 0; t < skirt_->mesh.triangles.size(); ++t)
        text += format("f %zu %zu %zu\n", 3 * t + 1, 3 * t + 2, 3 * t + 3);
    const auto garment = load(text, {});
    ASSERT_TRUE(garment) << garment.error().message;
    EXPECT_EQ(garment->mesh.positions.size(), skirt_->mesh.positions.size());
    EXPECT_EQ(topologyOf(garment->mesh).components, 1u);
}

TEST_F(OwnGarment, IsPinnedAtItsHighestOpening) {
    const auto garment = load(obj(), {.openings = {"top"}});
    ASSERT_TRUE(garment) << garment.error().message;
    const Bounds bounds = boundsOf(garment->mesh.positions);
    size_t pinned = 0;
    for (size_t v = 0; v < garment->pins.size(); ++v) {
        if (garment->pins[v] == 0) continue;
        ++pinned;
        EXPECT_GT(garment->mesh.positions[v].y, bounds.high.y - 0.06f);
    }
    EXPECT_GT(pinned, 10u);
    const auto low = load(obj(), {.openings = {"bottom"}});
    ASSERT_TRUE(low) << low.error().message;
    for (size_t v = 0; v < low->pins.size(); ++v) {
        if (low->pins[v] > 0) {
            EXPECT_LT(low->mesh.positions[v].y, bounds.low.y + 0.06f);
        }
    }
    EXPECT_NE(faultOf(obj(), {.openings = {"left"}}).find("\"top\""), std::string::npos);
}

TEST_F(OwnGarment, IsLetOutWhereItReachesIntoTheSkin) {
    Garment tight = *skirt_;
    for (Vec3& p : tight.mesh.positions) p.x *= 0.93f, p.z *= 0.93f;
    ASSERT_TRUE(writeFile(folder_.path("skirt.obj"), garmentObjText(tight)));
    ImportNotes notes;
    const auto loaded = [&](float ease) {
        return loadGarment(folder_.path("skirt.obj"), *body_, *findFabric("wool"), {}, ease,
                           &notes);
    };
    const auto as_it_is = loaded(0);
    ASSERT_TRUE(as_it_is) << as_it_is.error().message;
    EXPECT_LT(reportOn(*as_it_is, *body_).nearest_to_skin, 0);
    EXPECT_EQ(notes.let_out.moved, 0u);
    const auto eased = loaded(0.008f);
    ASSERT_TRUE(eased) << eased.error().message;
    EXPECT_GT(reportOn(*eased, *body_).nearest_to_skin, 0.0075);
    EXPECT_GT(notes.let_out.moved, 10u);
    EXPECT_GT(notes.let_out.area, 0);
    EXPECT_FALSE(loaded(-1));
}

TEST_F(OwnGarment, WithEnoughEaseIsLeftAsItIs) {
    ImportNotes notes;
    ASSERT_TRUE(writeFile(folder_.path("skirt.obj"), obj()));
    ASSERT_TRUE(loadGarment(folder_.path("skirt.obj"), *body_, *findFabric("wool"), {}, kUsualEase,
                            &notes));
    EXPECT_EQ(notes.let_out.moved, 0u);
    EXPECT_EQ(notes.merged, 0u);
}

TEST(LetOut, KeepsTheLayersOfATurnedHemApart) {
    // A strip over a floor: level 10 mm above it, then turned under to 2 mm above.
    const Mesh floor{.positions = {{-1, 0, -1}, {-1, 0, 1}, {1, 0, 1}, {1, 0, -1}},
                     .triangles = {{0, 1, 2}, {0, 2, 3}}};
    Mesh strip;
    for (const Vec3 p : {Vec3{0, 0.010f, 0}, Vec3{0.03f, 0.010f, 0}, Vec3{0.03f, 0.002f, 0}})
        for (const float z : {0.0f, 0.02f}) strip.positions.push_back(p + Vec3{0, 0, z});
    strip.triangles = {{0, 1, 3}, {0, 3, 2}, {2, 3, 5}, {2, 5, 4}};
    const LetOut done = letOut(strip, SurfaceTree(floor), 0.010f);
    EXPECT_NEAR(strip.positions[4].y, 0.010f, 1e-4f);
    EXPECT_GT(strip.positions[2].y - strip.positions[4].y, 0.007f);
    EXPECT_NEAR(done.nearest, 0.010f, 2e-4f);
}

TEST_F(OwnGarment, SaysWhatIsWrong) {
    EXPECT_NE(faultOf(obj(false, 100), {}).find("nowhere near"), std::string::npos);
    EXPECT_NE(faultOf(obj(), {.groups = {"bnd"}}).find("'band'"), std::string::npos);
    EXPECT_NE(faultOf(obj(), {.groups = {"band"}, .strength = 2}).find("strength"),
              std::string::npos);
    EXPECT_NE(faultOf(obj() + "f 1 2 3\nf 1 2 4\nf 1 2 5\n", {}).find("edges are shared"),
              std::string::npos);
    EXPECT_NE(faultOf("v 0 0 0\n", {}).find("no faces"), std::string::npos);
    EXPECT_FALSE(loadGarment(folder_.path("none.obj"), *body_, *findFabric("silk"), {}));
    EXPECT_NE(loadGarment("skirt.stl", *body_, *findFabric("silk"), {})
                  .error()
                  .message.find(".obj, .glb or .gltf"),
              std::string::npos);
}

TEST_F(OwnGarment, RealOnesLoad) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    for (const std::string sex : {"female", "male"}) {
        const auto body = loadCharacter(sharedData() + "/characters/makehuman_" + sex + "/" + sex +
                                        "_cmu_mb.glb");
        ASSERT_TRUE(body) << body.error().message;
        const auto files = listFiles(sharedData() + "/garments", ".obj");
        ASSERT_TRUE(files);
        for (const std::string& file : *files) {
            const std::string path =
                file.find('/') == file.npos ? sharedData() + "/garments/" + file : file;
            if (stemOf(path).rfind(sex + "_", 0) != 0) continue;
            const auto garment = loadGarment(path, *body, *findFabric("cotton"), {});
            ASSERT_TRUE(garment) << garment.error().message;
            EXPECT_GT(reportOn(*garment, *body).nearest_to_skin, -0.002) << path;
        }
    }
}

}  // namespace
}  // namespace hem
