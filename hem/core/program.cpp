// SPDX-License-Identifier: Apache-2.0
#include "hem/core/program.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "hem/core/text.h"

namespace hem {
namespace {

constexpr size_t kLongestLine = 4096;

// Pointers for exec, made before the fork: between fork and exec nothing may allocate.
std::vector<char*> pointersTo(const std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

std::vector<std::string> environmentWith(const std::vector<std::string>& added) {
    std::vector<std::string> all = added;
    for (char** entry = ::environ; *entry; ++entry) {
        const std::string_view name(*entry, std::strcspn(*entry, "=") + 1);
        bool replaced = false;
        for (const std::string& a : added) replaced |= a.starts_with(name);
        if (!replaced) all.emplace_back(*entry);
    }
    return all;
}

// Becomes the program. What cannot be done is sent back as errno.
[[noreturn]] void beProgram(const char* path, char* const* arguments, char* const* environment,
                            int output, int fault, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::setpgid(0, 0);
    const int nothing = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::dup2(nothing, 0);
    ::dup2(output, 1);
    ::dup2(output, 2);
    ::execve(path, arguments, environment);
    const int why = errno;
    [[maybe_unused]] const ssize_t sent = ::write(fault, &why, sizeof(why));
    ::_exit(127);
}

// Cuts what is read into lines.
class Lines {
public:
    explicit Lines(const std::function<bool(std::string_view)>& on_line) : on_line_(on_line) {}

    bool add(std::string_view text) {
        for (char c : text) {
            if (c == '\n') {
                const std::string line = std::move(line_);
                line_.clear();
                if (!on_line_(line)) return false;
            } else if (line_.size() < kLongestLine) {
                line_.push_back(c);
            }
        }
        return true;
    }
    bool finish() { return line_.empty() || on_line_(line_); }

private:
    const std::function<bool(std::string_view)>& on_line_;
    std::string line_;
};

struct Pipe {
    int read_end = -1, write_end = -1;

    bool open() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) return false;
        read_end = ends[0], write_end = ends[1];
        return true;
    }
    void closeWriteEnd() {
        if (write_end >= 0) ::close(write_end);
        write_end = -1;
    }
    ~Pipe() {
        closeWriteEnd();
        if (read_end >= 0) ::close(read_end);
    }
};

struct Log {
    std::FILE* file = nullptr;
    ~Log() {
        if (file) std::fclose(file);
    }
};

// Reads until the program closes its output, or has to be killed: then says why in `end`.
void follow(int fd, std::FILE* log, int silence_seconds,
            const std::function<bool(std::string_view)>& on_line, ProgramEnd& end) {
    using Clock = std::chrono::steady_clock;
    const auto patience = std::chrono::seconds(silence_seconds);
    auto deadline = Clock::now() + patience;
    Lines lines(on_line);
    char chunk[4096];
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        end.went_silent = left.count() <= 0;
        if (end.went_silent) return;
        pollfd waiting{fd, POLLIN, 0};
        if (::poll(&waiting, 1, int(left.count())) <= 0) continue;
        const ssize_t got = ::read(fd, chunk, sizeof(chunk));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        deadline = Clock::now() + patience;
        if (log) std::fwrite(chunk, 1, size_t(got), log), std::fflush(log);
        end.stopped = !lines.add({chunk, size_t(got)});
        if (end.stopped) return;
    }
    end.stopped = !lines.finish();
}

void waitFor(pid_t child, int silence_seconds, ProgramEnd& end) {
    int status = 0;
    rusage usage{};
    while (::wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
    }
    const auto seconds = [](const timeval& t) {
        return double(t.tv_sec) + 1e-6 * double(t.tv_usec);
    };
    end.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    if (WIFSIGNALED(status)) end.signal = WTERMSIG(status);
    if (WIFEXITED(status)) end.exit_code = WEXITSTATUS(status);
    if (end.went_silent)
        end.text = format("silent for %d s and ended", silence_seconds);
    else if (end.signal)
        end.text = format("ended by signal %d (%s)", end.signal, ::strsignal(end.signal));
    else
        end.text = format("exit code %d", end.exit_code);
}

}  // namespace

Result<ProgramEnd> runProgram(const ProgramCall& call,
                              const std::function<bool(std::string_view line)>& on_line) {
    Log log;
    if (!call.log_path.empty() && !(log.file = std::fopen(call.log_path.c_str(), "we")))
        return errorf("%s: cannot create: %s", call.log_path.c_str(), std::strerror(errno));
    std::vector<std::string> arguments{call.path};
    arguments.insert(arguments.end(), call.arguments.begin(), call.arguments.end());
    const std::vector<std::string> environment = environmentWith(call.environment);
    const auto argument_pointers = pointersTo(arguments);
    const auto environment_pointers = pointersTo(environment);
    Pipe output, fault;
    const pid_t self = ::getpid();
    const pid_t child = output.open() && fault.open() ? ::fork() : -1;
    if (child < 0) return errorf("%s: cannot start: %s", call.path.c_str(), std::strerror(errno));
    if (child == 0)
        beProgram(call.path.c_str(), argument_pointers.data(), environment_pointers.data(),
                  output.write_end, fault.write_end, self);
    ::setpgid(child, child);  // here too: whichever comes first
    output.closeWriteEnd(), fault.closeWriteEnd();
    int why = 0;
    ssize_t got;
    while ((got = ::read(fault.read_end, &why, sizeof(why))) < 0 && errno == EINTR) {
    }
    ProgramEnd end;
    if (got == 0) follow(output.read_end, log.file, call.silence_seconds, on_line, end);
    if (end.went_silent || end.stopped) ::kill(-child, SIGKILL);
    waitFor(child, call.silence_seconds, end);
    if (got > 0) return errorf("%s: cannot start: %s", call.path.c_str(), std::strerror(why));
    return end;
}

std::string findProgram(const std::string& name) {
    const auto canRun = [](const std::string& path) {
        struct stat facts {};
        return ::stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode) &&
               ::access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != name.npos) return canRun(name) ? name : "";
    const char* search_path = std::getenv("PATH");
    std::string_view folders = search_path ? search_path : "/usr/local/bin:/usr/bin:/bin";
    while (!folders.empty()) {
        const size_t end = std::min(folders.find(':'), folders.size());
        std::string path = std::string(folders.substr(0, end)) + "/" + name;
        if (end > 0 && canRun(path)) return path;
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return "";
}

}  // namespace hem
