// SPDX-License-Identifier: Apache-2.0
#include "hem/core/npy.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <optional>

#include "hem/core/files.h"
#include "hem/core/text.h"

namespace hem {
namespace {

static_assert(std::endian::native == std::endian::little);

// "\x93NUMPY", version 1.0, the header's length in 16 bits, the header: a Python dictionary.
constexpr std::string_view kMagic("\x93NUMPY\x01\x00", 8);
constexpr size_t kHeaderStart = 10, kAlignment = 64;

constexpr struct {
    NpyType type;
    const char *name, *code;
    size_t size;
} kTypes[] = {{NpyType::kFloat32, "float32", "<f4", 4},
              {NpyType::kFloat64, "float64", "<f8", 8},
              {NpyType::kUint32, "uint32", "<u4", 4},
              {NpyType::kUint16, "uint16", "<u2", 2},
              {NpyType::kUint8, "uint8", "|u1", 1}};

std::string shapeText(const std::vector<size_t>& shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
    return text + (shape.size() == 1 ? ",)" : ")");
}

// The value of a key of the dictionary: what stands between its colon and `end`, without blanks.
std::optional<std::string_view> valueOf(std::string_view header, std::string_view key, char end) {
    const std::string quoted = "'" + std::string(key) + "'";
    const size_t at = header.find(quoted);
    if (at == header.npos) return {};
    std::string_view rest = header.substr(at + quoted.size());
    const size_t colon = rest.find_first_not_of(' ');
    if (colon == rest.npos || rest[colon] != ':') return {};
    rest.remove_prefix(colon + 1);
    const size_t first = rest.find_first_not_of(' ');
    const size_t last = rest.find(end, first == rest.npos ? 0 : first);
    if (first == rest.npos || last == rest.npos) return {};
    return rest.substr(first, last - first);
}

// "(3, 4" to {3, 4}; nothing where it is no tuple of sizes.
std::optional<std::vector<size_t>> parseShape(std::string_view text) {
    if (!text.starts_with('(')) return {};
    text.remove_prefix(1);
    std::vector<size_t> shape;
    while (text.find_first_not_of(' ') != text.npos) {
        const size_t comma = std::min(text.find(','), text.size());
        const auto words = splitWords(text.substr(0, comma));
        const auto size = words.size() == 1 ? parseInteger(words[0]) : std::nullopt;
        if (!size || *size < 0 || shape.size() == kMaxNpyRank) return {};
        shape.push_back(size_t(*size));
        if (comma == text.size()) break;
        text.remove_prefix(comma + 1);
    }
    return shape;
}

// Nothing where it does not fit.
std::optional<size_t> checkedSize(const NpyHeader& header) {
    size_t size = sizeOf(header.type);
    for (size_t extent : header.shape)
        if (__builtin_mul_overflow(size, extent, &size)) return {};
    return size;
}

Result<NpyHeader> parseHeader(std::string_view text, const std::string& name) {
    const auto code = valueOf(text, "descr", ','), order = valueOf(text, "fortran_order", ','),
               shape = valueOf(text, "shape", ')');
    if (!code || !order || !shape)
        return errorf("%s: the header lacks descr, fortran_order or shape; not a NumPy array",
                      name.c_str());
    NpyHeader header;
    bool known = false;
    for (const auto& type : kTypes)
        if (*code == "'" + std::string(type.code) + "'") header.type = type.type, known = true;
    if (!known)
        return errorf(
            "%s: holds %s; float32, float64, uint32 or uint16, little-endian, or uint8, was "
            "expected (in NumPy: "
            ".astype('<f4'))",
            name.c_str(), quoteForMessage(*code).c_str());
    if (*order != "False")
        return errorf(
            "%s: is in Fortran order; C order was expected (in NumPy: "
            "np.ascontiguousarray)",
            name.c_str());
    auto sizes = parseShape(*shape);
    if (!sizes)
        return errorf("%s: %s is no shape of up to %zu sizes", name.c_str(),
                      quoteForMessage(std::string(*shape) + ")").c_str(), kMaxNpyRank);
    header.shape = std::move(*sizes);
    return header;
}

}  // namespace

const char* nameOf(NpyType type) { return kTypes[size_t(type)].name; }
size_t sizeOf(NpyType type) { return kTypes[size_t(type)].size; }

std::string describe(const NpyHeader& header) {
    return std::string(nameOf(header.type)) + " " + shapeText(header.shape);
}

size_t dataSize(const NpyHeader& header) {
    const auto size = checkedSize(header);
    CHECK(size.has_value());
    return *size;
}

std::string npyPreamble(const NpyHeader& header) {
    CHECK_LE(header.shape.size(), kMaxNpyRank);
    std::string text = format("{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                              kTypes[size_t(header.type)].code, shapeText(header.shape).c_str());
    const size_t used = kHeaderStart + text.size() + 1;
    text.append((kAlignment - used % kAlignment) % kAlignment, ' ');
    text += '\n';
    std::string preamble(kMagic);
    preamble += char(text.size() & 0xff);
    preamble += char(text.size() >> 8);
    return preamble + text;
}

Result<NpyView> parseNpy(std::span<const std::byte> bytes, const std::string& name) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (text.size() < kHeaderStart || !text.starts_with(kMagic))
        return errorf("%s: not a NumPy .npy file of version 1.0", name.c_str());
    const size_t header_size = uint8_t(text[8]) + 256u * uint8_t(text[9]);
    if (header_size > text.size() - kHeaderStart)
        return errorf("%s: the file ends within its header", name.c_str());
    auto header = parseHeader(text.substr(kHeaderStart, header_size), name);
    if (!header) return header.error();
    const auto data = bytes.subspan(kHeaderStart + header_size);
    const auto size = checkedSize(*header);
    if (!size || *size != data.size())
        return errorf(
            "%s: the header promises %s, but the file holds %zu bytes of data; it is cut "
            "or damaged",
            name.c_str(), describe(*header).c_str(), data.size());
    return NpyView{std::move(*header), data};
}

std::vector<std::byte> npyBytes(const NpyHeader& header, std::span<const std::byte> data) {
    CHECK_EQ(dataSize(header), data.size());
    const std::string preamble = npyPreamble(header);
    std::vector<std::byte> bytes(preamble.size() + data.size());
    std::memcpy(bytes.data(), preamble.data(), preamble.size());
    if (!data.empty()) std::memcpy(bytes.data() + preamble.size(), data.data(), data.size());
    return bytes;
}

Status saveNpy(const std::string& path, const NpyHeader& header, std::span<const std::byte> data) {
    return writeFile(path, npyBytes(header, data));
}

struct MappedNpy::Mapping {
    void* address = nullptr;
    size_t size = 0;
    NpyView view;

    Mapping() = default;
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() {
        if (address) ::munmap(address, size);
    }
    std::span<const std::byte> bytes() const {
        return {static_cast<const std::byte*>(address), size};
    }
    template <class Number>
    std::span<const Number> numbers(NpyType type) const {
        CHECK(view.header.type == type);
        return {reinterpret_cast<const Number*>(view.data.data()),
                view.data.size() / sizeof(Number)};
    }
};

Result<MappedNpy> MappedNpy::open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return errorf("%s: cannot open: %s", path.c_str(), std::strerror(errno));
    struct stat facts {};
    const bool regular = ::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode);
    auto mapping = std::make_shared<Mapping>();
    if (regular && facts.st_size > 0) {
        void* address = ::mmap(nullptr, size_t(facts.st_size), PROT_READ, MAP_SHARED, fd, 0);
        if (address != MAP_FAILED) mapping->address = address;
        mapping->size = mapping->address ? size_t(facts.st_size) : 0;
    }
    ::close(fd);
    if (!regular) return errorf("%s: not a file", path.c_str());
    if (facts.st_size > 0 && !mapping->address)
        return errorf("%s: cannot map: %s", path.c_str(), std::strerror(errno));
    auto view = parseNpy(mapping->bytes(), path);
    if (!view) return view.error();
    if ((view->data.data() - mapping->bytes().data()) % 16 != 0)
        return errorf(
            "%s: the data does not start at a multiple of 16 bytes; save it with NumPy "
            "1.14 or newer",
            path.c_str());
    mapping->view = std::move(*view);
    MappedNpy npy;
    npy.mapping_ = std::move(mapping);
    return npy;
}

const NpyHeader& MappedNpy::header() const { return mapping_->view.header; }
std::span<const std::byte> MappedNpy::data() const { return mapping_->view.data; }
std::span<const std::byte> MappedNpy::file() const { return mapping_->bytes(); }
std::span<const float> MappedNpy::floats() const {
    return mapping_->numbers<float>(NpyType::kFloat32);
}
std::span<const double> MappedNpy::doubles() const {
    return mapping_->numbers<double>(NpyType::kFloat64);
}
std::span<const uint32_t> MappedNpy::integers() const {
    return mapping_->numbers<uint32_t>(NpyType::kUint32);
}
std::span<const uint8_t> MappedNpy::bytes() const {
    return mapping_->numbers<uint8_t>(NpyType::kUint8);
}

}  // namespace hem
