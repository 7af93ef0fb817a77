// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

#include "hem/cloth/blender/blender.h"
#include "hem/core/files.h"
#include "hem/core/point_cache.h"
#include "hem/core/program.h"
#include "hem/core/text.h"

namespace hem::blender {
namespace {

// Where Blender keeps frame `frame` of the object "cloth" of job.blend.
std::string cachePath(const std::string& folder, size_t frame) {
    return folder + format("/blendcache_job/636C6F7468_%06zu_00.bphys", frame);
}

std::string settingsText(const Settings& s, size_t frames) {
    std::string text = format("{\"frames\": %zu", frames);
    const auto add = [&](const char* name, double value) {
        text += format(",\n \"%s\": %.9g", name, value);
    };
    add("quality", s.quality);
    add("collision_quality", s.collision_quality);
    add("time_scale", double(s.time_scale));
    add("mass", double(s.mass));
    add("tension_stiffness", double(s.tension_stiffness));
    add("tension_damping", double(s.tension_damping));
    add("bending_stiffness", double(s.bending_stiffness));
    add("bending_damping", double(s.bending_damping));
    add("air_damping", double(s.air_damping));
    add("pin_stiffness", double(s.pin_stiffness));
    add("distance_min", double(s.distance_min));
    add("self_distance_min", double(s.self_distance_min));
    add("thickness_outer", double(s.thickness_outer));
    add("friction", double(s.friction));
    add("self_friction", double(s.self_friction));
    const Vec3 g = s.gravity;
    return text +
           format(",\n \"gravity\": [%.9g, %.9g, %.9g]}\n", double(g.x), double(g.y), double(g.z));
}

template <class T>
std::span<const std::byte> asBytes(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

Status writeMesh(const std::string& folder, const std::string& name, const Mesh& mesh,
                 const std::vector<Vec3>& samples) {
    const PointCache cache{.start = 1, .vertices = mesh.positions.size(), .positions = samples};
    if (Status s = savePc2(folder + "/" + name + ".pc2", cache); !s) return s;
    return writeFile(folder + "/" + name + "_triangles", asBytes(mesh.triangles));
}

Status writeJob(const std::string& folder, const Job& job, size_t samples) {
    const size_t vertices = job.garment_mesh.positions.size();
    const std::span<const Vec3> pinned = std::span(job.pins).subspan(vertices, vertices);
    std::vector<float> weights;
    for (float pin : job.pin_weights) weights.push_back(groupWeightOf(pin));
    for (const Status& status : {
             writeMesh(folder, "body", job.body_mesh, job.body),
             writeMesh(folder, "cloth", job.garment_mesh, job.pins),
             writeFile(folder + "/pins", asBytes(weights)),
             writeFile(folder + "/state.bphys", bphysBytes(job.state, pinned)),
             writeFile(folder + "/job.json", settingsText(job.settings, samples)),
             writeFile(folder + "/script.py", kScript),
         })
        if (!status) return status;
    return Done{};
}

void removeFolder(const std::string& folder) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
}

// Takes frames from Blender's cache as Blender says that they are there.
struct FrameReader {
    const Job& job;
    const std::string& folder;
    const FrameSink& sink;
    size_t next = 3;  // Blender's number of the frame that must come next
    std::optional<Error> fault;

    bool operator()(std::string_view line) {
        constexpr std::string_view kMark = "hem: frame ";
        if (!line.starts_with(kMark)) return true;
        const auto frame = parseInteger(line.substr(kMark.size()));
        if (!frame || *frame < 3) return true;
        const std::string path = cachePath(folder, next);
        const auto bytes = readFile(path);
        auto state = bytes ? parseBphys(*bytes, job.garment_mesh.positions.size(), path)
                           : Result<ClothState>(bytes.error());
        if (!state) {
            fault = state.error();
            return false;
        }
        state->time = job.state.time + double(next - 2) / job.rate;
        ++next;
        return sink(*state);
    }
};

}  // namespace

Status runJob(const Program& program, const Job& job, const std::string& work_folder,
              const RunOptions& options, const FrameSink& sink) {
    if (Status status = makeFolders(work_folder); !status) return status;
    std::string folder = std::filesystem::absolute(work_folder).string() + "/blender-XXXXXX";
    if (!::mkdtemp(folder.data()))
        return errorf("%s: cannot make a folder in it: %s", work_folder.c_str(),
                      std::strerror(errno));
    const size_t samples = job.body.size() / job.body_mesh.positions.size();
    if (Status status = writeJob(folder, job, samples); !status) {
        removeFolder(folder);
        return status;
    }
    const std::string log = folder + "/blender.log";
    FrameReader reader{job, folder, sink};
    const auto end =
        runProgram({.path = program.path,
                    .arguments = {"-b", "-t", "1", "--factory-startup", "--python-exit-code", "3",
                                  "-P", folder + "/script.py", "--", folder},
                    .environment = {"OMP_NUM_THREADS=1"},
                    .log_path = log,
                    .silence_seconds = options.silence_seconds},
                   std::ref(reader));
    if (!end) return end.error();
    if (reader.fault)
        return errorf("%s\nBlender's cloth cannot be used; its log: %s",
                      reader.fault->message.c_str(), log.c_str());
    if (!end->stopped && (!end->succeeded() || reader.next != samples + 1))
        return errorf("%s: Blender failed (%s) after %zu of %zu frames; its log: %s",
                      program.path.c_str(), end->text.c_str(), reader.next - 3, samples - 2,
                      log.c_str());
    removeFolder(folder);
    return Done{};
}

}  // namespace hem::blender
