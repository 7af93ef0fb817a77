// SPDX-License-Identifier: Apache-2.0
// runInChild: work that may crash, hang or eat all memory, in a process of its own.
//
// For third-party parsers that read untrusted files. The child is a fork: it sees the caller's
// memory as it was, and nothing that it does to it comes back but the bytes that it returns.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "hem/core/result.h"

namespace hem {

struct ChildLimits {
    size_t memory_bytes = size_t(2) << 30;  // on top of what the caller maps; not under sanitizers
    int cpu_seconds = 60;
    int wall_seconds = 120;
    size_t reply_bytes = size_t(1) << 30;
};

// Runs `work` in a child and hands back its bytes or its Error. A crash, a limit or a reply that is
// cut short is an Error that says which, to be put behind the file's name ("the importer crashed
// on it: ..."). What `work` prints to stderr is dropped. Locks that other threads of the caller
// hold at the fork stay held in the child: `work` must take none of them (malloc's are safe).
Result<std::vector<std::byte>> runInChild(
    const std::function<Result<std::vector<std::byte>>()>& work, const ChildLimits& limits = {});

}  // namespace hem
