// SPDX-License-Identifier: Apache-2.0
#include "hem/view/http_server.h"

#include "tests/view/http_client.h"

namespace hem {
namespace {

using namespace std::chrono_literals;

// "hello" at /, eight megabytes at /large.
Content twoThings(const std::string& path) {
    static const std::string large(size_t(8) << 20, 'x');
    if (path == "/") return Content::of("hello", "text/plain");
    if (path == "/empty") return {std::as_bytes(std::span(large)).first(0), nullptr, "text/plain"};
    if (path == "/large") return {std::as_bytes(std::span(large)), nullptr, "text/plain"};
    return {};
}

class HttpServerTest : public testing::Test {
protected:
    RunningServer server{twoThings,
                         {.max_connections = 8, .request_time = 300ms, .idle_time = 5000ms}};

    int statusFor(const std::string& bytes) { return statusOf(answerTo(server.port(), bytes)); }
};

TEST_F(HttpServerTest, GetIsAnsweredWithTheContent) {
    const std::string answer = answerTo(server.port(), get("/"));
    EXPECT_EQ(statusOf(answer), 200);
    EXPECT_EQ(bodyOf(answer), "hello");
    EXPECT_NE(answer.find("Content-Type: text/plain\r\n"), answer.npos);
    EXPECT_EQ(statusFor(get("/?a=b")), 200);
}

TEST_F(HttpServerTest, HeadHasTheHeadersOfGetAndNothingElse) {
    Client client(server.port());
    client.send("HEAD /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const std::string answer = client.readAll();
    EXPECT_EQ(statusOf(answer), 200);
    EXPECT_NE(answer.find("Content-Length: 8388608\r\n"), answer.npos);
    EXPECT_EQ(bodyOf(answer), "");
}

TEST_F(HttpServerTest, AnEmptyFileIsNotAMissingOne) {
    EXPECT_EQ(statusFor(get("/empty")), 200);
    EXPECT_EQ(statusFor(get("/nothing")), 404);
}

TEST_F(HttpServerTest, EveryAnswerForbidsWhatThePageDoesNotNeed) {
    for (const std::string& request :
         {get("/"), get("/nothing"), std::string("nonsense\r\n\r\n")}) {
        const std::string answer = answerTo(server.port(), request);
        EXPECT_NE(answer.find("Content-Security-Policy: default-src 'none';"), answer.npos);
        EXPECT_EQ(answer.find("unsafe-inline"), answer.npos);
        EXPECT_NE(answer.find("X-Content-Type-Options: nosniff\r\n"), answer.npos);
        EXPECT_NE(answer.find("Cache-Control: no-store\r\n"), answer.npos);
        EXPECT_NE(answer.find("Cross-Origin-Resource-Policy: same-origin\r\n"), answer.npos);
        EXPECT_EQ(answer.find("Access-Control-Allow-Origin"), answer.npos);
    }
}

TEST_F(HttpServerTest, OnlyLoopbackNamesAreAnsweredTo) {
    for (const char* host : {"127.0.0.1", "localhost", "LocalHost:1234", "127.0.0.1:80"})
        EXPECT_EQ(statusFor(get("/", host)), 200) << host;
    for (const char* host :
         {"evil.example", "evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example",
          "127.0.0.1@evil.example", "127.0.0.1:80:80", "0.0.0.0", "", "127.0.0.1:x"})
        EXPECT_EQ(statusFor(get("/", host)), 403) << host;
    EXPECT_EQ(statusFor("GET / HTTP/1.1\r\n\r\n"), 400);
    EXPECT_EQ(statusFor("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n"), 400);
}

TEST_F(HttpServerTest, OtherMethodsAreRefusedWithTheOnesThatAreNot) {
    for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get", "TRACE"}) {
        const std::string answer =
            answerTo(server.port(), std::string(method) + " / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        EXPECT_EQ(statusOf(answer), 405) << method;
        EXPECT_NE(answer.find("Allow: GET, HEAD\r\n"), answer.npos);
    }
}

TEST_F(HttpServerTest, NonsenseIsABadRequest) {
    const std::string host = "\r\nHost: localhost\r\n";
    for (const std::string& request :
         {std::string("\r\n\r\nx\r\n\r\n"), "GET" + host + "\r\n", "GET /" + host + "\r\n",
          "GET / FTP/1.1" + host + "\r\n", "GET  /  HTTP/1.1" + host + "\r\n",
          "GET http://evil.example/ HTTP/1.1" + host + "\r\n", "GET /\x01 HTTP/1.1" + host + "\r\n",
          "GET /\xff HTTP/1.1" + host + "\r\n", "GET / HTTP/1.1" + host + "no colon here\r\n\r\n",
          "GET / HTTP/1.1" + host + "a b: c\r\n\r\n", "GET / HTTP/1.1" + host + ": c\r\n\r\n",
          "GET / HTTP/1.1" + host + "Content-Length: 5\r\n\r\nhello",
          "GET / HTTP/1.1" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"})
        EXPECT_EQ(statusFor(request), 400) << request;
    EXPECT_EQ(statusFor("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
    EXPECT_EQ(statusFor(get("/" + std::string(3000, 'a'))), 414);
}

TEST_F(HttpServerTest, NoPathLeadsOutOfWhatIsServed) {
    for (const char* path : {"/../etc/passwd", "/..", "//etc/passwd", "/%2e%2e/etc/passwd", "/./",
                             "/..%2f..%2fetc/passwd", "/\\..\\..", "/%00"})
        EXPECT_EQ(statusFor(get(path)), 404) << path;
}

TEST_F(HttpServerTest, HeadersWithoutEndAreCutOff) {
    Client client(server.port());
    client.send("GET / HTTP/1.1\r\nHost: localhost\r\n");
    const std::string line = "X-Filler: " + std::string(1000, 'y') + "\r\n";
    for (int i = 0; i < 200 && client.send(line); ++i) {
    }
    EXPECT_EQ(statusOf(client.readAll()), 431);
    EXPECT_EQ(
        statusFor("GET / HTTP/1.1\r\nX: " + std::string(9000, 'y') + "\r\nHost: localhost\r\n\r\n"),
        431);
}

TEST_F(HttpServerTest, OneConnectionCarriesManyRequests) {
    Client client(server.port());
    for (int i = 0; i < 5; ++i) {
        client.send(get(i % 2 ? "/nothing" : "/"));
        EXPECT_EQ(statusOf(client.readAnswer()), i % 2 ? 404 : 200);
    }
    // and those that are sent without waiting, the last of them asking for the end
    client.send(get("/") + get("/") +
                "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const std::string answers = client.readAll();
    size_t count = 0;
    for (size_t at = 0; (at = answers.find("hello", at)) != answers.npos; ++at) ++count;
    EXPECT_EQ(count, 3u);
    EXPECT_NE(answers.find("Connection: close"), answers.npos);
}

TEST_F(HttpServerTest, ARequestInPiecesIsOneRequest) {
    Client client(server.port());
    for (char c : get("/")) client.send(std::string(1, c));
    EXPECT_EQ(bodyOf(client.readAnswer()), "hello");
}

TEST_F(HttpServerTest, AClientThatNeverFinishesIsGivenUpOn) {
    Client client(server.port());
    client.send("GET / HTT");
    EXPECT_EQ(statusOf(client.readAll()), 408);
}

TEST_F(HttpServerTest, SilentClientsKeepNobodyOut) {
    std::vector<Client> silent;
    for (int i = 0; i < 30; ++i) {
        silent.emplace_back(server.port());
        silent.back().send(i % 2 ? "GET /" : "");
    }
    for (int i = 0; i < 10; ++i) EXPECT_EQ(statusFor(get("/")), 200);
}

TEST_F(HttpServerTest, ClientsThatDoNotReadKeepNobodyOut) {
    std::vector<Client> deaf;
    for (int i = 0; i < 12; ++i) {
        deaf.emplace_back(server.port());
        deaf.back().send(get("/large"));
    }
    EXPECT_EQ(statusFor(get("/")), 200);
}

TEST_F(HttpServerTest, ManyAreServedAtATime) {
    std::atomic<int> right = 0;
    std::vector<std::thread> crowd;
    for (int i = 0; i < 8; ++i)
        crowd.emplace_back([&] {
            for (int k = 0; k < 20; ++k)
                right += bodyOf(answerTo(server.port(), get("/"))) == "hello";
            right += bodyOf(answerTo(server.port(), get("/large"))).size() == size_t(8) << 20;
        });
    for (std::thread& t : crowd) t.join();
    EXPECT_EQ(right, 8 * 21);
}

TEST_F(HttpServerTest, AClientThatHangsUpInTheMiddleHarmsNothing) {
    for (int i = 0; i < 20; ++i) Client(server.port()).send(get("/large"));
    EXPECT_EQ(statusFor(get("/")), 200);
}

TEST(HttpServerPort, APortThatIsTakenIsSaidSo) {
    const RunningServer first(twoThings);
    const auto second = HttpServer::listen(twoThings, {.port = first.port()});
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("--port"), std::string::npos);
}

TEST(HttpServerPort, OtherMachinesCannotConnect) {
    const RunningServer server(twoThings);
    // an address of this machine that is not 127.0.0.1: what is bound to all would answer there
    const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(uint16_t(server.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
    EXPECT_NE(::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    ::close(fd);
}

}  // namespace
}  // namespace hem
