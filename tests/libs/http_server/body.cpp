// Request bodies: limits, 100-continue, and unread bodies.
#include "client.hpp"
#include "http/problem.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"

#include <catch2/catch.hpp>

#include <malloc.h>

using testing::eventually;

namespace asio = boost::asio;

namespace {

asio::awaitable<http::Response> read_up_to_ten(http::Request& request)
{
    try {
        co_await request.body_reader->read_all(request.body, 10);
    } catch (core::Error const& error) {
        co_return http::problem(error, "test");
    }
    co_return http::Response::ok(request.body);
}

asio::awaitable<http::Response> ignore(http::Request&)
{
    co_return http::problem(core::Error(core::codes::unauthorized, "Who are you?"), "test");
}

/// The number of bytes that the process has allocated and not freed. Returns 0 if another allocator is in
/// use, for example a sanitizer's.
std::size_t allocated_bytes()
{
    auto const info = ::mallinfo2();
    return info.uordblks + info.hblkhd;
}

std::string post(std::string const& fields, std::string_view body = {})
{
    return "POST / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n" + std::string(body);
}

std::string post_body(std::string_view body)
{
    return post("Content-Length: " + std::to_string(body.size()) + "\r\n", body);
}

} // namespace

TEST_CASE("the limit of a body is inclusive")
{
    test::Server server(read_up_to_ten);
    auto client = server.connect();
    client.send(post_body("1234567890"));
    CHECK(client.read().body == "1234567890");
    client.send(post("Transfer-Encoding: chunked\r\n", "5\r\n12345\r\n5\r\n67890\r\n0\r\n\r\n"));
    CHECK(client.read().body == "1234567890");
    // The rest of the body is small, so the server discards it and keeps the connection open.
    client.send(post_body("12345678901"));
    auto const declared = client.read();
    CHECK(declared.status == 413);
    CHECK_FALSE(declared.headers.contains("connection"));
    client.send(post("Transfer-Encoding: chunked\r\n", "5\r\n12345\r\n6\r\n678901\r\n0\r\n\r\n"));
    auto const chunked = client.read();
    CHECK(chunked.status == 413);
    CHECK(chunked.header("connection") == "close");
    CHECK(client.ends());
}

TEST_CASE("a large body arrives completely")
{
    test::Server server;
    std::string body(1 << 20, 'x');
    for (std::size_t i = 0; i < body.size(); i += 997)
        body[i] = static_cast<char>('a' + i % 26);
    auto client = server.connect();
    client.send(post_body(body));
    CHECK(client.read().body == "POST / " + body);
    std::string chunks;
    for (std::size_t i = 0; i < body.size();) {
        auto const piece = std::string_view(body).substr(i, 1 + i % 5000);
        char line[20];
        std::snprintf(line, sizeof line, "%zx\r\n", piece.size());
        chunks += line + std::string(piece) + "\r\n";
        i += piece.size();
    }
    client.send(post("Transfer-Encoding: chunked\r\n", chunks + "0\r\n\r\n"));
    CHECK(client.read().body == "POST / " + body);
    client.send(post_body(std::string(body.size() + 1, 'x')));
    CHECK(client.read().status == 413);
}

TEST_CASE("no buffer is kept for a body that was read, during its request and afterwards")
{
    constexpr std::size_t count = 200;
    constexpr std::size_t size = 32 * 1024;
    testing::Gate thread, handlers;
    test::Server server([&](http::Request& request) -> asio::awaitable<http::Response> {
        if (request.method == http::Method::get) {
            thread.pass_blocking(); // waits, so that each body has arrived completely when it is read
        } else {
            co_await request.body_reader->read_all(request.body, size);
            request.drop_body();
            co_await handlers.pass();
        }
        co_return http::Response::ok("{}");
    });
    testing::OpenAtEnd const guards[] = {{thread}, {handlers}};
    auto holder = server.connect();
    holder.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    REQUIRE(eventually([&] { return thread.arrived() == 1; }));
    std::size_t const before = allocated_bytes();
    auto const each = [&] { return (std::max(allocated_bytes(), before) - before) / count; };
    std::vector<test::Client> clients;
    for (std::size_t i = 0; i < count; ++i) {
        clients.push_back(server.connect());
        REQUIRE(clients.back().send(post_body(std::string(size, 'x'))));
    }
    thread.open();
    REQUIRE(eventually([&] { return handlers.arrived() == count; }));
    INFO(each() << " bytes each");
    CHECK(each() < size / 2);

    handlers.open();
    for (auto& client : clients)
        REQUIRE(client.read().status == 200);
    CHECK(eventually([&] { return each() < size / 2; })); // idle
}

TEST_CASE("a streamed body arrives in pieces and ends with an empty piece")
{
    test::Server server([](http::Request& request) -> asio::awaitable<http::Response> {
        std::string all;
        std::size_t pieces = 0;
        for (;;) {
            auto const piece = co_await request.body_reader->read_some();
            if (piece.empty()) break;
            all += piece;
            ++pieces;
        }
        bool const over = (co_await request.body_reader->read_some()).empty();
        co_return http::Response::ok((over && pieces > 1 ? "" : "wrong: ") + all);
    });
    auto client = server.connect();
    std::string const body(300'000, 'y');
    client.send(post_body(body));
    CHECK(client.read().body == body);
    client.send(post("Transfer-Encoding: chunked\r\n", "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n"));
    CHECK(client.read().body == "abc");
}

TEST_CASE("100 Continue is sent when the application reads the body")
{
    test::Server server(read_up_to_ten);
    auto client = server.connect();
    client.send(post("Content-Length: 5\r\nExpect: 100-continue\r\n"));
    CHECK(client.read().status == 100);
    client.send("hello");
    CHECK(client.read().body == "hello");
    // 100 Continue is not sent if the body has arrived already, and never to an HTTP/1.0 client.
    client.send(post("Content-Length: 5\r\nExpect: 100-continue\r\n", "hello"));
    CHECK(client.read().body == "hello");
    client.send("POST / HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    client.send("hello");
    CHECK(client.read().body == "hello");
}

TEST_CASE("100 Continue is not sent for a refused body")
{
    test::Server server(read_up_to_ten);
    auto client = server.connect();
    client.send(post("Content-Length: 11\r\nExpect: 100-continue\r\n"));
    auto const answer = client.read();
    CHECK(answer.status == 413);
    // The client may send the body nevertheless, and it must not be read as a request. So the connection must
    // end.
    CHECK(answer.header("connection") == "close");
    CHECK(client.ends());
}

TEST_CASE("a small unread body is discarded and the connection stays open")
{
    test::Server server(ignore);
    auto client = server.connect();
    client.send(post_body(std::string(60'000, 'x')));
    auto const first = client.read();
    CHECK(first.status == 401);
    CHECK_FALSE(first.headers.contains("connection"));
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read().status == 401);
    // The response does not wait for the body.
    client.send(post("Content-Length: 5\r\n"));
    CHECK(client.read().status == 401);
    client.send("helloGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read().status == 401);
}

TEST_CASE("a large unread body ends the connection after the response")
{
    test::Server server(ignore);
    for (std::string const& fields :
        {std::string("Content-Length: 4000000\r\n"), std::string("Transfer-Encoding: chunked\r\n")}) {
        INFO(fields);
        auto client = server.connect();
        // The client sends everything before it reads. It must get the response, not a reset.
        bool const chunked = fields.starts_with("T");
        std::string const body = chunked ? "3d0900\r\n" + std::string(4'000'000, 'x') + "\r\n0\r\n\r\n"
                                         : std::string(4'000'000, 'x');
        CHECK(client.send(post(fields, body)));
        auto const answer = client.read();
        CHECK(answer.status == 401);
        CHECK(answer.complete);
        CHECK(answer.header("connection") == "close");
        CHECK(client.ends());
    }
    CHECK(eventually([&] { return server->connections() == 0; }));
}

TEST_CASE("an aborted body is an error for the application")
{
    test::Server server(read_up_to_ten);
    auto client = server.connect();
    client.send(post("Content-Length: 5\r\n", "hel"));
    client.finish();
    auto const answer = client.read();
    CHECK(answer.status == 400);
    CHECK(answer.header("connection") == "close");
    CHECK(client.ends());
}

TEST_CASE("the declared length is available, and absent if the body is chunked")
{
    test::Server server([](http::Request& request) -> asio::awaitable<http::Response> {
        auto const length = request.body_reader->length();
        co_return http::Response::ok(length ? std::to_string(*length) : "none");
    });
    auto client = server.connect();
    client.send(post("Content-Length: 5\r\n", "hello"));
    CHECK(client.read().body == "5");
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(client.read().body == "0");
    client.send(post("Transfer-Encoding: chunked\r\n", "0\r\n\r\n"));
    CHECK(client.read().body == "none");
}
