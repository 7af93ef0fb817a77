// SPDX-License-Identifier: Apache-2.0
#include "hem/core/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <new>
#include <span>

namespace hem {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
#else
constexpr bool kSanitized = false;
#endif

// The reply is a tag byte, then the value's bytes or the error's text. Its end is the pipe's end.
enum class Tag : unsigned char { kValue = 'v', kError = 'e' };

size_t mappedBytes() {
    unsigned long pages = 0;
    if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
        if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
        std::fclose(file);
    }
    return pages * size_t(::sysconf(_SC_PAGESIZE));
}

// `slack` is how far the hard limit lies above: at RLIMIT_CPU's soft limit SIGXCPU comes, at the
// hard one SIGKILL.
void setLimit(int resource, size_t value, size_t slack = 0) {
    const rlimit limit{value, value + slack};
    ::setrlimit(resource, &limit);
}

bool writeAll(int fd, std::span<const std::byte> bytes) {
    while (!bytes.empty()) {
        const ssize_t put = ::write(fd, bytes.data(), bytes.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return false;
        bytes = bytes.subspan(size_t(put));
    }
    return true;
}

bool reply(int fd, Tag tag, std::span<const std::byte> bytes) {
    return writeAll(fd, std::as_bytes(std::span(&tag, 1))) && writeAll(fd, bytes);
}

[[noreturn]] void beChild(int fd, const std::function<Result<std::vector<std::byte>>()>& work,
                          const ChildLimits& limits) {
    const size_t memory = mappedBytes() + limits.memory_bytes;
    if (!kSanitized) setLimit(RLIMIT_AS, memory);
    setLimit(RLIMIT_CPU, size_t(limits.cpu_seconds), 5);
    setLimit(RLIMIT_CORE, 0);
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU})
        ::signal(signal, SIG_DFL);
    if (const int null = ::open("/dev/null", O_WRONLY); null >= 0) ::dup2(null, STDERR_FILENO);
    bool sent = false;
    // The libraries that run here throw; nothing of that may unwind into the caller's frames.
    try {
        const auto result = work();
        sent = result ? reply(fd, Tag::kValue, *result)
                      : reply(fd, Tag::kError, std::as_bytes(std::span(result.error().message)));
    } catch (const std::bad_alloc&) {
        const std::string text =
            "the importer ran out of memory on it: the file is damaged or too large";
        sent = reply(fd, Tag::kError, std::as_bytes(std::span(text)));
    } catch (...) {
        const std::string text = "the importer gave up on it: the file is damaged";
        sent = reply(fd, Tag::kError, std::as_bytes(std::span(text)));
    }
    ::_exit(sent ? 0 : 1);
}

enum class End { kClosed, kTooLong, kTimedOut };

End readUntilClosed(int fd, const ChildLimits& limits, std::vector<std::byte>& bytes) {
    using Clock = std::chrono::steady_clock;
    const auto deadline = Clock::now() + std::chrono::seconds(limits.wall_seconds);
    std::vector<std::byte> chunk(size_t(1) << 16);
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        pollfd waiting{fd, POLLIN, 0};
        if (left.count() <= 0) return End::kTimedOut;
        if (::poll(&waiting, 1, int(left.count())) <= 0) continue;
        const ssize_t got = ::read(fd, chunk.data(), chunk.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return End::kClosed;
        if (bytes.size() + size_t(got) > limits.reply_bytes) return End::kTooLong;
        bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + got);
    }
}

Error endOf(int status, End end, const ChildLimits& limits) {
    if (end == End::kTooLong) return errorf("it holds more than %zu MiB", limits.reply_bytes >> 20);
    if (end == End::kTimedOut || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return errorf("the importer hung on it (more than %d s): the file is damaged or too large",
                      limits.cpu_seconds);
    const char* how = WIFSIGNALED(status) ? ::strsignal(WTERMSIG(status)) : "no reply";
    return errorf("the importer crashed on it (%s): the file is damaged", how);
}

}  // namespace

Result<std::vector<std::byte>> runInChild(
    const std::function<Result<std::vector<std::byte>>()>& work, const ChildLimits& limits) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return errorf("cannot make a pipe: %s", std::strerror(errno));
    const pid_t child = ::fork();
    if (child < 0) {
        const Error error = errorf("cannot start a process: %s", std::strerror(errno));
        ::close(ends[0]), ::close(ends[1]);
        return error;
    }
    if (child == 0) beChild(ends[1], work, limits);
    ::close(ends[1]);
    std::vector<std::byte> bytes;
    const End end = readUntilClosed(ends[0], limits, bytes);
    ::close(ends[0]);
    if (end != End::kClosed) ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const bool ended_well = end == End::kClosed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!ended_well || bytes.empty()) return endOf(status, end, limits);
    const Tag tag = Tag(bytes[0]);
    bytes.erase(bytes.begin());
    if (tag == Tag::kValue) return bytes;
    return Error{std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
}

}  // namespace hem
