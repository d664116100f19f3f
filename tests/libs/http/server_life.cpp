// Draining and ending.
#include "client.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using test::eventually;

namespace asio = boost::asio;

namespace {

asio::awaitable<http::Response> slowly(http::Request&)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, 300ms);
    co_await timer.async_wait(asio::use_awaitable);
    co_return http::Response::ok("{}");
}

} // namespace

TEST_CASE("a drained server lets go of idle connections, and its threads end")
{
    test::Server server(test::Server::echo, {}, 2);
    auto fresh = server.connect();
    auto used = server.connect();
    CHECK(used.get().status == 200);
    CHECK(eventually([&] { return server->connections() == 2; }));
    server->drain();
    CHECK(fresh.ends());
    CHECK(used.ends());
    CHECK(server.joins_within(3s));
    CHECK(server->connections() == 0);
    CHECK_THROWS(server.connect());
}

TEST_CASE("a request in flight is answered while draining")
{
    test::Server server(slowly);
    auto client = server.connect();
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    std::this_thread::sleep_for(50ms);
    server->drain();
    auto const answer = client.read();
    CHECK(answer.status == 200);
    CHECK(answer.header("connection") == "close");
    CHECK(client.ends());
    CHECK(server.joins_within(5s));
}

TEST_CASE("a request that arrives just after draining began is answered")
{
    test::Server server;
    auto client = server.connect();
    CHECK(client.get().status == 200);
    // Later than the moment for which it keeps its buffer.
    std::this_thread::sleep_for(350ms);
    server->drain();
    std::this_thread::sleep_for(250ms);
    auto const answer = client.get();
    CHECK(answer.status == 200);
    CHECK(answer.header("connection") == "close");
}

TEST_CASE("every request under load is answered while draining")
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
    CHECK(server.joins_within(5s));
}

TEST_CASE("abort closes whatever is open")
{
    test::Server server(slowly, {}, 2);
    auto idle = server.connect();
    auto half = server.connect();
    half.send("GET / HT");
    auto busy = server.connect();
    busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(eventually([&] { return server->connections() == 3; }));
    std::this_thread::sleep_for(50ms);
    server->abort();
    CHECK(idle.ends());
    CHECK(half.ends());
    CHECK(busy.ends());
    CHECK(server.joins_within(3s));
    CHECK(server->connections() == 0);
}

TEST_CASE("a server may go before its contexts ever run")
{
    struct : http::Application {
        asio::awaitable<http::Response> handle(http::Request&) override { co_return http::Response(); }
    } application;

    boost::asio::io_context context;
    std::uint16_t port = 0;
    {
        http::Server const server({&context}, {}, application);
        port = server.port();
        CHECK(port != 0);
    }
    context.run();
    CHECK_THROWS(test::Client(port));
}

TEST_CASE("a context may be destroyed with connections open")
{
    struct : http::Application {
        asio::awaitable<http::Response> handle(http::Request& request) override { return slowly(request); }
    } application;

    auto context = std::make_unique<boost::asio::io_context>(1);
    http::Server server({context.get()}, {}, application);
    std::thread thread([&context] { context->run(); });
    test::Client idle(server.port());
    test::Client busy(server.port());
    busy.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    CHECK(eventually([&] { return server.connections() == 2; }));
    std::this_thread::sleep_for(50ms);
    context->stop();
    thread.join();
    // Frames and sockets go with the context that holds them.
}
