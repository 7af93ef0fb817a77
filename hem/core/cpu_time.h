// SPDX-License-Identifier: Apache-2.0
// CPU time, in seconds from some start: take differences. Machines are shared, so costs are told in
// it rather than by the clock on the wall.
#pragma once

namespace hem {

double threadCpuSeconds();    // of the calling thread
double processCpuSeconds();   // of all threads of this process
double childrenCpuSeconds();  // of the programs that this process has run to their end

}  // namespace hem
