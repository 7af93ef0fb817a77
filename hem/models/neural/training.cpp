// SPDX-License-Identifier: Apache-2.0
// Based on: Xue, Wu, "Data-driven clothing for interactive applications" (2021), section 3.
#include "hem/models/neural/training.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "hem/core/check.h"
#include "hem/core/parallel.h"
#include "hem/core/random.h"
#include "hem/core/text.h"
#include "hem/models/neural/checkpoint.h"
#include "hem/models/neural/perceptron.h"
#include "hem/models/neural/targets.h"

namespace hem {
namespace {

using Index = Eigen::Index;
constexpr int kShards = 2;     // of a batch
constexpr float kLimit = 1.5;  // outputs are held within so many times training's largest

std::vector<Index> shuffled(Index count, uint64_t seed, size_t epoch) {
    std::vector<Index> order(static_cast<size_t>(count));
    std::iota(order.begin(), order.end(), Index(0));
    Random random(seed, epoch + 1);
    for (size_t i = order.size(); i-- > 1;)
        std::swap(order[i], order[size_t(random.integer(0, int(i)))]);
    return order;
}

MatrixF columnsOf(const MatrixF& all, std::span<const Index> order) {
    MatrixF some(all.rows(), Index(order.size()));
    for (size_t i = 0; i < order.size(); ++i) some.col(Index(i)) = all.col(order[i]);
    return some;
}

// One training run, epoch by epoch. Inputs are normalised, outputs in their units.
class Run {
public:
    Run(const Perceptron& network, const MatrixF& inputs, const MatrixF& validation_inputs,
        const NeuralTargets& targets, const NeuralOptions& options)
        : network_(network),
          inputs_(inputs),
          validation_inputs_(validation_inputs),
          targets_(targets),
          options_(options),
          adam_(network.initialParameters(options.seed), network.decayMask(),
                {.steps = options.epochs * stepsPerEpoch(),
                 .rate = options.rate,
                 .weight_decay = options.weight_decay,
                 .averaging = options.averaging,
                 .square_decay = 0.999f,
                 .longest_gradient = 1e30f,
                 .cosine = options.cosine}) {}

    // Fails where the checkpoint cannot be written or training was cancelled.
    Result<NeuralProgress> train(uint64_t key) {
        loadCheckpoint(options_.checkpoint, key, progress_, adam_);
        const OneBlasThread one;
        tell();
        while (!done()) {
            const bool cancelled = options_.cancel && *options_.cancel;
            if (cancelled || progress_.epochs.size() % size_t(options_.checkpoint_every) == 0)
                if (const Status saved = saveCheckpoint(options_.checkpoint, key, progress_, adam_);
                    !saved)
                    return saved.error();
            if (cancelled)
                return errorf(
                    "interrupted after %zu of %d epochs%s", progress_.epochs.size(),
                    options_.epochs,
                    options_.checkpoint.empty() ? "" : "; run the same command again to go on");
            addEpoch();
            tell();
        }
        if (const Status saved = saveCheckpoint(options_.checkpoint, key, progress_, adam_); !saved)
            return saved.error();
        return progress_;
    }

private:
    int stepsPerEpoch() const {
        return int((inputs_.cols() + options_.batch - 1) / options_.batch);
    }
    bool done() const {
        const int epochs = int(progress_.epochs.size());
        return epochs >= options_.epochs || epochs - progress_.best_epoch >= options_.patience;
    }
    void tell() const {
        if (!options_.progress) return;
        const NeuralFit::Epoch last =
            progress_.epochs.empty() ? NeuralFit::Epoch{} : progress_.epochs.back();
        options_.progress(int(progress_.epochs.size()), last.training, last.validation);
    }

    // Gradient and error of a batch, divided by its size.
    double gradientOf(std::span<const Index> batch, VectorF& gradient) const {
        VectorF shard_gradient[kShards];
        double shard_error[kShards] = {};
        const size_t grain = (batch.size() + kShards - 1) / kShards;
        parallelFor(kShards, 1, [&](size_t shard, size_t) {
            shard_gradient[shard] = VectorF::Zero(network_.parameterCount());
            const size_t begin = std::min(shard * grain, batch.size());
            const auto part = batch.subspan(begin, std::min(grain, batch.size() - begin));
            if (part.empty()) return;
            shard_error[shard] = network_.addGradient(adam_.parameters(), columnsOf(inputs_, part),
                                                      columnsOf(targets_.training, part),
                                                      targets_.weight, shard_gradient[shard]);
        });
        gradient = shard_gradient[0];
        double error = shard_error[0];
        for (int shard = 1; shard < kShards; ++shard) {
            gradient += shard_gradient[shard];
            error += shard_error[shard];
        }
        gradient /= float(batch.size());
        return error;
    }

    void addEpoch() {
        const std::vector<Index> order =
            shuffled(inputs_.cols(), options_.seed, progress_.epochs.size());
        const size_t batch = size_t(options_.batch);
        double error = 0;
        VectorF gradient;
        for (size_t first = 0; first < order.size(); first += batch) {
            const size_t count = std::min(batch, order.size() - first);
            error += gradientOf(std::span(order).subspan(first, count), gradient);
            adam_.step(gradient);
        }
        const double training = targets_.cost_scale * error / double(inputs_.cols());
        const double validation = validationCost();
        progress_.epochs.push_back({training + targets_.training_rest, validation});
        if (progress_.best_epoch && !(validation < progress_.best_cost)) return;
        progress_.best_epoch = int(progress_.epochs.size());
        progress_.best_cost = validation;
        progress_.best = adam_.average();
    }

    double validationCost() const {
        const MatrixF left =
            network_.outputs(adam_.average(), validation_inputs_) - targets_.validation;
        double error = 0;
        for (auto column : left.colwise())
            error += double((column.array().square() * targets_.weight.array()).sum());
        return targets_.cost_scale * error / double(left.cols()) + targets_.validation_rest;
    }

    const Perceptron& network_;
    const MatrixF &inputs_, &validation_inputs_;
    const NeuralTargets& targets_;
    const NeuralOptions& options_;
    Adam adam_;
    NeuralProgress progress_;
};

// output = W u + b by least squares, inputs normalised.
Layer linearRegression(const MatrixF& u, const MatrixF& outputs, double ridge) {
    const Index n = u.rows();
    MatrixD extended(n + 1, u.cols());
    extended << u.cast<double>(), MatrixD::Ones(1, u.cols());
    MatrixD square = extended * extended.transpose();
    square.diagonal().head(n).array() += ridge * double(u.cols());
    const MatrixD product = (extended.cast<float>() * outputs.transpose()).cast<double>();
    const MatrixD solution = square.ldlt().solve(product);
    return {solution.topRows(n).transpose().cast<float>(),
            solution.row(n).transpose().cast<float>()};
}

Status checkExamples(const char* what, const PoseExamples& e, const PoseExamples& training) {
    if (e.inputs.cols() == 0) return errorf("there are no poses for %s", what);
    if (e.inputs.cols() != e.offsets.cols() || e.inputs.rows() != training.inputs.rows() ||
        e.offsets.rows() != training.offsets.rows() || e.offsets.rows() % 3)
        return errorf("the poses for %s have other sizes than those for training", what);
    if (!e.inputs.allFinite() || !e.offsets.allFinite())
        return errorf("a number of the poses for %s is not finite", what);
    return Done{};
}

// Layers that give metres, as the player wants them: the last one weights of modes.
void finishLayers(const NeuralTargets& targets, const MatrixF& inputs, NeuralModel& model) {
    Layer& last = model.layers.back();
    last.weights = targets.unit.asDiagonal() * last.weights;
    last.bias = targets.unit.cwiseProduct(last.bias);
    model.subspace = targets.subspace;
    if (targets.subspace.basis.cols() == 0) {
        last.bias += targets.subspace.mean;
        MatrixF hidden = inputs;
        for (size_t i = 0; i + 1 < model.layers.size(); ++i) {
            hidden = ((model.layers[i].weights * hidden).colwise() + model.layers[i].bias).eval();
            activate(model.activation, hidden, nullptr);
        }
        OutputModes modes = throughModes(last, hidden);
        model.subspace = std::move(modes.subspace);
        last = std::move(modes.layer);
    }
}

VectorF outputLimit(NeuralModel model, const MatrixF& raw_inputs) {
    model.output_limit = VectorF::Constant(model.layers.back().bias.size(), 1e4f);
    const VectorF largest = latentOffsets(model, raw_inputs).cwiseAbs().rowwise().maxCoeff();
    return (kLimit * largest).array() + 1e-4f;
}

}  // namespace

double costOf(const NeuralModel& model, const PoseExamples& examples) {
    constexpr Index kBlock = 512;
    double sum = 0;
    for (Index first = 0; first < examples.inputs.cols(); first += kBlock) {
        const Index count = std::min(kBlock, examples.inputs.cols() - first);
        const MatrixF left = offsets(model, examples.inputs.middleCols(first, count)) -
                             examples.offsets.middleCols(first, count);
        for (auto column : left.colwise()) sum += double(column.squaredNorm());
    }
    return sum / double(examples.offsets.size());
}

Result<NeuralFit> trainNeural(const PoseExamples& training, const PoseExamples& validation,
                              const NeuralOptions& options) {
    CHECK(options.batch > 0 && options.epochs > 0 && options.modes >= 0);
    for (const auto& [what, examples] :
         {std::pair{"training", &training}, {"validation", &validation}})
        if (const Status good = checkExamples(what, *examples, training); !good)
            return good.error();
    const OneBlasThread one;  // sums do not depend on the number of threads
    NeuralFit fit;
    NeuralModel& model = fit.model;
    model.activation = options.activation;
    model.range = fitInputRange({&training.inputs});
    MatrixF inputs = training.inputs, validation_inputs = validation.inputs;
    applyRange(model.range, inputs);
    applyRange(model.range, validation_inputs);
    const auto targets = makeTargets(training, validation, options.modes);
    if (!targets) return targets.error();

    if (options.hidden.empty()) {
        model.layers = {linearRegression(inputs, targets->training, double(options.ridge))};
        model.report = "Linear regression by least squares.";
    } else {
        std::vector<int> widths = {int(inputs.rows())};
        widths.insert(widths.end(), options.hidden.begin(), options.hidden.end());
        widths.push_back(int(targets->training.rows()));
        const Perceptron network(widths, options.activation);
        Run run(network, inputs, validation_inputs, *targets, options);
        auto progress = run.train(runKey(options, training, validation));
        if (!progress) return progress.error();
        model.layers = network.layers(progress->best);
        model.report = format("%zu epochs, the best on validation after %d.",
                              progress->epochs.size(), progress->best_epoch);
        fit.epochs = std::move(progress->epochs);
        fit.best_epoch = progress->best_epoch;
    }
    finishLayers(*targets, inputs, model);
    model.output_limit = outputLimit(model, training.inputs);
    fit.training_cost = costOf(model, training);
    fit.validation_cost = costOf(model, validation);
    return fit;
}

}  // namespace hem
