#include "fixture.hpp"
#include "support/captured.hpp"
#include "support/eventually.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>

#include <thread>

// A server that is down, hangs or starts again, and a client that is stopped. If a command must not wait, the
// test sets the time limits to an hour.

using namespace std::chrono_literals;
using redis::Address;
using redis::Client;
using redis::Reply;
using redis_test::call, redis_test::Fixture;

namespace asio = boost::asio;

namespace {

bool answers(testing::Contexts& contexts, Client& client)
{
    return testing::eventually([&] {
        try {
            return contexts.await(call(client, {"PING"})).text() == "PONG";
        } catch (redis::Unavailable const&) {
            return false;
        }
    });
}

bool fails(testing::Contexts& contexts, Client& client)
{
    try {
        contexts.await(call(client, {"GET", "k"}));
        return false;
    } catch (redis::Unavailable const&) {
        return true;
    }
}

} // namespace

TEST_CASE("commands fail at once while the server is down")
{
    Fixture redis;
    redis.connect({.address = Address::parse(redis.server.url()),
        .timeout = 1h,
        .reconnect_min = 1h,
        .reconnect_max = 1h});
    redis({"SET", "k", "v"});
    CHECK(redis.client->healthy());
    redis.server.stop();
    CHECK(testing::eventually([&] { return !redis.client->healthy(); }));
    for (int i = 0; i < 20; ++i)
        CHECK(fails(redis.contexts, *redis.client));
}

TEST_CASE("a server that starts again is used again")
{
    Fixture redis;
    redis({"SET", "k", "v"});
    redis.server.stop();
    CHECK(testing::eventually([&] { return !redis.client->healthy(); }));
    redis.server.start();
    CHECK(testing::eventually([&] { return redis.client->healthy(); }));
    CHECK(redis({"SET", "k", "again"}).text() == "OK");
}

TEST_CASE("a client that is created while the server is down becomes healthy when the server starts")
{
    Fixture redis;
    redis.server.stop();
    redis.connect({.address = Address::parse(redis.server.url()), .timeout = 1h});
    CHECK(fails(redis.contexts, *redis.client));
    redis.server.start();
    CHECK(testing::eventually([&] { return redis.client->healthy(); }));
    CHECK(redis({"PING"}).text() == "PONG");
}

TEST_CASE("commands fail at once while a new connection is being made")
{
    Fixture redis;
    redis.connect({.address = Address::parse(redis.server.url()), .timeout = 1h});
    redis({"PING"});
    redis.server.stop();
    // A listener that accepts and sends nothing, like the kernel for a server that hangs.
    asio::io_context ioc(1);
    asio::ip::tcp::acceptor silent(ioc, {asio::ip::address_v4::loopback(), redis.server.port()});
    silent.non_blocking(true);
    asio::ip::tcp::socket connection(ioc);
    REQUIRE(testing::eventually([&] {
        boost::system::error_code failure;
        silent.accept(connection, failure);
        return !failure;
    }));
    for (int i = 0; i < 20; ++i)
        CHECK(fails(redis.contexts, *redis.client));
    CHECK_FALSE(redis.client->healthy());
}

TEST_CASE("a server that hangs counts as down after the time-out, until it replies again")
{
    testing::Redis server;
    testing::Captured log;
    observe::Logger logger("test", observe::Level::debug, log.fd());
    testing::Contexts contexts;
    Client client({.address = Address::parse(server.url())}, contexts.all, logger);
    REQUIRE(answers(contexts, client));
    server.pause();
    CHECK(fails(contexts, client));
    CHECK(testing::eventually([&] { return !client.healthy(); }));
    // The kernel still accepts connections for the server. An accepted connection must not count as up.
    auto const has_tried_in_vain = [&] {
        logger.flush(30s);
        return log.text().find(R"("attempt":3)") != std::string::npos;
    };
    CHECK(testing::eventually([&] {
        CHECK_FALSE(client.healthy());
        CHECK(fails(contexts, client));
        return has_tried_in_vain();
    }));
    server.resume();
    CHECK(testing::eventually([&] { return client.healthy(); }));
    CHECK(answers(contexts, client));
}

TEST_CASE("a call on the first connection to a server that hangs times out")
{
    Fixture redis;
    redis.server.pause();
    redis.connect({.address = Address::parse(redis.server.url())});
    CHECK(fails(redis.contexts, *redis.client));
    redis.server.resume();
    CHECK(answers(redis.contexts, *redis.client));
}

TEST_CASE("a reply that arrived in time is used even if the client's thread was late")
{
    Fixture redis;
    constexpr auto timeout = 250ms;
    redis.connect({.address = Address::parse(redis.server.url()), .timeout = timeout});
    REQUIRE(answers(redis.contexts, *redis.client));
    std::promise<void> answered;
    auto& thread = *redis.contexts.all[0];
    auto const hold_up = [&] {
        answered.get_future().wait();
        std::this_thread::sleep_for(2 * timeout); // the delay of the thread
    };
    auto const late = [&]() -> asio::awaitable<std::string> {
        // Posts twice, so that the command is sent before `hold_up` runs.
        asio::post(thread, [&] { asio::post(thread, hold_up); });
        co_return (co_await call(*redis.client, {"ECHO", "here"})).text();
    };
    auto said = redis.contexts.start(late());
    testing::Contexts other;
    Client observer(testing::patient_client(redis.server.url()), other.all, redis.logger);
    CHECK(testing::eventually([&] {
        auto const done = other.await(call(observer, {"INFO", "commandstats"})).text();
        return done.find("cmdstat_echo") != std::string::npos;
    }));
    answered.set_value();
    CHECK(said.get() == "here");
    CHECK(redis.client->healthy());
}

TEST_CASE("the client leaves a demoted master and uses the new server of its address")
{
    Fixture redis;
    auto const connection = [&] { return redis({"CLIENT", "ID"}).integer(); };
    auto const first = connection();
    redis({"REPLICAOF", "127.0.0.1", "1"});
    redis::Script const script("return redis.call('SET', KEYS[1], 'v')");
    std::vector<std::string_view> const keys{"k"};
    CHECK_THROWS_AS(redis.contexts.await(redis.client->eval(script, keys, {})), redis::Unavailable);
    CHECK(testing::eventually([&] {
        try {
            return connection() != first;
        } catch (redis::Unavailable const&) {
            return false;
        }
    }));
    redis({"REPLICAOF", "NO", "ONE"});
    CHECK(redis({"SET", "k", "v"}).text() == "OK");
}

TEST_CASE("stopping gives commands in flight a result and leaves no work in the contexts")
{
    testing::Redis server;
    observe::Logger logger("test", observe::Level::off);
    testing::Contexts contexts(2);
    Client client(testing::patient_client(server.url()), contexts.all, logger);
    contexts.await(call(client, {"PING"}));
    server.pause();
    std::vector<std::future<Reply>> waiting;
    for (std::size_t i = 0; i < 20; ++i)
        waiting.push_back(contexts.start(call(client, {"GET", "k"}), i % 2));
    client.stop();
    client.stop();
    for (auto& future : waiting)
        CHECK_THROWS_AS(future.get(), redis::Unavailable);
    CHECK_THROWS_AS(contexts.await(call(client, {"PING"})), redis::Unavailable);
    CHECK_FALSE(client.healthy());
    contexts.join();
}

TEST_CASE("stopping ends attempts to connect")
{
    testing::Redis server;
    server.stop();
    observe::Logger logger("test", observe::Level::off);
    for (auto const wait : {0ms, 1ms, 20ms, 120ms}) {
        testing::Contexts contexts;
        Client client({.address = Address::parse(server.url())}, contexts.all, logger);
        // Each round waits for a different time, so that `stop` meets different states.
        std::this_thread::sleep_for(wait);
        client.stop();
        contexts.join();
    }
}

TEST_CASE("a client may be destroyed while calls are in progress")
{
    Fixture redis;
    redis({"PING"});
    std::vector<std::future<Reply>> waiting;
    for (int i = 0; i < 100; ++i)
        waiting.push_back(redis.contexts.start(call(*redis.client, {"PING"})));
    // On the context's thread, so that no call is about to use the client.
    asio::post(*redis.contexts.all[0], [&] { redis.client = nullptr; });
    for (auto& future : waiting) {
        std::string answer;
        try {
            answer = future.get().text();
        } catch (redis::Unavailable const&) {
            answer = "told";
        }
        CHECK((answer == "PONG" || answer == "told"));
    }
    redis.contexts.join();
}
