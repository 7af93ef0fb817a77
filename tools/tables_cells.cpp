// SPDX-License-Identifier: Apache-2.0
#include "tools/tables_cells.h"

#include <optional>

#include "hem/core/files.h"
#include "hem/core/random.h"
#include "hem/core/text.h"
#include "tools/interrupt.h"

namespace hem::tools {
namespace {

// The file's value, where it is there and was made from the same.
std::optional<Json> readCell(const std::string& path, const Json& key) {
    const auto text = readTextFile(path);
    if (!text) return {};
    const Json document = Json::parse(*text, nullptr, false);
    if (!document.is_object() || document.value("key", Json()) != key) return {};
    return document.value("value", Json());
}

}  // namespace

std::string hashText(const std::string& text) {
    return format("%016llx", static_cast<unsigned long long>(hashBytes(text.data(), text.size())));
}

Error interrupted() { return errorf("interrupted; run the same command again to go on"); }

Result<Json> Cells::get(const std::string& title, const Json& key,
                        const std::function<Result<Json>()>& make, bool anew) {
    const std::string name = title + "-" + hashText(key.dump());
    if (const auto known = done_.find(name); known != done_.end()) return known->second;
    const std::string path = folder_ + "/" + name + ".json";
    std::optional<Json> there;
    if (!anew) there = readCell(path, key);
    if (!there) {
        if (catchInterrupts()) return interrupted();
        auto made = make();
        if (!made) return made.error();
        there = std::move(*made);
        if (const Status good = makeFolders(folder_); !good) return good.error();
        const Json document{{"key", key}, {"value", *there}};
        if (const Status good = writeFile(path, document.dump(1) + "\n"); !good)
            return good.error();
    }
    return done_.emplace(name, *there).first->second;
}

}  // namespace hem::tools
