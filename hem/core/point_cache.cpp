// SPDX-License-Identifier: Apache-2.0
#include "hem/core/point_cache.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "hem/core/files.h"

namespace hem {
namespace {

constexpr char kPc2Signature[12] = "POINTCACHE2";
constexpr size_t kPc2HeaderBytes = 32, kMddHeaderBytes = 8;

// Takes 32-bit words off the front of a file, in either byte order.
template <std::endian order>
struct Reader {
    const std::byte* at;

    uint32_t word() {
        uint32_t value = 0;
        for (int i = 0; i < 4; ++i) {
            const int shift = order == std::endian::little ? 8 * i : 24 - 8 * i;
            value |= std::to_integer<uint32_t>(at[i]) << shift;
        }
        at += 4;
        return value;
    }
    int32_t integer() { return std::bit_cast<int32_t>(word()); }
    float number() { return std::bit_cast<float>(word()); }
};

template <std::endian order>
struct Writer {
    std::vector<std::byte> bytes;

    void word(uint32_t value) {
        for (int i = 0; i < 4; ++i)
            bytes.push_back(
                std::byte(value >> (order == std::endian::little ? 8 * i : 24 - 8 * i)));
    }
    void integer(size_t value) { word(uint32_t(value)); }
    void number(float value) { word(std::bit_cast<uint32_t>(value)); }
    void positions(const std::vector<Vec3>& points) {
        for (Vec3 p : points) number(p.x), number(p.y), number(p.z);
    }
};

// That `bytes` is exactly what the counts of the header ask for. The counts are below 2^31, so a
// sample is below 2^35 bytes; their product is never formed before the file is known to hold it.
Status checkSize(size_t bytes, int32_t vertices, int32_t samples, size_t header,
                 size_t extra_per_sample, const std::string& name) {
    if (vertices <= 0 || samples <= 0)
        return errorf("%s: its header says %d vertices and %d samples; both must be at least 1",
                      name.c_str(), vertices, samples);
    const size_t per_sample = size_t(vertices) * 12 + extra_per_sample;
    const size_t held = bytes - header;
    if (held / per_sample < size_t(samples))
        return errorf(
            "%s: cut short: its header says %d samples of %d vertices, but after the header it "
            "holds %zu bytes, enough for %zu samples; export it again",
            name.c_str(), samples, vertices, held, held / per_sample);
    if (held != per_sample * size_t(samples))
        return errorf(
            "%s: %zu bytes stand after the %d samples of %d vertices that its header says",
            name.c_str(), held - per_sample * size_t(samples), samples, vertices);
    return Done{};
}

template <std::endian order>
Status readPositions(Reader<order> reader, size_t samples, PointCache& cache,
                     const std::string& name) {
    cache.positions.resize(samples * cache.vertices);
    for (size_t i = 0; i < cache.positions.size(); ++i) {
        Vec3& p = cache.positions[i];
        p.x = reader.number(), p.y = reader.number(), p.z = reader.number();
        if (!isFinite(p))
            return errorf("%s: sample %zu, vertex %zu: not a finite position", name.c_str(),
                          i / cache.vertices, i % cache.vertices);
    }
    return Done{};
}

// Sets rate and start from the samples' times, which must be evenly spaced.
Status readTimes(Reader<std::endian::big> reader, size_t samples, PointCache& cache,
                 const std::string& name) {
    std::vector<float> times(samples);
    for (size_t i = 0; i < samples; ++i) {
        times[i] = reader.number();
        if (!std::isfinite(times[i]))
            return errorf("%s: the time of sample %zu is not a finite number", name.c_str(), i);
    }
    cache.start = double(times[0]);
    if (samples == 1) return Done{};
    const double step = (double(times.back()) - cache.start) / double(samples - 1);
    if (!(step > 1e-6))
        return errorf(
            "%s: the samples' times run from %g s to %g s; they must grow evenly from sample to "
            "sample",
            name.c_str(), double(times[0]), double(times.back()));
    for (size_t i = 0; i < samples; ++i) {
        const double even = cache.start + step * double(i);
        const double rounding = 4e-7 * std::max(std::abs(even), std::abs(cache.start));
        if (std::abs(double(times[i]) - even) > 1e-3 * step + rounding)
            return errorf(
                "%s: sample %zu stands at %g s where even spacing has %g s; export with one sample "
                "a frame",
                name.c_str(), i, double(times[i]), even);
    }
    const double whole = std::round(1 / step);
    cache.rate = std::abs(1 / step - whole) < 1e-4 * whole ? whole : 1 / step;
    return Done{};
}

void checkWritable(const PointCache& cache) {
    constexpr size_t kMost = size_t(std::numeric_limits<int32_t>::max());
    CHECK(cache.vertices > 0 && cache.vertices <= kMost);
    CHECK(cache.samples() > 0 && cache.samples() <= kMost);
    CHECK_EQ(cache.positions.size(), cache.samples() * cache.vertices);
}

}  // namespace

Result<PointCache> parsePc2(std::span<const std::byte> bytes, const std::string& name,
                            double frames_per_second) {
    CHECK(frames_per_second > 0);
    const size_t signed_bytes = std::min(bytes.size(), sizeof(kPc2Signature));
    if (signed_bytes == 0 || std::memcmp(bytes.data(), kPc2Signature, signed_bytes) != 0)
        return errorf("%s: not a PC2 point cache: it does not begin with POINTCACHE2",
                      name.c_str());
    if (bytes.size() < kPc2HeaderBytes)
        return errorf("%s: cut short: %zu bytes, less than a PC2 header", name.c_str(),
                      bytes.size());
    Reader<std::endian::little> reader{bytes.data() + sizeof(kPc2Signature)};
    const int32_t version = reader.integer(), vertices = reader.integer();
    const float start = reader.number(), sampling = reader.number();
    const int32_t samples = reader.integer();
    if (version != 1)
        return errorf("%s: PC2 version %d; only version 1 is known", name.c_str(), version);
    if (!std::isfinite(start) || !std::isfinite(sampling) || sampling < 1e-6f || sampling > 1e6f)
        return errorf(
            "%s: its header says start frame %g and %g frames per sample; the first must be finite "
            "and the second above 0",
            name.c_str(), double(start), double(sampling));
    const Status size = checkSize(bytes.size(), vertices, samples, kPc2HeaderBytes, 0, name);
    if (!size) return size.error();
    PointCache cache{.rate = frames_per_second / double(sampling), .start = double(start)};
    cache.vertices = size_t(vertices);
    const Status positions = readPositions(reader, size_t(samples), cache, name);
    if (!positions) return positions.error();
    return cache;
}

Result<PointCache> parseMdd(std::span<const std::byte> bytes, const std::string& name) {
    if (bytes.size() < kMddHeaderBytes)
        return errorf("%s: cut short: %zu bytes, less than an MDD header", name.c_str(),
                      bytes.size());
    Reader<std::endian::big> reader{bytes.data()};
    const int32_t samples = reader.integer(), vertices = reader.integer();
    const Status size = checkSize(bytes.size(), vertices, samples, kMddHeaderBytes, 4, name);
    if (!size) return inContext(size.error().message, {"is this an MDD point cache?"});
    PointCache cache;
    cache.vertices = size_t(vertices);
    const Status times = readTimes(reader, size_t(samples), cache, name);
    if (!times) return times.error();
    reader.at += 4 * size_t(samples);
    const Status positions = readPositions(reader, size_t(samples), cache, name);
    if (!positions) return positions.error();
    return cache;
}

std::vector<std::byte> pc2Bytes(const PointCache& cache) {
    checkWritable(cache);
    Writer<std::endian::little> writer;
    writer.bytes.reserve(kPc2HeaderBytes + 12 * cache.positions.size());
    for (char c : kPc2Signature) writer.bytes.push_back(std::byte(c));
    writer.integer(1);
    writer.integer(cache.vertices);
    writer.number(float(cache.start));
    writer.number(1);
    writer.integer(cache.samples());
    writer.positions(cache.positions);
    return std::move(writer.bytes);
}

std::vector<std::byte> mddBytes(const PointCache& cache) {
    checkWritable(cache);
    CHECK(cache.rate > 0);
    Writer<std::endian::big> writer;
    writer.bytes.reserve(kMddHeaderBytes + 4 * cache.samples() + 12 * cache.positions.size());
    writer.integer(cache.samples());
    writer.integer(cache.vertices);
    for (size_t i = 0; i < cache.samples(); ++i)
        writer.number(float(cache.start + double(i) / cache.rate));
    writer.positions(cache.positions);
    return std::move(writer.bytes);
}

Result<PointCache> loadPc2(const std::string& path, double frames_per_second) {
    const auto bytes = readFile(path);
    if (!bytes) return bytes.error();
    return parsePc2(*bytes, path, frames_per_second);
}

Status savePc2(const std::string& path, const PointCache& cache) {
    return writeFile(path, pc2Bytes(cache));
}

Result<PointCache> loadMdd(const std::string& path) {
    const auto bytes = readFile(path);
    if (!bytes) return bytes.error();
    return parseMdd(*bytes, path);
}

Status saveMdd(const std::string& path, const PointCache& cache) {
    return writeFile(path, mddBytes(cache));
}

}  // namespace hem
