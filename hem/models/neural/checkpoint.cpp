// SPDX-License-Identifier: Apache-2.0
#include "hem/models/neural/checkpoint.h"

#include <cstring>
#include <filesystem>

#include "hem/core/files.h"
#include "hem/core/random.h"

namespace hem {
namespace {

struct Head {
    uint64_t key, checksum;  // of all that follows
    int64_t epochs, best_epoch, parameters;
    double best_cost;
};

void append(std::vector<std::byte>& to, const void* data, size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    to.insert(to.end(), from, from + size);
}

uint64_t hashMatrix(const MatrixF& m, uint64_t key) {
    const int64_t shape[2] = {m.rows(), m.cols()};
    key = hashBytes(shape, sizeof shape, key);
    return hashBytes(m.data(), size_t(m.size()) * sizeof(float), key);
}

}  // namespace

uint64_t runKey(const NeuralOptions& o, const PoseExamples& training,
                const PoseExamples& validation) {
    uint64_t key = hashMatrix(training.inputs, 1);
    for (const MatrixF* m : {&training.offsets, &validation.inputs, &validation.offsets})
        key = hashMatrix(*m, key);
    key = hashBytes(o.hidden.data(), o.hidden.size() * sizeof(int), key);
    const double settings[] = {double(o.modes),    double(int(o.activation)), double(o.epochs),
                               double(o.patience), double(o.batch),           double(o.rate),
                               double(o.cosine),   double(o.weight_decay),    double(o.averaging),
                               double(o.seed)};
    return hashBytes(settings, sizeof settings, key);
}

Status saveCheckpoint(const std::string& path, uint64_t key, const NeuralProgress& progress,
                      const Adam& adam) {
    if (path.empty()) return Done{};
    std::vector<std::byte> rest;
    append(rest, progress.epochs.data(), progress.epochs.size() * sizeof(NeuralFit::Epoch));
    append(rest, progress.best.data(), size_t(progress.best.size()) * sizeof(float));
    const std::vector<std::byte> state = adam.state();
    append(rest, state.data(), state.size());
    const Head head{key,
                    hashBytes(rest.data(), rest.size()),
                    int64_t(progress.epochs.size()),
                    progress.best_epoch,
                    progress.best.size(),
                    progress.best_cost};
    std::vector<std::byte> bytes;
    append(bytes, &head, sizeof head);
    append(bytes, rest.data(), rest.size());
    return writeFile(path, bytes);
}

bool loadCheckpoint(const std::string& path, uint64_t key, NeuralProgress& progress, Adam& adam) {
    if (path.empty() || !std::filesystem::exists(path)) return false;
    const auto bytes = readFile(path);
    Head head;
    if (!bytes || bytes->size() < sizeof head) return false;
    std::memcpy(&head, bytes->data(), sizeof head);
    const std::span rest = std::span(*bytes).subspan(sizeof head);
    if (head.key != key || head.checksum != hashBytes(rest.data(), rest.size())) return false;
    const size_t epochs = size_t(head.epochs) * sizeof(NeuralFit::Epoch),
                 best = size_t(head.parameters) * sizeof(float);
    if (head.parameters != adam.parameters().size() || epochs + best > rest.size() ||
        !adam.restore(rest.subspan(epochs + best)))
        return false;
    progress.epochs.resize(size_t(head.epochs));
    std::memcpy(progress.epochs.data(), rest.data(), epochs);
    progress.best.resize(head.parameters);
    std::memcpy(progress.best.data(), rest.data() + epochs, best);
    progress.best_epoch = int(head.best_epoch);
    progress.best_cost = head.best_cost;
    return true;
}

}  // namespace hem
