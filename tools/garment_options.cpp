// SPDX-License-Identifier: Apache-2.0
#include "tools/garment_options.h"

#include <cstdio>

namespace hem::tools {

void PinOptions::addTo(CLI::App* verb) {
    const char* group = "Pins of your own garment";
    verb->add_option("--pin-group", rules.groups, "Pin these groups of the file")
        ->delimiter(',')
        ->group(group);
    verb->add_flag("--pin-color", rules.by_color, "Pin by the red of the vertices' colours")
        ->group(group);
    verb->add_option("--pin-near", rules.near_joints, "Pin what is near the skin of these joints")
        ->delimiter(',')
        ->group(group);
    verb->add_option("--pin-distance", rules.near_distance, "Metres that --pin-near reaches")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str()
        ->group(group);
    verb->add_option("--pin-opening", rules.openings,
                     "Pin the ring where the cloth ends: top (a waistband, a neckline) or bottom")
        ->delimiter(',')
        ->check(CLI::IsMember({"top", "bottom"}))
        ->group(group);
    verb->add_option("--pin-strength", rules.strength, "0 to 1, of all but colours")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str()
        ->group(group);
}

void EaseOption::addTo(CLI::App* verb) {
    option = verb->add_option("--ease", metres,
                              "Metres that your own garment is let out to from the skin; 0 leaves "
                              "it where it is")
                 ->check(CLI::Range(0.0, 0.1))
                 ->capture_default_str();
}

void printRemarks(const Garment& garment, const GarmentReport& report) {
    for (const std::string& remark : remarksOn(report))
        std::fprintf(stderr, "hemline: remark: %s: %s\n", garment.name.c_str(), remark.c_str());
}

}  // namespace hem::tools
