// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>

#include "hem/cloth/blender/blender.h"
#include "hem/cloth/skin_attachment.h"
#include "hem/core/program.h"
#include "hem/core/text.h"

namespace hem::blender {
namespace {

// Getting dressed: the body moves from the rest pose to the first one, then stands still until the
// cloth does.
constexpr double kPosingSeconds = 1.5, kShortestRest = 1, kLongestRest = 5;
constexpr double kCalmSpeed = 0.01;  // metres a second, root mean square

double meanSpeed(const ClothState& state) {
    double sum = 0;
    for (Vec3 v : state.velocities) sum += double(lengthSquared(v));
    return std::sqrt(sum / double(state.velocities.size()));
}

// The rest pose, set down where `pose` stands and turned as it is turned.
Pose restPoseAt(const Skeleton& skeleton, const Pose& pose) {
    Pose start = restPose(skeleton);
    const Quat turn = twistAbout(pose.rotations[0] * conjugate(start.rotations[0]), Vec3{0, 1, 0});
    start.rotations[0] = turn * start.rotations[0];
    start.root_position.x = pose.root_position.x;
    start.root_position.z = pose.root_position.z;
    return start;
}

class BlenderSimulator final : public Simulator {
public:
    BlenderSimulator(const ClothScene& scene, std::string work_folder, Program program,
                     const RunOptions& options, const Settings& settings)
        : scene_(scene),
          work_folder_(std::move(work_folder)),
          program_(std::move(program)),
          options_(options),
          settings_(settings),
          garment_(joinedMesh(scene.garments)),
          attachment_(attachToSkin(scene.character, garment_.positions)) {
        for (const Garment& garment : scene.garments)
            pins_.insert(pins_.end(), garment.pins.begin(), garment.pins.end());
    }

    std::string name() const override { return "blender " + program_.version; }
    Result<ClothState> drape(const Pose& pose) override;
    Status advance(const ClothState& state, std::span<const Pose> poses,
                   const FrameSink& sink) override;

private:
    // Appends the body's and the pins' positions in a pose.
    void addSample(const Pose& pose, Job& job) const;

    ClothScene scene_;
    std::string work_folder_;
    Program program_;
    RunOptions options_;
    Settings settings_;
    Mesh garment_;
    Skin attachment_;  // of the garment's vertices to the body
    std::vector<float> pins_;
};

void BlenderSimulator::addSample(const Pose& pose, Job& job) const {
    const Character& body = scene_.character;
    std::vector<Affine> matrices(body.skeleton.size());
    skinningMatrices(body.skeleton, pose, body.skin.joint_from_rest.data(), matrices.data());
    const size_t first_skin = job.body.size(), first_pin = job.pins.size();
    job.body.resize(first_skin + body.mesh.positions.size());
    job.pins.resize(first_pin + garment_.positions.size());
    skinLinear(body.skin, body.mesh.positions.data(), matrices.data(), &job.body[first_skin]);
    skinLinear(attachment_, garment_.positions.data(), matrices.data(), &job.pins[first_pin]);
}

Status BlenderSimulator::advance(const ClothState& state, std::span<const Pose> poses,
                                 const FrameSink& sink) {
    CHECK(!poses.empty());
    CHECK_EQ(state.positions.size(), garment_.positions.size());
    ClothState from = state;
    bool wanted = true;
    while (poses.size() > 1 && wanted) {
        const size_t frames = std::min(poses.size() - 1, options_.frames_a_job);
        Job job{.body = scene_.character.mesh.positions,
                .pins = garment_.positions,
                .body_mesh = scene_.character.mesh,
                .garment_mesh = garment_,
                .pin_weights = pins_,
                .settings = settings_,
                .state = from,
                .rate = scene_.rate};
        for (size_t i = 0; i <= frames; ++i) addSample(poses[i], job);
        const auto keepLast = [&](const ClothState& next) {
            from = next;
            return wanted = sink(next);
        };
        if (Status status = runJob(program_, job, work_folder_, options_, keepLast); !status)
            return status;
        poses = poses.subspan(frames);
    }
    return Done{};
}

Result<ClothState> BlenderSimulator::drape(const Pose& pose) {
    const Pose start = restPoseAt(scene_.character.skeleton, pose);
    const size_t posing = size_t(std::ceil(kPosingSeconds * scene_.rate));
    const size_t settling = size_t(std::ceil(kLongestRest * scene_.rate));
    std::vector<Pose> poses;
    for (size_t i = 0; i <= posing; ++i) {
        const float t = float(i) / float(posing);
        poses.push_back(interpolate(start, pose, t * t * (3 - 2 * t)));
    }
    poses.resize(posing + settling + 1, pose);
    Job at_start;
    addSample(start, at_start);
    ClothState state{.positions = at_start.pins,
                     .velocities = std::vector<Vec3>(garment_.positions.size())};
    size_t frame = 0;
    const Status status = advance(state, poses, [&](const ClothState& next) {
        state = next;
        ++frame;
        const double rested = (double(frame) - double(posing)) / scene_.rate;
        return rested < kShortestRest || meanSpeed(state) > kCalmSpeed;
    });
    if (!status) return status.error();
    state.time = 0;
    return state;
}

}  // namespace

Result<Program> findBlender() {
    const char* named = std::getenv("HEM_BLENDER");
    const std::string wanted = named && *named ? named : "blender";
    const std::string path = findProgram(wanted);
    if (path.empty())
        return errorf(
            "Blender is not here: '%s' cannot be run. On Debian: apt-get install blender. To use "
            "another one, set HEM_BLENDER to its path",
            wanted.c_str());
    Program program{path, ""};
    const auto end = runProgram({.path = path, .arguments = {"--version"}, .silence_seconds = 60},
                                [&](std::string_view line) {
                                    const auto words = splitWords(line);
                                    if (words.size() >= 2 && words[0] == "Blender")
                                        program.version = words[1];
                                    return program.version.empty();
                                });
    if (!end) return end.error();
    if (program.version.empty())
        return errorf(
            "%s: does not tell its version (%s): is it Blender? HEM_BLENDER can name "
            "another one",
            path.c_str(), end->text.c_str());
    return program;
}

Result<std::unique_ptr<Simulator>> makeSimulator(const ClothScene& scene,
                                                 const std::string& work_folder, Program program,
                                                 const RunOptions& options) {
    if (const Status status = validate(scene); !status) return status.error();
    const auto settings = settingsFor(scene, joinedMesh(scene.garments));
    if (!settings) return settings.error();
    return std::unique_ptr<Simulator>(std::make_unique<BlenderSimulator>(
        scene, work_folder, std::move(program), options, *settings));
}

}  // namespace hem::blender

namespace hem {

Result<std::unique_ptr<Simulator>> makeBlenderSimulator(const ClothScene& scene,
                                                        const std::string& work_folder) {
    auto program = blender::findBlender();
    if (!program) return program.error();
    return blender::makeSimulator(scene, work_folder, std::move(*program), {});
}

}  // namespace hem
