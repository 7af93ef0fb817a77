// SPDX-License-Identifier: Apache-2.0
// The five real characters against the table of characters.md, and our glTF reader against
// assimp's.
#include <assimp/scene.h>
#include <gtest/gtest.h>

#include <assimp/Importer.hpp>

#include "hem/character/formats/character_import.h"
#include "hem/character/humanoid.h"
#include "tests/shared_data.h"

namespace hem {
namespace {

struct Known {
    const char* path;
    size_t joints, vertices, welded, triangles;
    float height;
    size_t motions;
};
constexpr Known kKnown[] = {
    {"makehuman_female/female_cmu_mb.glb", 31, 14517, 13380, 26756, 1.590f, 0},
    {"makehuman_male/male_cmu_mb.glb", 31, 14517, 13380, 26756, 1.730f, 0},
    {"male_base_mesh/male_base_mesh.glb", 56, 1226, 904, 1804, 1.945f, 0},
    {"cesium_man/CesiumMan.glb", 19, 3273, 2338, 4672, 1.507f, 1},
    {"rigged_figure/RiggedFigure.glb", 19, 370, 130, 256, 1.450f, 1},
};

std::string pathOf(const Known& known) { return sharedData() + "/characters/" + known.path; }

TEST(RealCharacters, HaveTheJointsVerticesAndHeightOfTheTable) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    for (const Known& known : kKnown) {
        SCOPED_TRACE(known.path);
        const auto c = loadCharacter(pathOf(known));
        ASSERT_TRUE(c) << c.error().message;
        EXPECT_TRUE(validate(*c));
        EXPECT_EQ(c->skeleton.size(), known.joints);
        EXPECT_EQ(c->mesh.positions.size(), known.vertices);
        EXPECT_EQ(c->mesh.triangles.size(), known.triangles);
        EXPECT_EQ(c->motions.size(), known.motions);
        const Weld weld = weldByPosition(c->mesh.positions);
        EXPECT_EQ(weld.original_from_welded.size(), known.welded);
        EXPECT_TRUE(topologyOf(welded(c->mesh, weld)).watertight());
        EXPECT_GT(signedVolume(c->mesh), 0.04);
        const Bounds box = boundsOf(c->mesh.positions);
        EXPECT_NEAR(box.size().y, known.height, 0.0006);
        EXPECT_NEAR(box.low.y, 0, 0.005);
    }
}

TEST(RealCharacters, StandUprightFacingZWithTheLeftAlongX) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    for (const Known& known : kKnown) {
        SCOPED_TRACE(known.path);
        const auto c = loadCharacter(pathOf(known));
        const auto humanoid = recognise(c->skeleton);
        ASSERT_TRUE(humanoid) << humanoid.error().message;
        EXPECT_EQ((*humanoid)[Bone::kHips], 0);
        const auto rest = worldFromJoints(c->skeleton, restPose(c->skeleton));
        const auto at = [&](Bone bone) { return rest[size_t((*humanoid)[bone])].translation(); };
        const Vec3 hip_line = normalized(at(Bone::kLeftUpLeg) - at(Bone::kRightUpLeg));
        EXPECT_GT(hip_line.x, 0.999f);
        EXPECT_GT(at(Bone::kHips).y, at(Bone::kLeftFoot).y + 0.4f);
        // the sole reaches further before the ankle than behind it
        float front = 0, back = 0;
        for (Vec3 p : c->mesh.positions) {
            if (p.y > 0.05f) continue;
            front = std::max(front, p.z - at(Bone::kLeftFoot).z);
            back = std::max(back, at(Bone::kLeftFoot).z - p.z);
        }
        EXPECT_GT(front, 1.5f * back);
    }
}

TEST(RealCharacters, SayWhatWasTurnedAndMoved) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    const auto c = loadCharacter(pathOf(kKnown[2]));
    std::string notes;
    for (const std::string& note : c->notes) notes += note;
    EXPECT_NE(notes.find("-90 degrees about Y"), std::string::npos) << notes;
    EXPECT_NE(notes.find("0.997 m along Y"), std::string::npos) << notes;
    const auto kept = loadCharacter(pathOf(kKnown[2]), {.keep_pose = true});
    EXPECT_LT(boundsOf(kept->mesh.positions).low.y, -0.9f);
}

TEST(RealCharacters, WalkAsTheirFileSays) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    const auto c = loadCharacter(pathOf(kKnown[3]));
    const Motion& walk = c->motions[0];
    EXPECT_EQ(walk.rate, 30);
    EXPECT_EQ(walk.frames.size(), 59u);  // 0.0417 to 2 s
    // the body stays whole: no edge of the mesh grows to much more than its length
    const auto edges = uniqueEdges(c->mesh.triangles);
    for (const Pose& pose : walk.frames) {
        const auto posed = posedVertices(*c, pose);
        for (const auto& [a, b] : edges) {
            const float rest_length = distance(c->mesh.positions[a], c->mesh.positions[b]);
            ASSERT_LT(distance(posed[a], posed[b]), 4 * rest_length + 0.02f);
        }
        EXPECT_NEAR(boundsOf(posed).size().y, 1.5, 0.1);
    }
}

TEST(RealCharacters, AreReadAsAssimpReadsThem) {
    HEM_SKIP_WITHOUT_SHARED_DATA();
    for (const Known& known : kKnown) {
        SCOPED_TRACE(known.path);
        Assimp::Importer importer;
        const aiScene* scene = importer.ReadFile(pathOf(known), 0);
        ASSERT_NE(scene, nullptr);
        const aiMesh& mesh = *scene->mMeshes[0];
        const auto c = loadCharacter(pathOf(known), {.keep_pose = true});
        ASSERT_EQ(mesh.mNumVertices, c->mesh.positions.size());
        ASSERT_EQ(mesh.mNumBones, c->skeleton.size());
        // each joint's weights, summed over the mesh
        for (unsigned b = 0; b < mesh.mNumBones; ++b) {
            const int joint = c->skeleton.find(mesh.mBones[b]->mName.C_Str());
            ASSERT_GE(joint, 0);
            double ours = 0, theirs = 0;
            for (unsigned w = 0; w < mesh.mBones[b]->mNumWeights; ++w)
                theirs += double(mesh.mBones[b]->mWeights[w].mWeight);
            for (size_t i = 0; i < c->skin.joints.size(); ++i)
                if (c->skin.joints[i] == joint) ours += double(c->skin.weights[i]);
            EXPECT_NEAR(ours, theirs, 1e-3 * (1 + theirs)) << mesh.mBones[b]->mName.C_Str();
        }
        for (unsigned v = 0; mesh.mTextureCoords[0] && v < mesh.mNumVertices; ++v) {
            EXPECT_NEAR(c->mesh.uvs[v].x, mesh.mTextureCoords[0][v].x, 1e-5f);
            EXPECT_NEAR(c->mesh.uvs[v].y, mesh.mTextureCoords[0][v].y, 1e-5f);
        }
    }
}

}  // namespace
}  // namespace hem
