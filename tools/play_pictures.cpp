// SPDX-License-Identifier: Apache-2.0
#include "tools/play_pictures.h"

#include <algorithm>
#include <cmath>

#include "hem/core/files.h"
#include "hem/core/text.h"
#include "hem/picture/contact_sheet.h"
#include "hem/picture/moving_picture.h"
#include "hem/picture/shots.h"
#include "hem/recording/recording.h"
#include "tools/picture_options.h"

namespace hem::tools {
namespace {

constexpr Vec3 kPlayedColor{0.10f, 0.16f, 0.30f}, kSimulatedColor{0.33f, 0.15f, 0.10f};
constexpr double kFollowSeconds = 0.6;  // of the body's path that the camera averages, either way

Mesh meshOf(const hem_Garment* garment) {
    Mesh mesh;
    const uint32_t* corners = hem_triangles(garment);
    for (size_t t = 0; t < hem_triangleCount(garment); ++t)
        mesh.triangles.push_back({corners[3 * t], corners[3 * t + 1], corners[3 * t + 2]});
    return mesh;
}

Shot shotOf(const Wearing& w, const Pose& pose, std::span<const Vec3> cloth, Vec3 color) {
    SceneObject worn{.mesh = meshOf(w.garment), .material = clothMaterial(color)};
    worn.mesh.positions.assign(cloth.begin(), cloth.end());
    return {.positions = posedVertices(w.character, pose),
            .colors = {},
            .anchor = pose.root_position,
            .worn = {std::move(worn)}};
}

Shot playedShot(const Wearing& w, const PointCache& cloth, size_t frame) {
    return shotOf(w, w.motion.frames[frame],
                  std::span(cloth.positions).subspan(frame * cloth.vertices, cloth.vertices),
                  kPlayedColor);
}

struct FrameRange {
    size_t first, last;
};
Result<FrameRange> framesOf(const Wearing& w, const PlayPictureArguments& a) {
    const size_t last = w.motion.frames.size() - 1;
    if (a.time.empty()) return FrameRange{0, last};
    const auto range = parseRange(a.time, "--time");
    if (!range) return range.error();
    const double from = std::round(range->first * w.motion.rate),
                 to = std::round(range->last * w.motion.rate);
    if (from < 0 || to > double(last))
        return errorf("--time %s: the motion %s lasts %.2f s", a.time.c_str(),
                      w.motion.name.c_str(), w.motion.duration());
    return FrameRange{size_t(from), size_t(to)};
}

// Where the camera looks, by frames of the motion: the root's path, averaged over a while.
Vec3 followedPlace(const Motion& motion, size_t frame) {
    const auto reach = std::ptrdiff_t(std::lround(kFollowSeconds * motion.rate));
    const auto last = std::ptrdiff_t(motion.frames.size()) - 1;
    Vec3 sum;
    float total = 0;
    for (std::ptrdiff_t d = -reach; d <= reach; ++d) {
        const auto at = size_t(std::clamp(std::ptrdiff_t(frame) + d, std::ptrdiff_t(0), last));
        const float weight = float(reach + 1 - std::abs(d));
        sum += motion.frames[at].root_position * weight;
        total += weight;
    }
    return sum / total;
}

Result<Recording> openBeside(const Wearing& w, const std::string& folder, FrameRange range) {
    const auto clip = Recording::open(folder);
    if (!clip) return clip.error();
    if (clip->vertices() != hem_vertexCount(w.garment) ||
        clip->joints() != w.character.skeleton.size())
        return errorf("%s: %zu vertices on %zu joints are not this garment's, %zu on %zu",
                      folder.c_str(), clip->vertices(), clip->joints(), hem_vertexCount(w.garment),
                      w.character.skeleton.size());
    const double seconds = double(range.last) / w.motion.rate;
    if (std::lround(seconds * clip->meta().rate) >= long(clip->frames()))
        return errorf("%s: ends before %.2f s; --time chooses a part", folder.c_str(), seconds);
    return clip;
}

Result<ShotOptions> shotOptions(const PlayPictureArguments& a, const char* usual_size) {
    const auto size = parseSize(a.size.empty() ? usual_size : a.size);
    if (!size) return size.error();
    const auto view = parseView(a.view);
    if (!view) return view.error();
    const auto quality = parseQuality(a.quality);
    if (!quality) return quality.error();
    return ShotOptions{.view = *view,
                       .render = {size->width, size->height, *quality},
                       .material = mannequinMaterial(),
                       .follow = true};
}

}  // namespace

void PlayPictureArguments::addTo(CLI::App* verb) {
    constexpr const char* kGroup = "Pictures (.png, .webp)";
    verb->add_option("--time", time, "Seconds into the motion, FROM:TO (default: all)")
        ->group(kGroup);
    verb->add_option("--cells", cells, "Of a contact sheet")
        ->check(CLI::Range(1, kMaxCells))
        ->capture_default_str()
        ->group(kGroup);
    verb->add_option("--beside", beside,
                     "A moving picture: a recorded clip of the same motion, shown at the left")
        ->group(kGroup);
    verb->add_option("--view", view, "front, side, back, three-quarter, top, or YAW,PITCH")
        ->capture_default_str()
        ->group(kGroup);
    verb->add_option("--size", size,
                     "WIDTHxHEIGHT in pixels of a figure (default: 480x640; moving 320x480)")
        ->group(kGroup);
    verb->add_option("--quality", quality, "draft, normal or high")
        ->capture_default_str()
        ->group(kGroup);
}

Status PlayPictureArguments::check() const {
    if (const auto options = shotOptions(*this, "480x640"); !options) return options.error();
    if (const auto range = parseRange(time.empty() ? "0" : time, "--time"); !range)
        return range.error();
    return Done{};
}

Result<size_t> savePlaySheet(const std::string& path, const Wearing& w, const PointCache& cloth,
                             const PlayPictureArguments& a) {
    const auto range = framesOf(w, a);
    if (!range) return range.error();
    const auto options = shotOptions(a, "480x640");
    if (!options) return options.error();
    std::vector<Shot> shots;
    std::vector<std::string> labels;
    for (double moment : evenTimes(double(range->first), double(range->last), a.cells)) {
        const auto frame = size_t(std::lround(moment));
        shots.push_back(playedShot(w, cloth, frame));
        labels.push_back(format("%.2f s", double(frame) / w.motion.rate));
    }
    const Status saved =
        savePng(path, contactSheet(renderShots(w.character.mesh, shots, *options), labels));
    if (!saved) return saved.error();
    return shots.size();
}

Result<size_t> savePlayFilm(const std::string& path, const Wearing& w, const PointCache& cloth,
                            const PlayPictureArguments& a) {
    const auto range = framesOf(w, a);
    if (!range) return range.error();
    auto options = shotOptions(a, "320x480");
    if (!options) return options.error();
    options->ground_dots = 0.5f;
    std::vector<Shot> shots;  // the played ones, then those beside them
    for (size_t f = range->first; f <= range->last; ++f) shots.push_back(playedShot(w, cloth, f));
    const size_t frames = shots.size();
    if (!a.beside.empty()) {
        const auto clip = openBeside(w, a.beside, *range);
        if (!clip) return clip.error();
        for (size_t f = range->first; f <= range->last; ++f) {
            const auto at = size_t(std::lround(double(f) / w.motion.rate * clip->meta().rate));
            shots.push_back(shotOf(w, clip->pose(at), clip->positions(at), kSimulatedColor));
        }
    }
    for (size_t i = 0; i < shots.size(); ++i)
        shots[i].anchor = followedPlace(w.motion, range->first + i % frames);
    std::vector<Image> images = renderShots(w.character.mesh, shots, *options);
    if (!a.beside.empty())
        for (size_t i = 0; i < frames; ++i)
            images[i] =
                contactSheet({images[frames + i], images[i]}, {"simulated", "learned, played"},
                             {.columns = 2, .label_cap_height = 10});
    MovingPicture film(images[0].width, images[0].height, {.rate = w.motion.rate});
    for (size_t i = 0; i < frames; ++i)
        if (const Status added = film.add(images[i]); !added) return added.error();
    const auto bytes = film.finish();
    if (!bytes) return bytes.error();
    if (const Status saved = writeFile(path, *bytes); !saved) return saved.error();
    return frames;
}

}  // namespace hem::tools
