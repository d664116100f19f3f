#include "cluster_fixture.hpp"
#include "support/eventually.hpp"

#include <catch2/catch.hpp>

#include <atomic>

// Slots that move, and nodes that stop, hang or are replaced.

using namespace std::chrono_literals;
using redis::Script;
using redis_test::call, redis_test::keys_at, redis_test::RedisCluster;
using Fixture = redis_test::ClusterFixture;

namespace asio = boost::asio;

TEST_CASE("while a slot moves its keys are read from both nodes, then from the new node")
{
    Fixture redis;
    auto const key = redis.key_at(0);
    auto const slot = redis::slot_of(key);
    redis({"SET", key, "stays"});
    redis.cluster.begin_move(slot, 1);

    CHECK(redis({"GET", key}).text() == "stays");
    auto const before = redis.said(0, "ASK");
    CHECK(redis({"SET", key + "new", "there"}).text() == "OK");
    CHECK(redis.said(0, "ASK") == before + 1);
    CHECK(redis.cluster.at(1, {"CLUSTER", "COUNTKEYSINSLOT", std::to_string(slot)}) == "1");
    CHECK(redis({"GET", key + "new"}).text() == "there");
    CHECK(redis({"GET", key}).text() == "stays");
    Script const script("return redis.call('GET', KEYS[1])"); // neither node knows this script
    CHECK(redis.run(script, {key + "new"}).text() == "there");
    CHECK(redis.run(script, {key}).text() == "stays");

    redis.cluster.end_move(slot);
    CHECK(redis({"GET", key}).text() == "stays");
    CHECK(redis({"GET", key + "new"}).text() == "there");
    CHECK(keys_at(redis.cluster, 0) == 0);
    // The first command is redirected to the slot's new node. Later commands are sent to that node directly.
    CHECK(testing::eventually([&] {
        auto const moved = redis.said(0, "MOVED");
        redis({"GET", key});
        return redis.said(0, "MOVED") == moved;
    }));
}

TEST_CASE("no key is lost or counted twice while slots move")
{
    Fixture redis(2);
    Script const increment("return redis.call('INCR', KEYS[1])");
    auto const key = redis.key_at(2);
    auto const slot = redis::slot_of(key);
    std::atomic<bool> stop = false;
    std::atomic<std::int64_t> counted = 0;
    auto const user = [&]() -> asio::awaitable<void> {
        while (!stop) {
            co_await redis.start(increment, {key});
            ++counted;
        }
    };
    std::vector<std::future<void>> done;
    for (std::size_t i = 0; i < 8; ++i)
        done.push_back(redis.contexts.start(user(), i % 2));
    for (std::size_t const to : {0, 1, 2, 1, 0, 2}) {
        redis.cluster.begin_move(slot, to);
        redis.cluster.end_move(slot);
        auto const before = counted.load();
        CHECK(testing::eventually([&] { return counted > before + 100; }));
    }
    stop = true;
    for (auto& future : done)
        future.get();
    CHECK(redis({"GET", key}).text() == std::to_string(counted));
}

TEST_CASE("a script with keys on both nodes of a move waits for the move for a limited time")
{
    Fixture redis;
    auto const key = redis.key_at(1);
    auto const slot = redis::slot_of(key);
    Script const both("return redis.call('GET', KEYS[1]) .. redis.call('GET', KEYS[2])");
    redis({"SET", key + "a", "A"});
    redis({"SET", key + "b", "B"});
    auto options = testing::patient_client(redis.cluster.url());
    options.reconnect_min = 4s; // the pause before each of at most 7 retries
    options.reconnect_max = 4s;
    redis.connect(options);
    CHECK(redis.run(both, {key + "a", key + "b"}).text() == "AB");

    redis.cluster.begin_move(slot, 2);
    redis.cluster.move_key(key + "a");
    auto const before = redis.said(1, "TRYAGAIN");
    auto waiting = redis.contexts.start(redis.start(both, {key + "a", key + "b"}));
    CHECK(testing::eventually([&] { return redis.said(1, "TRYAGAIN") > before; }));
    redis.cluster.end_move(slot);
    CHECK(waiting.get().text() == "AB");

    redis.cluster.begin_move(slot, 1);
    redis.cluster.move_key(key + "a");
    options.reconnect_min = 1ms;
    redis.connect(options);
    CHECK_THROWS_AS(redis.run(both, {key + "a", key + "b"}), redis::Unavailable);
    redis.cluster.end_move(slot);
    CHECK(redis.run(both, {key + "a", key + "b"}).text() == "AB");
}

TEST_CASE("a client that stops gives commands in flight a result and leaves no work in the contexts")
{
    RedisCluster cluster;
    Fixture redis(cluster, 2);
    auto const key = redis.key_at(0);
    redis({"SET", key, "v"});
    redis({"SET", key, "v"}, 1);
    cluster.pause(0);
    std::vector<std::future<redis::Reply>> waiting;
    for (std::size_t i = 0; i < 20; ++i)
        waiting.push_back(redis.contexts.start(call(*redis.client, {"GET", key}), i % 2));
    redis.client->stop();
    redis.client->stop();
    for (auto& future : waiting)
        CHECK_THROWS_AS(future.get(), redis::Unavailable);
    CHECK_FALSE(redis.answered({"GET", key}));
    CHECK_FALSE(redis.client->healthy());
    redis.contexts.join();
    cluster.resume(0);
}

TEST_CASE("a master that is down or hangs affects only its own keys, until it works again")
{
    RedisCluster cluster;
    Fixture redis(cluster);
    redis.connect({.address = redis::Address::parse(cluster.url())});
    auto const lost = redis.key_at(0);
    std::vector<std::string> const others{redis.key_at(1), redis.key_at(2)};
    auto const serves = [&](std::string const& key) {
        return testing::eventually([&] { return redis.answered({"SET", key, "v"}); }, 60s);
    };
    auto const others_serve = [&] { return serves(others[0]) && serves(others[1]); };
    REQUIRE(serves(lost));
    REQUIRE(others_serve());

    cluster.stop(0);
    CHECK_FALSE(redis.answered({"GET", lost}));
    CHECK(others_serve());
    CHECK(testing::eventually([&] { return redis.client->healthy(); }));
    CHECK_FALSE(redis.answered({"GET", lost}));
    cluster.start(0);
    CHECK(serves(lost));

    cluster.pause(0);
    CHECK_FALSE(redis.answered({"GET", lost}));
    CHECK(others_serve());
    cluster.resume(0);
    CHECK(serves(lost));

    for (std::size_t node = 0; node < cluster.size(); ++node)
        cluster.stop(node);
    CHECK(testing::eventually([&] { return !redis.client->healthy(); }));
    CHECK_FALSE(redis.answered({"GET", others[0]}));
    for (std::size_t node = 0; node < cluster.size(); ++node)
        cluster.start(node);
    CHECK(serves(lost));
    CHECK(others_serve());
}

TEST_CASE("a replica that has taken over from its master is found, with the data")
{
    // Long enough for a slow machine, on which the vote for a new master may have to be repeated.
    constexpr auto patience = 3min;
    RedisCluster cluster({.replicas = 1, .node_timeout = 2s});
    Fixture redis(cluster);
    auto const key = redis.key_at(0);
    REQUIRE(testing::eventually([&] { return redis.answered({"SET", key, "kept"}); }));
    // Replication is asynchronous, so the test waits for it.
    REQUIRE(testing::eventually([&] { return keys_at(cluster, 3) == 1; }));
    cluster.stop(0);
    auto const value = [&]() -> std::string {
        try {
            return redis({"GET", key}).text();
        } catch (redis::Unavailable const&) {
            return "";
        }
    };
    REQUIRE(testing::eventually([&] { return value() == "kept"; }, patience));
    CHECK(redis({"SET", key, "goes on"}).text() == "OK");

    // The old master comes back as a replica of the new one and gets no commands.
    cluster.start(0);
    REQUIRE(testing::eventually(
        [&] {
            return cluster.at(0, {"INFO", "replication"}).find("master_link_status:up") != std::string::npos;
        },
        patience));
    CHECK(value() == "goes on");

    // The old master becomes master again while both nodes are up. Commands that still reach the other node
    // are redirected.
    auto const is_master = [&] { return cluster.at(0, {"ROLE"}).starts_with("master"); };
    // A node gives up a manual failover after 5 s, so the request is repeated.
    for (int attempt = 0; attempt < 10 && !is_master(); ++attempt) {
        cluster.at(0, {"CLUSTER", "FAILOVER"});
        testing::eventually(is_master, 10s);
    }
    REQUIRE(is_master());
    CHECK(testing::eventually([&] { return redis.answered({"SET", key, "back"}); }));
    CHECK(value() == "back");
}
