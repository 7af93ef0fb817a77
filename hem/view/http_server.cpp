// SPDX-License-Identifier: Apache-2.0
#include "hem/view/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <list>

#include "hem/core/text.h"

namespace hem {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kPollMilliseconds = 250;
constexpr size_t kWritePiece = size_t(1) << 18, kWritePieces = 8;  // then others have a turn
// After a refusal the client may still be sending; closing at once would take the answer from it.
constexpr std::chrono::milliseconds kDrainTime{1000};
// A reader that has taken nothing for so long may have to give way to others.
constexpr std::chrono::milliseconds kStalled{1000};

struct Descriptor {
    int fd = -1;
    explicit Descriptor(int f) : fd(f) {}
    Descriptor(Descriptor&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

struct Connection {
    enum class State { kReading, kWriting, kDraining, kClosed };

    Descriptor socket;
    State state = State::kReading;
    std::string input;  // of requests that are not answered yet
    std::string head;   // of the answer
    Content body;
    size_t written = 0;  // of head and body
    bool keep_alive = true;
    Clock::time_point progress = Clock::now();  // when the state, a request or a write began

    void enter(State next) {
        state = next;
        progress = Clock::now();
    }
    size_t answerSize() const { return head.size() + body.bytes.size(); }
};

bool wouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

struct HttpServer::State {
    Descriptor listener;
    int port;
    HttpHandler handler;
    HttpServerOptions options;
    std::list<Connection> connections{};

    std::list<Connection>::iterator dispensable();
    void acceptAll();
    void read(Connection& c) const;
    bool takeRequest(Connection& c) const;
    void takeRequests(Connection& c) const;
    std::chrono::milliseconds patience(const Connection& c) const;
    void giveUpOnSlow(Connection& c) const;
    void answer(Connection& c, HttpAnswer answer, bool head_only) const;
    void write(Connection& c) const;
    void finishAnswer(Connection& c) const;
    void serve(Connection& c, short events) const;
    void turn();
};

// Where all places are taken: the connection that has not got on for longest, so that those who only
// hold a place keep nobody out. end(): there is room, or everybody is busy.
std::list<Connection>::iterator HttpServer::State::dispensable() {
    if (int(connections.size()) < options.max_connections) return connections.end();
    const auto longest = std::min_element(
        connections.begin(), connections.end(),
        [](const Connection& a, const Connection& b) { return a.progress < b.progress; });
    const bool busy = longest->state == Connection::State::kWriting &&
                      Clock::now() - longest->progress < kStalled;
    return busy ? connections.end() : longest;
}

void HttpServer::State::acceptAll() {
    for (;;) {
        const auto victim = dispensable();
        if (victim == connections.end() && int(connections.size()) >= options.max_connections)
            return;
        const int fd = ::accept4(listener.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        if (victim != connections.end()) connections.erase(victim);
        const int on = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        connections.push_back({.socket = Descriptor(fd)});
    }
}

void HttpServer::State::answer(Connection& c, HttpAnswer answer, bool head_only) const {
    c.head = answerHead(answer);
    c.body = head_only ? Content() : std::move(answer.content);
    c.keep_alive = answer.keep_alive;
    c.written = 0;
    c.enter(Connection::State::kWriting);
    write(c);
}

// Answers the first request of the input, if it is whole.
bool HttpServer::State::takeRequest(Connection& c) const {
    while (c.input.starts_with("\r\n")) c.input.erase(0, 2);  // allowed between requests
    const size_t end = c.input.find("\r\n\r\n");
    const bool whole = end != c.input.npos;
    if (whole ? end > kMaxRequestBytes : c.input.size() > kMaxRequestBytes)
        return answer(c, refusal(431), false), true;
    if (!whole) return false;
    const ParsedRequest parsed = parseRequest(std::string_view(c.input).substr(0, end + 4));
    c.input.erase(0, end + 4);
    if (parsed.status != 200) return answer(c, refusal(parsed.status), false), true;
    HttpAnswer found{200, handler(parsed.request.path), parsed.request.keep_alive};
    if (!found.content.bytes.data()) {
        found = refusal(404);
        found.keep_alive = parsed.request.keep_alive;
    }
    answer(c, std::move(found), parsed.request.head);
    return true;
}

void HttpServer::State::takeRequests(Connection& c) const {
    while (c.state == Connection::State::kReading && takeRequest(c)) {
    }
}

void HttpServer::State::read(Connection& c) const {
    char buffer[4096];
    const ssize_t n = ::recv(c.socket.fd, buffer, sizeof buffer, 0);
    if (n == 0 || (n < 0 && !wouldBlock())) {
        c.state = Connection::State::kClosed;
        return;
    }
    if (n <= 0 || c.state == Connection::State::kDraining) return;
    if (c.input.empty()) c.progress = Clock::now();
    c.input.append(buffer, size_t(n));
    takeRequests(c);
}

void HttpServer::State::write(Connection& c) const {
    for (size_t pieces = 0; c.written < c.answerSize(); ++pieces) {
        if (pieces == kWritePieces) return;
        const bool in_head = c.written < c.head.size();
        const size_t at = in_head ? c.written : c.written - c.head.size();
        const char* from =
            in_head ? c.head.data() : reinterpret_cast<const char*>(c.body.bytes.data());
        const size_t size = in_head ? c.head.size() : c.body.bytes.size();
        const size_t piece = std::min(size - at, kWritePiece);
        const int more = in_head && !c.body.bytes.empty() ? MSG_MORE : 0;
        const ssize_t n = ::send(c.socket.fd, from + at, piece, MSG_NOSIGNAL | more);
        if (n < 0 && !wouldBlock()) c.state = Connection::State::kClosed;
        if (n < 0) return;
        c.written += size_t(n);
        c.progress = Clock::now();
    }
    finishAnswer(c);
}

void HttpServer::State::finishAnswer(Connection& c) const {
    c.body = {};
    if (!c.keep_alive) ::shutdown(c.socket.fd, SHUT_WR);
    c.enter(c.keep_alive ? Connection::State::kReading : Connection::State::kDraining);
}

void HttpServer::State::serve(Connection& c, short events) const {
    using enum Connection::State;
    if (events & (POLLERR | POLLNVAL)) c.state = kClosed;
    if (c.state == kWriting && (events & (POLLOUT | POLLHUP))) {
        write(c);
        takeRequests(c);  // that came along with the one just answered
    } else if ((c.state == kReading || c.state == kDraining) && (events & (POLLIN | POLLHUP))) {
        read(c);
    }
}

std::chrono::milliseconds HttpServer::State::patience(const Connection& c) const {
    if (c.state == Connection::State::kWriting) return options.write_time;
    if (c.state == Connection::State::kDraining) return kDrainTime;
    return c.input.empty() ? options.idle_time : options.request_time;
}

void HttpServer::State::giveUpOnSlow(Connection& c) const {
    if (Clock::now() - c.progress < patience(c)) return;
    if (c.state == Connection::State::kReading && !c.input.empty())
        answer(c, refusal(408), false);
    else
        c.state = Connection::State::kClosed;
}

// One round: waits for something to happen, and does what can be done without waiting.
void HttpServer::State::turn() {
    const bool full =
        int(connections.size()) >= options.max_connections && dispensable() == connections.end();
    // where all are busy, those who come wait in the kernel's queue
    std::vector<pollfd> waited{{listener.fd, short(full ? 0 : POLLIN), 0}};
    for (const Connection& c : connections) {
        const bool writes = c.state == Connection::State::kWriting;
        waited.push_back({c.socket.fd, short(writes ? POLLOUT : POLLIN), 0});
    }
    if (::poll(waited.data(), waited.size(), kPollMilliseconds) < 0) return;
    size_t i = 1;
    for (Connection& c : connections) {
        serve(c, waited[i++].revents);
        giveUpOnSlow(c);
    }
    connections.remove_if(
        [](const Connection& c) { return c.state == Connection::State::kClosed; });
    if (waited[0].revents) acceptAll();
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;
HttpServer& HttpServer::operator=(HttpServer&&) noexcept = default;
HttpServer::~HttpServer() = default;

Result<HttpServer> HttpServer::listen(HttpHandler handler, const HttpServerOptions& options) {
    Descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (listener.fd < 0) return errorf("cannot make a socket: %s", std::strerror(errno));
    const int on = 1;
    ::setsockopt(listener.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(uint16_t(options.port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener.fd, plain, size) < 0 || ::listen(listener.fd, SOMAXCONN) < 0)
        return errorf(
            "cannot listen on 127.0.0.1:%d: %s; another program may hold that port: "
            "choose another with --port, or leave it out for a free one",
            options.port, std::strerror(errno));
    ::getsockname(listener.fd, plain, &size);
    return HttpServer(std::unique_ptr<State>(
        new State{std::move(listener), ntohs(address.sin_port), std::move(handler), options}));
}

int HttpServer::port() const { return state_->port; }

std::string HttpServer::address() const { return format("http://127.0.0.1:%d/", state_->port); }

void HttpServer::run(const std::atomic<bool>& stop) {
    while (!stop) state_->turn();
    state_->connections.clear();
}

}  // namespace hem
