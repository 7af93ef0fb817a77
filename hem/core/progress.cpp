// SPDX-License-Identifier: Apache-2.0
#include "hem/core/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "hem/core/text.h"

namespace hem {
namespace {

std::atomic<bool> g_progress_enabled = true;

}  // namespace

void setProgressEnabled(bool enabled) { g_progress_enabled = enabled; }

bool takesColor(int descriptor) {
    const char* no_color = std::getenv("NO_COLOR");
    const char* term = std::getenv("TERM");
    const bool forbidden = (no_color && *no_color) || (term && std::string_view(term) == "dumb");
    return ::isatty(descriptor) && !forbidden;
}

std::string formatDuration(double seconds) {
    const long s = std::lround(std::max(0.0, seconds));
    return s < 3600 ? format("%ld:%02ld", s / 60, s % 60)
                    : format("%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
}

Progress::Progress(std::string what, size_t total)
    : what_(std::move(what)),
      total_(std::max<size_t>(total, 1)),
      shown_(g_progress_enabled && ::isatty(STDERR_FILENO)) {}

Progress::~Progress() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
}

void Progress::advance(size_t steps) {
    const size_t done = done_ += steps;
    if (!shown_) return;
    const Clock::duration elapsed = Clock::now() - start_;
    Clock::duration due = next_draw_;
    // one thread wins the right to draw
    if (elapsed >= due &&
        next_draw_.compare_exchange_strong(due, elapsed + std::chrono::milliseconds(100)))
        draw(done);
}

void Progress::draw(size_t done) {
    constexpr int kWidth = 30;
    const double fraction = std::min(1.0, double(done) / double(total_));
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const int filled = int(fraction * kWidth);
    std::string bar(size_t(filled), '#');
    bar.resize(kWidth, '.');
    const std::string left =
        fraction > 0 ? formatDuration(elapsed * (1 - fraction) / fraction) + " left" : "";
    std::fprintf(stderr, "\r\x1b[K%s [%s] %zu/%zu %s", what_.c_str(), bar.c_str(), done, total_,
                 left.c_str());
    std::fflush(stderr);
}

}  // namespace hem
