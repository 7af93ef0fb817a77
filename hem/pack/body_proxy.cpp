// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/body_proxy.h"

#include <algorithm>
#include <span>
#include <utility>

#include "hem/core/check.h"
#include "hem/core/parallel.h"
#include "hem/core/surface_tree.h"
#include "hem/runtime/format.h"

namespace hem {
namespace {

constexpr float kNear = 0.12f;     // metres: skin that cloth is this near to is part of the proxy
constexpr float kTouches = 0.06f;  // vertices that come this near to the skin have a tile
constexpr size_t kPoses = 32;      // of all frames, for spreading the points
constexpr size_t kFitPoses = 16;   // ... and for fitting their offsets
constexpr int kFitRounds = 6;
constexpr size_t kTilePoses = 6;  // ... and for choosing tiles
constexpr float kBeyond = 0.01f;  // metres beyond its reach that cloth may stay off a point
// Cloth is kept as far off the skin as this share of it comes nearer in training, up to `kMostOff`.
constexpr float kShareNearer = 0.25f, kMostOff = 0.008f;

struct PosedPoint {
    Vec3 centre, normal;
    float offset;
};

// What the player makes of the points at x.
struct Blend {
    float weight = 0, distance = 0;
    Vec3 normal;
};

float weightAt(const PosedPoint& p, Vec3 x, float reach) {
    const float t = std::max(0.0f, 1 - lengthSquared(x - p.centre) / (reach * reach));
    return t * t * (t * t);
}

template <class Points>
Blend blendAt(const std::vector<PosedPoint>& posed, const Points& chosen, Vec3 x, float reach) {
    Blend sum;
    for (const auto k : chosen) {
        const PosedPoint& p = posed[k];
        const float g = weightAt(p, x, reach);
        sum.weight += g;
        sum.distance += g * (dot(p.normal, x - p.centre) - p.offset);
        sum.normal = sum.normal + p.normal * g;
    }
    if (sum.weight > 1e-12f) sum.distance /= sum.weight;
    return sum;
}

PosedPoint posed(const BodyProxy::Point& p, const std::vector<Affine>& joints) {
    PosedPoint result{{}, {}, p.offset};
    for (const Influence& i : p.influences) {
        const Affine& m = joints[size_t(i.joint)];
        result.normal = result.normal + transformVector(m, p.normal) * i.weight;
        result.centre = result.centre + transformPoint(m, p.centre) * i.weight;
    }
    return result;
}
std::vector<PosedPoint> posedPoints(const BodyProxy& proxy, const std::vector<Affine>& joints) {
    std::vector<PosedPoint> result;
    for (const BodyProxy::Point& p : proxy.points) result.push_back(posed(p, joints));
    return result;
}

// Halves points along their longest side, at a multiple of `most`, until so many or fewer are left:
// these are then neighbours.
template <class Iterator>
void sortByPlace(const std::vector<Vec3>& at, size_t most, Iterator begin, Iterator end) {
    const auto count = size_t(end - begin);
    if (count <= most) return;
    Vec3 low = at[*begin], high = low;
    for (auto v = begin; v != end; ++v)
        for (int c = 0; c < 3; ++c)
            low[c] = std::min(low[c], at[*v][c]), high[c] = std::max(high[c], at[*v][c]);
    const Vec3 size = high - low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    std::sort(begin, end, [&](uint32_t a, uint32_t b) {
        return at[a][axis] != at[b][axis] ? at[a][axis] < at[b][axis] : a < b;
    });
    const size_t tiles = (count + most - 1) / most;
    const auto middle = begin + std::ptrdiff_t(tiles / 2 * most);
    sortByPlace(at, most, begin, middle);
    sortByPlace(at, most, middle, end);
}

using Positions = std::vector<Vec3>;

// Of the boxes around the vertices in all frames, widened by `wider` on each side: the volume.
double volumeAround(const std::vector<const Positions*>& frames, float wider,
                    std::span<const uint32_t> vertices) {
    double volume = 0;
    for (const Positions* at : frames) {
        Vec3 low = (*at)[vertices[0]], high = low;
        for (const uint32_t v : vertices)
            for (int c = 0; c < 3; ++c)
                low[c] = std::min(low[c], (*at)[v][c]), high[c] = std::max(high[c], (*at)[v][c]);
        const Vec3 size = high - low + Vec3{2, 2, 2} * wider;
        volume += double(size.x) * double(size.y) * double(size.z);
    }
    return volume;
}

// Halves vertices across an axis of a frame, at a multiple of `most`, so that the boxes around both
// halves are small in all frames, until so many or fewer are left, which become tiles.
void splitInBoxes(const std::vector<const Positions*>& frames, float wider, size_t most,
                  std::span<uint32_t> vertices, std::vector<BodyProxy::Tile>& tiles) {
    if (vertices.empty()) return;
    if (vertices.size() <= most) {
        tiles.emplace_back(vertices.begin(), vertices.end());
        return;
    }
    const size_t middle = (vertices.size() + most - 1) / most / 2 * most;
    std::vector<uint32_t> order(vertices.begin(), vertices.end()), best;
    double least = 0;
    for (const Positions* at : frames)
        for (int axis = 0; axis < 3; ++axis) {
            std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
                const float x = (*at)[a][axis], y = (*at)[b][axis];
                return x != y ? x < y : a < b;
            });
            const std::span<const uint32_t> all(order);
            const double volume = volumeAround(frames, wider, all.first(middle)) +
                                  volumeAround(frames, wider, all.subspan(middle));
            if (best.empty() || volume < least) best = order, least = volume;
        }
    std::copy(best.begin(), best.end(), vertices.begin());
    splitInBoxes(frames, wider, most, vertices.first(middle), tiles);
    splitInBoxes(frames, wider, most, vertices.subspan(middle), tiles);
}

class Fit {
public:
    Fit(const Character& character, const std::vector<BodyFrame>& frames,
        const BodyProxyOptions& options);

    BodyProxy run();

private:
    std::vector<Vec3> skinOf(const BodyFrame& frame) const;
    bool worn(uint32_t vertex) const;
    bool touches(uint32_t vertex, uint32_t skin) const;
    void lookAtFrames();
    void growZone();
    void leaveOutThinParts();
    void spreadPoints(float spacing);
    void sortPoints();
    void takePoints(const std::vector<uint32_t>& order);
    std::vector<size_t> everyFew(size_t count) const;
    void addPoint(uint32_t vertex);
    void fitOffsets();
    std::vector<std::pair<uint32_t, float>> distancesIn(const BodyFrame& frame) const;
    void fitMargins();
    void dropPoints();
    void makeTiles();

    const Character& character_;
    const std::vector<BodyFrame>& frames_;
    BodyProxyOptions options_;
    size_t vertices_;
    std::vector<Vec3> normals_;            // of the body at rest
    std::vector<char> in_zone_;            // per vertex of the body
    std::vector<float> nearest_;           // per vertex of the garment, over all frames
    std::vector<uint32_t> skin_of_point_;  // the vertex of the body that a point stands for
    BodyProxy proxy_;
};

BodyProxyOptions scaled(BodyProxyOptions o, const std::vector<Vec3>& body) {
    float low = 1e30f, high = -1e30f;
    for (const Vec3 p : body) low = std::min(low, p.y), high = std::max(high, p.y);
    const float size = std::clamp((high - low) / 1.7f, 0.1f, 10.0f);
    for (float* length : {&o.spacing, &o.depth, &o.reach, &o.most}) *length *= size;
    return o;
}

std::vector<Vec3> normalsOf(const Mesh& mesh) {
    const SurfaceTree tree(mesh);
    std::vector<Vec3> normals(mesh.positions.size(), {0, 1, 0});
    for (uint32_t t = 0; t < mesh.triangles.size(); ++t)
        for (size_t i = 0; i < 3; ++i) {
            const uint32_t v = mesh.triangles[t][i];
            SurfacePoint corner{
                t, {float(i == 0), float(i == 1), float(i == 2)}, mesh.positions[v], 0};
            normals[v] = tree.normalAt(corner);
        }
    return normals;
}

Fit::Fit(const Character& character, const std::vector<BodyFrame>& frames,
         const BodyProxyOptions& options)
    : character_(character),
      frames_(frames),
      options_(scaled(options, character.mesh.positions)),
      vertices_(frames.at(0).cloth.size()),
      normals_(normalsOf(character.mesh)),
      in_zone_(character.mesh.positions.size()),
      nearest_(vertices_, 1e30f) {
    for (const BodyFrame& frame : frames) {
        CHECK_EQ(frame.cloth.size(), vertices_);
        CHECK_EQ(frame.joints.size(), character.skeleton.size());
        CHECK(frame.played.empty() || frame.played.size() == vertices_);
    }
    const bool some_passes = !options.passing_skin.empty();
    CHECK_EQ(options.passing_skin.size(), some_passes ? character.mesh.positions.size() : 0);
    CHECK_EQ(options.worn_on_it.size(), some_passes ? vertices_ : 0);
}

std::vector<Vec3> Fit::skinOf(const BodyFrame& frame) const {
    std::vector<Vec3> skin(character_.mesh.positions.size());
    skinLinear(character_.skin, character_.mesh.positions.data(), frame.joints.data(), skin.data());
    return skin;
}

// Whether a vertex of the garment is worn on skin that passes through others.
bool Fit::worn(uint32_t vertex) const {
    return !options_.worn_on_it.empty() && options_.worn_on_it[vertex];
}

// Whether a vertex of the body is in the way of one of the garment.
bool Fit::touches(uint32_t vertex, uint32_t skin) const {
    return options_.passing_skin.empty() || !options_.passing_skin[skin] || worn(vertex);
}

// At most `count` of the frames, evenly.
std::vector<size_t> Fit::everyFew(size_t count) const {
    std::vector<size_t> chosen;
    const size_t n = std::min(count, frames_.size());
    for (size_t i = 0; i < n; ++i) chosen.push_back(i * frames_.size() / n);
    return chosen;
}

// Where the cloth is near the skin, and how near: zone, nearest_ and the distance to keep.
void Fit::lookAtFrames() {
    struct Seen {
        std::vector<char> zone;
        std::vector<float> distances;
    };
    std::vector<Seen> seen(frames_.size());
    parallelFor(frames_.size(), 16, [&](size_t begin, size_t count) {
        SurfaceTree body(character_.mesh);
        for (size_t f = begin; f < begin + count; ++f) {
            body.refit(skinOf(frames_[f]));
            seen[f] = {std::vector<char>(in_zone_.size()), std::vector<float>(vertices_, 1e30f)};
            const auto find = [&](uint32_t v, Vec3 x) {
                const SurfacePoint skin = body.nearest(x, kNear);
                if (!skin) return skin;
                const Triangle& corners = character_.mesh.triangles[skin.triangle];
                if (!touches(v, corners[0])) return SurfacePoint{};
                for (const uint32_t corner : corners) seen[f].zone[corner] = 1;
                return skin;
            };
            for (uint32_t v = 0; v < frames_[f].played.size(); ++v) find(v, frames_[f].played[v]);
            for (uint32_t v = 0; v < vertices_; ++v) {
                const Vec3 x = frames_[f].cloth[v];
                const SurfacePoint skin = find(v, x);
                if (!skin) continue;
                const bool inside = dot(x - skin.position, body.normalAt(skin)) < 0;
                seen[f].distances[v] = inside ? -skin.distance : skin.distance;
            }
        }
    });
    std::vector<float> all;
    for (const Seen& s : seen) {
        for (size_t v = 0; v < in_zone_.size(); ++v) in_zone_[v] |= s.zone[v];
        for (size_t v = 0; v < vertices_; ++v) nearest_[v] = std::min(nearest_[v], s.distances[v]);
        all.insert(all.end(), s.distances.begin(), s.distances.end());
    }
    const auto low = all.begin() + std::ptrdiff_t(all.size() / 25);
    std::nth_element(all.begin(), low, all.end());
    proxy_.distance = std::clamp(*low, std::min(0.0005f, options_.distance), options_.distance);
}

// By two rings of triangles: other motions come near a little more of the skin.
void Fit::growZone() {
    for (int ring = 0; ring < 2; ++ring) {
        const std::vector<char> before = in_zone_;
        for (const auto& [a, b, c] : character_.mesh.triangles)
            if (before[a] || before[b] || before[c]) in_zone_[a] = in_zone_[b] = in_zone_[c] = 1;
    }
}

// Hands: the blend knows one skin near a place, and there are two of them.
void Fit::leaveOutThinParts() {
    constexpr float kStep = 0.0025f;
    const float thin = 2 * options_.depth;
    SurfaceTree body(character_.mesh);
    for (size_t v = 0; v < in_zone_.size(); ++v)
        for (float depth = 2 * kStep; in_zone_[v] && depth < thin; depth += kStep)
            in_zone_[v] =
                body.signedDistance(character_.mesh.positions[v] - normals_[v] * depth) <= 0;
}

void Fit::addPoint(uint32_t vertex) {
    const Skin& skin = character_.skin;
    BodyProxy::Point point{character_.mesh.positions[vertex] - normals_[vertex] * options_.depth,
                           normals_[vertex],
                           options_.depth,
                           {}};
    const size_t first = vertex * size_t(skin.influences);
    for (size_t i = first; i < first + size_t(skin.influences); ++i)
        if (skin.weights[i] > 0) point.influences.push_back({skin.joints[i], skin.weights[i]});
    std::sort(point.influences.begin(), point.influences.end(), [](Influence a, Influence b) {
        return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
    });
    proxy_.points.push_back(std::move(point));
    skin_of_point_.push_back(vertex);
}

// Farthest-point sampling: the next point is the vertex that is farthest from all points, until
// none is farther than `spacing`. Distances are the largest over poses, and skin that faces another
// way does not count as near.
void Fit::spreadPoints(float spacing) {
    std::vector<std::vector<Vec3>> poses = {character_.mesh.positions};
    for (const size_t f : everyFew(kPoses)) poses.push_back(skinOf(frames_[f]));
    std::vector<float> distances(in_zone_.size(), 1e30f);
    for (;;) {
        uint32_t farthest = 0;
        float most = 0;
        for (uint32_t v = 0; v < distances.size(); ++v)
            if (in_zone_[v] && distances[v] > most) farthest = v, most = distances[v];
        if (most < spacing) return;
        addPoint(farthest);
        for (uint32_t v = 0; v < distances.size(); ++v) {
            if (!in_zone_[v] || dot(normals_[v], normals_[farthest]) < 0.2f) continue;
            float d = distance(poses[0][v], poses[0][farthest]);
            if (d > 2 * spacing) continue;
            for (const auto& pose : poses) d = std::max(d, distance(pose[v], pose[farthest]));
            distances[v] = std::min(distances[v], d);
        }
        distances[farthest] = 0;
    }
}

// Takes the points with these numbers, in this order, for all.
void Fit::takePoints(const std::vector<uint32_t>& order) {
    std::vector<BodyProxy::Point> points;
    std::vector<uint32_t> skin;
    for (const uint32_t k : order) {
        points.push_back(proxy_.points[k]);
        skin.push_back(skin_of_point_[k]);
    }
    proxy_.points = std::move(points);
    skin_of_point_ = std::move(skin);
}

// Leaves those that some cloth came near. Of fine meshes some vertices tell as much as all.
void Fit::dropPoints() {
    const float far = options_.reach + kBeyond;
    const auto step = uint32_t(1 + vertices_ / 2000);
    std::vector<std::vector<char>> near(frames_.size());
    parallelFor(frames_.size(), 1, [&](size_t f, size_t) {
        const auto points = posedPoints(proxy_, frames_[f].joints);
        near[f].resize(points.size());
        const auto look = [&](const std::vector<Vec3>& cloth) {
            for (uint32_t v = 0; v < cloth.size(); v += step)
                for (size_t k = 0; k < points.size(); ++k)
                    near[f][k] |= lengthSquared(cloth[v] - points[k].centre) < far * far &&
                                  touches(v, skin_of_point_[k]);
        };
        look(frames_[f].cloth);
        look(frames_[f].played);
    });
    std::vector<uint32_t> kept;
    for (uint32_t k = 0; k < proxy_.points.size(); ++k)
        if (std::any_of(near.begin(), near.end(), [&](const auto& frame) { return frame[k]; }))
            kept.push_back(k);
    takePoints(kept);
}

// So that 16 points in a row are neighbours, which have joints in common; those of skin that passes
// come last.
void Fit::sortPoints() {
    std::vector<Vec3> at;
    std::vector<uint32_t> order;
    for (const BodyProxy::Point& p : proxy_.points) {
        order.push_back(uint32_t(at.size()));
        at.push_back(p.centre);
    }
    const auto passing = std::stable_partition(order.begin(), order.end(), [&](uint32_t k) {
        return options_.passing_skin.empty() || !options_.passing_skin[skin_of_point_[k]];
    });
    proxy_.common_points = size_t(passing - order.begin());
    sortByPlace(at, format::kLanes, order.begin(), passing);
    sortByPlace(at, format::kLanes, passing, order.end());
    takePoints(order);
}

// The blend's distance just above every vertex of the skin should be just above nought. What it
// differs by is taken out of the offsets in proportion to the points' say, again and again.
void Fit::fitOffsets() {
    constexpr float kAbove = 0.001f, kMost = 0.004f;
    const std::vector<size_t> chosen = everyFew(kFitPoses);
    std::vector<uint32_t> all(proxy_.points.size());
    for (uint32_t k = 0; k < all.size(); ++k) all[k] = k;
    std::vector<std::vector<Vec3>> samples(chosen.size());
    parallelFor(chosen.size(), 1, [&](size_t i, size_t) {
        SurfaceTree body(character_.mesh);
        body.refit(skinOf(frames_[chosen[i]]));
        std::vector<char> left = in_zone_;
        for (uint32_t t = 0; t < character_.mesh.triangles.size(); ++t)
            for (size_t c = 0; c < 3; ++c) {
                const uint32_t v = character_.mesh.triangles[t][c];
                if (!std::exchange(left[v], 0)) continue;
                const Vec3 p = body.positions()[v];
                const SurfacePoint corner{t, {float(c == 0), float(c == 1), float(c == 2)}, p, 0};
                const Vec3 above = p + body.normalAt(corner) * kAbove;
                // inside a fold of the body there is nothing to learn
                if (body.signedDistance(above) > 0.8f * kAbove) samples[i].push_back(above);
            }
    });
    struct Sum {
        double wrong = 0, say = 0;
    };
    for (int round = 0; round < kFitRounds; ++round) {
        std::vector<std::vector<Sum>> sums(chosen.size(), std::vector<Sum>(all.size()));
        parallelFor(chosen.size(), 1, [&](size_t i, size_t) {
            const auto points = posedPoints(proxy_, frames_[chosen[i]].joints);
            for (const Vec3 x : samples[i]) {
                const Blend blend = blendAt(points, all, x, options_.reach);
                if (blend.weight <= 1e-9f) continue;
                const float wrong = std::clamp(blend.distance - kAbove, -kMost, kMost);
                for (const uint32_t k : all) {
                    const double say =
                        double(weightAt(points[k], x, options_.reach)) / double(blend.weight);
                    sums[i][k].wrong += say * double(wrong);
                    sums[i][k].say += say;
                }
            }
        });
        for (const uint32_t k : all) {
            Sum sum;
            for (const auto& s : sums) sum.wrong += s[k].wrong, sum.say += s[k].say;
            if (sum.say > 1e-9) proxy_.points[k].offset += float(sum.wrong / sum.say);
        }
    }
}

// The point that has most to say at each vertex of a recorded frame, and its distance.
std::vector<std::pair<uint32_t, float>> Fit::distancesIn(const BodyFrame& frame) const {
    const auto points = posedPoints(proxy_, frame.joints);
    std::vector<std::pair<uint32_t, float>> result;
    std::vector<uint32_t> around;
    for (uint32_t v = 0; v < vertices_; ++v) {
        if (nearest_[v] >= kTouches) continue;
        const Vec3 x = frame.cloth[v];
        const auto weight = [&](uint32_t k) { return weightAt(points[k], x, options_.reach); };
        around.clear();
        for (uint32_t k = 0; k < points.size(); ++k)
            if (weight(k) > 0 && touches(v, skin_of_point_[k])) around.push_back(k);
        if (around.empty()) continue;
        const auto by_weight = [&](uint32_t a, uint32_t b) { return weight(a) < weight(b); };
        result.push_back({*std::max_element(around.begin(), around.end(), by_weight),
                          blendAt(points, around, x, options_.reach).distance});
    }
    return result;
}

// How far off the skin cloth is kept, beyond the proxy's distance, is the points' own affair: where
// recorded cloth stays off, as over a knee, triangles are wide for the curve below them, and skin
// would show through their middle.
void Fit::fitMargins() {
    constexpr size_t kEnough = 50;
    std::vector<std::vector<std::pair<uint32_t, float>>> seen(frames_.size());
    parallelFor(frames_.size(), 1, [&](size_t f, size_t) { seen[f] = distancesIn(frames_[f]); });
    std::vector<std::vector<float>> distances(proxy_.points.size());
    for (const auto& frame : seen)
        for (const auto& [k, d] : frame) distances[k].push_back(d);
    for (size_t k = 0; k < distances.size(); ++k) {
        std::vector<float>& all = distances[k];
        if (all.size() < kEnough) continue;
        const auto low = all.begin() + std::ptrdiff_t(float(all.size()) * kShareNearer);
        std::nth_element(all.begin(), low, all.end());
        const float off = std::max(proxy_.distance, std::min(*low, kMostOff));
        proxy_.points[k].offset += off - proxy_.distance;
    }
}

void Fit::makeTiles() {
    std::vector<uint32_t> touching;
    for (uint32_t v = 0; v < vertices_; ++v)
        if (nearest_[v] < kTouches) touching.push_back(v);
    if (proxy_.points.empty()) touching.clear();
    const auto others = std::stable_partition(touching.begin(), touching.end(),
                                              [&](uint32_t v) { return worn(v); });
    std::vector<const Positions*> frames;
    for (const size_t f : everyFew(kTilePoses)) frames.push_back(&frames_[f].cloth);
    const auto split = [&](std::span<uint32_t> vertices) {
        splitInBoxes(frames, options_.reach, format::kTileVertices, vertices, proxy_.tiles);
    };
    split({touching.begin(), others});
    proxy_.worn_tiles = proxy_.tiles.size();
    split({others, touching.end()});
}

BodyProxy Fit::run() {
    lookAtFrames();
    growZone();
    leaveOutThinParts();
    for (float spacing = options_.spacing;; spacing *= 1.2f) {
        proxy_.points.clear();
        skin_of_point_.clear();
        spreadPoints(spacing);
        if (proxy_.points.size() <= format::kLanes * (format::kMaxBodyPanels - 1)) break;
    }
    fitOffsets();
    fitMargins();
    dropPoints();
    sortPoints();
    proxy_.reach = options_.reach;
    proxy_.most = options_.most;
    makeTiles();
    return std::move(proxy_);
}

}  // namespace

BodyProxy fitBodyProxy(const Character& character, const std::vector<BodyFrame>& frames,
                       const BodyProxyOptions& options) {
    CHECK(!frames.empty());
    return Fit(character, frames, options).run();
}

}  // namespace hem
