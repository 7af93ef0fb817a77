// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/view_data.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "hem/core/text.h"
#include "hem/eval/report/html.h"
#include "hem/picture/colormap.h"

namespace hem {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
std::string packed(const std::vector<T>& values) {
    return base64(std::as_bytes(std::span(values)));
}

Json triple(Vec3 v) { return {v.x, v.y, v.z}; }

// 16 bits a coordinate between the corners of a box.
class Quantiser {
public:
    void take(Vec3 p) { low_ = min(low_, p), high_ = max(high_, p); }
    Vec3 low() const { return low_; }
    Vec3 size() const { return max(high_ - low_, Vec3{1e-6f, 1e-6f, 1e-6f}); }
    void put(Vec3 p, std::vector<uint16_t>& to) const {
        for (int axis = 0; axis < 3; ++axis) {
            const float t = (p[axis] - low_[axis]) / size()[axis];
            to.push_back(uint16_t(std::lround(65535 * std::clamp(t, 0.0f, 1.0f))));
        }
    }

private:
    Vec3 low_{1e30f, 1e30f, 1e30f}, high_{-1e30f, -1e30f, -1e30f};
};

std::string packedTriangles(const std::vector<Triangle>& triangles) {
    std::vector<uint32_t> corners;
    for (const Triangle& t : triangles) corners.insert(corners.end(), t.begin(), t.end());
    return packed(corners);
}

// The four largest influences of every vertex, by numbers of `used` joints; weights sum to 255.
struct FourInfluences {
    std::vector<uint16_t> joints;
    std::vector<uint8_t> weights;
    std::vector<uint16_t> used;  // joints of the skeleton
};
FourInfluences fourInfluences(const Skin& skin, size_t joint_count) {
    FourInfluences four;
    std::vector<int> number(joint_count, -1);
    const auto n = size_t(skin.influences);
    for (size_t v = 0; v < skin.vertexCount(); ++v) {
        std::vector<Influence> all;
        for (size_t i = v * n; i < (v + 1) * n; ++i)
            all.push_back({skin.joints[i], skin.weights[i]});
        std::stable_sort(all.begin(), all.end(), [](const Influence& a, const Influence& b) {
            return a.weight > b.weight;
        });
        all.resize(4, {all[0].joint, 0});
        float sum = 0;
        for (const Influence& each : all) sum += each.weight;
        int left = 255;
        for (size_t i = 4; i-- > 0;) {
            int& own = number[size_t(all[i].joint)];
            if (own < 0) {
                own = int(four.used.size());
                four.used.push_back(uint16_t(all[i].joint));
            }
            all[i].joint = own;
            const int share = i ? int(255 * all[i].weight / sum) : left;
            all[i].weight = float(share);
            left -= share;
        }
        for (const Influence& each : all) {
            four.joints.push_back(uint16_t(each.joint));
            four.weights.push_back(uint8_t(each.weight));
        }
    }
    return four;
}

Json bodyJson(const Character& character, const Recording& clip, size_t first, size_t count) {
    const FourInfluences four = fourInfluences(character.skin, character.skeleton.size());
    Quantiser box;
    for (const Vec3 p : character.mesh.positions) box.take(p);
    std::vector<uint16_t> positions;
    for (const Vec3 p : character.mesh.positions) box.put(p, positions);
    std::vector<float> matrices;
    for (size_t t = first; t < first + count; ++t)
        for (const uint16_t joint : four.used) {
            const Affine& m = clip.jointMatrices(t)[joint];
            matrices.insert(matrices.end(), &m.m[0][0], &m.m[0][0] + 12);
        }
    return {
        {"low", triple(box.low())},       {"size", triple(box.size())},
        {"positions", packed(positions)}, {"triangles", packedTriangles(character.mesh.triangles)},
        {"joints", packed(four.joints)},  {"weights", packed(four.weights)},
        {"jointCount", four.used.size()}, {"matrices", packed(matrices)}};
}

// The part of the clip that fits, around the worst frame.
struct Window {
    size_t first = 0, count = 0, entrants = 0;
};
Window windowOf(const Recording& clip, size_t vertices, size_t entrants,
                const ViewRequest& request) {
    const size_t frame_bytes = 3 * sizeof(uint16_t) * vertices;
    const double rate = clip.meta().rate;
    const auto fits = [&](size_t n) {
        return std::max<size_t>(2, request.cloth_bytes / (frame_bytes * (n + 1)));
    };
    while (entrants > 1 && double(fits(entrants)) < 2 * rate) --entrants;
    const size_t most = size_t(double(request.most_seconds) * rate);
    Window window{.count = std::min({fits(entrants), most, clip.frames()}), .entrants = entrants};
    const size_t before = std::min(request.worst_frame, window.count * 3 / 5);
    window.first = std::min(request.worst_frame - before, clip.frames() - window.count);
    return window;
}

using Track = std::vector<std::vector<Vec3>>;  // frames by vertices

Json tracksJson(const std::vector<Track>& tracks, const std::vector<std::string>& names,
                const Recording& clip, const Window& window, Json& to) {
    Quantiser box;
    const auto root = [&](size_t t) { return clip.root(window.first + t).position; };
    for (const Track& track : tracks)
        for (size_t t = 0; t < track.size(); ++t)
            for (const Vec3 p : track[t]) box.take(p - root(t));
    Json list = Json::array();
    for (size_t i = 0; i < tracks.size(); ++i) {
        std::vector<uint16_t> numbers;
        for (size_t t = 0; t < tracks[i].size(); ++t)
            for (const Vec3 p : tracks[i][t]) box.put(p - root(t), numbers);
        list.push_back({{"name", names[i]}, {"positions", packed(numbers)}});
    }
    to["low"] = triple(box.low());
    to["size"] = triple(box.size());
    return list;
}

Json colorStops() {
    Json stops = Json::array();
    for (int i = 0; i <= 32; ++i) {
        const Rgb c = srgbFromLinear(colorAt(ColorMap::kSequential, float(i) / 32));
        stops.push_back({c.r, c.g, c.b});
    }
    return stops;
}

}  // namespace

Result<std::string> viewJson(const RecordingSet& set, const std::vector<Entrant>& entrants,
                             const ViewRequest& request) {
    const auto clip = set.clip(request.clip);
    if (!clip) return clip.error();
    const ClothScene& scene = set.scene();
    const Mesh garment = joinedMesh(scene.garments);
    const Window window = windowOf(*clip, garment.positions.size(), entrants.size(), request);

    std::vector<Track> tracks(1);
    std::vector<std::string> names{"simulation"};
    std::vector<float> roots;
    for (size_t t = window.first; t < window.first + window.count; ++t) {
        tracks[0].emplace_back(clip->positions(t).begin(), clip->positions(t).end());
        const Vec3 root = clip->root(t).position;
        roots.insert(roots.end(), {root.x, root.y, root.z});
    }
    for (size_t i = 0; i < window.entrants; ++i) {
        tracks.push_back(
            playedFrames(entrants[i], scene, *clip, window.first, window.count, request.flags));
        names.push_back(request.labels[i]);
    }
    Json stops = Json::array();
    for (const size_t stop : request.stops)
        if (stop >= window.first && stop < window.first + window.count)
            stops.push_back(stop - window.first);

    Json json{{"clip", request.clip},
              {"rate", clip->meta().rate},
              {"first", window.first},
              {"frames", window.count},
              {"clipFrames", clip->frames()},
              {"worst", request.worst_frame - window.first},
              {"stops", stops},
              {"scaleCm", request.scale_cm},
              {"colors", colorStops()},
              {"heading", clip->root(request.worst_frame).heading},
              {"roots", packed(roots)},
              {"body", bodyJson(scene.character, *clip, window.first, window.count)},
              {"vertices", garment.positions.size()},
              {"triangles", packedTriangles(garment.triangles)}};
    json["tracks"] = tracksJson(tracks, names, *clip, window, json);
    return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

}  // namespace hem
