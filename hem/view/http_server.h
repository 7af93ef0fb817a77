// SPDX-License-Identifier: Apache-2.0
// HttpServer: answers on 127.0.0.1, on one thread, many connections at a time.
//
// One loop of poll() over sockets that never block: a client that is slow, silent or hostile costs
// its own buffer of a few kilobytes and a place among kMaxConnections, and is dropped when it does
// not get on. Answers are written from where they lie, without a copy.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>

#include "hem/core/result.h"
#include "hem/view/http.h"

namespace hem {

struct HttpServerOptions {
    int port = 0;  // 0: a free one
    int max_connections = 64;
    // To send a request, to take some bytes of an answer, and to be idle between two requests.
    std::chrono::milliseconds request_time{10'000}, write_time{30'000}, idle_time{60'000};
};

class HttpServer {
public:
    // Binds and listens; the message says who may hold the port. Connections are answered once
    // run() is called, and wait until then.
    static Result<HttpServer> listen(HttpHandler handler, const HttpServerOptions& options = {});
    HttpServer(HttpServer&&) noexcept;
    HttpServer& operator=(HttpServer&&) noexcept;
    ~HttpServer();

    int port() const;
    std::string address() const;  // "http://127.0.0.1:49152/"

    // Until the flag is set, by a signal or another thread: seen within a quarter of a second.
    void run(const std::atomic<bool>& stop);

private:
    struct State;
    explicit HttpServer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace hem
