// How a server drains its connections and stops.
#include "client.hpp"
#include "support/eventually.hpp"
#include "support/gate.hpp"

#include <catch2/catch.hpp>

#include <system_error>

using namespace std::chrono_literals;
using testing::eventually;

namespace asio = boost::asio;

namespace {

/// An application whose requests wait until `gate` is opened.
test::Handler held_up_by(testing::Gate& gate)
{
    return [&gate](http::Request&) -> asio::awaitable<http::Response> {
        co_await gate.pass();
        co_return http::Response::ok("{}");
    };
}

/// Waits until new connections are refused, which means that draining has begun.
bool accepts_no_connection(std::uint16_t port)
{
    return eventually([&] {
        try {
            test::Client const client(port);
            return false;
        } catch (std::system_error const&) {
            return true;
        }
    });
}

} // namespace

TEST_CASE("a drained server closes idle connections, and its threads end")
{
    test::Server server(test::Server::echo, {}, 2);
    auto fresh = server.connect();
    auto used = server.connect();
    CHECK(used.get().status == 200);
    CHECK(eventually([&] { return server->connections() == 2; }));
    server->drain();
    CHECK(fresh.ends());
    CHECK(used.ends());
    CHECK(server.joins());
    CHECK(server->connections() == 0);
    CHECK_THROWS(server.connect());
}

TEST_CASE("a request in flight gets its response during draining")
{
    testing::Gate gate;
    test::Server server(held_up_by(gate));
    auto client = server.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(eventually([&] { return gate.arrived() == 1; }));
    server->drain();
    CHECK(accepts_no_connection(server->port()));
    gate.open();
    auto const answer = client.read();
    CHECK(answer.status == 200);
    CHECK(answer.header("connection") == "close");
    CHECK(client.ends());
    CHECK(server.joins());
}

TEST_CASE("a request that arrives just after draining has begun gets a response")
{
    // The connection is kept for half a second. A stalled machine may take longer to send the request.
    bool answered = false;
    for (int attempt = 0; attempt < 20 && !answered; ++attempt) {
        test::Server server;
        auto client = server.connect();
        CHECK(client.get().status == 200);
        // Waits until the server has freed the buffer of the idle connection.
        std::this_thread::sleep_for(350ms);
        server->drain();
        CHECK(accepts_no_connection(server->port()));
        auto const answer = client.get();
        answered = answer.status == 200 && answer.header("connection") == "close";
    }
    CHECK(answered);
}

TEST_CASE("under load every request gets its response during draining")
{
    test::Server server(test::Server::echo, {}, 2);
    std::atomic<int> answered{0};
    std::atomic<int> lost{0};
    std::atomic<int> connected{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            auto client = server.connect();
            ++connected;
            for (;;) {
                auto const answer = client.get("/x");
                if (!answer.complete || answer.status != 200) {
                    ++lost;
                    return;
                }
                ++answered;
                if (answer.header("connection") == "close") return;
            }
        });
    }
    CHECK(eventually([&] { return answered > 500 && connected == 8; }));
    server->drain();
    for (auto& thread : threads)
        thread.join();
    CHECK(lost == 0);
    CHECK(server.joins());
}

TEST_CASE("abort closes all connections")
{
    testing::Gate gate;
    test::Server server(held_up_by(gate), {}, 2);
    auto idle = server.connect();
    auto half = server.connect();
    half.send("GET / HT");
    auto busy = server.connect();
    busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(eventually([&] { return server->connections() == 3 && gate.arrived() == 1; }));
    server->abort();
    CHECK(idle.ends());
    CHECK(half.ends());
    CHECK(busy.ends());
    gate.open();
    CHECK(server.joins());
    CHECK(server->connections() == 0);
}

TEST_CASE("a server may be destroyed before its contexts run")
{
    struct : http::Application {
        asio::awaitable<http::Response> handle(http::Request&) override { co_return http::Response(); }
    } application;

    boost::asio::io_context context;
    std::uint16_t port = 0;
    {
        http_server::Server const server({&context}, {}, application);
        port = server.port();
        CHECK(port != 0);
    }
    context.run();
    CHECK_THROWS(test::Client(port));
}

TEST_CASE("a context may be destroyed with open connections")
{
    testing::Gate gate;

    struct WaitingApplication : http::Application {
        explicit WaitingApplication(testing::Gate& by) : gate(by) {}

        asio::awaitable<http::Response> handle(http::Request&) override
        {
            co_await gate.pass();
            co_return http::Response::ok("{}");
        }

        testing::Gate& gate;
    } application(gate);

    auto context = std::make_unique<boost::asio::io_context>(1);
    http_server::Server server({context.get()}, {}, application);
    std::thread thread([&context] { context->run(); });
    test::Client idle(server.port());
    test::Client busy(server.port());
    busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(eventually([&] { return server.connections() == 2 && gate.arrived() == 1; }));
    context->stop();
    thread.join();
    // The context is destroyed here, and destroys coroutine frames and sockets.
}
