// SPDX-License-Identifier: Apache-2.0
// Writes GLB files of toy garments, and beside each the vertices that the player and our skinning have
// at some keys of its animation, for other programs to be held against.
//
//     write_glbs FOLDER
#include <cstdio>
#include <nlohmann/json.hpp>

#include "hem/core/files.h"
#include "tests/eval/worn_toy.h"

namespace hem {
namespace {

nlohmann::json numbersOf(const std::vector<Vec3>& list) {
    nlohmann::json numbers = nlohmann::json::array();
    for (Vec3 v : list)
        for (int i = 0; i < 3; ++i) numbers.push_back(v[i]);
    return numbers;
}

template <class AnyToy>
Status writeOne(const std::string& stem, const Worn<AnyToy>& worn,
                const GarmentGlbOptions& options) {
    const auto saved =
        saveGarmentGlb(stem + ".glb", worn.toy.open(), worn.toy.character, worn.motion, options);
    if (!saved) return saved.error();
    const auto played = playedPositions(worn, unsigned(options.modes));
    nlohmann::json keys = nlohmann::json::array();
    for (size_t frame : {0u, 7u, 31u, 59u}) {
        nlohmann::json key{{"seconds", double(frame) / worn.motion.rate},
                           {"garment", numbersOf(played[frame])}};
        if (options.body)
            key["body"] = numbersOf(posedVertices(worn.toy.character, worn.motion.frames[frame]));
        keys.push_back(key);
    }
    return writeFile(stem + ".json", nlohmann::json{{"keys", keys}}.dump());
}

Status writeAll(const std::string& folder) {
    if (Status made = makeFolders(folder); !made) return made;
    ToyOptions large{.vertices = 300,
                     .modes = 64,
                     .features = 20,
                     .hidden = 70,
                     .states = 40,
                     .encoding = BasisEncoding::kMixed,
                     .seam = true};
    Status done =
        writeOne(folder + "/small", wornToy({}, 60, 30), {.extras_json = R"({"toy": true})"});
    if (done) done = writeOne(folder + "/large", wornToy(large, 60, 60), {});
    if (done)
        done = writeOne(folder + "/alone", wornToy(large, 60, 24), {.modes = 9, .body = false});
    // finer than what is asked of readers, so that it is the file that is held against the player
    if (done)
        done = writeOne(folder + "/neural", wornNeuralToy({.vertices = 120}, 60, 30),
                        {.tolerance = 2e-6});
    return done;
}

}  // namespace
}  // namespace hem

int main(int argc, char** argv) {
    if (argc != 2) return std::fprintf(stderr, "usage: write_glbs FOLDER\n"), 2;
    const hem::Status done = hem::writeAll(argv[1]);
    if (!done) std::fprintf(stderr, "write_glbs: %s\n", done.error().message.c_str());
    return done ? 0 : 1;
}
