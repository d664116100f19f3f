#include "redis/client.hpp"

#include "contexts.hpp"
#include "testing/eventually.hpp"
#include "testing/process.hpp"
#include "testing/redis.hpp"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <filesystem>
#include <set>

using namespace std::chrono_literals;
using redis::Address;
using redis::Client;
using redis::Reply;
using redis::Script;
using Clock = std::chrono::steady_clock;

namespace asio = boost::asio;

namespace {

asio::awaitable<Reply> call(Client& client, std::vector<std::string> args)
{
    std::vector<std::string_view> const views(args.begin(), args.end());
    co_return co_await client.command(views);
}

/// How long the call took to fail with Unavailable.
std::chrono::milliseconds time_to_fail(Contexts& contexts, Client& client, std::size_t context = 0)
{
    auto const begin = Clock::now();
    CHECK_THROWS_AS(contexts.await(call(client, {"GET", "k"}), context), redis::Unavailable);
    return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
}

struct Fixture {
    explicit Fixture(unsigned count = 1) : contexts(count) { connect(server.url()); }

    ~Fixture() { client->stop(); }

    Fixture(Fixture const&) = delete;
    Fixture& operator=(Fixture const&) = delete;

    void connect(std::string const& url)
    {
        client = std::make_unique<Client>(
            redis::ClientOptions{.address = Address::parse(url)}, contexts.all, logger);
    }

    Reply operator()(std::vector<std::string> args, std::size_t context = 0)
    {
        return contexts.await(call(*client, std::move(args)), context);
    }

    testing::Redis server;
    observe::Logger logger{"test", observe::Level::off};
    Contexts contexts;
    std::unique_ptr<Client> client;
};

} // namespace

TEST_CASE("commands are answered with values of their type, bytes and all")
{
    Fixture redis;
    std::string const bytes("a\0b\r\n\xFF", 6);
    CHECK(redis({"SET", "{t}:k", bytes}).text() == "OK");
    CHECK(redis({"GET", "{t}:k"}).text() == bytes);
    CHECK(redis({"GET", "{t}:none"}).is_nil());
    CHECK(redis({"INCRBY", "{t}:n", "9007199254740993"}).integer() == 9007199254740993);
    CHECK(redis({"SET", "{t}:empty", ""}).text() == "OK");
    CHECK(redis({"GET", "{t}:empty"}).text().empty());
    auto const several = redis({"MGET", "{t}:k", "{t}:none", "{t}:n"});
    REQUIRE(several.array().size() == 3);
    CHECK(several.array()[0].text() == bytes);
    CHECK(several.array()[1].is_nil());
    CHECK_THROWS_AS(several.integer(), std::bad_variant_access);
}

TEST_CASE("a command the server refuses is CommandError and the connection goes on")
{
    Fixture redis;
    redis({"SET", "k", "text"});
    CHECK_THROWS_AS(redis({"INCR", "k"}), redis::CommandError);
    CHECK_THROWS_AS(redis({"NOSUCHCOMMAND"}), redis::CommandError);
    CHECK(redis({"GET", "k"}).text() == "text");
}

TEST_CASE("a call made before the first connection stands waits for it")
{
    testing::Redis const server;
    observe::Logger logger("test", observe::Level::off);
    for (int i = 0; i < 20; ++i) {
        Contexts contexts(1);
        Client client({.address = Address::parse(server.url())}, contexts.all, logger);
        CHECK(contexts.await(call(client, {"PING"})).text() == "PONG");
        client.stop();
    }
}

TEST_CASE("each context has one connection of its own, and only contexts may call")
{
    Fixture redis(2);
    auto const first = redis({"CLIENT", "ID"}, 0).integer();
    auto const second = redis({"CLIENT", "ID"}, 1).integer();
    CHECK(first != second);
    CHECK(redis({"CLIENT", "ID"}, 0).integer() == first);
    Contexts others(1);
    CHECK_THROWS_AS(others.await(call(*redis.client, {"PING"})), std::logic_error);
}

TEST_CASE("many coroutines share a connection and each gets its own answer")
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
        done.push_back(redis.contexts.spawn(caller(c), static_cast<std::size_t>(c % 2)));
    for (auto& future : done)
        future.get();
    CHECK(wrong == 0);
}

TEST_CASE("values larger than any socket buffer go through, both ways")
{
    Fixture redis;
    std::string const big(6 * 1024 * 1024, 'x');
    CHECK(redis({"SET", "big", big}).text() == "OK");
    CHECK(redis({"GET", "big"}).text() == big);
}

TEST_CASE("a script is sent in full only to a server that does not know it")
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

TEST_CASE("signing in: password, user, database")
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
    CHECK(redis({"GET", "k"}).is_nil());

    for (auto const& url :
        {"redis://:wrong" + at, "redis:/" + ("/" + at.substr(1)), "redis://:hunter2" + at + "/99"}) {
        CAPTURE(url);
        redis.connect(url);
        CHECK_THROWS_AS(redis({"GET", "k"}), redis::Unavailable);
        CHECK_FALSE(redis.client->healthy());
    }
}

TEST_CASE("a name with several addresses is tried through, and a unix socket works")
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

TEST_CASE("while the server is away commands fail at once, and work again when it is back")
{
    Fixture redis;
    redis({"SET", "k", "v"});
    CHECK(redis.client->healthy());
    redis.server.stop();
    CHECK(testing::eventually([&] { return !redis.client->healthy(); }));
    for (int i = 0; i < 20; ++i)
        CHECK(time_to_fail(redis.contexts, *redis.client) < 100ms);
    redis.server.start();
    CHECK(testing::eventually([&] { return redis.client->healthy(); }, 5s));
    CHECK(redis({"SET", "k", "again"}).text() == "OK");
}

TEST_CASE("a client made while the server is away becomes healthy when it comes")
{
    Fixture redis;
    redis.server.stop();
    redis.connect(redis.server.url());
    CHECK(time_to_fail(redis.contexts, *redis.client) < 400ms);
    redis.server.start();
    CHECK(testing::eventually([&] { return redis.client->healthy(); }, 5s));
    CHECK(redis({"PING"}).text() == "PONG");
}

TEST_CASE("a hung server counts as down after 250 ms, until it answers again")
{
    Fixture redis;
    redis({"PING"});
    redis.server.pause();
    auto const first = time_to_fail(redis.contexts, *redis.client);
    CHECK(first >= 250ms);
    CHECK(first < 400ms); // 300 and what a busy machine adds
    CHECK_FALSE(redis.client->healthy());
    // The kernel still accepts connections for it: that must not count.
    auto const until = Clock::now() + 1s;
    while (Clock::now() < until) {
        CHECK(time_to_fail(redis.contexts, *redis.client) < 100ms);
        std::this_thread::sleep_for(20ms);
    }
    redis.server.resume();
    CHECK(testing::eventually([&] { return redis.client->healthy(); }, 5s));
    CHECK(redis({"PING"}).text() == "PONG");
}

TEST_CASE("a client made while the server hangs fails in time")
{
    Fixture redis;
    redis.server.pause();
    redis.connect(redis.server.url());
    CHECK(time_to_fail(redis.contexts, *redis.client) < 400ms);
    redis.server.resume();
    CHECK(testing::eventually([&] { return redis.client->healthy(); }, 5s));
}

TEST_CASE("an answer that has arrived counts even when our own thread was late")
{
    Fixture redis;
    redis({"PING"});
    auto const late = [&]() -> asio::awaitable<std::string> {
        // Runs between the command's departure and its answer, for longer than the limit.
        asio::post(*redis.contexts.all[0], [] { std::this_thread::sleep_for(400ms); });
        co_return (co_await call(*redis.client, {"ECHO", "here"})).text();
    };
    CHECK(redis.contexts.await(late()) == "here");
    CHECK(redis.client->healthy());
}

TEST_CASE("stopping answers what is in flight and leaves the contexts nothing to do")
{
    testing::Redis server;
    observe::Logger logger("test", observe::Level::off);
    auto contexts = std::make_unique<Contexts>(2);
    Client client({.address = Address::parse(server.url())}, contexts->all, logger);
    contexts->await(call(client, {"PING"}));
    server.pause();
    std::vector<std::future<Reply>> waiting;
    for (std::size_t i = 0; i < 20; ++i)
        waiting.push_back(contexts->spawn(call(client, {"GET", "k"}), i % 2));
    client.stop();
    client.stop();
    for (auto& future : waiting)
        CHECK_THROWS_AS(future.get(), redis::Unavailable);
    CHECK_THROWS_AS(contexts->await(call(client, {"PING"})), redis::Unavailable);
    CHECK_FALSE(client.healthy());
    contexts->join();
}

TEST_CASE("stopping while it tries to connect ends that too")
{
    testing::Redis server;
    server.stop();
    observe::Logger logger("test", observe::Level::off);
    for (auto const wait : {0ms, 1ms, 20ms, 120ms}) {
        Contexts contexts(1);
        Client client({.address = Address::parse(server.url())}, contexts.all, logger);
        std::this_thread::sleep_for(wait);
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
        waiting.push_back(redis.contexts.spawn(call(*redis.client, {"PING"})));
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
    redis.connect(redis.server.url()); // for the fixture's end
}

TEST_CASE("keys are erased by their first letters and no others")
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
