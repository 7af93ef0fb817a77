// SPDX-License-Identifier: Apache-2.0
// Result<T>: a value, or an Error that tells the user what is wrong and what to do.
//
// For faults of the world (a file, a flag, a simulation that diverges). Faults of the code are
// CHECKs (check.h). The member names are std::expected's, which g++ 12 has only under C++23.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <variant>

#include "hem/core/check.h"

namespace hem {

// The message names the file, the place in it (line, joint, byte), and the cure. One sentence or
// two, no trailing newline, no "error:" in front.
struct Error {
    std::string message;
};

// Error from a printf format.
[[gnu::format(printf, 1, 2)]] Error errorf(const char* format, ...);

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::move(value)) {}
    Result(Error error) : state_(std::move(error)) {}

    bool has_value() const { return std::holds_alternative<T>(state_); }
    explicit operator bool() const { return has_value(); }

    T& value() & { return CHECK(has_value()), std::get<T>(state_); }
    const T& value() const& { return CHECK(has_value()), std::get<T>(state_); }
    T&& value() && { return CHECK(has_value()), std::get<T>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    const Error& error() const { return CHECK(!has_value()), std::get<Error>(state_); }

private:
    std::variant<T, Error> state_;
};

// Result of a function that has nothing to give back but success.
struct Done {};
using Status = Result<Done>;

// The value, or the message on stderr and exit code 1. For main() and scripts.
template <class T>
T orExit(Result<T> result) {
    if (result) return std::move(*result);
    std::fprintf(stderr, "hemline: %s\n", result.error().message.c_str());
    std::exit(1);
}

// Same message with `context` and a colon in front, to add the file's name on the way up.
inline Error inContext(const std::string& context, const Error& error) {
    return {context + ": " + error.message};
}

}  // namespace hem
