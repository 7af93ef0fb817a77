// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/evaluate_poses.h"

#include <algorithm>
#include <cmath>

#include "hem/core/parallel.h"
#include "hem/eval/offsets_floor.h"
#include "hem/eval/play.h"
#include "hem/pack/unpack.h"
#include "hem/runtime/garment.h"

namespace hem {
namespace {

constexpr size_t kGrain = 32;     // poses
constexpr size_t kBins = 20'000;  // of the histogram of distances
constexpr double kBinMetres = 1e-4;

struct Sums {
    double square = 0, distance = 0, largest = 0, skinning_square = 0, skinning_distance = 0;
    double floor = 0, confidence = 0;
    std::vector<uint64_t> histogram = std::vector<uint64_t>(kBins);
    std::vector<double> vertex_square, skinning_vertex_square;
    std::vector<PoseScore::Pose> each;

    explicit Sums(size_t vertices = 0)
        : vertex_square(vertices), skinning_vertex_square(vertices) {}

    void add(const Sums& o) {
        square += o.square, distance += o.distance, largest = std::max(largest, o.largest);
        skinning_square += o.skinning_square, skinning_distance += o.skinning_distance;
        floor += o.floor, confidence += o.confidence;
        for (size_t i = 0; i < kBins; ++i) histogram[i] += o.histogram[i];
        for (size_t v = 0; v < vertex_square.size(); ++v) {
            vertex_square[v] += o.vertex_square[v];
            skinning_vertex_square[v] += o.skinning_vertex_square[v];
        }
        each.insert(each.end(), o.each.begin(), o.each.end());
    }
    double percentile(double share) const {
        uint64_t all = 0, seen = 0;
        for (const uint64_t n : histogram) all += n;
        for (size_t i = 0; i < kBins; ++i)
            if (double(seen += histogram[i]) >= share * double(all))
                return double(i + 1) * kBinMetres;
        return largest;
    }
};

void addPose(const PoseSet& set, uint32_t pose, std::span<const Vec3> played, Sums& sums) {
    const auto cloth = set.restCloth(pose), skinned = set.skinned(pose);
    double of_pose = 0, of_skinning = 0;
    for (size_t v = 0; v < cloth.size(); ++v) {
        const double square = double(dot(played[v] - cloth[v], played[v] - cloth[v]));
        const double without = double(dot(skinned[v] - cloth[v], skinned[v] - cloth[v]));
        const double distance = std::sqrt(square);
        of_pose += square;
        sums.distance += distance;
        sums.largest = std::max(sums.largest, distance);
        ++sums.histogram[std::min(kBins - 1, size_t(distance / kBinMetres))];
        sums.vertex_square[v] += square;
        sums.skinning_vertex_square[v] += without;
        of_skinning += without;
        sums.skinning_distance += std::sqrt(without);
    }
    sums.square += of_pose;
    sums.skinning_square += of_skinning;
    const auto n = double(cloth.size());
    sums.each.push_back({pose, of_pose / n, of_skinning / n});
}

PoseScore scoreOf(const Sums& sums, size_t poses, size_t vertices) {
    const double n = double(poses) * double(vertices);
    PoseScore score;
    score.poses = poses;
    score.cost = sums.square / (3 * n);
    score.mean_cm = 100 * sums.distance / n;
    score.p95_cm = 100 * sums.percentile(0.95);
    score.max_cm = 100 * sums.largest;
    score.skinning_cost = sums.skinning_square / (3 * n);
    score.skinning_mean_cm = 100 * sums.skinning_distance / n;
    score.floor_cost = sums.floor / (3 * n);
    score.confidence = sums.confidence / double(poses);
    for (const double square : sums.vertex_square)
        score.vertex_square.push_back(float(square / double(poses)));
    for (const double square : sums.skinning_vertex_square)
        score.skinning_vertex_square.push_back(float(square / double(poses)));
    const auto less = [](const auto& a, const auto& b) { return a.square < b.square; };
    score.best = *std::min_element(sums.each.begin(), sums.each.end(), less);
    score.worst = *std::max_element(sums.each.begin(), sums.each.end(), less);
    score.each = sums.each;
    return score;
}

Status checkFits(const hem_Garment* garment, const PoseSet& set) {
    if (hem_vertexCount(garment) == set.vertices() && hem_jointCount(garment) == set.joints())
        return Done{};
    return errorf(
        "%s: has %zu vertices and %zu joints, the garment %zu and %zu; give poses of the character "
        "and garment that it was trained on",
        set.folder().c_str(), set.vertices(), set.joints(), hem_vertexCount(garment),
        hem_jointCount(garment));
}

}  // namespace

Result<PoseScore> evaluatePoses(std::span<const std::byte> bytes, const PoseSet& set,
                                PoseSplit part, unsigned flags,
                                const std::function<void(size_t)>& progress) {
    hem_Error reason = HEM_OK;
    const hem_Garment* garment = hem_open(bytes.data(), bytes.size(), &reason);
    if (!garment) return errorf("not a garment that can be played: %s", hem_errorText(reason));
    if (const Status good = checkFits(garment, set); !good) return good.error();
    const std::vector<uint32_t> poses = set.members(part);
    if (poses.empty()) return errorf("%s: this part of the set is empty", set.folder().c_str());

    const OffsetsFloor floor(garment);
    std::vector<Sums> sums((poses.size() + kGrain - 1) / kGrain);
    const OneBlasThread one;
    parallelFor(poses.size(), kGrain, [&](size_t begin, size_t count) {
        Sums& mine = sums[begin / kGrain] = Sums(set.vertices());
        Wearer wearer(garment, flags);
        for (size_t i = begin; i < begin + count; ++i) {
            wearer.reset(set.matrices(poses[i]));
            addPose(set, poses[i], wearer.positions(), mine);
            mine.confidence += double(wearer.confidence());
            mine.floor += floor.squareOf(set.matrices(poses[i]), set.restCloth(poses[i]));
        }
        if (progress) progress(count);
    });
    Sums all(set.vertices());
    for (const Sums& each : sums) all.add(each);
    return scoreOf(all, poses.size(), set.vertices());
}

}  // namespace hem
