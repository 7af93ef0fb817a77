// SPDX-License-Identifier: Apache-2.0
#include "hem/eval/report/measure.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "hem/core/check.h"
#include "hem/core/parallel.h"
#include "hem/eval/offsets_floor.h"
#include "hem/pack/unpack.h"
#include "hem/runtime/state.h"

namespace hem {
namespace {

// 1, 2, 4, ... below `all`, and all.
std::vector<unsigned> levels(size_t all) {
    std::vector<unsigned> modes;
    for (unsigned m = 1; m < all; m *= 2) modes.push_back(m);
    modes.push_back(unsigned(all));
    return modes;
}

// One wearer a level, all in the same pose.
class Levels {
public:
    Levels(const hem_Garment* garment, const std::vector<unsigned>& modes)
        : garment_(garment),
          modes_(modes.begin(), modes.end()),
          states_(modes.size() * hem_stateSize(garment)),
          positions_(modes.size() * hem_vertexCount(garment)) {}

    // `shown`: writes the positions.
    void play(const Recording& clip, size_t t, bool shown) {
        hem_Batch batch = batchOf(clip.jointMatrices(t), shown);
        if (t) return hem_step(garment_, batch, float(1 / clip.meta().rate));
        const RootMotion motion = rootMotion(
            clip.root(0), clip.root(std::min<size_t>(1, clip.frames() - 1)), clip.meta().rate);
        std::vector<float> motions;
        for (size_t i = 0; i < modes_.size(); ++i)
            motions.insert(motions.end(), std::begin(motion.values), std::end(motion.values));
        batch.root_motion = motions.data();
        hem_reset(garment_, batch);
    }
    void stand(std::span<const Affine> pose) { hem_reset(garment_, batchOf(pose, true)); }
    // Mean distance of the vertices, metres.
    double errorOf(size_t level, std::span<const Vec3> cloth) const {
        double sum = 0;
        for (size_t v = 0; v < cloth.size(); ++v)
            sum += double(length(positions(level)[v] - cloth[v]));
        return sum / double(cloth.size());
    }

private:
    std::span<const Vec3> positions(size_t level) const {
        const size_t n = positions_.size() / modes_.size();
        return {&positions_[level * n], n};
    }

    hem_Batch batchOf(std::span<const Affine> pose, bool shown) {
        joints_.clear();
        for (size_t i = 0; i < modes_.size(); ++i)
            joints_.insert(joints_.end(), pose.begin(), pose.end());
        hem_Batch batch{};
        batch.count = modes_.size();
        batch.states = states_.data();
        batch.joints = &joints_[0].m[0][0];
        batch.positions = shown ? &positions_[0].x : nullptr;
        batch.wearer_modes = modes_.data();
        return batch;
    }

    const hem_Garment* garment_;
    std::vector<uint16_t> modes_;
    std::vector<std::byte> states_;
    std::vector<Affine> joints_;
    std::vector<Vec3> positions_;
};

double meanNorm(const VectorF& rows_of_three) {
    double sum = 0;
    for (Eigen::Index v = 0; v < rows_of_three.size(); v += 3)
        sum += double(rows_of_three.segment(v, 3).norm());
    return 3 * sum / double(rows_of_three.size());
}

struct ModeSums {
    std::vector<double> error, floor;
    size_t frames = 0;
};

// What more and more modes leave of a shape.
void addFloors(const OffsetsFloor& floor, std::span<const Affine> joints,
               std::span<const Vec3> cloth, const std::vector<unsigned>& modes,
               std::vector<double>& floors) {
    const Subspace& s = floor.subspace();
    VectorF rest = floor.offsetsOf(joints, cloth);
    const VectorF y = s.basis.transpose() * rest;
    Eigen::Index done = 0;
    for (size_t k = 0; k < modes.size(); ++k) {
        const auto more = Eigen::Index(modes[k]) - done;
        rest -= s.basis.middleCols(done, more) * y.segment(done, more);
        done += more;
        floors[k] += meanNorm(rest);
    }
}

ModeSums sumsOf(const hem_Garment* garment, const OffsetsFloor& floor, const Recording& clip,
                const std::vector<unsigned>& modes, size_t every) {
    ModeSums sums{std::vector<double>(modes.size()), std::vector<double>(modes.size()), 0};
    Levels played(garment, modes);
    for (size_t t = 0; t < clip.frames(); ++t) {
        const bool looked_at = t % every == 0;
        played.play(clip, t, looked_at);
        if (!looked_at) continue;
        const auto recorded = clip.positions(t);
        for (size_t k = 0; k < modes.size(); ++k) sums.error[k] += played.errorOf(k, recorded);
        addFloors(floor, clip.jointMatrices(t), recorded, modes, sums.floor);
        ++sums.frames;
    }
    return sums;
}

ErrorByModes meanOf(const std::vector<unsigned>& modes, const std::vector<ModeSums>& sums) {
    ErrorByModes result{.modes = modes, .error_cm = {}, .floor_cm = {}};
    size_t frames = 0;
    for (const ModeSums& s : sums) frames += s.frames;
    for (size_t k = 0; k < modes.size(); ++k) {
        double error = 0, least = 0;
        for (const ModeSums& s : sums) error += s.error[k], least += s.floor[k];
        result.error_cm.push_back(100 * error / double(frames));
        result.floor_cm.push_back(100 * least / double(frames));
    }
    return result;
}

}  // namespace

ErrorByModes errorByModes(const hem_Garment* garment, const std::vector<ClipToPlay>& clips,
                          size_t every) {
    CHECK(every > 0);
    const OffsetsFloor floor(garment);
    const std::vector<unsigned> modes = levels(hem_modeCount(garment));
    std::vector<ModeSums> sums(clips.size());
    const OneBlasThread one;
    parallelFor(clips.size(), 1, [&](size_t i, size_t) {
        sums[i] = sumsOf(garment, floor, clips[i].clip, modes, every);
    });
    return meanOf(modes, sums);
}

ErrorByModes errorByModes(const hem_Garment* garment, const PoseSet& set,
                          const std::vector<uint32_t>& poses) {
    constexpr size_t kGrain = 16;
    const OffsetsFloor floor(garment);
    const std::vector<unsigned> modes = levels(hem_modeCount(garment));
    const ModeSums none{std::vector<double>(modes.size()), std::vector<double>(modes.size()), 0};
    std::vector<ModeSums> sums((poses.size() + kGrain - 1) / kGrain, none);
    const OneBlasThread one;
    parallelFor(poses.size(), kGrain, [&](size_t begin, size_t count) {
        ModeSums& mine = sums[begin / kGrain];
        Levels played(garment, modes);
        for (size_t i = begin; i < begin + count; ++i, ++mine.frames) {
            const auto joints = set.matrices(poses[i]);
            const auto cloth = set.restCloth(poses[i]);
            played.stand(joints);
            for (size_t k = 0; k < modes.size(); ++k) mine.error[k] += played.errorOf(k, cloth);
            addFloors(floor, joints, cloth, modes, mine.floor);
        }
    });
    return meanOf(modes, sums);
}

std::vector<std::complex<double>> eigenvaluesOf(const hem_Garment* garment) {
    std::vector<std::complex<double>> values;
    if (isNeural(garment)) return values;
    const StableSpace model = modelOf(garment);
    if (const auto* modal = std::get_if<ModalDynamics>(&model.dynamics)) {
        for (Eigen::Index m = 0; m < modal->angle.size(); ++m) {
            const double radius = std::exp(-std::exp(double(modal->log_decay[m])));
            values.push_back(std::polar(radius, double(modal->angle[m])));
            values.push_back(std::conj(values.back()));
        }
        return values;
    }
    const MatrixD companion = companionMatrix(std::get<LinearDynamics>(model.dynamics));
    if (companion.size() == 0) return values;
    const auto eigen = Eigen::EigenSolver<MatrixD>(companion, false).eigenvalues();
    values.assign(eigen.data(), eigen.data() + eigen.size());
    return values;
}

EnergyMeter::EnergyMeter(const hem_Garment* garment) : garment_(garment) {
    if (isNeural(garment)) return;
    const StableSpace model = modelOf(garment);
    if (const auto* linear = std::get_if<LinearDynamics>(&model.dynamics))
        stability_ = analyse(*linear, model.range);
}

// |h| of Model S, |Q^-1 s| of A, B and C.
double EnergyMeter::energyOf(std::span<const std::byte> state) const {
    const runtime::Garment g = runtime::garmentOf(garment_);
    if (g.network) return 0;
    const runtime::StateLayout layout = runtime::stateLayout(g);
    VectorF numbers(Eigen::Index(state.size() / sizeof(float)));
    std::memcpy(numbers.data(), state.data(), size_t(numbers.size()) * sizeof(float));
    if (g.modal)
        return double(
            numbers.segment(Eigen::Index(layout.h), 2 * Eigen::Index(g.modal->states)).norm());
    // energies() wants the oldest first, the state has the newest first
    const Eigen::Index modes = g.header->modes, depth = std::max(1u, g.linear->order);
    const Eigen::Map<const MatrixF> newest_first(&numbers[Eigen::Index(layout.history)], modes,
                                                 depth);
    const MatrixF y = newest_first.rowwise().reverse();
    return energies(stability_, y, int(g.linear->order))[0];
}

EnergyTrace EnergyMeter::trace(const Recording& clip) const {
    EnergyTrace trace{.bound = runtime::garmentOf(garment_).stability->energy_bound};
    Wearer wearer(garment_);
    for (size_t t = 0; t < clip.frames(); ++t) {
        startOrStep(wearer, clip, t);
        trace.energy.push_back(energyOf(wearer.state()));
    }
    return trace;
}

SpeedCurves speedCurves(const hem_Garment* garment, const BodyMotion& motion) {
    constexpr size_t kBatch = 64;
    SpeedCurves curves{.batch = {1, 4, 16, 64, 256}, .modes = levels(hem_modeCount(garment))};
    for (const size_t count : curves.batch)
        curves.by_batch_us.push_back(batchTime(garment, motion, count));
    for (const unsigned modes : curves.modes)
        curves.by_modes_us.push_back(batchTime(garment, motion, kBatch, modes));
    return curves;
}

}  // namespace hem
