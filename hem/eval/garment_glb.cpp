// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/garment_glb.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "hem/core/text.h"
#include "hem/eval/baked_shapes.h"
#include "hem/eval/play.h"
#include "hem/pack/unpack.h"

namespace hem {
namespace {

using Eigen::Index;

constexpr int kMostBaked = 256;  // as many as a garment has modes at most

std::vector<Triangle> trianglesOf(const hem_Garment* garment) {
    std::vector<Triangle> triangles;
    const uint32_t* corners = hem_triangles(garment);
    for (size_t t = 0; t < hem_triangleCount(garment); ++t)
        triangles.push_back({corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]});
    return triangles;
}

// What the player says, frame by frame.
struct Played {
    MatrixF weights;    // modes by frames
    MatrixF positions;  // 3 * vertices by frames, canonical
    MatrixF normals;    // the same
};

// `modes`: all of the garment's, or the first so many of them.
Played play(const hem_Garment* garment, const Character& character, const Motion& motion,
            const HipJoints& hips, float dial, Index modes) {
    const std::vector<Triangle> triangles = trianglesOf(garment);
    const auto frames = Index(motion.frames.size());
    const MatrixF blank(3 * Index(hem_vertexCount(garment)), frames);
    Played played{MatrixF(modes, frames), blank, blank};
    Wearer wearer(garment, HEM_CANONICAL);
    wearer.setDial(dial);
    wearer.setModes(unsigned(modes));
    playMotion(wearer, character, motion, hips, [&](size_t t) {
        played.weights.col(Index(t)) =
            Eigen::Map<const VectorF>(wearer.weights().data(), Index(modes));
        const std::vector<Vec3> positions(wearer.positions().begin(), wearer.positions().end());
        played.positions.col(Index(t)) =
            Eigen::Map<const VectorF>(&positions[0].x, 3 * Index(positions.size()));
        const std::vector<Vec3> normals = vertexNormals(positions, triangles);
        played.normals.col(Index(t)) =
            Eigen::Map<const VectorF>(&normals[0].x, 3 * Index(normals.size()));
    });
    return played;
}

// Column m: what mode m adds to the normals, times its weight. Least squares over the frames of
// normals - base against the weights, each scaled to a mean square of 1, with a ridge, so that modes
// which the motion hardly shows stay small.
MatrixF fitNormalOffsets(const Played& played, const VectorF& base) {
    constexpr double kRidge = 1e-3;
    const Index modes = played.weights.rows(), frames = played.weights.cols();
    const MatrixD y = played.weights.cast<double>();
    const VectorD sizes = (y.rowwise().squaredNorm() / double(frames)).cwiseSqrt();
    const VectorD scale = sizes.unaryExpr([](double s) { return s > 1e-9 ? 1 / s : 0; });
    const MatrixD scaled = scale.asDiagonal() * y;
    MatrixD gram = scaled * scaled.transpose();
    gram.diagonal().array() += kRidge * double(frames);
    const MatrixD differences = (played.normals.colwise() - base).cast<double>();
    const MatrixD offsets = gram.ldlt().solve(scaled * differences.transpose());  // modes by 3 V
    CHECK_EQ(offsets.rows(), modes);
    return (scale.asDiagonal() * offsets).transpose().cast<float>();
}

void measureNormals(const Played& played, const VectorF& base, const MatrixF& offsets,
                    GarmentGlb& glb) {
    const MatrixF fitted = (offsets * played.weights).colwise() + base;
    std::vector<double> angles;
    for (Index t = 0; t < fitted.cols(); ++t)
        for (Index v = 0; v < fitted.rows(); v += 3) {
            const Eigen::Vector3d a = fitted.col(t).segment<3>(v).cast<double>(),
                                  b = played.normals.col(t).segment<3>(v).cast<double>();
            angles.push_back(std::atan2(a.cross(b).norm(), a.dot(b)) * 180 / std::acos(-1.0));
        }
    for (double angle : angles) glb.normal_error_mean += angle / double(angles.size());
    const auto at = angles.begin() + std::ptrdiff_t(angles.size() * 95 / 100);
    std::nth_element(angles.begin(), at, angles.end());
    glb.normal_error_p95 = *at;
}

std::vector<Vec3> gathered(const float* of_player, const std::vector<uint32_t>& vertices) {
    std::vector<Vec3> list;
    for (uint32_t v : vertices)
        list.push_back({of_player[3 * v], of_player[3 * v + 1], of_player[3 * v + 2]});
    return list;
}

std::vector<Transform> placesOf(const Motion& motion, const HipJoints& hips) {
    std::vector<Transform> places;
    for (const Root& root : rootsOf(motion, hips))
        places.push_back({fromAxisAngle({0, 1, 0}, root.heading), root.position});
    return places;
}

}  // namespace

DrawnMesh drawnMeshOf(const hem_Garment* garment) {
    DrawnMesh mesh{.triangles = trianglesOf(garment)};
    const float* uvs = hem_cornerTextureCoordinates(garment);
    if (!uvs) {
        for (uint32_t v = 0; v < hem_vertexCount(garment); ++v) mesh.player_vertices.push_back(v);
        return mesh;
    }
    std::map<std::tuple<uint32_t, float, float>, uint32_t> numbers;
    const uint32_t* corners = hem_triangles(garment);
    for (size_t c = 0; c < 3 * hem_triangleCount(garment); ++c)
        numbers[{corners[c], uvs[2 * c], uvs[2 * c + 1]}] = 0;
    for (auto& [key, number] : numbers) {
        number = uint32_t(mesh.player_vertices.size());
        mesh.player_vertices.push_back(std::get<0>(key));
        mesh.uvs.push_back({std::get<1>(key), std::get<2>(key)});
    }
    for (size_t c = 0; c < 3 * hem_triangleCount(garment); ++c)
        mesh.triangles[c / 3][c % 3] = numbers[{corners[c], uvs[2 * c], uvs[2 * c + 1]}];
    return mesh;
}

GarmentGlb playAsMorphMesh(const hem_Garment* garment, const Character& character,
                           const Motion& motion, const HipJoints& hips,
                           const GarmentGlbOptions& options) {
    CHECK(!motion.frames.empty());
    GarmentGlb glb;
    Played played;
    Subspace subspace;
    const Index all = Index(hem_modeCount(garment));
    if (isNeural(garment)) {
        played = play(garment, character, motion, hips, options.dial, all);
        const int most = options.modes > 0 ? options.modes : kMostBaked;
        BakedShapes baked = bakeShapes(played.positions, options.tolerance, most);
        subspace = std::move(baked.shapes);
        played.weights = std::move(baked.weights);
        glb.largest_error = baked.largest_error;
    } else {
        const Index wanted = options.modes > 0 ? std::min(all, Index(options.modes)) : all;
        played = play(garment, character, motion, hips, options.dial, wanted);
        subspace = subspaceOf(garment);
    }
    const Index modes = played.weights.rows();
    const std::vector<Vec3> mean(
        reinterpret_cast<const Vec3*>(subspace.mean.data()),
        reinterpret_cast<const Vec3*>(subspace.mean.data()) + subspace.vertices());
    const std::vector<Vec3> mean_normals = vertexNormals(mean, trianglesOf(garment));
    const VectorF base = Eigen::Map<const VectorF>(&mean_normals[0].x, subspace.mean.size());
    const MatrixF normal_offsets = fitNormalOffsets(played, base);
    measureNormals(played, base, normal_offsets, glb);
    const DrawnMesh drawn = drawnMeshOf(garment);
    MorphMesh& mesh = glb.mesh;
    mesh.name = options.name;
    mesh.mesh = {
        gathered(subspace.mean.data(), drawn.player_vertices), drawn.triangles, drawn.uvs, {}};
    mesh.normals = gathered(base.data(), drawn.player_vertices);
    mesh.player_vertices = drawn.player_vertices;
    for (Index m = 0; m < modes; ++m)
        mesh.targets.push_back({format("mode_%02d", int(m) + 1),
                                gathered(subspace.basis.col(m).data(), drawn.player_vertices),
                                gathered(normal_offsets.col(m).data(), drawn.player_vertices)});
    mesh.rest.translation = restPose(character.skeleton).root_position;
    mesh.world_from_mesh = placesOf(motion, hips);
    mesh.weights.assign(played.weights.data(), played.weights.data() + played.weights.size());
    return glb;
}

namespace {

// Without the triangles that the garment always hides, where it says so of this body.
Character withoutHidden(Character character, const hem_Garment* garment) {
    const uint8_t* hidden = hem_hiddenTriangles(garment);
    std::vector<Triangle>& triangles = character.mesh.triangles;
    if (!hidden || hem_bodyTriangleCount(garment) != triangles.size()) return character;
    size_t kept = 0;
    for (size_t t = 0; t < triangles.size(); ++t)
        if (!(hidden[t / 8] >> t % 8 & 1)) triangles[kept++] = triangles[t];
    triangles.resize(kept);
    return character;
}

}  // namespace

Result<GarmentGlb> saveGarmentGlb(const std::string& path, const hem_Garment* garment,
                                  const Character& character, const Motion& motion,
                                  const GarmentGlbOptions& options) {
    if (motion.frames.empty()) return errorf("%s: the motion has no frames", path.c_str());
    const auto hips = findHipJoints(character.skeleton);
    if (!hips) return hips.error();
    GarmentGlb glb = playAsMorphMesh(garment, character, motion, *hips, options);
    const Character body = options.hidden ? character : withoutHidden(character, garment);
    const Status saved = saveGlb(path, {.character = options.body ? &body : nullptr,
                                        .motion = &motion,
                                        .garment = &glb.mesh,
                                        .extras_json = options.extras_json});
    if (!saved) return saved.error();
    return glb;
}

}  // namespace hem
