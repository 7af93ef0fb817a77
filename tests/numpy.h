// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

namespace hem {

// A Python that has NumPy; empty where there is none, and tests that need it say that they skip.
inline std::string pythonWithNumPy() {
    for (const char* python : {"python3", "/usr/bin/python3"})
        if (std::system((std::string(python) + " -c 'import numpy' >/dev/null 2>&1").c_str()) == 0)
            return python;
    return "";
}

}  // namespace hem

#define HEM_SKIP_WITHOUT_NUMPY()        \
    if (hem::pythonWithNumPy().empty()) \
    GTEST_SKIP() << "NumPy is not here (apt-get install python3-numpy)"
