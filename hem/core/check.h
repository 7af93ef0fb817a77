// SPDX-License-Identifier: Apache-2.0
// CHECK and its kin: the code is wrong, not the world. Prints the place and both values, and
// aborts. Always on: none of them stands in a hot loop.
#pragma once

#include <sstream>
#include <string>

namespace hem {

[[noreturn]] void checkFailed(const char* file, int line, const std::string& what);

template <class A, class B>
std::string describeComparison(const char* expression, const A& a, const B& b) {
    std::ostringstream text;
    text << expression << " (" << a << " against " << b << ")";
    return text.str();
}

}  // namespace hem

#define CHECK(condition) ((condition) ? void() : ::hem::checkFailed(__FILE__, __LINE__, #condition))
#define HEM_CHECK_COMPARE(a, op, b)                                                             \
    do {                                                                                        \
        const auto& check_a = (a);                                                              \
        const auto& check_b = (b);                                                              \
        if (!(check_a op check_b))                                                              \
            ::hem::checkFailed(__FILE__, __LINE__,                                              \
                               ::hem::describeComparison(#a " " #op " " #b, check_a, check_b)); \
    } while (false)
#define CHECK_EQ(a, b) HEM_CHECK_COMPARE(a, ==, b)
#define CHECK_LT(a, b) HEM_CHECK_COMPARE(a, <, b)
#define CHECK_LE(a, b) HEM_CHECK_COMPARE(a, <=, b)
#define CHECK_GT(a, b) HEM_CHECK_COMPARE(a, >, b)
#define CHECK_GE(a, b) HEM_CHECK_COMPARE(a, >=, b)
