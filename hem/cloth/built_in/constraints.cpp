// SPDX-License-Identifier: Apache-2.0
#include "hem/cloth/built_in/constraints.h"

#include <atomic>

namespace hem::built_in {

namespace narrow {
extern const Constraints table;
}
namespace avx2 {
extern const Constraints table;
}
namespace avx512 {
extern const Constraints table;
}

namespace {

std::vector<const Constraints*> supported() {
    std::vector<const Constraints*> sets;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        sets.push_back(&avx512::table);
    if (__builtin_cpu_supports("avx2")) sets.push_back(&avx2::table);
#endif
    sets.push_back(&narrow::table);
    return sets;
}

std::atomic<const Constraints*> forced{nullptr};

}  // namespace

std::span<const Constraints* const> allConstraints() {
    static const std::vector<const Constraints*> sets = supported();
    return sets;
}

const Constraints& constraints() {
    const Constraints* set = forced.load(std::memory_order_relaxed);
    return set ? *set : *allConstraints()[0];
}

void forceConstraints(const Constraints* set) { forced.store(set, std::memory_order_relaxed); }

}  // namespace hem::built_in
