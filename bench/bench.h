// SPDX-License-Identifier: Apache-2.0
// Timing for benchmarks: CPU time of the calling thread, the least of many repetitions, and always
// a reference kernel measured in the same run, because machines differ and are noisy.
#pragma once

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace hem::bench {

inline double cpuSeconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

// The least CPU time of one call of `body`, over rounds of `calls` calls, for about `seconds` in
// all.
template <class Body>
double leastSeconds(Body&& body, int calls = 1, double seconds = 0.5) {
    double least = 1e30;
    const double start = cpuSeconds();
    do {
        const double begin = cpuSeconds();
        for (int i = 0; i < calls; ++i) body();
        least = std::min(least, (cpuSeconds() - begin) / calls);
    } while (cpuSeconds() - start < seconds);
    return least;
}

// Keeps the optimiser from dropping a result that nobody reads.
template <class T>
void keep(const T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

struct Row {
    std::string what;
    double seconds;
    std::string reference;
    double reference_seconds;
    double bar_seconds;  // what the project asks for; 0 for none
};

// The table on stdout; as CSV with `csv`.
inline void print(const std::vector<Row>& rows, bool csv) {
    if (csv) {
        std::puts("benchmark,microseconds,reference,reference_microseconds,ratio,bar_microseconds");
        for (const Row& r : rows)
            std::printf("%s,%.3f,%s,%.3f,%.3f,%.1f\n", r.what.c_str(), 1e6 * r.seconds,
                        r.reference.c_str(), 1e6 * r.reference_seconds,
                        r.seconds / r.reference_seconds, 1e6 * r.bar_seconds);
        return;
    }
    std::printf("%-46s %12s %10s  %s\n", "benchmark", "microseconds", "ratio", "reference");
    for (const Row& r : rows) {
        std::printf("%-46s %12.2f %9.2fx  %s (%.2f)", r.what.c_str(), 1e6 * r.seconds,
                    r.seconds / r.reference_seconds, r.reference.c_str(),
                    1e6 * r.reference_seconds);
        if (r.bar_seconds > 0) std::printf("; asked for: %.0f", 1e6 * r.bar_seconds);
        std::puts("");
    }
}

}  // namespace hem::bench
