// SPDX-License-Identifier: Apache-2.0
// Pictures of `hemline play`: a contact sheet, or a moving picture.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "hem/core/point_cache.h"
#include "tools/wearing.h"

namespace hem::tools {

// As typed.
struct PlayPictureArguments {
    int cells = 8;
    std::string time, size, view = "three-quarter", quality = "normal", beside;

    void addTo(CLI::App* verb);
    // What is wrong whatever the garment and the motion.
    Status check() const;
};

// Both give the number of moments shown. `cloth`: all frames of the motion. PNG: `cells` moments in a grid, each with its time.
Result<size_t> savePlaySheet(const std::string& path, const Wearing& wearing,
                             const PointCache& cloth, const PlayPictureArguments& a);
// WebP: every frame, a camera that goes along gently and, where `beside` names a recorded clip of
// the same motion, that at the left.
Result<size_t> savePlayFilm(const std::string& path, const Wearing& wearing,
                            const PointCache& cloth, const PlayPictureArguments& a);

}  // namespace hem::tools
