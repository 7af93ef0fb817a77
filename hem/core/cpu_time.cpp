// SPDX-License-Identifier: Apache-2.0
#include "hem/core/cpu_time.h"

#include <sys/resource.h>
#include <time.h>

namespace hem {
namespace {

double usedBy(int who) {
    rusage usage{};
    ::getrusage(who, &usage);
    const auto seconds = [](const timeval& t) {
        return double(t.tv_sec) + 1e-6 * double(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

double threadCpuSeconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return double(now.tv_sec) + 1e-9 * double(now.tv_nsec);
}

double processCpuSeconds() { return usedBy(RUSAGE_SELF); }

double childrenCpuSeconds() { return usedBy(RUSAGE_CHILDREN); }

}  // namespace hem
