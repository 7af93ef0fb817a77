// SPDX-License-Identifier: Apache-2.0
// Based on: Loshchilov, Hutter, "Decoupled weight decay regularization" (2019); Gupta et al.,
// "Diagonal state spaces are as effective as structured state spaces" (2022) for modes that are
// stable by parametrisation.
#include "hem/models/stable_space/modal_training.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "hem/core/check.h"
#include "hem/core/files.h"
#include "hem/core/parallel.h"
#include "hem/core/random.h"
#include "hem/core/text.h"
#include "hem/models/training/adam.h"
#include "hem/models/stable_space/modal_inputs.h"
#include "hem/models/stable_space/modal_proof.h"

namespace hem {
namespace {

using Index = Eigen::Index;
constexpr int kShards = 4;

// A motion from its first frame on: a clip, or a clip up to a stop and the stop.
struct Sequence {
    MatrixF inputs, cloth;
    Index stop = -1;  // first frame that stands still; -1: none
};

std::vector<Root> joined(const std::vector<Root>& before, size_t count,
                         const std::vector<Root>& after) {
    std::vector<Root> roots(before.begin(), before.begin() + Index(count));
    roots.insert(roots.end(), after.begin(), after.end());
    return roots;
}

MatrixF joined(const MatrixF& before, Index count, const MatrixF& after) {
    MatrixF all(before.rows(), count + after.cols());
    all << before.leftCols(count), after;
    return all;
}

class Sampler {
public:
    Sampler(const std::vector<LatentClip>& clips, const PoseFeatures& pose, const ModalOptions& o)
        : options_(o) {
        for (const LatentClip& clip : clips) {
            if (!clip.is_stop) {
                add({modalInputs(pose, clip.joints, clip.roots, o.recording_rate), clip.cloth, -1});
                continue;
            }
            const auto of = std::find_if(clips.begin(), clips.end(), [&](const LatentClip& c) {
                return !c.is_stop && c.name == clip.of;
            });
            if (of == clips.end()) continue;
            const Index before = Index(clip.stop_frame);
            add({modalInputs(pose, joined(of->joints, before, clip.joints),
                             joined(of->roots, clip.stop_frame, clip.roots), o.recording_rate),
                 joined(of->cloth, before, clip.cloth), before + 1});
        }
    }

    // Raw inputs of all motions; of stops what comes after.
    std::vector<const MatrixF*> inputs() const {
        std::vector<const MatrixF*> all;
        for (const Sequence& s : sequences_)
            if (s.stop < 0) all.push_back(&s.inputs);
        return all;
    }
    void apply(const InputRange& range) {
        for (Sequence& s : sequences_) applyRange(range, s.inputs);
    }
    // y in other units, one for each mode.
    void measureIn(const VectorF& units) {
        for (Sequence& s : sequences_) s.cloth.array().colwise() /= units.array();
    }
    bool empty() const { return motions_.empty(); }
    const std::vector<Sequence>& sequences() const { return sequences_; }

    ModalWindows draw(Random& random, int windows) const {
        const int frames = options_.window_frames;
        const Sequence& first = sequences_[0];
        ModalWindows w{windows, frames, MatrixF(first.inputs.rows(), Index(windows) * frames),
                       MatrixF(first.cloth.rows(), Index(windows) * frames),
                       VectorF(Index(windows) * frames)};
        for (int k = 0; k < windows; ++k) {
            const bool stop = !stops_.empty() && random.chance(options_.stop_share);
            const auto [sequence, start] = stop ? drawStop(random) : drawMotion(random);
            fill(w, k, sequences_[sequence], start);
        }
        return w;
    }

private:
    void add(Sequence s) {
        const size_t index = sequences_.size();
        if (s.stop >= 0) {
            stops_.push_back(index);
        } else {
            frames_ += s.cloth.cols();
            motions_.push_back(index);
            ends_.push_back(frames_);
        }
        sequences_.push_back(std::move(s));
    }

    // Every frame of the motions is as likely to be the first that counts.
    std::pair<size_t, Index> drawMotion(Random& random) const {
        const Index at = random.integer(0, int(frames_) - 1);
        const size_t i = size_t(std::upper_bound(ends_.begin(), ends_.end(), at) - ends_.begin());
        const Sequence& s = sequences_[motions_[i]];
        const Index frame = at - (ends_[i] - s.cloth.cols());
        const Index last = s.cloth.cols() - (options_.window_frames - options_.burn_in);
        return {motions_[i], std::min(frame, std::max<Index>(0, last)) - options_.burn_in};
    }
    // The stop comes somewhere in the part that counts, early.
    std::pair<size_t, Index> drawStop(Random& random) const {
        const size_t i = stops_[size_t(random.integer(0, int(stops_.size()) - 1))];
        const int room = options_.window_frames - options_.burn_in;
        return {i, sequences_[i].stop - options_.burn_in - random.integer(0, room / 2)};
    }

    // Frames before the first are the first: a body that has moved so for long.
    void fill(ModalWindows& w, int k, const Sequence& s, Index start) const {
        for (int t = 0; t < w.frames; ++t) {
            const Index column = Index(t) * w.windows + k, frame = start + t;
            const Index at = std::clamp<Index>(frame, 0, s.cloth.cols() - 1);
            w.inputs.col(column) = s.inputs.col(at);
            w.cloth.col(column) = s.cloth.col(at);
            w.weight[column] = t >= options_.burn_in && frame >= 0 && frame < s.cloth.cols();
        }
    }

    const ModalOptions& options_;
    std::vector<Sequence> sequences_;
    std::vector<size_t> motions_, stops_;
    std::vector<Index> ends_;  // running sum of the motions' frames
    Index frames_ = 0;
};

// y = linear u + bias by least squares with a ridge: where training starts.
std::pair<MatrixF, VectorF> linearStart(const std::vector<Sequence>& sequences) {
    const Index n = sequences[0].inputs.rows(), m = sequences[0].cloth.rows();
    MatrixD uu = MatrixD::Zero(n + 1, n + 1), yu = MatrixD::Zero(m, n + 1);
    double frames = 0;
    for (const Sequence& s : sequences) {
        MatrixD u(n + 1, s.inputs.cols());
        u << s.inputs.cast<double>(), MatrixD::Ones(1, s.inputs.cols());
        uu.noalias() += u * u.transpose();
        yu.noalias() += s.cloth.cast<double>() * u.transpose();
        frames += double(u.cols());
    }
    uu.diagonal().array() += 1e-2 * frames;
    const MatrixD w = uu.ldlt().solve(yu.transpose()).transpose();
    return {w.leftCols(n).cast<float>(), w.col(n).cast<float>()};
}

// Root mean square of what the linear start leaves, per mode. Outputs are learned in this unit: a
// step of Adam is as long for every weight, and modes of large and small amplitude would want
// others.
VectorF modeUnits(const std::vector<Sequence>& sequences, const MatrixF& linear,
                  const VectorF& bias) {
    VectorD square = VectorD::Zero(bias.size());
    double frames = 0;
    for (const Sequence& s : sequences) {
        const MatrixF left = ((s.cloth - linear * s.inputs).colwise() - bias).cwiseAbs2();
        square += left.cast<double>().rowwise().sum();
        frames += double(left.cols());
    }
    return (square / frames).cwiseSqrt().cwiseMax(1e-6).cast<float>();
}

ModalDynamics inMetres(ModalDynamics dynamics, const VectorF& units) {
    dynamics.output.weights = units.asDiagonal() * dynamics.output.weights;
    dynamics.output.bias = units.cwiseProduct(dynamics.output.bias);
    return dynamics;
}

VectorF outputLimit(const std::vector<LatentClip>& clips) {
    VectorF largest = VectorF::Constant(clips[0].cloth.rows(), 1e-6f);
    for (const LatentClip& clip : clips)
        largest = largest.cwiseMax(clip.cloth.cwiseAbs().rowwise().maxCoeff());
    return 1.1f * largest;
}

ErrorRows someVertices(const MatrixF& basis, int count, Random& random) {
    std::vector<int> vertices(static_cast<size_t>(count));
    for (int& v : vertices) v = random.integer(0, int(basis.rows() / 3) - 1);
    return ErrorRows(basis, vertices);
}

// One step's gradient; the same bits however many threads there are.
double shardedGradient(const ModalNetwork& network, const Sampler& sampler, const MatrixF& basis,
                       const VectorF& parameters, const ModalOptions& o, int step,
                       VectorF& gradient) {
    std::vector<VectorF> parts(kShards, VectorF::Zero(parameters.size()));
    std::vector<double> errors(kShards), weights(kShards);
    parallelFor(kShards, 1, [&](size_t shard, size_t) {
        Random random(o.seed, uint64_t(step) * kShards + shard);
        const ModalWindows w = sampler.draw(random, (o.windows + kShards - 1) / kShards);
        weights[shard] = w.weight.sum();
        errors[shard] =
            network.addGradient(parameters, w, someVertices(basis, o.error_vertices, random),
                                o.velocity_weight, parts[shard]);
    });
    double error = 0, weight = 0;
    gradient.setZero();
    for (int shard = 0; shard < kShards; ++shard) {
        gradient += parts[size_t(shard)];
        error += errors[size_t(shard)];
        weight += weights[size_t(shard)];
    }
    gradient /= float(std::max(weight, 1.0));
    return error / std::max(weight, 1.0);
}

// A checkpoint is a hash of what the run depends on, and Adam's state.
uint64_t runKey(const ModalOptions& o, const Adam& start, const MatrixF& basis) {
    const VectorF& p = start.parameters();  // knows the data by its linear part, and the seed
    uint64_t key = hashBytes(p.data(), size_t(p.size()) * sizeof(float));
    key = hashBytes(basis.data(), size_t(basis.size()) * sizeof(float), key);
    const double settings[] = {double(o.iterations),
                               double(o.windows),
                               double(o.window_frames),
                               double(o.burn_in),
                               o.stop_share,
                               o.rate,
                               *o.weight_decay,
                               o.velocity_weight,
                               o.averaging,
                               double(o.seed),
                               double(o.error_vertices),
                               o.recording_rate};
    return hashBytes(settings, sizeof settings, key);
}

Status saveCheckpoint(const ModalOptions& o, uint64_t key, const Adam& adam) {
    if (o.checkpoint.empty()) return Done{};
    std::vector<std::byte> bytes = adam.state();
    const auto* head = reinterpret_cast<const std::byte*>(&key);
    bytes.insert(bytes.begin(), head, head + sizeof key);
    return writeFile(o.checkpoint, bytes);
}

// Of another run, or none: training starts at the beginning.
void loadCheckpoint(const ModalOptions& o, uint64_t key, Adam& adam) {
    if (o.checkpoint.empty() || !std::filesystem::exists(o.checkpoint)) return;
    const auto bytes = readFile(o.checkpoint);
    if (!bytes || bytes->size() < sizeof key || std::memcmp(bytes->data(), &key, sizeof key))
        return;
    adam.restore(std::span(*bytes).subspan(sizeof key));
}

size_t framesOfMotion(const std::vector<LatentClip>& clips) {
    size_t frames = 0;
    for (const LatentClip& clip : clips)
        if (!clip.is_stop) frames += clip.frames();
    return frames;
}

ModalOptions completed(ModalOptions o, const std::vector<LatentClip>& clips) {
    if (!o.iterations) o.iterations = modalSteps(clips);
    if (!o.weight_decay) o.weight_decay = modalWeightDecay(clips);
    if (framesOfMotion(clips) < o.frames_for_points) o.points.clear();
    o.points.insert(o.points.begin(), o.ends.begin(), o.ends.end());
    return o;
}

}  // namespace

int modalSteps(const std::vector<LatentClip>& clips) {
    return int(std::clamp<size_t>(framesOfMotion(clips) / 6, 1500, 12000));
}

float modalWeightDecay(const std::vector<LatentClip>& clips) {
    const float share = 13000 / float(std::max<size_t>(1, framesOfMotion(clips)));
    return std::clamp(share * share, 0.25f, 1.0f);
}

Result<StableSpace> trainModal(const std::vector<LatentClip>& clips, const MatrixF& metres_basis,
                               const ModalOptions& options) {
    const ModalOptions o = completed(options, clips);
    StableSpace model;
    model.kind = "S";
    model.pose = fitPoseFeatures(clips, o.joints, o.directions, o.points);
    Sampler sampler(clips, model.pose, o);
    if (sampler.empty()) return Error{"there is no clip to train on, only stops"};
    model.range = fitInputRange(sampler.inputs());
    sampler.apply(model.range);

    const ModalNetwork network(
        {int(model.range.offset.size()), o.hidden, o.states, o.outer, int(clips[0].cloth.rows())});
    const auto [linear, bias] = linearStart(sampler.sequences());
    const VectorF units = modeUnits(sampler.sequences(), linear, bias);
    sampler.measureIn(units);
    const MatrixF basis = metres_basis * units.asDiagonal();
    const VectorF per_unit = units.cwiseInverse();
    Adam adam(network.initialParameters(o.seed, per_unit.asDiagonal() * linear,
                                        per_unit.cwiseProduct(bias)),
              network.decayMask(), {o.iterations, o.rate, *o.weight_decay, o.averaging});
    const uint64_t key = runKey(o, adam, basis);
    loadCheckpoint(o, key, adam);
    if (o.progress) o.progress(adam.steps(), 0);
    VectorF gradient(adam.parameters().size());
    const OneBlasThread one;
    while (adam.steps() < o.iterations) {
        const bool cancelled = o.cancel && *o.cancel;
        if (cancelled || adam.steps() % o.checkpoint_every == 0)
            if (const Status saved = saveCheckpoint(o, key, adam); !saved) return saved.error();
        if (cancelled)
            return errorf("interrupted after %d of %d steps%s", adam.steps(), o.iterations,
                          o.checkpoint.empty() ? "" : "; run the same command again to go on");
        const double error =
            shardedGradient(network, sampler, basis, adam.parameters(), o, adam.steps(), gradient);
        adam.step(gradient);
        if (o.progress) o.progress(adam.steps(), error);
    }
    if (!o.checkpoint.empty()) std::filesystem::remove(o.checkpoint);
    model.dynamics = inMetres(network.dynamics(adam.average()), units);
    model.output_limit = outputLimit(clips);
    model.proof = proveModal(std::get<ModalDynamics>(model.dynamics), model.range);
    model.report = format("%d steps, weight decay %.2g.", o.iterations, double(*o.weight_decay));
    return model;
}

}  // namespace hem
