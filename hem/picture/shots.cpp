// SPDX-License-Identifier: Apache-2.0
#include "hem/picture/shots.h"

#include "hem/core/progress.h"

namespace hem {
namespace {

Vec3 level(Vec3 v) { return {v.x, 0, v.z}; }

// Frames all shots at once: where they stand, or where they stand about their anchors.
Camera commonCamera(const std::vector<Shot>& shots, const ShotOptions& options) {
    std::vector<Vec3> points;
    for (const Shot& shot : shots) {
        const Vec3 origin = options.follow ? level(shot.anchor) : Vec3{};
        for (Vec3 p : shot.positions) points.push_back(p - origin);
        for (const SceneObject& object : shot.worn)
            for (Vec3 p : object.mesh.positions) points.push_back(p - origin);
    }
    const float aspect = float(options.render.width) / float(options.render.height);
    return frameCamera(points, options.view, aspect, options.framing);
}

}  // namespace

std::vector<double> evenTimes(double first, double last, int count) {
    CHECK_GE(count, 1);
    std::vector<double> times{first};
    for (int i = 1; i < count; ++i) times.push_back(first + (last - first) * i / (count - 1));
    return times;
}

Shot restShot(const Character& character) {
    return {.positions = character.mesh.positions,
            .anchor = restPose(character.skeleton).root_position};
}

std::vector<Shot> shotsOf(const Character& character, const Motion& motion,
                          const std::vector<double>& times) {
    CHECK_EQ(motion.skeleton.size(), character.skeleton.size());
    std::vector<Shot> shots;
    for (double time : times) {
        const Pose pose = sampleAt(motion, time);
        shots.push_back(
            {.positions = posedVertices(character, pose), .anchor = pose.root_position});
    }
    return shots;
}

std::vector<Image> renderShots(const Mesh& mesh, const std::vector<Shot>& shots,
                               const ShotOptions& options) {
    const Camera camera = commonCamera(shots, options);
    Progress progress("rendering", shots.size());
    std::vector<Image> images;
    for (const Shot& shot : shots) {
        CHECK_EQ(shot.positions.size(), mesh.positions.size());
        SceneObject object{.mesh = mesh, .material = options.material, .wire = options.wire};
        object.mesh.positions = shot.positions;
        if (!shot.colors.empty()) object.mesh.colors = shot.colors;
        Scene scene{.objects = {std::move(object)}, .lights = studioLights(camera)};
        scene.objects.insert(scene.objects.end(), shot.worn.begin(), shot.worn.end());
        scene.ground_height = options.ground_height;
        scene.ground_dots = options.ground_dots;
        scene.background = options.background;
        const Camera own = options.follow ? moved(camera, level(shot.anchor)) : camera;
        images.push_back(render(scene, own, options.render));
        progress.advance();
    }
    return images;
}

}  // namespace hem
