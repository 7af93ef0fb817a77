// SPDX-License-Identifier: Apache-2.0
// HTTP/1.1 as far as a page on loopback needs it: requests parsed strictly, answers put together.
//
// GET and HEAD alone. What a request names is looked up, never a file of the disk, so that there is
// no way out of what is served. The Host header must say 127.0.0.1 or localhost: a stranger's page
// whose name is made to resolve to this machine (DNS rebinding) gets nothing. Answers forbid the
// page everything but what this server hands out, and forbid other sites to make use of it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hem {

inline constexpr size_t kMaxRequestBytes = 8192;  // request line and headers together

// Bytes that something keeps alive: a vector, a mapped file, or nobody for what lives for ever.
struct Content {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> owner;
    std::string type;  // as in Content-Type

    static Content of(std::vector<std::byte> bytes, std::string type);
    static Content of(std::string_view text, std::string type);
};

struct HttpRequest {
    std::string path;  // from the leading '/' on, without the query; not decoded
    bool head = false;
    bool keep_alive = true;
};

struct HttpAnswer {
    int status = 200;
    Content content;
    bool keep_alive = true;
};

// What is to be served at a path; without an owner and bytes of null: nothing there. Called on the
// server's only thread: everybody waits for it.
using HttpHandler = std::function<Content(const std::string& path)>;

// Status 200 and the request, or the status to refuse with. `head` is everything up to the empty
// line, with it.
struct ParsedRequest {
    int status = 200;
    HttpRequest request;
};
ParsedRequest parseRequest(std::string_view head);

// An answer of plain text, after which the connection is closed.
HttpAnswer refusal(int status);
// Status line and headers, with the empty line.
std::string answerHead(const HttpAnswer& answer);

// "text/html; charset=utf-8" of "index.html"; "application/octet-stream" of what is not known.
std::string contentTypeOf(std::string_view path);

}  // namespace hem
