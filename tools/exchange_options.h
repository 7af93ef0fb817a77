// SPDX-License-Identifier: Apache-2.0
// The options that import and export share: what another program means by its numbers.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "hem/recording/exchange.h"

namespace hem::tools {

struct UnitOptions {
    std::string unit = "m", up = "y";

    void addTo(CLI::App* verb) {
        verb->add_option("--unit", unit, "Of the files: m, cm, mm, inch, or metres per unit")
            ->capture_default_str()
            ->group("Files of other programs");
        verb->add_option("--up", up, "The files' up axis: y or z")
            ->check(CLI::IsMember({"y", "z"}))
            ->capture_default_str()
            ->group("Files of other programs");
    }
    // The message says what can be given.
    Result<Units> understand() const;
};

}  // namespace hem::tools
