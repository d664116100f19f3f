// Responses as the bytes that the server sends.
#include "client.hpp"
#include "http_server/wire.hpp"
#include "support/eventually.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using namespace std::chrono_literals;
using testing::eventually;

namespace asio = boost::asio;

namespace {

asio::awaitable<http::Response> count_to_thousand(http::Request&)
{
    http::Response response{.content_type = "application/x-ndjson"};
    response.stream = [next = 0]() mutable -> asio::awaitable<std::string> {
        if (next == 1000) co_return std::string();
        co_return std::to_string(next++) + "\n";
    };
    co_return response;
}

asio::awaitable<http::Response> break_off(http::Request&)
{
    http::Response response;
    response.stream = [next = 0]() mutable -> asio::awaitable<std::string> {
        if (next++ == 3) throw std::runtime_error("broken");
        co_return std::string("piece");
    };
    co_return response;
}

/// Responds with a stream of pieces that has the given length according to its head.
test::Handler stream_of(std::vector<std::string> pieces, std::uint64_t length)
{
    return [pieces = std::move(pieces), length](http::Request&) -> asio::awaitable<http::Response> {
        http::Response response;
        response.stream_length = length;
        response.stream = [pieces, next = std::size_t{0}]() mutable -> asio::awaitable<std::string> {
            co_return next == pieces.size() ? std::string() : pieces[next++];
        };
        co_return response;
    };
}

std::string thousand()
{
    std::string text;
    for (int i = 0; i < 1000; ++i)
        text += std::to_string(i) + "\n";
    return text;
}

} // namespace

TEST_CASE("a response has the required headers")
{
    test::Server server([](http::Request&) -> asio::awaitable<http::Response> {
        co_return http::Response::created(R"({"a":1})").header("Location", "/a").header("X-A", "b\r\nX-C: d");
    });
    auto client = server.connect();
    auto const answer = client.get();
    CHECK(answer.status == 201);
    CHECK(answer.body == R"({"a":1})");
    CHECK(answer.header("content-type") == "application/json");
    CHECK(answer.header("content-length") == "7");
    CHECK(answer.header("location") == "/a");
    CHECK(answer.header("x-content-type-options") == "nosniff");
    CHECK(answer.header("date").size() == 29);
    CHECK_FALSE(answer.headers.contains("server"));
    // A value cannot start another header.
    CHECK(answer.header("x-a") == "b  X-C: d");
    CHECK_FALSE(answer.headers.contains("x-c"));
}

TEST_CASE("dates are IMF-fixdate")
{
    http_server::DateLine line;
    CHECK(line.at(784111777) == "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    CHECK(line.at(784111777) == "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n");
    CHECK(line.at(0) == "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n");
    CHECK(line.at(1709251199) == "Date: Thu, 29 Feb 2024 23:59:59 GMT\r\n");
}

TEST_CASE("204 and 304 have neither a body nor a length")
{
    unsigned const status = GENERATE(204U, 304U);
    test::Server server([status](http::Request&) -> asio::awaitable<http::Response> {
        co_return http::Response{.status = status, .body = "not sent"};
    });
    auto client = server.connect();
    for (int i = 0; i < 2; ++i) {
        auto const answer = client.get();
        CHECK(answer.status == static_cast<int>(status));
        CHECK_FALSE(answer.headers.contains("content-length"));
        CHECK_FALSE(answer.headers.contains("content-type"));
    }
}

TEST_CASE("a response may end the connection")
{
    test::Server server([](http::Request&) -> asio::awaitable<http::Response> {
        co_return http::Response{.body = "{}", .close = true};
    });
    auto client = server.connect();
    CHECK(client.get().header("connection") == "close");
    CHECK(client.ends());
}

TEST_CASE("a large body is written completely, in as many writes as needed")
{
    std::string body(5 << 20, 'x');
    for (std::size_t i = 0; i < body.size(); i += 991)
        body[i] = static_cast<char>('a' + i % 26);
    test::Server server([&body](http::Request&) -> asio::awaitable<http::Response> {
        co_return http::Response{.body = body};
    });
    auto client = server.connect(16 * 1024);
    for (int i = 0; i < 2; ++i)
        CHECK(client.get().body == body);
}

TEST_CASE("a stream is chunked, and the connection stays open")
{
    test::Server server(count_to_thousand);
    auto client = server.connect();
    for (int i = 0; i < 3; ++i) {
        auto const answer = client.get();
        CHECK(answer.header("transfer-encoding") == "chunked");
        CHECK_FALSE(answer.headers.contains("content-length"));
        CHECK(answer.header("content-type") == "application/x-ndjson");
        CHECK(answer.complete);
        CHECK(answer.body == thousand());
    }
}

TEST_CASE("a stream of known length has a Content-Length, and the connection stays open")
{
    test::Server server(stream_of({"piece", "piece"}, 10));
    auto client = server.connect();
    for (int i = 0; i < 3; ++i) {
        auto const answer = client.get();
        CHECK(answer.header("content-length") == "10");
        CHECK_FALSE(answer.headers.contains("transfer-encoding"));
        CHECK(answer.body == "piecepiece");
    }
    client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read(true).header("content-length") == "10");
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    auto const old = client.read();
    CHECK(old.header("connection") == "keep-alive");
    CHECK(old.body == "piecepiece");
    CHECK(client.get().complete);
}

TEST_CASE("a stream of length 0 has no body")
{
    test::Server server(stream_of({}, 0));
    auto client = server.connect();
    for (int i = 0; i < 2; ++i) {
        auto const answer = client.get();
        CHECK(answer.header("content-length") == "0");
        CHECK(answer.complete);
    }
}

TEST_CASE("the connection ends if a stream has another length than its head says")
{
    std::uint64_t const length = GENERATE(4U, 7U, 11U);
    test::Server server(stream_of({"piece", "piece"}, length));
    for (auto const* version : {"1.1", "1.0"}) {
        auto client = server.connect();
        client.send("GET / HTTP/" + std::string(version) + "\r\nHost: a\r\nConnection: keep-alive\r\n\r\n");
        auto const answer = client.read();
        CHECK(answer.header("content-length") == std::to_string(length));
        CHECK_FALSE(answer.complete);
        CHECK(client.ends());
    }
}

TEST_CASE("a stream to HTTP/1.0 ends with the connection")
{
    test::Server server(count_to_thousand);
    auto client = server.connect();
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    auto const answer = client.read();
    CHECK(answer.header("connection") == "close");
    CHECK_FALSE(answer.headers.contains("transfer-encoding"));
    CHECK(answer.body == thousand());
}

TEST_CASE("HEAD does not run the stream")
{
    std::atomic<int> runs{0};
    test::Server server([&runs](http::Request&) -> asio::awaitable<http::Response> {
        http::Response response;
        response.stream = [&runs]() -> asio::awaitable<std::string> {
            ++runs;
            co_return std::string();
        };
        co_return response;
    });
    auto client = server.connect();
    client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read(true).header("transfer-encoding") == "chunked");
    CHECK(runs == 0);
    auto const answer = client.get();
    CHECK(answer.complete);
    CHECK(answer.body.empty());
    CHECK(runs == 1);
}

TEST_CASE("a client can detect that a stream failed")
{
    test::Server server(break_off);
    auto client = server.connect();
    auto const answer = client.get();
    CHECK(answer.status == 200);
    CHECK(answer.body == "piecepiecepiece");
    CHECK_FALSE(answer.complete);
    CHECK(client.ends());

    auto old = server.connect();
    old.send("GET / HTTP/1.0\r\n\r\n");
    std::string bytes;
    for (;;) {
        auto const more = old.read_bytes(1000);
        if (more.empty()) break;
        bytes += more;
    }
    CHECK(errno == ECONNRESET);
}

TEST_CASE("a stream may pause, and waits for a slow reader")
{
    std::atomic<int> produced{0};
    test::Server server([&produced](http::Request&) -> asio::awaitable<http::Response> {
        http::Response response;
        response.stream = [&produced]() -> asio::awaitable<std::string> {
            if (produced == 400) co_return std::string();
            if (++produced % 100 == 0) {
                asio::steady_timer timer(co_await asio::this_coro::executor, 5ms);
                co_await timer.async_wait(asio::use_awaitable);
            }
            co_return std::string(64 * 1024, 'x');
        };
        co_return response;
    });
    auto client = server.connect(16 * 1024);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    // While the client does not read, the stream produces only as many bytes as the kernel buffers, however
    // long the test waits. A slow machine produces fewer bytes.
    std::this_thread::sleep_for(200ms);
    CHECK(produced < 200);
    auto const answer = client.read();
    CHECK(answer.complete);
    CHECK(answer.body.size() == std::size_t{400} * 64 * 1024);
}

TEST_CASE("a stream is destroyed when its reader closes")
{
    auto const alive = std::make_shared<int>(0);
    test::Server server([alive](http::Request&) -> asio::awaitable<http::Response> {
        http::Response response;
        response.stream = [held = alive]() -> asio::awaitable<std::string> {
            co_return std::string(64 * 1024, 'x');
        };
        co_return response;
    });
    auto const before = alive.use_count();
    {
        auto client = server.connect();
        client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        CHECK(client.read_bytes(1000).size() > 0);
    }
    CHECK(eventually([&] { return server->connections() == 0; }));
    CHECK(eventually([&] { return alive.use_count() == before; }));
}
