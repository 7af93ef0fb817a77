// SPDX-License-Identifier: Apache-2.0
#include "hem/models/training/adam.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace hem {
namespace {

constexpr float kMeanDecay = 0.9f, kSmall = 1e-8f;
constexpr int kWarmUp = 100;  // steps

}  // namespace

Adam::Adam(VectorF parameters, VectorF decay_mask, Options options)
    : options_(options),
      parameters_(std::move(parameters)),
      decay_mask_(std::move(decay_mask)),
      average_(parameters_),
      mean_(VectorF::Zero(parameters_.size())),
      square_(VectorF::Zero(parameters_.size())) {}

float Adam::rateNow() const {
    const float warm = std::min(1.0f, float(steps_ + 1) / kWarmUp);
    if (!options_.cosine) return options_.rate * warm;
    const float share = float(steps_) / float(std::max(1, options_.steps));
    return options_.rate * warm * 0.5f * (1 + std::cos(3.14159265f * share));
}

void Adam::step(const VectorF& gradient) {
    const float rate = rateNow(), square_decay = options_.square_decay;
    const float shorten =
        std::min(1.0f, options_.longest_gradient / std::max(gradient.norm(), 1e-12f));
    ++steps_;
    const float mean_bias = 1 - std::pow(kMeanDecay, float(steps_));
    const float square_bias = 1 - std::pow(square_decay, float(steps_));
    // Early on the mean of all is better than one that remembers the start.
    const float averaging = std::min(options_.averaging, float(steps_) / float(steps_ + 10));
    const auto g = gradient.array() * shorten;
    mean_.array() = kMeanDecay * mean_.array() + (1 - kMeanDecay) * g;
    square_.array() = square_decay * square_.array() + (1 - square_decay) * g.square();
    parameters_.array() -=
        rate * (options_.weight_decay * decay_mask_.array() * parameters_.array() +
                (mean_.array() / mean_bias) / ((square_.array() / square_bias).sqrt() + kSmall));
    average_ = averaging * average_ + (1 - averaging) * parameters_;
}

std::vector<std::byte> Adam::state() const {
    const int64_t steps = steps_;
    std::vector<std::byte> bytes(sizeof steps);
    std::memcpy(bytes.data(), &steps, sizeof steps);
    for (const VectorF* v : {&parameters_, &average_, &mean_, &square_}) {
        const auto* data = reinterpret_cast<const std::byte*>(v->data());
        bytes.insert(bytes.end(), data, data + size_t(v->size()) * sizeof(float));
    }
    return bytes;
}

bool Adam::restore(std::span<const std::byte> state) {
    const size_t part = size_t(parameters_.size()) * sizeof(float);
    int64_t steps;
    if (state.size() != sizeof steps + 4 * part) return false;
    std::memcpy(&steps, state.data(), sizeof steps);
    if (steps < 0 || steps > options_.steps) return false;
    steps_ = int(steps);
    const std::byte* from = state.data() + sizeof steps;
    for (VectorF* v : {&parameters_, &average_, &mean_, &square_}) {
        std::memcpy(v->data(), from, part);
        from += part;
    }
    return true;
}

}  // namespace hem
