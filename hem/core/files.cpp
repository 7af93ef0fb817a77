// SPDX-License-Identifier: Apache-2.0
#include "hem/core/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "hem/core/text.h"

namespace hem {
namespace {

Error systemFault(const std::string& path, const char* doing) {
    return errorf("%s: cannot %s: %s", path.c_str(), doing, std::strerror(errno));
}

// Closes on every way out.
struct Descriptor {
    int fd;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

template <class Buffer>
Result<Buffer> readInto(const std::string& path) {
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (file.fd < 0) return systemFault(path, "open");
    struct stat facts {};
    if (::fstat(file.fd, &facts) != 0) return systemFault(path, "read");
    if (S_ISDIR(facts.st_mode)) return errorf("%s: is a folder; a file was expected", path.c_str());
    Buffer buffer;
    size_t size = 0;
    // grows past st_size too, so that pipes and /proc files work
    for (size_t room = std::max<size_t>(size_t(facts.st_size) + 1, 4096);;
         room = buffer.size() * 2) {
        buffer.resize(room);
        while (size < buffer.size()) {
            const ssize_t got = ::read(file.fd, buffer.data() + size, buffer.size() - size);
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) return systemFault(path, "read");
            if (got == 0) {
                buffer.resize(size);
                return buffer;
            }
            size += size_t(got);
        }
    }
}

// mkstemp makes files for the owner alone; new files are as open as the user's umask lets them be.
mode_t modeOfNewFiles() {
    static const mode_t mode = [] {
        const mode_t mask = ::umask(0);
        ::umask(mask);
        return mode_t(0666 & ~mask);
    }();
    return mode;
}

Status writeAll(int fd, std::span<const std::byte> bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return systemFault(path, "write");
        bytes = bytes.subspan(size_t(put));
    }
    if (::fsync(fd) != 0 && errno != EINVAL) return systemFault(path, "flush");
    return Done{};
}

}  // namespace

Result<std::vector<std::byte>> readFile(const std::string& path) {
    return readInto<std::vector<std::byte>>(path);
}

Result<std::string> readTextFile(const std::string& path) { return readInto<std::string>(path); }

Status writeFile(const std::string& path, std::span<const std::byte> bytes) {
    std::string temporary = path + ".XXXXXX.part";
    const Descriptor file{::mkstemps(temporary.data(), 5)};
    if (file.fd < 0) return systemFault(path, "create");
    ::fchmod(file.fd, modeOfNewFiles());
    Status status = writeAll(file.fd, bytes, path);
    if (status && ::rename(temporary.c_str(), path.c_str()) != 0)
        status = systemFault(path, "rename the finished file");
    if (!status) ::unlink(temporary.c_str());
    return status;
}

Status writeFile(const std::string& path, std::string_view text) {
    return writeFile(path, std::as_bytes(std::span(text)));
}

Status makeFolders(const std::string& path) {
    std::error_code fault;
    std::filesystem::create_directories(path, fault);
    if (fault)
        return errorf("%s: cannot make the folder: %s", path.c_str(), fault.message().c_str());
    return Done{};
}

Result<std::vector<std::string>> listFiles(const std::string& folder, std::string_view suffix) {
    std::error_code fault;
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder, fault))
        if (entry.path().filename().string().ends_with(suffix))
            paths.push_back(entry.path().string());
    if (fault)
        return errorf("%s: cannot list the folder: %s", folder.c_str(), fault.message().c_str());
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::string stemOf(const std::string& path) { return std::filesystem::path(path).stem().string(); }

std::string extensionOf(const std::string& path) {
    const std::string dotted = std::filesystem::path(path).extension().string();
    return toLower(dotted.empty() ? dotted : dotted.substr(1));
}

}  // namespace hem
