// Clients that are slow, clients that are silent, and too many clients at once.
#include "client.hpp"
#include "http/problem.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <fstream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace std::chrono_literals;
using testing::eventually;

namespace asio = boost::asio;

namespace {

constexpr char const* get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

/// Sends single bytes with short pauses until the response arrives. Returns the response.
test::Answer read_while_trickling(test::Client& client)
{
    std::atomic<bool> answered = false;
    std::thread trickle([&] {
        while (!answered && client.send("a"))
            std::this_thread::sleep_for(10ms);
    });
    auto answer = client.read();
    answered = true;
    trickle.join();
    return answer;
}

std::size_t resident_bytes()
{
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages >> pages;
    return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TETRAD_TEST_SANITIZED
#endif
#endif

} // namespace

TEST_CASE("an incomplete head gets 408 although bytes arrive")
{
    test::Server server(test::Server::echo, {.header_timeout = 150ms});
    auto client = server.connect();
    client.send("GET / HTTP/1.1\r\nH");
    auto const answer = read_while_trickling(client); // the limit applies to the whole head
    CHECK(answer.status == 408);
    CHECK(answer.header("connection") == "close");
    CHECK(answer.body.find("REQUEST_TIMEOUT") != std::string::npos);
    CHECK(server.protocol_errors() == std::vector<std::string>{"REQUEST_TIMEOUT"});
    CHECK(eventually([&] { return server->connections() == 0; }));
}

TEST_CASE("an incomplete head gets 408")
{
    test::Server server(test::Server::echo, {.header_timeout = 100ms});
    auto client = server.connect();
    client.send("GET / HTTP/1.1\r\nHost:");
    CHECK(client.read().status == 408);
    CHECK(client.ends());
}

TEST_CASE("an idle connection is closed without a response")
{
    test::Server server(test::Server::echo, {.idle_timeout = 1s});
    auto fresh = server.connect();
    auto used = server.connect();
    CHECK(used.get().status == 200);
    CHECK(used.ends());
    CHECK(fresh.ends());
    CHECK(server.protocol_errors().empty());
    CHECK(eventually([&] { return server->connections() == 0; }));
}

TEST_CASE("a connection in use stays open beyond the idle timeout")
{
    constexpr auto idle_timeout = 1s;
    test::Server server(test::Server::echo, {.idle_timeout = idle_timeout});
    auto client = server.connect();
    auto const end = std::chrono::steady_clock::now() + idle_timeout + idle_timeout / 2;
    while (std::chrono::steady_clock::now() < end) {
        CHECK(client.get().status == 200);
        std::this_thread::sleep_for(20ms); // so that the connection becomes idle between requests
    }
}

TEST_CASE("a body that is read as a whole has a time limit, even if bytes keep arriving")
{
    test::Server server(test::Server::echo, {.request_timeout = 200ms, .body_idle_timeout = 1h});
    auto client = server.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n");
    auto const answer = read_while_trickling(client);
    CHECK(answer.status == 408);
    CHECK(answer.header("connection") == "close");
    CHECK(answer.body.find("REQUEST_TIMEOUT") != std::string::npos);
}

TEST_CASE("a streamed body may take a long time, but may not pause for a long time")
{
    auto const count = [](http::Request& request) -> asio::awaitable<http::Response> {
        std::size_t size = 0;
        try {
            for (;;) {
                auto const piece = co_await request.body_reader->read_some();
                if (piece.empty()) break;
                size += piece.size();
            }
        } catch (core::Error const& error) {
            co_return http::problem(error, "test");
        }
        co_return http::Response::ok(std::to_string(size));
    };
    test::Server server(count, {.request_timeout = 100ms, .body_idle_timeout = 2s});
    auto client = server.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n");
    for (int i = 0; i < 20; ++i) {
        // In total this takes four times as long as the time limit of a body that is read as a whole.
        std::this_thread::sleep_for(20ms);
        client.send("a");
    }
    CHECK(client.read().body == "20");
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\naaa");
    CHECK(client.read().status == 408);
    CHECK(client.ends());
}

TEST_CASE("the connection of a client that does not read its response is closed")
{
    std::atomic<bool> asked = false;
    auto const large = [&](http::Request&) -> asio::awaitable<http::Response> {
        asked = true;
        co_return http::Response{.body = std::string(16 << 20, 'x'), .content_type = "text/plain"};
    };
    test::Server server(large, {.write_timeout = 200ms});
    auto client = server.connect(4096);
    client.send(get);
    CHECK(eventually([&] { return asked && server->connections() == 0; }));
    CHECK_FALSE(client.read().complete);
}

TEST_CASE("a client that reads slowly gets the whole response")
{
    constexpr std::size_t size = 12 << 20;
    auto const large = [](http::Request&) -> asio::awaitable<http::Response> {
        co_return http::Response{.body = std::string(size, 'x'), .content_type = "text/plain"};
    };
    test::Server server(large, {.write_timeout = 1s});
    auto client = server.connect(64 * 1024);
    client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    std::size_t received = 0;
    for (;;) {
        auto const bytes = client.read_bytes(64 * 1024);
        if (bytes.empty()) break;
        received += bytes.size();
        std::this_thread::sleep_for(
            15ms); // in total longer than the server waits for a client that reads nothing
    }
    CHECK(received > size);
}

TEST_CASE("the connection of a client that reads below the minimum rate is closed")
{
    auto const large = [](http::Request&) -> asio::awaitable<http::Response> {
        co_return http::Response{.body = std::string(16 << 20, 'x'), .content_type = "text/plain"};
    };
    test::Server server(large, {.write_timeout = 200ms, .min_write_rate = 8 << 20});
    auto client = server.connect(64 * 1024);
    client.send(get);
    std::size_t received = 0;
    for (;;) {
        auto const bytes = client.read_bytes(16 * 1024);
        if (bytes.empty()) break;
        received += bytes.size();
        std::this_thread::sleep_for(10ms); // slower than `min_write_rate`
    }
    CHECK(received > 0);
    CHECK(received < std::size_t{16} << 20);
}

TEST_CASE("beyond the limit of connections, the connection that was idle longest is closed")
{
    test::Server server(test::Server::echo, {.max_connections = 3});
    auto first = server.connect();
    CHECK(first.get().status == 200);
    auto second = server.connect();
    CHECK(second.get().status == 200);
    auto third = server.connect();
    CHECK(third.get().status == 200);
    CHECK(first.get().status == 200);
    auto fourth = server.connect();
    CHECK(fourth.get().status == 200);
    CHECK(second.ends());
    CHECK(first.get().status == 200);
    CHECK(third.get().status == 200);
}

TEST_CASE("beyond the limit of busy connections, a further connection gets 503")
{
    std::atomic<bool> asked = false;
    auto const note = [&](http::Request& request) {
        asked = true;
        return test::Server::echo(request);
    };
    test::Server server(note, {.max_connections = 2});
    auto first = server.connect();
    first.send("GET ");
    CHECK(eventually([&] { return server->connections() == 1; }));
    auto second = server.connect();
    second.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n1");
    // A connection counts as busy after the server has read from it. The server reads the first client's
    // bytes first.
    CHECK(eventually([&] { return asked.load(); }));
    auto third = server.connect();
    auto const answer = third.read();
    CHECK(answer.status == 503);
    CHECK(answer.header("retry-after") == "1");
    CHECK(third.ends());
    first.send("/ HTTP/1.1\r\nHost: a\r\n\r\n");
    second.send("2");
    CHECK(first.read().status == 200);
    CHECK(second.read().body == "POST / 12");
}

TEST_CASE("thousands of idle connections cost little memory")
{
    constexpr std::size_t count = 4000;
    rlimit files{};
    ::getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
    REQUIRE(files.rlim_max > 2 * count + 100);

    test::Server server;
    std::vector<test::Client> clients;
    clients.reserve(count);
    for (std::size_t i = 0; i < 100; ++i)
        clients.push_back(server.connect());
    for (auto& client : clients)
        REQUIRE(client.get().status == 200);
    std::size_t const before = resident_bytes();
    while (clients.size() < count) {
        clients.push_back(server.connect());
        REQUIRE(clients.back().get().status == 200);
    }
    std::size_t const each = (std::max(resident_bytes(), before) - before) / (count - 100);
    INFO(each << " bytes each");
#ifndef TETRAD_TEST_SANITIZED
    CHECK(each < 6 * 1024);
#endif
    CHECK(server->connections() == count);
    for (std::size_t i = 0; i < count; i += 100)
        CHECK(clients[i].get().status == 200);
}
