#include "fixture.hpp"
#include "testing/captured.hpp"
#include "testing/eventually.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>

#include <thread>

// A server that is away, hangs or comes back, and a client that is stopped. Where a command must not wait,
// what it could wait for takes an hour.

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

TEST_CASE("while the server is away commands fail at once")
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

TEST_CASE("a server that comes back is found again")
{
    Fixture redis;
    redis({"SET", "k", "v"});
    redis.server.stop();
    CHECK(testing::eventually([&] { return !redis.client->healthy(); }));
    redis.server.start();
    CHECK(testing::eventually([&] { return redis.client->healthy(); }));
    CHECK(redis({"SET", "k", "again"}).text() == "OK");
}

TEST_CASE("a client made while the server is away becomes healthy when it comes")
{
    Fixture redis;
    redis.server.stop();
    redis.connect({.address = Address::parse(redis.server.url()), .timeout = 1h});
    CHECK(fails(redis.contexts, *redis.client));
    redis.server.start();
    CHECK(testing::eventually([&] { return redis.client->healthy(); }));
    CHECK(redis({"PING"}).text() == "PONG");
}

TEST_CASE("while a new connection is being made commands fail without waiting for it")
{
    Fixture redis;
    redis.connect({.address = Address::parse(redis.server.url()), .timeout = 1h});
    redis({"PING"});
    redis.server.stop();
    // Somebody who lets it in and says nothing, as the kernel does for a server that hangs.
    asio::io_context ioc(1);
    asio::ip::tcp::acceptor silent(ioc, {asio::ip::address_v4::loopback(), redis.server.port()});
    silent.non_blocking(true);
    asio::ip::tcp::socket connection(ioc);
    REQUIRE(testing::eventually([&] {
        boost::system::error_code nobody;
        silent.accept(connection, nobody);
        return !nobody;
    }));
    for (int i = 0; i < 20; ++i)
        CHECK(fails(redis.contexts, *redis.client));
    CHECK_FALSE(redis.client->healthy());
}

TEST_CASE("a hung server counts as down after the time-out, until it answers again")
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
    // The kernel still accepts connections for it: that must not count.
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

TEST_CASE("a call made on a first connection to a server that hangs is given up")
{
    Fixture redis;
    redis.server.pause();
    redis.connect({.address = Address::parse(redis.server.url())});
    CHECK(fails(redis.contexts, *redis.client));
    redis.server.resume();
    CHECK(answers(redis.contexts, *redis.client));
}

TEST_CASE("an answer that has arrived counts even when our own thread was late")
{
    Fixture redis;
    constexpr auto timeout = 250ms;
    redis.connect({.address = Address::parse(redis.server.url()), .timeout = timeout});
    REQUIRE(answers(redis.contexts, *redis.client));
    std::promise<void> answered;
    auto& thread = *redis.contexts.all[0];
    auto const hold_up = [&] {
        answered.get_future().wait();
        std::this_thread::sleep_for(2 * timeout); // the time that the thread is late by
    };
    auto const late = [&]() -> asio::awaitable<std::string> {
        // Twice, so that the command leaves in between.
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

TEST_CASE("a master that was made a replica is left, for whoever has its address by then")
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

TEST_CASE("stopping answers what is in flight and leaves the contexts nothing to do")
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

TEST_CASE("stopping while it tries to connect ends that too")
{
    testing::Redis server;
    server.stop();
    observe::Logger logger("test", observe::Level::off);
    for (auto const wait : {0ms, 1ms, 20ms, 120ms}) {
        testing::Contexts contexts;
        Client client({.address = Address::parse(server.url())}, contexts.all, logger);
        std::this_thread::sleep_for(wait); // for another moment each time: any will do
        client.stop();
        contexts.join();
    }
}

TEST_CASE("a client that goes away with its calls under way harms nobody")
{
    Fixture redis;
    redis({"PING"});
    std::vector<std::future<Reply>> waiting;
    for (int i = 0; i < 100; ++i)
        waiting.push_back(redis.contexts.start(call(*redis.client, {"PING"})));
    // On the context's thread, so that no call is about to look at the client.
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
