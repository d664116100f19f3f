// Ordinary requests and connections.
#include "client.hpp"
#include "http/problem.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

namespace asio = boost::asio;
using testing::eventually;

TEST_CASE("a connection serves one request after another")
{
    test::Server server;
    auto client = server.connect();
    for (int i = 0; i < 100; ++i) {
        auto const answer = client.get("/" + std::to_string(i));
        REQUIRE(answer.status == 200);
        REQUIRE(answer.body == "GET /" + std::to_string(i) + " ");
        REQUIRE_FALSE(answer.headers.contains("connection"));
    }
    CHECK(server->connections() == 1);
}

TEST_CASE("pipelined requests are answered in order")
{
    test::Server server;
    auto client = server.connect();
    std::string bytes;
    for (int i = 0; i < 300; ++i) {
        std::string const text = std::to_string(i);
        switch (i % 3) {
        case 0:
            bytes += "GET /" + text + " HTTP/1.1\r\nHost: a\r\n\r\n";
            break;
        case 1:
            bytes += "POST /" + text +
                     " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n" +
                     text;
            break;
        default:
            bytes += "PUT /" + text + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n" +
                     text.substr(0, 1) + "\r\n0\r\n\r\n";
        }
    }
    // Sends pieces of any size, larger and smaller than the server's buffer.
    std::size_t const step = GENERATE(37, 1000, 4096, 100'000);
    std::thread sender([&] {
        for (std::size_t i = 0; i < bytes.size(); i += step)
            client.send(std::string_view(bytes).substr(i, step));
    });
    for (int i = 0; i < 300; ++i) {
        std::string const text = std::to_string(i);
        std::string const expected = i % 3 == 0   ? "GET /" + text + " "
                                     : i % 3 == 1 ? "POST /" + text + " " + text
                                                  : "PUT /" + text + " " + text.substr(0, 1);
        CHECK(client.read().body == expected);
    }
    sender.join();
}

TEST_CASE("HTTP/1.0 connections close unless the client asks for keep-alive")
{
    test::Server server;
    auto client = server.connect();
    client.send("GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    auto const first = client.read();
    CHECK(first.body == "GET /a ");
    CHECK(first.header("connection") == "keep-alive");
    client.send("GET /b HTTP/1.0\r\n\r\n");
    auto const second = client.read();
    CHECK(second.body == "GET /b ");
    CHECK(second.header("connection") == "close");
    CHECK(client.ends());
}

TEST_CASE("the client may close the connection with its request")
{
    test::Server server;
    auto client = server.connect();
    client.send("GET /a HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    auto const answer = client.read();
    CHECK(answer.body == "GET /a ");
    CHECK(answer.header("connection") == "close");
    CHECK(client.ends());
}

TEST_CASE("a client that has closed its sending side still gets its responses")
{
    test::Server server;
    auto client = server.connect();
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n");
    client.finish();
    CHECK(client.read().body == "GET /a ");
    CHECK(client.read().body == "GET /b ");
    CHECK(client.ends());
    CHECK(eventually([&] { return server->connections() == 0; }));
}

TEST_CASE("HEAD gets the response of GET without the body")
{
    test::Server server([](http::Request& request) -> asio::awaitable<http::Response> {
        std::string const method(http::to_string(request.method));
        co_return http::Response{.body = method + " for " + std::string(request.method_text)};
    });
    auto client = server.connect();
    client.send("HEAD /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n");
    auto const head = client.read(true);
    CHECK(head.status == 200);
    CHECK(head.header("content-length") == "12");
    CHECK(client.read().body == "GET for GET");
}

TEST_CASE("the application gets all parts of the request")
{
    test::Server server([](http::Request& request) -> asio::awaitable<http::Response> {
        std::string seen;
        for (std::string_view const part : {http::to_string(request.method), request.method_text,
                 request.target, request.path, request.query, request.header("x-ONE").value_or("none"),
                 request.header("x-two").value_or("none"), std::string_view(request.remote_address),
                 std::string_view(request.context.request_id)}) {
            seen += part;
            seen += '|';
        }
        seen += std::to_string(request.body_reader->length().value_or(99)) + "|";
        seen += std::to_string(request.params.size()) + "|" + request.body;
        // These parts must not be visible in the next request on the connection.
        request.context.request_id = "left over";
        request.params.emplace_back("left", "over");
        request.body = "left over";
        co_return http::Response::ok(std::move(seen));
    });
    auto client = server.connect();
    for (int i = 0; i < 2; ++i) {
        client.send("DELETE /a/%62?c=%64 HTTP/1.1\r\nHost: a\r\nX-One: 1\r\n\r\n");
        CHECK(client.read().body == "DELETE|DELETE|/a/%62?c=%64|/a/%62|c=%64|1|none|127.0.0.1||0|0|");
    }
}

TEST_CASE("an exception of the application becomes a 500 without details")
{
    test::Server server([](http::Request&) -> asio::awaitable<http::Response> {
        throw std::runtime_error("secret");
        co_return http::Response();
    });
    auto client = server.connect();
    auto const answer = client.get();
    CHECK(answer.status == 500);
    CHECK(answer.body.find("secret") == std::string::npos);
    CHECK(answer.body.find("INTERNAL") != std::string::npos);
    CHECK(client.ends());
}

TEST_CASE("aborted connections do not affect other clients")
{
    test::Server server(test::Server::echo, {}, 2);
    for (int i = 0; i < 50; ++i) {
        auto a = server.connect();
        a.reset();
        auto b = server.connect();
        b.send("GET / HT");
        b.reset();
        auto c = server.connect();
        c.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
        c.reset();
        auto d = server.connect();
        d.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
        d.reset();
    }
    CHECK(server.connect().get().status == 200);
    CHECK(eventually([&] { return server->connections() == 0; }));
}

TEST_CASE("several threads share one port")
{
    test::Server server(test::Server::echo, {}, 3);
    std::vector<test::Client> clients;
    for (int i = 0; i < 60; ++i)
        clients.push_back(server.connect());
    for (auto& client : clients)
        CHECK(client.get("/x").body == "GET /x ");
    CHECK(server->connections() == 60);
}

TEST_CASE("a port that is in use is an error, with one thread and with several")
{
    test::Server const server(test::Server::echo, {}, 2);

    struct : http::Application {
        asio::awaitable<http::Response> handle(http::Request&) override { co_return http::Response(); }
    } application;

    boost::asio::io_context one;
    boost::asio::io_context two;
    http_server::ServerOptions options;
    options.port = const_cast<test::Server&>(server)->port();
    CHECK_THROWS_AS(http_server::Server({&one}, options, application), std::system_error);
    CHECK_THROWS_AS(http_server::Server({&one, &two}, options, application), std::system_error);
    options.bind = "localhost";
    CHECK_THROWS_AS(http_server::Server({&one}, options, application), std::invalid_argument);
}
