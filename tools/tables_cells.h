// SPDX-License-Identifier: Apache-2.0
// Cells: the results that tables are made of, each made once and kept in a folder as JSON, so that a
// run that was killed goes on. A cell's name ends in a checksum of its key, which tells all that it
// comes from but the code.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "hem/core/result.h"

namespace hem::tools {

using Json = nlohmann::ordered_json;

// 16 hexadecimal digits.
std::string hashText(const std::string& text);
// What work that Ctrl-C ended says.
Error interrupted();

class Cells {
public:
    explicit Cells(std::string folder) : folder_(std::move(folder)) {}

    // What `make` gives, or gave when it was last asked for with that key. `anew`: not what an
    // earlier run left. Fails where it does, the file cannot be written, or after Ctrl-C.
    Result<Json> get(const std::string& title, const Json& key,
                     const std::function<Result<Json>()>& make, bool anew);

private:
    std::string folder_;
    std::map<std::string, Json> done_;  // made or read in this run
};

}  // namespace hem::tools
