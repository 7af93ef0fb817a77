// SPDX-License-Identifier: Apache-2.0
// parallelFor: one loop over all cores, on oneTBB.
#pragma once

#include <cstddef>
#include <functional>

namespace hem {

// Calls body(begin, count) on disjoint ranges that cover 0..total, `grain` items each except
// perhaps the last: the ranges do not depend on the number of threads, so neither does a result
// that is computed range by range. Returns when all are done. Nested calls are fine.
void parallelFor(size_t total, size_t grain,
                 const std::function<void(size_t begin, size_t count)>& body);

// Calls body() with all of oneTBB's work inside it, a library's too, on the calling thread alone:
// for libraries whose result depends on the order in which threads get to it.
void runOnOneThread(const std::function<void()>& body);

// Caps the threads that parallelFor uses in this process from now on; 0 is all cores.
void setThreadLimit(int threads);
// The number of threads that parallelFor may use now.
int threadLimit();

}  // namespace hem
