// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/garment_glb.h"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <assimp/Importer.hpp>
#include <filesystem>
#include <set>

#include "hem/character/formats/character_import.h"
#include "hem/character/formats/gltf_file.h"
#include "tests/eval/worn_toy.h"
#include "tests/temporary_folder.h"

namespace hem {
namespace {

// A file and what is in it, read by our own reader.
struct Written {
    template <class AnyToy>
    explicit Written(const Worn<AnyToy>& worn, const GarmentGlbOptions& options = {}) {
        const auto saved = saveGarmentGlb(folder.path("toy.glb"), worn.toy.open(),
                                          worn.toy.character, worn.motion, options);
        EXPECT_TRUE(saved) << saved.error().message;
        if (saved) report = *saved;
        file = std::move(*GltfFile::open(folder.path("toy.glb")));
        mesh = file.json()["meshes"].back();
        node = file.json()["nodes"].size() - 1;
    }
    std::vector<Vec3> vectors(const Json& accessor) const {
        const auto numbers = file.read(accessor.get<size_t>(), 3);
        EXPECT_TRUE(numbers) << numbers.error().message;
        std::vector<Vec3> list;
        for (size_t i = 0; i < numbers->count; ++i)
            list.push_back({float(numbers->values[3 * i]), float(numbers->values[3 * i + 1]),
                            float(numbers->values[3 * i + 2])});
        return list;
    }
    const Json& primitive() const { return mesh["primitives"][0]; }
    std::vector<double> keys(const char* path, size_t width) const {
        const Json& animation = file.json()["animations"][0];
        for (const Json& channel : animation["channels"])
            if (channel["target"]["node"] == node && channel["target"]["path"] == path)
                return file
                    .read(animation["samplers"][channel["sampler"].get<size_t>()]["output"]
                              .get<size_t>(),
                          width)
                    ->values;
        ADD_FAILURE() << "no channel of " << path;
        return {};
    }
    // As an engine has them at that key.
    std::vector<Vec3> positionsAt(size_t frame) const {
        std::vector<Vec3> positions = vectors(primitive()["attributes"]["POSITION"]);
        const Json& targets = primitive()["targets"];
        const auto weights = keys("weights", 1), turns = keys("rotation", 4),
                   places = keys("translation", 3);
        for (size_t m = 0; m < targets.size(); ++m) {
            const auto offsets = vectors(targets[m]["POSITION"]);
            for (size_t v = 0; v < positions.size(); ++v)
                positions[v] += offsets[v] * float(weights[frame * targets.size() + m]);
        }
        const double *q = &turns[4 * frame], *p = &places[3 * frame];
        const Transform place{{float(q[3]), float(q[0]), float(q[1]), float(q[2])},
                              {float(p[0]), float(p[1]), float(p[2])}};
        for (Vec3& v : positions) v = transformPoint(place, v);
        return positions;
    }

    TemporaryFolder folder;
    GarmentGlb report;
    GltfFile file;
    Json mesh;
    size_t node = 0;
};

double largestDistance(const std::vector<Vec3>& drawn, const std::vector<uint32_t>& player_vertices,
                       const std::vector<Vec3>& played) {
    EXPECT_EQ(drawn.size(), player_vertices.size());
    double largest = 0;
    for (size_t i = 0; i < drawn.size(); ++i)
        largest = std::max(largest, double(length(drawn[i] - played[player_vertices[i]])));
    return largest;
}

TEST(GarmentGlb, ModelNIsWithinItsToleranceInModesOfTheMotion) {
    const WornNeuralToy worn = wornNeuralToy({});
    const auto played = playedPositions(worn);
    size_t last = 0;
    for (const double tolerance : {0.02, 2e-3, 1e-5}) {
        const Written glb(worn, {.tolerance = tolerance});
        double largest = 0;
        for (size_t frame = 0; frame < played.size(); ++frame)
            largest =
                std::max(largest, largestDistance(glb.positionsAt(frame),
                                                  glb.report.mesh.player_vertices, played[frame]));
        EXPECT_LT(largest, tolerance + 2e-6);
        EXPECT_NEAR(largest, glb.report.largest_error, 2e-6);
        EXPECT_GT(glb.primitive()["targets"].size(), last);
        last = glb.primitive()["targets"].size();
    }
    EXPECT_GT(last, 7u);  // of its own: the joints carry it in more ways
    const Written few(worn, {.modes = 3, .tolerance = 1e-5});
    EXPECT_EQ(few.primitive()["targets"].size(), 3u);
    EXPECT_GT(few.report.largest_error, 1e-3);
}

TEST(GarmentGlb, ModelNOnABodyThatStandsHasAMeanAlone) {
    WornNeuralToy still = wornNeuralToy({}, 3);
    still.motion.frames.assign(3, still.motion.frames[1]);
    const Written glb(still);
    EXPECT_EQ(glb.primitive()["targets"].size(), 1u);  // glTF wants one where there are weights
    EXPECT_LT(largestDistance(glb.positionsAt(2), glb.report.mesh.player_vertices,
                              playedPositions(still)[2]),
              2e-6);
}

TEST(GarmentGlb, LeavesOutWhatOfTheBodyIsAlwaysHidden) {
    const WornToy worn = wornToy({});
    std::vector<uint8_t> hidden(worn.toy.character.mesh.triangles.size());
    for (size_t t = 0; t < hidden.size(); t += 2) hidden[t] = 1;
    const size_t shown = hidden.size() / 2;
    const auto bytes = pack(worn.toy.character, worn.toy.mesh, worn.toy.subspace, worn.toy.model,
                            worn.toy.frames, {.hidden = hidden});
    ASSERT_TRUE(bytes) << bytes.error().message;
    const hem_Garment* garment = hem_open(bytes->data(), bytes->size(), nullptr);
    ASSERT_TRUE(garment);
    const TemporaryFolder folder;
    for (const bool whole : {false, true}) {
        ASSERT_TRUE(saveGarmentGlb(folder.path("toy.glb"), garment, worn.toy.character, worn.motion,
                                   {.hidden = whole}));
        const GltfFile file = std::move(*GltfFile::open(folder.path("toy.glb")));
        const auto corners = file.json()["meshes"][0]["primitives"][0]["indices"].get<size_t>();
        EXPECT_EQ(file.read(corners, 1)->count, 3 * (whole ? hidden.size() : shown));
    }
}

TEST(GarmentGlb, VerticesAtItsKeysAreThePlayers) {
    for (bool modal : {true, false})
        for (BasisEncoding encoding : {BasisEncoding::kFloat32, BasisEncoding::kMixed}) {
            const WornToy worn = wornToy({.modal = modal, .encoding = encoding, .seam = modal});
            const Written glb(worn);
            const auto played = playedPositions(worn);
            for (size_t frame : {0u, 1u, 23u, 49u})
                EXPECT_LT(largestDistance(glb.positionsAt(frame), glb.report.mesh.player_vertices,
                                          played[frame]),
                          2e-6);
            EXPECT_GT(
                largestDistance(glb.positionsAt(10), glb.report.mesh.player_vertices, played[30]),
                0.1);
        }
}

TEST(GarmentGlb, FewerModesAreThePlayersLevelOfDetail) {
    const WornToy worn = wornToy({});
    const Written glb(worn, {.modes = 3});
    EXPECT_EQ(glb.primitive()["targets"].size(), 3u);
    EXPECT_LT(largestDistance(glb.positionsAt(30), glb.report.mesh.player_vertices,
                              playedPositions(worn, 3)[30]),
              2e-6);
    EXPECT_GT(largestDistance(glb.positionsAt(30), glb.report.mesh.player_vertices,
                              playedPositions(worn)[30]),
              1e-3);
}

TEST(GarmentGlb, SeamsDoubleTheirVertices) {
    const WornToy worn = wornToy({.seam = true});
    const DrawnMesh drawn = drawnMeshOf(worn.toy.open());
    // the strip is cut between two of its triangles, which share an edge of two vertices
    EXPECT_EQ(drawn.player_vertices.size(), 52u);
    EXPECT_EQ(drawn.uvs.size(), 52u);
    for (size_t c = 0; c < 3 * drawn.triangles.size(); ++c) {
        const uint32_t v = drawn.triangles[c / 3][c % 3];
        EXPECT_EQ(drawn.player_vertices[v], worn.toy.mesh.triangles[c / 3][c % 3]);
        EXPECT_EQ(drawn.uvs[v], worn.toy.corner_uvs[c]);
    }
    const Written glb(worn);
    const Json& attributes = glb.primitive()["attributes"];
    const auto ids = glb.file.read(attributes["_VERTEX"], 1, 52);
    const auto uvs = glb.file.read(attributes["TEXCOORD_0"], 2, 52);
    ASSERT_TRUE(ids && uvs);
    for (size_t i = 0; i < 52; ++i) {
        EXPECT_EQ(ids->values[i], drawn.player_vertices[i]);
        EXPECT_NEAR(uvs->values[2 * i + 1], 1 - drawn.uvs[i].y, 1e-6);
    }
    EXPECT_FALSE(Written(wornToy({})).primitive()["attributes"].contains("TEXCOORD_0"));
}

TEST(GarmentGlb, BoundsStandOnPositionsAndTargets) {
    const Written glb(wornToy({}));
    std::vector<Json> accessors{glb.primitive()["attributes"]["POSITION"]};
    for (const Json& target : glb.primitive()["targets"]) accessors.push_back(target["POSITION"]);
    ASSERT_EQ(accessors.size(), 8u);
    for (const Json& accessor : accessors) {
        const Bounds box = boundsOf(glb.vectors(accessor));
        const Json& json = glb.file.json()["accessors"][accessor.get<size_t>()];
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(json["min"][size_t(i)].get<float>(), box.low[i]);
            EXPECT_EQ(json["max"][size_t(i)].get<float>(), box.high[i]);
        }
    }
}

TEST(GarmentGlb, NormalsFollowTheCloth) {
    const WornToy worn = wornToy({});
    const Written glb(worn);
    // measured anew, from the file: the toy is crumpled at random, far more than cloth is
    const Json& json = glb.primitive();
    const auto base = glb.vectors(json["attributes"]["NORMAL"]);
    const auto weights = glb.keys("weights", 1);
    const auto played = playedPositions(worn);
    double fitted_angle = 0, base_angle = 0;
    const size_t frame = 30, modes = json["targets"].size();
    auto canonical = played[frame];
    const Affine back = canonicalFromWorld(rootsOf(worn.motion, worn.hips)[frame]);
    for (Vec3& p : canonical) p = transformPoint(back, p);
    const auto exact = vertexNormals(canonical, worn.toy.mesh.triangles);
    for (size_t v = 0; v < base.size(); ++v) {
        Vec3 n = base[v];
        EXPECT_NEAR(length(n), 1, 1e-5);
        for (size_t m = 0; m < modes; ++m)
            n += glb.vectors(json["targets"][m]["NORMAL"])[v] * float(weights[frame * modes + m]);
        fitted_angle += std::acos(std::min(1.0f, dot(n / length(n), exact[v])));
        base_angle += std::acos(std::min(1.0f, dot(base[v], exact[v])));
    }
    EXPECT_LT(fitted_angle, 0.6 * base_angle);
    EXPECT_GT(glb.report.normal_error_mean, 0);
    EXPECT_GE(glb.report.normal_error_p95, glb.report.normal_error_mean);
}

TEST(GarmentGlb, NamesSayWhatIsWhat) {
    const Written glb(wornToy({}), {.name = "dress", .extras_json = R"({"motion": "bend"})"});
    const Json& json = glb.file.json();
    EXPECT_EQ(glb.mesh["name"], "dress");
    EXPECT_EQ(glb.mesh["extras"]["targetNames"][6], "mode_07");
    EXPECT_EQ(json["nodes"][glb.node]["name"], "dress");
    EXPECT_EQ(json["animations"].size(), 1u);
    EXPECT_EQ(json["animations"][0]["name"], "bend");
    EXPECT_EQ(json["asset"]["extras"]["motion"], "bend");
    EXPECT_EQ(json["materials"][glb.primitive()["material"].get<size_t>()]["doubleSided"], true);
    std::set<std::string> names;
    for (const Json& node : json["nodes"]) names.insert(node["name"]);
    EXPECT_EQ(names.size(), json["nodes"].size());
}

TEST(GarmentGlb, TheBodyComesAlongUnlessItIsLeftOut) {
    const WornToy worn = wornToy({});
    const Written with(worn), without(worn, {.body = false});
    EXPECT_EQ(with.file.json()["skins"][0]["joints"].size(), 15u);
    EXPECT_EQ(without.file.json()["nodes"].size(), 1u);
    EXPECT_FALSE(without.file.json().contains("skins"));
    EXPECT_LT(largestDistance(without.positionsAt(20), without.report.mesh.player_vertices,
                              playedPositions(worn)[20]),
              2e-6);
    const auto back = loadCharacter(with.folder.path("toy.glb"), {.keep_pose = true});
    ASSERT_TRUE(back) << back.error().message;
    ASSERT_EQ(back->motions.size(), 1u);
    const auto expected = worldFromJoints(worn.toy.character.skeleton, worn.motion.frames[20]);
    const auto got = worldFromJoints(back->skeleton, back->motions[0].frames[20]);
    for (size_t j = 0; j < expected.size(); ++j) {
        const int k = back->skeleton.find(worn.toy.character.skeleton.joints[j].name);
        ASSERT_GE(k, 0);
        EXPECT_LT(length(got[size_t(k)].translation() - expected[j].translation()), 1e-5);
    }
}

TEST(GarmentGlb, AnotherReaderFindsMorphTargetsAndTheirAnimation) {
    const Written glb(wornToy({}));
    Assimp::Importer importer;
    const aiScene* scene = importer.ReadFile(glb.folder.path("toy.glb"), 0);
    ASSERT_TRUE(scene) << importer.GetErrorString();
    ASSERT_EQ(scene->mNumMeshes, 2u);
    const aiMesh& mesh = *scene->mMeshes[1];
    EXPECT_EQ(mesh.mNumVertices, 50u);
    ASSERT_EQ(mesh.mNumAnimMeshes, 7u);
    EXPECT_TRUE(mesh.mAnimMeshes[3]->HasNormals());
    ASSERT_EQ(scene->mNumAnimations, 1u);
    ASSERT_EQ(scene->mAnimations[0]->mNumMorphMeshChannels, 1u);
    const aiMeshMorphAnim& morph = *scene->mAnimations[0]->mMorphMeshChannels[0];
    ASSERT_EQ(morph.mNumKeys, 50u);
    EXPECT_EQ(morph.mKeys[20].mNumValuesAndWeights, 7u);
    // assimp 5.2.5 takes negative weights for nought
    for (unsigned m = 0; m < 7; ++m)
        EXPECT_NEAR(morph.mKeys[20].mWeights[m],
                    std::max(0.0f, glb.report.mesh.weights[20 * 7 + m]), 1e-6);
}

TEST(GarmentGlb, RefusesWhatIsNotWhole) {
    const TemporaryFolder folder;
    WornToy worn = wornToy({});
    GarmentGlb glb =
        playAsMorphMesh(worn.toy.open(), worn.toy.character, worn.motion, worn.hips, {});
    glb.mesh.weights.pop_back();
    const WornGlb bad{&worn.toy.character, &worn.motion, &glb.mesh, ""};
    const Status status = saveGlb(folder.path("toy.glb"), bad);
    ASSERT_FALSE(status);
    EXPECT_NE(status.error().message.find("'garment'"), std::string::npos);
    EXPECT_FALSE(saveGarmentGlb(folder.path("toy.glb"), worn.toy.open(), worn.toy.character,
                                worn.motion, {.extras_json = "[1"}));
    worn.motion.frames.clear();
    EXPECT_FALSE(
        saveGarmentGlb(folder.path("toy.glb"), worn.toy.open(), worn.toy.character, worn.motion));
    EXPECT_FALSE(std::filesystem::exists(folder.path("toy.glb")));
}

}  // namespace
}  // namespace hem
