// SPDX-License-Identifier: Apache-2.0
// ViewScene: everything that the viewer's page asks the server for, by address: scene.json, the
// arrays that it names, the .hem files and the page's own files. docs/viewer.md has the contract.
//
// Small arrays are made once; long ones (poses and recorded cloth) when they are asked for, the
// latter straight out of the recordings' mapped files.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "hem/character/character.h"
#include "hem/recording/recording.h"
#include "hem/view/garment_files.h"
#include "hem/view/http.h"

namespace hem {

// What to show; made with garment_files.h.
struct ViewInput {
    std::vector<WornGarment> garments;     // inner first; at least one
    Character character;                   // with the garments' joints (characterOf())
    std::vector<RecordingSet> recordings;  // of these garments on this character
    std::vector<std::string> clips;        // of the recordings, without stops, which come along
    std::vector<Motion> motions;           // further ones, on the character's skeleton
};

class ViewScene {
public:
    // Fails where a set is of none of the garments, a clip cannot be read, or the character is no
    // humanoid that the motion kit can be made for. A second or two.
    static Result<ViewScene> make(ViewInput input);

    // Adds a file of the page. The bytes must live as long as the scene.
    void addPageFile(const std::string& path, std::span<const std::byte> bytes);

    // What is at that address; nothing (http.h) where there is none. For HttpServer.
    Content at(const std::string& path) const;
    // All addresses, sorted.
    std::vector<std::string> addresses() const;

private:
    friend class SceneWriter;
    std::map<std::string, std::function<Content()>> contents_;
};

}  // namespace hem
