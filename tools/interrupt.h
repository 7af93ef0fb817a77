// SPDX-License-Identifier: Apache-2.0
// Ctrl-C for verbs that run long: the first one asks the work to end in a state to go on from, the
// second ends the process.
#pragma once

#include <atomic>

namespace hem::tools {

// From now on SIGINT and SIGTERM set the flag, once each.
const std::atomic<bool>& catchInterrupts();

}  // namespace hem::tools
