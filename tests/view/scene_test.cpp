// SPDX-License-Identifier: Apache-2.0
#include "hem/view/scene.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "hem/character/mannequin/mannequin.h"
#include "hem/core/files.h"
#include "hem/core/npy.h"
#include "hem/models/stable_space/baselines.h"
#include "hem/pack/unpack.h"
#include "tests/eval/known_garment.h"

namespace hem {
namespace {

using Json = nlohmann::json;

std::string textOf(const Content& content) {
    return {reinterpret_cast<const char*>(content.bytes.data()), content.bytes.size()};
}

// A whole scene, as the page gets it.
class SceneTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        folder = new TemporaryFolder;
        const auto bytes = knownGarment();
        ASSERT_TRUE(writeFile(folder->path("tube.hem"), bytes));
        ASSERT_TRUE(writeFile(folder->path("again.hem"), bytes));
        const auto set = RecordingSet::create(folder->path("set"), knownScene(), "");
        ASSERT_TRUE(set);
        const auto still = [](size_t, size_t) { return Vec3{}; };
        const RecordedClip clip = offClip("walk", straightWalk(20), still);
        ASSERT_TRUE(set->add(clip));
        ASSERT_TRUE(set->add(offStop(clip, 1, 5, 8, still)));
        auto garments = readGarmentFiles({folder->path("tube.hem"), folder->path("again.hem")});
        ASSERT_TRUE(garments) << garments.error().message;
        auto character = characterOf(*garments, {*set}, "");
        ASSERT_TRUE(character) << character.error().message;
        Motion motion{.name = "made", .skeleton = character->skeleton, .frames = straightWalk(4)};
        auto made = ViewScene::make({std::move(*garments), *character, {*set}, {"walk"}, {motion}});
        ASSERT_TRUE(made) << made.error().message;
        scene = new ViewScene(std::move(*made));
        json = Json::parse(textOf(scene->at("/scene.json")));
    }
    static void TearDownTestSuite() {
        delete scene;
        delete folder;
    }

    // The array that the JSON names.
    template <class T>
    static std::vector<T> array(const Json& address, std::vector<size_t> shape) {
        const Content content = scene->at(address.get<std::string>());
        const auto npy = parseNpy(content.bytes, address.get<std::string>());
        if (!npy) return ADD_FAILURE() << npy.error().message, std::vector<T>();
        EXPECT_EQ(npy->header.shape, shape) << address;
        std::vector<T> values(npy->data.size() / sizeof(T));
        std::memcpy(values.data(), npy->data.data(), npy->data.size());
        return values;
    }

    static inline TemporaryFolder* folder;
    static inline ViewScene* scene;
    static inline Json json;
};

// What the page does with the arrays, in a few lines.
std::vector<Vec3> skinnedByThePage(const std::vector<Affine>& matrices,
                                   const std::vector<Vec3>& rest,
                                   const std::vector<uint16_t>& joints,
                                   const std::vector<float>& weights) {
    std::vector<Vec3> out(rest.size());
    for (size_t v = 0; v < rest.size(); ++v)
        for (size_t i = 4 * v; i < 4 * v + 4; ++i)
            out[v] += transformPoint(matrices[joints[i]], rest[v]) * weights[i];
    return out;
}

std::vector<Affine> matricesOfThePage(const Json& joints, const float* turns, Vec3 root,
                                      const std::vector<Affine>& inverse_bind) {
    std::vector<Affine> world, matrices;
    for (size_t j = 0; j < joints.size(); ++j) {
        const float* q = turns + 4 * j;
        const Json& t = joints[j]["translation"];
        const int parent = joints[j]["parent"];
        const Vec3 at = parent < 0 ? root : Vec3{t[0], t[1], t[2]};
        const Affine local = Affine::from(toMatrix({q[3], q[0], q[1], q[2]}), at);
        world.push_back(parent < 0 ? local : world[size_t(parent)] * local);
        matrices.push_back(world[j] * inverse_bind[j]);
    }
    return matrices;
}

// Of Model N: six joints carry every vertex of the tube, and the network always says the same.
std::vector<std::byte> carriedGarment() {
    const ClothScene scene = knownScene();
    const Mesh& mesh = scene.garments[0].mesh;
    const auto n = Eigen::Index(mesh.positions.size());
    const std::vector<Influence> six = {{0, 0.3f}, {1, 0.1f},   {2, 0.05f},
                                        {5, 0.2f}, {10, 0.15f}, {14, 0.2f}};
    NeuralModel model;
    const int joints[] = {1};
    model.rotations = jointRotations(scene.character, joints);
    model.range = {VectorF::Zero(4), VectorF::Ones(4), -VectorF::Ones(4), VectorF::Ones(4)};
    model.layers = {{MatrixF::Zero(2, 4), VectorF{{0.7f, -0.4f}}}};
    model.subspace.mean = VectorF::LinSpaced(3 * n, -0.1f, 0.2f);
    model.subspace.basis = MatrixF::Zero(3 * n, 2);
    for (Eigen::Index i = 0; i < 3 * n; ++i) {
        model.subspace.basis(i, 0) = 0.1f * float(i % 5);
        model.subspace.basis(i, 1) = 0.1f * float(i % 7);
    }
    model.subspace.variance = VectorD::Ones(2);
    model.output_limit = VectorF::Ones(2);
    const std::vector<std::vector<Influence>> carried(size_t(n), six);
    const auto bytes =
        pack(scene.character, mesh, makeSkin(carried, scene.character.skin.joint_from_rest, 8),
             model, MatrixF::Ones(2, 1),
             {.encoding = BasisEncoding::kFloat32, .info_json = R"({"model": "N"})"});
    EXPECT_TRUE(bytes) << (bytes ? "" : bytes.error().message);
    return bytes ? *bytes : std::vector<std::byte>();
}

TEST_F(SceneTest, ModelNIsRebuiltFromWhatThePageGets) {
    const auto bytes = carriedGarment();
    ASSERT_TRUE(writeFile(folder->path("n.hem"), bytes));
    auto garments = readGarmentFiles({folder->path("n.hem"), folder->path("tube.hem")});
    ASSERT_TRUE(garments) << garments.error().message;
    const Character body = toyBody();
    const auto made = ViewScene::make({std::move(*garments), body, {}, {}, {}});
    ASSERT_TRUE(made) << made.error().message;
    const Json g = Json::parse(textOf(made->at("/scene.json")))["garments"][0];
    EXPECT_EQ(g["models"][0]["label"], "N, of the 2021 paper");
    EXPECT_TRUE(g["models"][1]["carried"].is_null());
    EXPECT_EQ(g["rest"], g["carried"]["rest"]);  // plain skinning, without recordings
    const auto numbers = [&]<class T>(const Json& address, T) {
        const Content content = made->at(address.get<std::string>());
        const auto npy = parseNpy(content.bytes, address.get<std::string>());
        EXPECT_TRUE(npy) << address;
        std::vector<T> values(npy->data.size() / sizeof(T));
        std::memcpy(values.data(), npy->data.data(), npy->data.size());
        return values;
    };
    const Json& carried = g["carried"];
    const auto rest = numbers(carried["rest"], Vec3{}), mean = numbers(g["mean"], Vec3{}),
               basis = numbers(g["basis"], Vec3{});
    const auto joints = numbers(carried["skin_joints"], uint16_t{});
    const auto weights = numbers(carried["skin_weights"], 0.0f);
    ASSERT_EQ(joints.size(), 8 * rest.size());

    Pose pose = restPose(body.skeleton);
    pose.rotations[0] = fromAxisAngle({0, 1, 0}, 0.8f);
    pose.rotations[1] = fromAxisAngle({1, 0, 0}, 0.3f);
    pose.root_position += Vec3{1, 0.1f, -2};
    std::vector<Affine> matrices(body.skeleton.size());
    skinningMatrices(body.skeleton, pose, body.skin.joint_from_rest.data(), matrices.data());
    const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), nullptr);
    std::vector<std::byte> state(hem_stateSize(garment));
    std::vector<Vec3> played(rest.size());
    float y[2] = {};
    hem_Batch batch{};
    batch.count = 1;
    batch.states = state.data();
    batch.joints = &matrices[0].m[0][0];
    batch.positions = &played[0].x;
    batch.weights = y;
    hem_reset(garment, batch);
    EXPECT_NEAR(y[1], -0.4f, 1e-6);
    const Quat heading = fromAxisAngle({0, 1, 0}, 0.8f);
    for (size_t v = 0; v < rest.size(); ++v) {
        Vec3 page;
        for (size_t i = 8 * v; i < 8 * v + 8; ++i)
            page += transformPoint(matrices[joints[i]], rest[v]) * weights[i];
        const Vec3 offset = mean[v] + basis[v] * y[0] + basis[rest.size() + v] * y[1];
        page += rotate(heading, offset);
        EXPECT_LT(distance(page, played[v]), 1e-5f);
    }
}

TEST_F(SceneTest, SkinningByThePagesDataIsOurOwn) {
    const Character body = toyBody();
    const Json& c = json["character"];
    const size_t n = body.mesh.positions.size(), nj = body.skeleton.size();
    const auto rest = array<Vec3>(c["positions"], {n, 3});
    const auto joints = array<uint16_t>(c["skin_joints"], {n, 4});
    const auto weights = array<float>(c["skin_weights"], {n, 4});
    const auto inverse_bind = array<Affine>(c["inverse_bind"], {nj, 12});
    for (const Json& clip : json["kit"]) {
        const size_t frames = clip["frames"];
        const auto turns = array<float>(clip["rotations"], {frames, nj, 4});
        const auto roots = array<Vec3>(clip["root"], {frames, 3});
        const size_t f = frames / 3;
        const auto page = skinnedByThePage(
            matricesOfThePage(c["joints"], &turns[4 * nj * f], roots[f], inverse_bind), rest,
            joints, weights);
        Pose pose{roots[f], {}};
        for (size_t j = 0; j < nj; ++j) {
            const float* q = &turns[4 * (nj * f + j)];
            pose.rotations.push_back({q[3], q[0], q[1], q[2]});
        }
        const auto own = posedVertices(body, pose);
        for (size_t v = 0; v < n; ++v) EXPECT_LT(distance(page[v], own[v]), 1e-5f);
    }
}

TEST_F(SceneTest, EveryAddressOfTheSceneIsServed) {
    size_t count = 0;
    const std::function<void(const Json&)> visit = [&](const Json& value) {
        if (value.is_string() && value.get<std::string>().starts_with('/')) {
            EXPECT_NE(scene->at(value.get<std::string>()).bytes.data(), nullptr) << value;
            ++count;
        }
        if (value.is_structured())
            for (const Json& inner : value) visit(inner);
    };
    visit(json);
    EXPECT_GT(count, 40u);
    EXPECT_EQ(scene->at("/data").bytes.data(), nullptr);
    EXPECT_EQ(scene->at("").bytes.data(), nullptr);
}

TEST_F(SceneTest, FilesOfOneMeshAreModelsOfOneGarment) {
    ASSERT_EQ(json["garments"].size(), 1u);
    const Json& models = json["garments"][0]["models"];
    ASSERT_EQ(models.size(), 2u);
    EXPECT_NE(models[0]["label"], models[1]["label"]);
    EXPECT_NE(models[0]["file"], models[1]["file"]);
    EXPECT_EQ(textOf(scene->at(models[1]["file"])), *readTextFile(folder->path("again.hem")));
}

TEST_F(SceneTest, MeanAndBasisAreTheFiles) {
    const Json& g = json["garments"][0];
    const auto bytes = readFile(folder->path("tube.hem"));
    const Subspace s = subspaceOf(hem_open(bytes->data(), bytes->size(), nullptr));
    const auto mean = array<float>(g["mean"], {s.vertices(), 3});
    const auto basis = array<float>(g["basis"], {s.modes(), s.vertices(), 3});
    for (size_t i = 0; i < mean.size(); ++i) EXPECT_EQ(mean[i], s.mean[Eigen::Index(i)]);
    for (size_t i = 0; i < basis.size(); ++i) EXPECT_EQ(basis[i], s.basis.data()[i]);
    EXPECT_GT(array<float>(g["mode_sigma"], {s.modes()})[0], 0);
}

TEST_F(SceneTest, PlainSkinningOfTheGarmentIsTheOneThatIsEvaluated) {
    const Json& g = json["garments"][0];
    const size_t n = g["vertices"];
    const Character body = toyBody();
    const Mesh mesh = joinedMesh(knownScene().garments);
    std::vector<Affine> matrices(body.skeleton.size());
    Pose pose = restPose(body.skeleton);
    pose.rotations[1] = fromAxisAngle({1, 0, 0}, 0.3f);
    skinningMatrices(body.skeleton, pose, body.skin.joint_from_rest.data(), matrices.data());
    std::vector<Vec3> own(n);
    GarmentSkinning(body, mesh).skin(matrices.data(), own.data());
    const auto page = skinnedByThePage(matrices, array<Vec3>(g["rest"], {n, 3}),
                                       array<uint16_t>(g["skin_joints"], {n, 4}),
                                       array<float>(g["skin_weights"], {n, 4}));
    for (size_t v = 0; v < n; ++v) EXPECT_LT(distance(page[v], own[v]), 1e-5f);
}

TEST_F(SceneTest, RecordingsComeWithTheirStops) {
    ASSERT_EQ(json["clips"].size(), 2u);
    const Json& clip = json["clips"][0];
    EXPECT_EQ(clip["name"], "walk");
    const size_t n = json["garments"][0]["vertices"];
    const auto cloth = array<Vec3>(clip["recorded"]["tube"], {20, n, 3});
    const auto recorded = RecordingSet::open(folder->path("set"))->clip("walk");
    EXPECT_EQ(cloth[7 * n + 3], recorded->positions(7)[3]);
    ASSERT_EQ(clip["stops"].size(), 1u);
    EXPECT_EQ(clip["stops"][0]["frame"], 5);
    array<Vec3>(clip["stops"][0]["recorded"]["tube"], {8, n, 3});
    EXPECT_EQ(json["clips"][1]["name"], "made");
    EXPECT_TRUE(json["clips"][1]["recorded"].empty());
}

TEST_F(SceneTest, ACharacterThatIsNotKnownIsAskedFor) {
    const auto garments = readGarmentFiles({folder->path("tube.hem")});
    const auto unknown = characterOf(*garments, {}, "");
    ASSERT_FALSE(unknown);
    EXPECT_NE(unknown.error().message.find("--character"), std::string::npos);
    EXPECT_TRUE(characterOf(*garments, {}, "female"));
}

TEST_F(SceneTest, WhatIsNoGarmentIsNamed) {
    ASSERT_TRUE(writeFile(folder->path("letter.hem"), "dear reader"));
    const auto read = readGarmentFiles({folder->path("tube.hem"), folder->path("letter.hem")});
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().message.find("letter.hem"), std::string::npos);
}

TEST_F(SceneTest, ThePageIsAtTheRoot) {
    static const std::string html = "<!doctype html>";
    scene->addPageFile("/index.html", std::as_bytes(std::span(html)));
    EXPECT_EQ(textOf(scene->at("/")), html);
    EXPECT_EQ(scene->at("/").type, "text/html; charset=utf-8");
}

}  // namespace
}  // namespace hem
