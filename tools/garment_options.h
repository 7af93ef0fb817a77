// SPDX-License-Identifier: Apache-2.0
// What the verbs that take a garment of the user's own share: its pins, its ease,
// and remarks on it.
#pragma once

#include <CLI/CLI.hpp>

#include "hem/garment/garment_report.h"
#include "hem/garment/own_garment.h"

namespace hem::tools {

struct PinOptions {
    PinRules rules;

    void addTo(CLI::App* verb);
    bool given() const {
        return !rules.groups.empty() || rules.by_color || !rules.near_joints.empty() ||
               !rules.openings.empty();
    }
};

struct EaseOption {
    float metres = kUsualEase;
    CLI::Option* option = nullptr;

    void addTo(CLI::App* verb);
    bool given() const { return option->count() > 0; }
};

// What may go wrong with the garment, on stderr.
void printRemarks(const Garment& garment, const GarmentReport& report);

}  // namespace hem::tools
