// SPDX-License-Identifier: Apache-2.0
#include "hem/core/parallel.h"

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>

#include "hem/core/check.h"

namespace hem {

void parallelFor(size_t total, size_t grain, const std::function<void(size_t, size_t)>& body) {
    CHECK_GT(grain, 0u);
    const size_t ranges = (total + grain - 1) / grain;
    tbb::parallel_for(size_t(0), ranges, [&](size_t i) {
        const size_t begin = i * grain;
        body(begin, std::min(grain, total - begin));
    });
}

void runOnOneThread(const std::function<void()>& body) {
    tbb::task_arena(1).execute([&] { body(); });
}

void setThreadLimit(int threads) {
    static std::unique_ptr<tbb::global_control> limit;
    limit.reset();
    if (threads > 0)
        limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                      size_t(threads));
}

int threadLimit() {
    return int(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism));
}

}  // namespace hem
