// SPDX-License-Identifier: Apache-2.0
// Progress: a bar with the time left, on stderr, on a terminal only.
#pragma once

#include <atomic>
#include <chrono>
#include <string>

namespace hem {

// Off for --quiet. A terminal that is not one (a pipe, CI) never gets a bar.
void setProgressEnabled(bool enabled);

// True when `descriptor` is a terminal that takes colours and NO_COLOR is not set.
bool takesColor(int descriptor);

// "1:05", "2:03:00"; for time left and time taken.
std::string formatDuration(double seconds);

class Progress {
public:
    // `total` steps of `what` ("retargeting clips").
    Progress(std::string what, size_t total);
    ~Progress();  // clears the bar
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // From any thread. Draws at most ten times a second.
    void advance(size_t steps = 1);

private:
    void draw(size_t done);

    using Clock = std::chrono::steady_clock;
    std::string what_;
    size_t total_;
    bool shown_;
    std::atomic<size_t> done_ = 0;
    Clock::time_point start_ = Clock::now();
    std::atomic<Clock::duration> next_draw_ = Clock::duration::zero();
};

}  // namespace hem
