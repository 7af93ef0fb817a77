// SPDX-License-Identifier: Apache-2.0
// The .hem files that a viewer is given: read, checked, and put into garments that are worn
// together, each of one or more models to compare.
#pragma once

#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/recording/recording.h"
#include "hem/runtime/hem.h"

namespace hem {

struct GarmentModel {
    std::string path;   // as given
    std::string kind;   // "A", "B", "C", "S", "N", or "" where the file does not say
    std::string label;  // for people: "S, ours"; no two of a garment are alike
    std::string key;    // for addresses: letters, digits, - and _; unique within the garment
    std::string character, fabric;  // that it was trained on, as the file names them; or empty
    std::vector<std::byte> bytes;

    // `bytes`, which hem_open() took.
    const hem_Garment* garment() const {
        return reinterpret_cast<const hem_Garment*>(bytes.data());
    }
};

struct WornGarment {
    std::string name;  // for people: "dress"; of garments learned together "shirt + pants"
    std::string key;   // for addresses, unique
    std::vector<GarmentModel> models;  // in the order given; all of the same mesh

    const hem_Garment* garment() const { return models[0].garment(); }
};

// Files of the same vertices and triangles are models of one garment; others are worn together,
// outer over inner, in the order in which they first appear. Fails, naming the file, where one is
// no garment or two are for different characters.
Result<std::vector<WornGarment>> readGarmentFiles(const std::vector<std::string>& paths);

// `name`: a mannequin's or a file; empty: the recordings' where there are any, or else the mannequin
// that the garments say they were trained on. The message tells what to give where that is not
// known, or where its joints are not the garments'.
Result<Character> characterOf(const std::vector<WornGarment>& garments,
                              const std::vector<RecordingSet>& recordings, const std::string& name);

}  // namespace hem
