// SPDX-License-Identifier: Apache-2.0
#include "hem/pack/file_writer.h"

#include <cmath>

namespace hem {
namespace {

size_t aligned(size_t size) {
    return (size + format::kAlignment - 1) / format::kAlignment * format::kAlignment;
}

}  // namespace

void FileWriter::addBytes(const void* data, size_t size) {
    std::vector<std::byte>& to = sections_.back().bytes;
    const auto* from = static_cast<const std::byte*>(data);
    to.insert(to.end(), from, from + size);
}

void FileWriter::align() {
    std::vector<std::byte>& bytes = sections_.back().bytes;
    bytes.resize(aligned(bytes.size()));
}

void FileWriter::addPadded(const VectorF& values) {
    align();
    addArray(std::span<const float>(values.data(), size_t(values.size())));
    align();
}

void FileWriter::addMatrix(const MatrixF& weights, const VectorF& bias) {
    addPadded(bias);
    for (Eigen::Index panel = 0; panel < weights.rows(); panel += format::kLanes)
        for (Eigen::Index k = 0; k < weights.cols(); ++k)
            for (Eigen::Index row = panel; row < panel + format::kLanes; ++row)
                add(row < weights.rows() ? weights(row, k) : 0.0f);
}

void FileWriter::addPairs(const MatrixF& weights, const VectorF& bias) {
    const float most = float(format::kMaxInt16Weight);
    VectorF scale = weights.cwiseAbs().rowwise().maxCoeff() / most;
    for (float& s : scale)
        s = s > 1e-30f ? s : 0;  // of less, integers would not keep within `most`
    const auto integer = [&](Eigen::Index row, Eigen::Index k) -> int16_t {
        if (row >= weights.rows() || k >= weights.cols() || scale(row) == 0) return 0;
        return int16_t(std::lround(weights(row, k) / scale(row)));
    };
    addPadded(bias);
    addPadded(scale);
    for (Eigen::Index panel = 0; panel < weights.rows(); panel += format::kLanes)
        for (Eigen::Index k = 0; k < weights.cols(); k += 2)
            for (Eigen::Index row = panel; row < panel + format::kLanes; ++row) {
                add(integer(row, k));
                add(integer(row, k + 1));
            }
}

std::vector<std::byte> FileWriter::finish(format::FileHeader header) const {
    std::vector<format::Section> table;
    size_t end = sizeof header + sections_.size() * sizeof(format::Section);
    for (const Part& part : sections_) {
        table.push_back({part.id, 0, aligned(end), part.bytes.size()});
        end = table.back().offset + part.bytes.size();
    }
    std::vector<std::byte> file(end);
    std::memcpy(file.data() + sizeof header, table.data(), table.size() * sizeof(format::Section));
    for (size_t i = 0; i < table.size(); ++i)
        std::memcpy(file.data() + table[i].offset, sections_[i].bytes.data(), table[i].size);

    const auto* bytes = reinterpret_cast<const unsigned char*>(file.data());
    const uint64_t body = format::checksumOf(bytes + sizeof header, end - sizeof header);
    std::memcpy(header.magic, format::kMagic, sizeof header.magic);
    header.version = format::kVersion;
    for (const Part& part : sections_)
        if (part.id == format::kMirror) header.version = format::kMirroredVersion;
    header.size = end;
    header.section_count = uint32_t(table.size());
    header.state_magic = (uint32_t(body ^ body >> 32) & 0x3fffffff) | 1;
    std::memcpy(file.data(), &header, sizeof header);
    header.checksum = format::fileChecksum(bytes, end);
    std::memcpy(file.data(), &header, sizeof header);
    return file;
}

}  // namespace hem
