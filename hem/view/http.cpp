// SPDX-License-Identifier: Apache-2.0
#include "hem/view/http.h"

#include <cstring>

#include "hem/core/text.h"

namespace hem {
namespace {

constexpr size_t kMaxTarget = 1024;

// Scripts, styles and data from here alone; WebAssembly may be compiled; nothing may frame the page
// or be sent from it.
constexpr const char* kPolicy =
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src "
    "'self'; connect-src 'self'; img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

const char* reasonOf(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 408:
            return "Request Timeout";
        case 414:
            return "URI Too Long";
        case 431:
            return "Request Header Fields Too Large";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Internal Server Error";
    }
}

const char* explanationOf(int status) {
    switch (status) {
        case 403:
            return "This server answers to 127.0.0.1 and localhost alone.";
        case 404:
            return "There is nothing here. The page is at /.";
        case 405:
            return "GET and HEAD alone are answered.";
        default:
            return "The request cannot be answered.";
    }
}

bool isTokenCharacter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c && std::strchr("!#$%&'*+-.^_`|~", c));
}
bool isToken(std::string_view text) {
    for (char c : text)
        if (!isTokenCharacter(c)) return false;
    return !text.empty();
}
bool isVisible(std::string_view text) {
    for (char c : text)
        if (c <= ' ' || c == 0x7f) return false;  // bytes above 0x7f are negative: refused too
    return true;
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

// The next line, without its CRLF; `text` moves on. Empty where there is no CRLF.
std::string_view nextLine(std::string_view& text) {
    const size_t end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 2);
    return line;
}

// With any port: a tunnel or a container may have another outside.
bool isLoopback(std::string_view host) {
    const size_t colon = host.find(':');
    const std::string name = toLower(host.substr(0, colon));
    if (colon != host.npos)
        for (char c : host.substr(colon + 1))
            if (c < '0' || c > '9') return false;
    return name == "127.0.0.1" || name == "localhost";
}

int parseRequestLine(std::string_view line, HttpRequest& request, bool& is_get) {
    const size_t first = line.find(' '), last = line.rfind(' ');
    if (first == line.npos || last == first) return 400;
    const std::string_view method = line.substr(0, first), version = line.substr(last + 1);
    std::string_view target = line.substr(first + 1, last - first - 1);
    if (!isToken(method) || !isVisible(target)) return 400;
    if (version.size() != 8 || !version.starts_with("HTTP/")) return 400;
    if (!version.starts_with("HTTP/1.")) return 505;
    request.keep_alive = version != "HTTP/1.0";
    is_get = method == "GET" || method == "HEAD";
    request.head = method == "HEAD";
    if (target.size() > kMaxTarget) return 414;
    if (is_get && !target.starts_with('/')) return 400;
    request.path = target.substr(0, target.find('?'));
    return 200;
}

struct Headers {
    int hosts = 0;
    bool is_loopback = false, has_body = false;
};

// False for a line that is no header.
bool parseHeader(std::string_view line, HttpRequest& request, Headers& headers) {
    const size_t colon = line.find(':');
    if (colon == line.npos || !isToken(line.substr(0, colon))) return false;
    const std::string name = toLower(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    for (char c : value)
        if (c != '\t' && c >= 0 && (c < ' ' || c == 0x7f)) return false;
    if (name == "host") {
        ++headers.hosts;
        headers.is_loopback = isLoopback(value);
    } else if (name == "transfer-encoding" || (name == "content-length" && value != "0")) {
        headers.has_body = true;
    } else if (name == "connection") {
        const std::string wish = toLower(value);
        if (wish.find("close") != wish.npos) request.keep_alive = false;
        if (wish.find("keep-alive") != wish.npos) request.keep_alive = true;
    }
    return true;
}

}  // namespace

Content Content::of(std::vector<std::byte> bytes, std::string type) {
    const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    return {*owner, owner, std::move(type)};
}

Content Content::of(std::string_view text, std::string type) {
    const auto* first = reinterpret_cast<const std::byte*>(text.data());
    return of(std::vector<std::byte>(first, first + text.size()), std::move(type));
}

ParsedRequest parseRequest(std::string_view head) {
    ParsedRequest parsed;
    bool is_get = false;
    parsed.status = parseRequestLine(nextLine(head), parsed.request, is_get);
    if (parsed.status != 200) return parsed;
    Headers headers;
    while (!head.empty()) {
        const std::string_view line = nextLine(head);
        if (line.empty()) break;
        if (!parseHeader(line, parsed.request, headers)) return {400, {}};
    }
    if (headers.hosts != 1) return {400, {}};
    if (!headers.is_loopback) return {403, {}};
    if (!is_get) return {405, {}};
    if (headers.has_body) return {400, {}};
    return parsed;
}

HttpAnswer refusal(int status) {
    return {status,
            Content::of(format("%d %s\n%s\n", status, reasonOf(status), explanationOf(status)),
                        "text/plain; charset=utf-8"),
            false};
}

std::string answerHead(const HttpAnswer& answer) {
    std::string head =
        format("HTTP/1.1 %d %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\nConnection: %s\r\n",
               answer.status, reasonOf(answer.status), answer.content.type.c_str(),
               answer.content.bytes.size(), answer.keep_alive ? "keep-alive" : "close");
    if (answer.status == 405) head += "Allow: GET, HEAD\r\n";
    return head + "Content-Security-Policy: " + kPolicy +
           "\r\nX-Content-Type-Options: nosniff\r\n"
           "Cache-Control: no-store\r\n"
           "Referrer-Policy: no-referrer\r\n"
           "X-Frame-Options: DENY\r\n"
           "Cross-Origin-Opener-Policy: same-origin\r\n"
           "Cross-Origin-Embedder-Policy: require-corp\r\n"
           "Cross-Origin-Resource-Policy: same-origin\r\n\r\n";
}

std::string contentTypeOf(std::string_view path) {
    constexpr struct {
        const char *ending, *type;
    } kTypes[] = {{".html", "text/html; charset=utf-8"},
                  {".js", "text/javascript; charset=utf-8"},
                  {".css", "text/css; charset=utf-8"},
                  {".json", "application/json"},
                  {".wasm", "application/wasm"}};
    for (const auto& [ending, type] : kTypes)
        if (path.ends_with(ending)) return type;
    return "application/octet-stream";
}

}  // namespace hem
