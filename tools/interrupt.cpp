// SPDX-License-Identifier: Apache-2.0
#include "tools/interrupt.h"

#include <csignal>

namespace hem::tools {
namespace {

std::atomic<bool> g_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void onSignal(int signal) {
    g_interrupted = true;
    std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& catchInterrupts() {
    std::signal(SIGINT, onSignal);
    std::signal(SIGTERM, onSignal);
    return g_interrupted;
}

}  // namespace hem::tools
