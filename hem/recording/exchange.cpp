// SPDX-License-Identifier: Apache-2.0
#include "hem/recording/exchange.h"

#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

namespace fs = std::filesystem;

// Digits compare as numbers, so that frame 10 comes after frame 9.
bool inFrameOrder(const std::string& a, const std::string& b) {
    auto digit = [](char c) { return c >= '0' && c <= '9'; };
    auto number = [&](const std::string& text, size_t& at) {
        const size_t start = std::min(text.find_first_not_of('0', at), text.size());
        size_t end = start;
        while (end < text.size() && digit(text[end])) ++end;
        at = end;
        return std::string_view(text).substr(start, end - start);
    };
    for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        if (digit(a[i]) && digit(b[j])) {
            const auto m = number(a, i), n = number(b, j);
            if (m.size() != n.size()) return m.size() < n.size();
            if (m != n) return m < n;
        } else if (a[i] != b[j]) {
            return a[i] < b[j];
        } else {
            ++i, ++j;
        }
    }
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

Result<std::vector<std::string>> objFiles(const std::string& path) {
    std::vector<std::string> files;
    if (fs::is_directory(path)) {
        auto listed = listFiles(path, ".obj");
        if (!listed) return listed.error();
        files = std::move(*listed);
    } else {
        glob_t found{};
        if (::glob(path.c_str(), 0, nullptr, &found) == 0)
            for (size_t i = 0; i < found.gl_pathc; ++i)
                if (extensionOf(found.gl_pathv[i]) == "obj") files.emplace_back(found.gl_pathv[i]);
        ::globfree(&found);
    }
    if (files.empty())
        return errorf(
            "%s: no cache: give a .pc2 or .mdd file, a folder of .obj files, or a pattern "
            "like 'frames/dress_*.obj'",
            path.c_str());
    std::sort(files.begin(), files.end(), inFrameOrder);
    return files;
}

Result<PointCache> loadObjSequence(const std::string& path, double rate) {
    const auto files = objFiles(path);
    if (!files) return files.error();
    PointCache cache{.rate = rate};
    for (const std::string& file : *files) {
        const auto mesh = loadObj(file);
        if (!mesh) return mesh.error();
        if (cache.vertices == 0) cache.vertices = mesh->positions.size();
        if (mesh->positions.size() != cache.vertices || cache.vertices == 0)
            return errorf("%s: has %zu vertices, but %s has %zu; all frames need the same mesh",
                          file.c_str(), mesh->positions.size(), files->front().c_str(),
                          cache.vertices);
        cache.positions.insert(cache.positions.end(), mesh->positions.begin(),
                               mesh->positions.end());
    }
    return cache;
}

std::string sizeText(Vec3 size) {
    return format("%.3g by %.3g by %.3g m", double(size.x), double(size.y), double(size.z));
}

// The boxes around cloth and body meet, and the cloth is of a size that a body can wear.
Status checkNear(const ClothScene& scene, const std::vector<Vec3>& cloth, const Pose& pose) {
    const Bounds body = boundsOf(posedVertices(scene.character, pose)), garment = boundsOf(cloth);
    bool meets = true;
    for (int axis = 0; axis < 3; ++axis)
        meets &= garment.low[axis] <= body.high[axis] + 0.05f &&
                 garment.high[axis] >= body.low[axis] - 0.05f;
    const float ratio = length(garment.size()) / length(body.size());
    if (meets && ratio > 0.03f && ratio < 5) return Done{};
    const Vec3 apart = garment.centre() - body.centre();
    return errorf(
        "at the first frame the cloth is %s and the body %s, and their centres are %.3g, %.3g, "
        "%.3g m apart: is the unit another (--unit cm), the up axis (--up z), or the start "
        "(--start-frame)?",
        sizeText(garment.size()).c_str(), sizeText(body.size()).c_str(), double(apart.x),
        double(apart.y), double(apart.z));
}

// The median over edges of how many times as long they are as the garments' own.
double medianStretch(const Mesh& rest, const std::vector<Vec3>& cloth) {
    std::vector<double> ratios;
    for (const auto& [a, b] : uniqueEdges(rest.triangles))
        ratios.push_back(double(distance(cloth[a], cloth[b])) /
                         double(distance(rest.positions[a], rest.positions[b])));
    const auto middle = ratios.begin() + std::ptrdiff_t(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    return *middle;
}

// Cloth does not shrink or grow to twice its size: then the mesh is not the cache's.
Status checkScale(const ClothScene& scene, const std::vector<Vec3>& cloth) {
    const Mesh rest = joinedMesh(scene.garments);
    const double stretch = medianStretch(rest, cloth);
    if (stretch > 0.5 && stretch < 2) return Done{};
    return errorf(
        "at the first frame the cloth's edges are %.3g times as long as the garment's: the cloth "
        "is %s and the garment %s. Both are read with the same --unit and --up: give --garment "
        "the mesh in the cache's unit, as the .obj that was exported beside it",
        stretch, sizeText(boundsOf(cloth).size()).c_str(),
        sizeText(boundsOf(rest.positions).size()).c_str());
}

std::vector<ClothState> statesOf(const PointCache& cache, const Units& units) {
    std::vector<ClothState> states(cache.samples());
    for (size_t f = 0; f < states.size(); ++f) {
        states[f].time = double(f) / cache.rate;
        for (size_t i = 0; i < cache.vertices; ++i)
            states[f].positions.push_back(units.toMetres(cache.positions[f * cache.vertices + i]));
    }
    for (size_t f = 0; f < states.size(); ++f) {
        const size_t before = f > 0 ? f - 1 : f, after = std::min(f + 1, states.size() - 1);
        const auto per_second = after > before ? float(cache.rate / double(after - before)) : 0.0f;
        for (size_t i = 0; i < cache.vertices; ++i)
            states[f].velocities.push_back(
                (states[after].positions[i] - states[before].positions[i]) * per_second);
    }
    return states;
}

}  // namespace

Vec3 Units::toMetres(Vec3 p) const {
    const auto scale = float(metres_per_unit);
    return (z_up ? Vec3{p.x, p.z, -p.y} : p) * scale;
}

Vec3 Units::fromMetres(Vec3 p) const {
    const auto scale = float(1 / metres_per_unit);
    return (z_up ? Vec3{p.x, -p.z, p.y} : p) * scale;
}

Result<PointCache> loadCache(const std::string& path, double rate) {
    const std::string extension = extensionOf(path);
    if (extension == "pc2") return loadPc2(path, rate > 0 ? rate : 30);
    if (extension != "mdd") return loadObjSequence(path, rate > 0 ? rate : 30);
    auto cache = loadMdd(path);
    if (cache && rate > 0 && cache->rate != rate && cache->samples() > 1)
        return errorf("%s: has %g samples a second, not the %g that were asked for", path.c_str(),
                      cache->rate, rate);
    return cache;
}

Result<Garment> loadForeignGarment(const std::string& path, const Units& units) {
    auto mesh = loadObj(path);
    if (!mesh) return mesh.error();
    Garment garment{.name = stemOf(path)};
    for (Vec3 p : mesh->positions) garment.mesh.positions.push_back(units.toMetres(p));
    garment.mesh.triangles = std::move(mesh->triangles);
    garment.pins.assign(garment.mesh.positions.size(), 0);
    garment.fabric.name = "unknown";
    if (const Status valid = validate(garment); !valid) return inContext(path, valid.error());
    return garment;
}

Result<RecordedClip> importedClip(const ClothScene& scene, const PointCache& cache,
                                  const Motion& motion, const ImportOptions& options) {
    const std::string& name = options.name;
    const size_t vertices = vertexCount(scene.garments);
    if (cache.vertices != vertices)
        return errorf(
            "%s: the cache has %zu vertices, but the garment has %zu; both must come from the "
            "same mesh, without subdivision",
            name.c_str(), cache.vertices, vertices);
    if (std::abs(cache.rate - scene.rate) > 1e-3 * scene.rate)
        return errorf(
            "%s: the cache has %g frames a second, but the set has %g; give --rate %g if the "
            "cache was made at that rate, or another folder",
            name.c_str(), cache.rate, scene.rate, scene.rate);
    if (options.start_frame + cache.samples() > motion.frames.size())
        return errorf(
            "%s: the cache has %zu frames from frame %zu of the motion on, but the motion has %zu "
            "at %g frames a second; is it the motion that was simulated? --rate and "
            "--start-frame say how they belong together",
            name.c_str(), cache.samples(), options.start_frame, motion.frames.size(), scene.rate);
    PointCache at_rate = cache;
    at_rate.rate = scene.rate;
    RecordedClip clip;
    clip.meta.name = name;
    clip.meta.motion = motion.name;
    clip.meta.simulator = "imported from " + options.source;
    clip.meta.rate = scene.rate;
    clip.states = statesOf(at_rate, options.units);
    const auto first = motion.frames.begin() + std::ptrdiff_t(options.start_frame);
    clip.poses.assign(first, first + std::ptrdiff_t(cache.samples()));
    if (const Status near = checkNear(scene, clip.states[0].positions, clip.poses[0]); !near)
        return inContext(name, near.error());
    if (const Status scale = checkScale(scene, clip.states[0].positions); !scale)
        return inContext(name, scale.error());
    return clip;
}

PointCache cacheOf(const Recording& recording, const Units& units) {
    PointCache cache{.rate = recording.meta().rate, .vertices = recording.vertices()};
    for (size_t f = 0; f < recording.frames(); ++f)
        for (Vec3 p : recording.positions(f)) cache.positions.push_back(units.fromMetres(p));
    return cache;
}

PointCache bodyCacheOf(const Recording& recording, const Character& body, const Units& units) {
    PointCache cache{.rate = recording.meta().rate, .vertices = body.mesh.positions.size()};
    for (size_t f = 0; f < recording.frames(); ++f)
        for (Vec3 p : posedVertices(body, recording.pose(f)))
            cache.positions.push_back(units.fromMetres(p));
    return cache;
}

Status saveCache(const std::string& path, const PointCache& cache, const Mesh& mesh) {
    const std::string extension = extensionOf(path);
    if (extension == "pc2") return savePc2(path, cache);
    if (extension == "mdd") return saveMdd(path, cache);
    if (const Status made = makeFolders(path); !made) return made;
    Mesh frame = mesh;
    for (size_t f = 0; f < cache.samples(); ++f) {
        const auto first = cache.positions.begin() + std::ptrdiff_t(f * cache.vertices);
        frame.positions.assign(first, first + std::ptrdiff_t(cache.vertices));
        const Status saved = saveObj(path + format("/frame_%04zu.obj", f), frame);
        if (!saved) return saved;
    }
    return Done{};
}

Garment joinedGarment(const std::vector<Garment>& garments, const Units& units) {
    Garment joined{.name = garments.size() == 1 ? garments[0].name : "garments"};
    joined.mesh = joinedMesh(garments);
    for (Vec3& p : joined.mesh.positions) p = units.fromMetres(p);
    bool has_uvs = false;
    for (const Garment& garment : garments) {
        has_uvs |= !garment.corner_uvs.empty();
        joined.pins.insert(joined.pins.end(), garment.pins.begin(), garment.pins.end());
        auto& uvs = joined.corner_uvs;
        const size_t corners = uvs.size() + garment.mesh.triangles.size() * 3;
        uvs.insert(uvs.end(), garment.corner_uvs.begin(), garment.corner_uvs.end());
        uvs.resize(corners);
    }
    if (!has_uvs) joined.corner_uvs.clear();
    joined.fabric = garments[0].fabric;
    return joined;
}

}  // namespace hem
