#include "redis/client.hpp"

#include "fixture.hpp"
#include "support/eventually.hpp"
#include "support/process.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>

using redis::Client;
using redis::Script;
using redis_test::call, redis_test::Fixture;

namespace asio = boost::asio;

TEST_CASE("commands return values of their type, including binary values")
{
    Fixture redis;
    std::string const bytes("a\0b\r\n\xFF", 6);
    CHECK(redis({"SET", "{t}:k", bytes}).text() == "OK");
    CHECK(redis({"GET", "{t}:k"}).text() == bytes);
    CHECK_THROWS_AS(redis({"GET", "{t}:none"}).text(), std::bad_variant_access); // nil
    CHECK(redis({"INCRBY", "{t}:n", "9007199254740993"}).integer() == 9007199254740993);
    CHECK(redis({"SET", "{t}:empty", ""}).text() == "OK");
    CHECK(redis({"GET", "{t}:empty"}).text().empty());
    auto const several = redis({"MGET", "{t}:k", "{t}:none", "{t}:n"});
    REQUIRE(several.array().size() == 3);
    CHECK(several.array()[0].text() == bytes);
    CHECK_THROWS_AS(several.array()[1].text(), std::bad_variant_access);
    CHECK_THROWS_AS(several.integer(), std::bad_variant_access);
}

TEST_CASE("a command that the server refuses throws CommandError and keeps the connection")
{
    Fixture redis;
    redis({"SET", "k", "text"});
    CHECK_THROWS_AS(redis({"INCR", "k"}), redis::CommandError);
    CHECK_THROWS_AS(redis({"NOSUCHCOMMAND"}), redis::CommandError);
    CHECK(redis({"GET", "k"}).text() == "text");
}

TEST_CASE("a call during the first connection attempt waits for it")
{
    testing::Redis const server;
    observe::Logger logger("test", observe::Level::off);
    for (int i = 0; i < 20; ++i) {
        testing::Contexts contexts;
        Client client(testing::patient_client(server.url()), contexts.all, logger);
        CHECK(contexts.await(call(client, {"PING"})).text() == "PONG");
        client.stop();
    }
}

TEST_CASE("each context has its own connection, and only contexts may call")
{
    Fixture redis(2);
    auto const first = redis({"CLIENT", "ID"}, 0).integer();
    auto const second = redis({"CLIENT", "ID"}, 1).integer();
    CHECK(first != second);
    CHECK(redis({"CLIENT", "ID"}, 0).integer() == first);
    testing::Contexts others;
    CHECK_THROWS_AS(others.await(call(*redis.client, {"PING"})), std::logic_error);
}

TEST_CASE("many coroutines share a connection, and each gets its own reply")
{
    Fixture redis(2);
    constexpr int callers = 200;
    constexpr int each = 50;
    std::atomic<int> wrong = 0;
    auto const caller = [&](int number) -> asio::awaitable<void> {
        for (int i = 0; i < each; ++i) {
            auto const text = std::to_string(number) + ":" + std::to_string(i);
            if ((co_await call(*redis.client, {"ECHO", text})).text() != text) ++wrong;
        }
    };
    std::vector<std::future<void>> done;
    for (int c = 0; c < callers; ++c)
        done.push_back(redis.contexts.start(caller(c), static_cast<std::size_t>(c % 2)));
    for (auto& future : done)
        future.get();
    CHECK(wrong == 0);
}

TEST_CASE("values larger than any socket buffer are sent in both directions")
{
    Fixture redis;
    std::string const big(6 * 1024 * 1024, 'x');
    CHECK(redis({"SET", "big", big}).text() == "OK");
    CHECK(redis({"GET", "big"}).text() == big);
}

TEST_CASE("the text of a script is sent only to a server that does not know it")
{
    Fixture redis;
    Script const script("return {KEYS[1], ARGV[1], redis.call('INCR', KEYS[1])}");
    CHECK(script.sha() == redis({"SCRIPT", "LOAD", script.text()}).text());
    redis({"SCRIPT", "FLUSH"});
    auto const eval = [&] {
        std::vector<std::string_view> const keys{"{t}:count"};
        std::vector<std::string_view> const args{"x"};
        return redis.contexts.await(redis.client->eval(script, keys, args));
    };
    auto const reply = eval();
    CHECK(reply.array().at(0).text() == "{t}:count");
    CHECK(reply.array().at(1).text() == "x");
    CHECK(reply.array().at(2).integer() == 1);
    CHECK(eval().array().at(2).integer() == 2);
    redis({"SCRIPT", "FLUSH"});
    CHECK(eval().array().at(2).integer() == 3);

    Script const broken("return redis.call('INCR')");
    CHECK_THROWS_AS(redis.contexts.await(redis.client->eval(broken, {}, {})), redis::CommandError);
}

TEST_CASE("password, user and database are used")
{
    Fixture redis;
    redis({"ACL", "SETUSER", "app", "on", ">p@ss", "~*", "+@all"});
    redis({"CONFIG", "SET", "requirepass", "hunter2"});
    auto const at = "@127.0.0.1:" + std::to_string(redis.server.port());

    redis.connect("redis://:hunter2" + at + "/3");
    CHECK(redis({"SET", "k", "in three"}).text() == "OK");
    redis.connect("redis://app:p%40ss" + at + "/3");
    CHECK(redis({"GET", "k"}).text() == "in three");
    CHECK(redis({"ACL", "WHOAMI"}).text() == "app");
    redis.connect("redis://app:p%40ss" + at);
    CHECK_THROWS_AS(redis({"GET", "k"}).text(), std::bad_variant_access); // nil

    for (auto const& url :
        {"redis://:wrong" + at, "redis:/" + ("/" + at.substr(1)), "redis://:hunter2" + at + "/99"}) {
        CAPTURE(url);
        redis.connect(url);
        CHECK_THROWS_AS(redis({"GET", "k"}), redis::Unavailable);
        CHECK_FALSE(redis.client->healthy());
    }
}

TEST_CASE("all addresses of a name are tried, and a unix socket works")
{
    Fixture redis;
    redis.connect("redis://localhost:" + std::to_string(redis.server.port()));
    CHECK(redis({"PING"}).text() == "PONG");

    testing::TemporaryDirectory const folder;
    auto const path = folder.path() + "/r.sock";
    testing::Process const server({.argv = {"redis-server", "--port", "0", "--unixsocket", path, "--save", "",
                                       "--appendonly", "no", "--dir", folder.path()}});
    REQUIRE(testing::eventually([&] { return std::filesystem::exists(path); }));
    redis.connect("unix://" + path + "?db=1");
    CHECK(testing::eventually([&] { return redis.client->healthy(); }));
    CHECK(redis({"SET", "k", "v"}).text() == "OK");
}

TEST_CASE("only keys with the prefix are erased")
{
    Fixture redis;
    for (int i = 0; i < 1500; ++i)
        redis({"SET", "f:rl:{42:user:" + std::to_string(i) + "}", "1"});
    redis({"SET", "f:rl:{421:user:1}", "kept"});
    redis({"SET", "x:f:rl:{42:user:1}", "kept"});
    redis({"SET", "a*b[c]?\\d^1", "gone"});
    redis({"SET", "aXb[c]?\\d^1", "kept"});
    CHECK(redis.contexts.await(redis.client->erase_prefix("f:rl:{42:")) == 1500);
    CHECK(redis.contexts.await(redis.client->erase_prefix("a*b[c]?\\d^")) == 1);
    CHECK(redis.contexts.await(redis.client->erase_prefix("none")) == 0);
    CHECK(redis({"DBSIZE"}).integer() == 3);
}
