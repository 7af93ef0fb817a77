// SPDX-License-Identifier: Apache-2.0
// TomlTable: a table of a TOML file, taken strictly, with faults that name the file and the line.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hem/core/result.h"
#include "hem/core/vec.h"

namespace hem {

// What to look at before toml::parse(): toml++ 3.3 has undefined behaviour on letters beyond ASCII
// outside of strings and comments, where TOML has none either. Those in strings of several lines
// are refused too.
std::optional<Error> faultOfTomlText(std::string_view text, const std::string& file);

// The reading functions leave `value` as it is where the key is not there, and keep the first fault
// for fault(): read all, then look.
class TomlTable {
public:
    // `name` stands in front of keys in messages: "wind." or nothing.
    TomlTable(const toml::table& table, std::string file, std::string name = "")
        : table_(&table), file_(std::move(file)), name_(std::move(name)) {}

    bool has(std::string_view key) const { return table_->contains(key); }
    const toml::node* node(std::string_view key) const { return table_->get(key); }

    void read(const char* key, std::string& value);
    void read(const char* key, bool& value);
    void read(const char* key, double& value, double low, double high);
    void read(const char* key, float& value, double low, double high);
    // Whole numbers.
    void read(const char* key, int64_t& value, int64_t low, int64_t high);
    void read(const char* key, Vec3& value, double largest);
    // A text, or an array of them.
    void read(const char* key, std::vector<std::string>& values);
    // Nothing where the key is not there; a fault where it is no table.
    std::optional<TomlTable> table(const char* key);

    // A fault for each key that is not in the list, with the nearest one.
    void allowOnly(const std::vector<std::string>& keys);

    // "scene.toml:3: wind.gusts: ..."
    Error errorAt(const char* key, const std::string& what) const;
    void fail(const char* key, const std::string& what);
    void fail(const std::optional<Error>& error);
    const std::optional<Error>& fault() const { return fault_; }
    size_t line() const { return table_->source().begin.line; }

private:
    const toml::table* table_;
    std::string file_, name_;
    std::optional<Error> fault_;
};

}  // namespace hem
