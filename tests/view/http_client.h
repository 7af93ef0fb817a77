// SPDX-License-Identifier: Apache-2.0
// A server on a thread of its own, and a client that sends whatever bytes a test wants.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "hem/view/http_server.h"

namespace hem {

class RunningServer {
public:
    explicit RunningServer(HttpHandler handler, const HttpServerOptions& options = {})
        : server_(orExit(HttpServer::listen(std::move(handler), options))),
          thread_([this] { server_.run(stop_); }) {}
    ~RunningServer() {
        stop_ = true;
        thread_.join();
    }
    int port() const { return server_.port(); }

private:
    HttpServer server_;
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

class Client {
public:
    explicit Client(int port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(uint16_t(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        connected_ = !::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address);
    }
    ~Client() {
        if (fd_ >= 0) ::close(fd_);
    }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    Client(Client&& other) noexcept
        : fd_(std::exchange(other.fd_, -1)), connected_(other.connected_) {}

    bool connected() const { return connected_; }
    // False once the server has closed.
    bool send(const std::string& bytes) {
        size_t at = 0;
        while (at < bytes.size()) {
            const ssize_t n = ::send(fd_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
            if (n <= 0) return false;
            at += size_t(n);
        }
        return true;
    }
    // Up to the end of the connection, or until nothing has come for so long.
    std::string readAll(int milliseconds = 3000) {
        std::string text;
        while (readSome(text, milliseconds)) {
        }
        return text;
    }
    // One whole answer of a connection that stays open.
    std::string readAnswer() {
        std::string text;
        for (;;) {
            const size_t end = text.find("\r\n\r\n"), length = text.find("Content-Length: ");
            if (end != text.npos && length != text.npos &&
                text.size() >= end + 4 + std::stoul(text.substr(length + 16)))
                return text;
            if (!readSome(text, 3000)) return text;
        }
    }

private:
    bool readSome(std::string& text, int milliseconds) {
        pollfd waited{fd_, POLLIN, 0};
        if (::poll(&waited, 1, milliseconds) <= 0) return false;
        char buffer[65536];
        const ssize_t n = ::recv(fd_, buffer, sizeof buffer, 0);
        if (n > 0) text.append(buffer, size_t(n));
        return n > 0;
    }

    int fd_;
    bool connected_;
};

// What the server answers to these bytes.
inline std::string answerTo(int port, const std::string& bytes) {
    Client client(port);
    client.send(bytes);
    return client.readAnswer();
}
inline std::string get(const std::string& path, const std::string& host = "127.0.0.1") {
    return "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
}
inline int statusOf(const std::string& answer) {
    return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9)) : 0;
}
inline std::string bodyOf(const std::string& answer) {
    const size_t end = answer.find("\r\n\r\n");
    return end == answer.npos ? "" : answer.substr(end + 4);
}

}  // namespace hem
