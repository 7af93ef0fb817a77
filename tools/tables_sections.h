// SPDX-License-Identifier: Apache-2.0
// The sections of `hemline tables`: each asks a Workshop for what it needs and gives Markdown, with
// the 2010 paper's figures beside ours and its trends held against ours, and the same as JSON.
#pragma once

#include <string>
#include <vector>

#include "tools/tables_workshop.h"

namespace hem::tools {

// What is recorded and tried, beside the paper's rows and columns.
struct TablesPlan {
    std::vector<Outfit> garments;     // rows of Table 1, in the paper's order
    std::vector<Outfit> resolutions;  // columns of Table 4: one dress at four sizes
    std::vector<int> dimensions;      // of Table 2
    std::vector<int> orders;          // of Model C in Table 3
    std::vector<int> atomic_dimensions;
    bool quick = false;

    const Outfit& dress() const { return garments[0]; }
};

// Garments of more than kFine vertices are recorded in every `every`th clip of the sets with two
// stops each (five where `every` is 1), and so are all four dresses of Table 4. `quick`: every 11th
// clip with one stop, meshes of a few hundred vertices, few dimensions and orders.
inline constexpr int kFine = 1000;
TablesPlan tablesPlan(int every, bool quick);

struct Section {
    std::string name;
    std::vector<std::string> lines;  // Markdown
    Json data;
};

struct SectionKind {
    const char *name, *title;
    Result<Section> (*make)(Workshop& workshop, const TablesPlan& plan);
};
// garments, dimensions, orders, resolutions, atomic, novel, fabrics, stop, moving.
const std::vector<SectionKind>& sectionKinds();

}  // namespace hem::tools
