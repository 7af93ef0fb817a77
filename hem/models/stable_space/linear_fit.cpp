// SPDX-License-Identifier: Apache-2.0
#include "hem/models/stable_space/linear_fit.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <set>

#include "hem/core/parallel.h"
#include "hem/core/text.h"
#include "hem/models/stable_space/linear_inputs.h"
#include "hem/models/stable_space/stability.h"
#include "hem/subspace/mirror.h"

namespace hem {

namespace {

constexpr Eigen::Index kFramesAfterStop = 30;
constexpr double kRidges[] = {1e-7, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1};
constexpr double kStopWeights[] = {0.01, 0.03, 0.1, 0.2, 0.4, 0.7, 1};

// A clip, or a stop with `order` frames of run-up, as rows to learn from and motion to play.
struct Sequence {
    MatrixF inputs, cloth;  // by frames
    int fold = 0;
    bool is_stop = false;
    size_t of = 0;                // stops: the sequence of their clip,
    Eigen::Index stop_frame = 0;  // and where they begin in it
};

struct Problem {
    LinearDynamics form;  // order, uses_root, warm_up
    int features = 0, inputs = 0, modes = 0;
    std::vector<Sequence> sequences;
    VectorF limit;
    // Per fold: [0] of the clips, [1] of their stops.
    std::vector<std::array<NormalEquations, 2>> folds;
};

PoseFeatures poseOf(const BodySubspace& body) {
    PoseFeatures pose{.offset = body.offset};
    const Eigen::Index joints = body.from_joints.cols() / 12;
    for (Eigen::Index j = 0; j < joints; ++j)
        if (!body.from_joints.middleCols(12 * j, 12).isZero(0)) pose.joints.push_back(uint16_t(j));
    pose.from_joints.resize(body.from_joints.rows(), 12 * Eigen::Index(pose.joints.size()));
    for (size_t j = 0; j < pose.joints.size(); ++j)
        pose.from_joints.middleCols(12 * Eigen::Index(j), 12) =
            body.from_joints.middleCols(12 * pose.joints[j], 12);
    return pose;
}

Sequence sequenceOf(const LatentClip& clip, const PoseFeatures& pose, const LinearDynamics& form,
                    int past) {
    std::vector<Root> roots = rootsBefore(clip.roots[0], initialMotion(clip.roots), past);
    roots.insert(roots.end(), clip.roots.begin(), clip.roots.end());
    const MatrixF features = poseFeatures(pose, clip.joints);
    return {linearInputs(features, roots, form.order, form.uses_root), clip.cloth};
}

Status checkStops(const std::vector<LatentClip>& clips) {
    std::set<std::string> names;
    for (const LatentClip& clip : clips) {
        if (clip.is_stop && !names.count(clip.of))
            return errorf("the stop %s comes without its clip %s before it; give both",
                          clip.name.c_str(), clip.of.c_str());
        names.insert(clip.name);
    }
    return Done{};
}

std::vector<Sequence> sequencesOf(const std::vector<LatentClip>& clips, const PoseFeatures& pose,
                                  const LinearDynamics& form, int folds) {
    std::vector<Sequence> sequences;
    std::map<std::string, size_t> place, source;
    std::map<std::string, int> motions;
    for (size_t c = 0; c < clips.size(); ++c) {
        const LatentClip& clip = clips[c];
        if (!clip.is_stop) {
            // motions that are one but for the mirror stand in one fold
            const int motion =
                motions.try_emplace(motionOf(clip.name), int(motions.size())).first->second;
            place[clip.name] = sequences.size();
            source[clip.name] = c;
            sequences.push_back(sequenceOf(clip, pose, form, form.order));
            sequences.back().fold = motion % folds;
        } else if (clip.stop_frame >= size_t(form.order)) {
            const LatentClip lived = withRunUp(clips[source[clip.of]], clip, size_t(form.order));
            Sequence stop = sequenceOf(lived, pose, form, form.order);
            stop.is_stop = true;
            stop.of = place[clip.of];
            stop.fold = sequences[stop.of].fold;
            stop.stop_frame = Eigen::Index(clip.stop_frame);
            sequences.push_back(std::move(stop));
        }
    }
    return sequences;
}

// Rows [u_t; y_{t-1}; ...; y_{t-N}] of all frames that have such a past.
void addRows(const Sequence& sequence, int order, NormalEquations& equations) {
    const Eigen::Index modes = sequence.cloth.rows(), inputs = sequence.inputs.rows(),
                       rows = sequence.cloth.cols() - order;
    if (rows <= 0) return;
    MatrixF r(inputs + order * modes, rows);
    r.topRows(inputs) = sequence.inputs.rightCols(rows);
    for (int k = 1; k <= order; ++k)
        r.middleRows(inputs + (k - 1) * modes, modes) = sequence.cloth.middleCols(order - k, rows);
    equations.add(r, sequence.cloth.rightCols(rows));
}

NormalEquations merged(const Problem& problem, double stop_weight, int left_out) {
    NormalEquations all;
    for (int f = 0; f < int(problem.folds.size()); ++f) {
        if (f == left_out) continue;
        all.add(problem.folds[size_t(f)][0], 1);
        all.add(problem.folds[size_t(f)][1], stop_weight);
    }
    return all;
}

NormalEquations staticPart(const NormalEquations& equations, int features) {
    return {equations.gram.topLeftCorner(features, features), equations.cross.topRows(features),
            equations.square, equations.weight, features};
}

LinearDynamics dynamicsOf(const Problem& problem, const NormalEquations& equations,
                          const MatrixD& weights, double ridge) {
    LinearDynamics dynamics = problem.form;
    dynamics.weights = weights.cast<float>();
    dynamics.bias.setZero(problem.modes);
    dynamics.static_weights = solve(staticPart(equations, problem.features), ridge).cast<float>();
    dynamics.static_bias.setZero(problem.modes);
    return dynamics;
}

// Sums of free-running errors: over the frames of clips, and over the first frames of stops.
struct Errors {
    double clips = 0, stops = 0, clip_frames = 0, stop_frames = 0;

    double score(double stop_share) const {
        const double c = clips / std::max(clip_frames, 1.0), s = stops / std::max(stop_frames, 1.0);
        return stop_frames > 0 ? (1 - stop_share) * c + stop_share * s : c;
    }
};

void addErrors(const Problem& problem, const LinearDynamics& dynamics, int fold, Errors& errors) {
    const int order = dynamics.order;
    std::map<size_t, MatrixF> played;
    for (size_t s = 0; s < problem.sequences.size(); ++s) {
        const Sequence& q = problem.sequences[s];
        if (q.fold != fold) continue;
        if (!q.is_stop) {
            MatrixF& y = played[s];
            y = runLinearFromReset(dynamics, problem.limit, q.inputs.topRows(problem.features),
                                   q.inputs);
            errors.clips += double((y - q.cloth).colwise().norm().sum());
            errors.clip_frames += double(y.cols());
            continue;
        }
        // from where the clip's own rollout stood at the stop, frame `order` of the sequence
        const MatrixF& clip = played[q.of];
        MatrixF history(problem.modes, order);
        for (int k = 0; k < order; ++k) history.col(k) = clip.col(q.stop_frame - k);
        const Eigen::Index first = order + 1,
                           count = std::min(kFramesAfterStop, q.inputs.cols() - first);
        if (count <= 0) continue;
        const MatrixF y =
            runLinear(dynamics, problem.limit, q.inputs.middleCols(first, count), history);
        errors.stops += double((y - q.cloth.middleCols(first, count)).colwise().norm().sum());
        errors.stop_frames += double(count);
    }
}

struct Choice {
    double ridge = 0, stop_weight = 1;
    Errors errors;
};

// Tries every pair; the folds of each are played by the fit to the others.
Choice choose(const Problem& problem, const LinearFitOptions& options) {
    std::vector<Choice> tried;
    for (double weight : kStopWeights) {
        if (options.stop_weight && weight != kStopWeights[0]) continue;
        for (double ridge : kRidges) {
            if (options.ridge && ridge != kRidges[0]) continue;
            tried.push_back({options.ridge.value_or(ridge), options.stop_weight.value_or(weight)});
        }
    }
    if (tried.size() == 1) return tried[0];
    const OneBlasThread one_thread;
    std::atomic<size_t> done = 0;
    parallelFor(tried.size(), 1, [&](size_t begin, size_t) {
        Choice& choice = tried[begin];
        for (int fold = 0; fold < int(problem.folds.size()); ++fold) {
            const NormalEquations rest = merged(problem, choice.stop_weight, fold);
            addErrors(problem, dynamicsOf(problem, rest, solve(rest, choice.ridge), choice.ridge),
                      fold, choice.errors);
        }
        if (options.progress) options.progress(double(++done) / double(tried.size() + 1));
    });
    return *std::min_element(tried.begin(), tried.end(), [&](const Choice& a, const Choice& b) {
        return a.errors.score(options.stop_share) < b.errors.score(options.stop_share);
    });
}

InputRange rangeOf(const std::vector<Sequence>& sequences) {
    InputRange range;
    range.low = range.high = sequences[0].inputs.col(0);
    for (const Sequence& q : sequences) {
        range.low = range.low.cwiseMin(q.inputs.rowwise().minCoeff());
        range.high = range.high.cwiseMax(q.inputs.rowwise().maxCoeff());
    }
    const VectorF widening = 0.05f * (range.high - range.low);
    range.low -= widening;
    range.high += widening;
    range.offset.setZero(range.low.size());
    range.scale.setOnes(range.low.size());
    return range;
}

Result<Problem> problemOf(const std::vector<LatentClip>& clips, const PoseFeatures& pose,
                          const LinearFitOptions& options) {
    Problem problem;
    problem.form.order = options.kind == 'A' ? 0 : options.order;
    problem.form.uses_root = options.kind == 'C';
    problem.form.warm_up = options.warm_up;
    problem.features = int(pose.offset.size());
    problem.inputs =
        linearInputCount(size_t(problem.features), problem.form.order, problem.form.uses_root);
    if (const Status known = checkStops(clips); !known) return known.error();
    problem.sequences = sequencesOf(clips, pose, problem.form, options.folds);
    const auto clip_count = std::count_if(problem.sequences.begin(), problem.sequences.end(),
                                          [](const Sequence& q) { return !q.is_stop; });
    if (clip_count < options.folds)
        return errorf("%d motions are too few to choose a fit by: record at least %d",
                      int(clip_count), options.folds);
    problem.modes = int(problem.sequences[0].cloth.rows());
    problem.limit.setConstant(problem.modes, 1e-6f);
    problem.folds.resize(size_t(options.folds));
    for (const Sequence& q : problem.sequences) {
        addRows(q, problem.form.order, problem.folds[size_t(q.fold)][q.is_stop]);
        problem.limit = problem.limit.cwiseMax(q.cloth.cwiseAbs().rowwise().maxCoeff());
    }
    for (auto& fold : problem.folds)
        for (NormalEquations& equations : fold) equations.alike = problem.features;
    problem.limit *= 1.1f;
    return problem;
}

}  // namespace

Result<StableSpace> fitLinear(const std::vector<LatentClip>& clips, const BodySubspace& body,
                              const LinearFitOptions& options) {
    CHECK(options.kind == 'A' || options.kind == 'B' || options.kind == 'C');
    CHECK(options.order >= 0 && options.order <= 5 && options.folds >= 2);
    StableSpace model{.kind = std::string(1, options.kind), .pose = poseOf(body)};
    const auto problem = problemOf(clips, model.pose, options);
    if (!problem) return problem.error();
    const Choice choice = choose(*problem, options);
    const double ridge = choice.ridge;
    const NormalEquations all = merged(*problem, choice.stop_weight, -1);
    MatrixD weights = solve(all, ridge);

    model.report = format("Ridge %g, stop weight %g", choice.ridge, choice.stop_weight);
    if (choice.errors.clip_frames > 0)
        model.report += format(
            ", chosen on motions left out (latent error of clips %.4f, after "
            "stops %.4f)",
            choice.errors.clips / choice.errors.clip_frames,
            choice.errors.stops / std::max(1.0, choice.errors.stop_frames));
    model.report += ".\n";
    LinearDynamics dynamics = dynamicsOf(*problem, all, weights, ridge);
    const double lambda = spectralRadius(companionMatrix(dynamics));
    if (lambda > options.largest_lambda) {
        const Stabilised stable = stabilise(all, weights, problem->inputs, dynamics.order, ridge,
                                            options.largest_lambda, options.stabiliser);
        dynamics = dynamicsOf(*problem, all, stable.weights, ridge);
        model.report += stable.report + "\n";
    }
    model.range = rangeOf(problem->sequences);
    model.output_limit = problem->limit;
    const LinearStability stability = analyse(dynamics, model.range);
    model.proof = stability.proof;
    double seen = 0;
    for (const Sequence& q : problem->sequences)
        seen = std::max(seen, largestDrive(stability, dynamics, q.inputs));
    model.report +=
        format("lambda %.4f; k_max %.4g for any input (%.4g in training), E-bar %.4g.\n",
               model.proof.lambda, model.proof.k_max, seen, model.proof.energy_bound);
    model.dynamics = std::move(dynamics);
    return model;
}

}  // namespace hem
