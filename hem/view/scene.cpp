// SPDX-License-Identifier: Apache-2.0
#include "hem/view/scene.h"

#include "hem/view/scene_writer.h"

namespace hem {

Result<ViewScene> ViewScene::make(ViewInput input) {
    ViewScene scene;
    const auto shared = std::make_shared<const ViewInput>(std::move(input));
    const auto json = SceneWriter(scene).describe(shared);
    if (!json) return json.error();
    const Content text = Content::of(json->dump(-1, ' ', true, ViewJson::error_handler_t::replace),
                                     contentTypeOf(".json"));
    // with it the input, which contents point into, lives as long as the scene
    scene.contents_["/scene.json"] = [text, shared] { return text; };
    return scene;
}

void ViewScene::addPageFile(const std::string& path, std::span<const std::byte> bytes) {
    const Content file{bytes, nullptr, contentTypeOf(path)};
    contents_[path] = [file] { return file; };
    if (path == "/index.html") contents_["/"] = contents_[path];
}

Content ViewScene::at(const std::string& path) const {
    const auto found = contents_.find(path);
    return found == contents_.end() ? Content() : found->second();
}

std::vector<std::string> ViewScene::addresses() const {
    std::vector<std::string> all;
    for (const auto& [path, make] : contents_) all.push_back(path);
    return all;
}

}  // namespace hem
