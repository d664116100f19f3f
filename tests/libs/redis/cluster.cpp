#include "cluster_fixture.hpp"
#include "redis/quota.hpp"
#include "redis/rate_limit.hpp"

#include <catch2/catch.hpp>

#include <atomic>

// A cluster of three masters that does not change. A number in each key distributes the keys over the
// masters.

using namespace std::chrono_literals;
using redis::Script;
using redis_test::key_of, redis_test::keys_at, redis_test::whole_cluster;
using Fixture = redis_test::ClusterFixture;

namespace asio = boost::asio;

TEST_CASE("the computed slot of a key equals the slot of the servers")
{
    auto const& cluster = whole_cluster();
    for (std::string const key : {"", "a", "{a}b", "x{a}b", "{}a", "x{}{a}", "{{a}}b", "{a", "a}",
             "auth-mfa:challenge:{42:0123456789abcdef}", "\xff\xfe{\x80}"}) {
        CAPTURE(key);
        CHECK(redis::slot_of(key) == cluster.slot_of(key));
    }
}

TEST_CASE("each key is stored on the right node and found again, from every context")
{
    Fixture redis(2);
    auto const redirected = [&] {
        return redis.said(0, "MOVED") + redis.said(1, "MOVED") + redis.said(2, "MOVED");
    };
    auto const before = redirected();
    constexpr int count = 90;
    for (int i = 0; i < count; ++i)
        CHECK(redis({"SET", key_of(i), std::to_string(i)}, static_cast<std::size_t>(i % 2)).text() == "OK");
    for (int i = 0; i < count; ++i)
        CHECK(redis({"GET", key_of(i)}, static_cast<std::size_t>((i + 1) % 2)).text() == std::to_string(i));
    int all = 0;
    for (std::size_t node = 0; node < redis.cluster.size(); ++node) {
        CHECK(keys_at(redis.cluster, node) > 0);
        all += keys_at(redis.cluster, node);
    }
    CHECK(all == count);
    CHECK(redirected() == before); // the slot table was read, and no redirection was needed
    CHECK(redis.client->healthy());
}

TEST_CASE("a script runs on the node of its keys and is sent to it once")
{
    Fixture redis;
    Script const script("return redis.call('INCR', KEYS[1])");
    for (int round = 1; round <= 2; ++round)
        for (std::size_t node = 0; node < redis.cluster.size(); ++node)
            CHECK(redis.run(script, {redis.key_at(node)}).integer() == round);
    for (std::size_t node = 0; node < redis.cluster.size(); ++node)
        CHECK(redis.cluster.at(node, {"SCRIPT", "EXISTS", script.sha()}) == "1");
    Script const apart("return 1");
    CHECK_THROWS_AS(redis.run(apart, {redis.key_at(0), redis.key_at(1)}), redis::CommandError); // CROSSSLOT
}

TEST_CASE("limits apply to subjects on every node")
{
    Fixture redis(2);
    redis::RateLimiter limiter(*redis.client, "test");
    constexpr int subjects = 30;
    std::vector<std::atomic<int>> allowed(subjects);
    auto const taker = [&](int subject) -> asio::awaitable<void> {
        for (int i = 0; i < 5; ++i)
            if ((co_await limiter.take("42:" + std::to_string(subject), {7, 1h})).allowed)
                ++allowed[static_cast<std::size_t>(subject)];
    };
    std::vector<std::future<void>> done;
    for (int subject = 0; subject < subjects; ++subject)
        for (std::size_t context = 0; context < 2; ++context)
            done.push_back(redis.contexts.start(taker(subject), context));
    for (auto& future : done)
        future.get();
    for (auto const& count : allowed)
        CHECK(count == 7);
    for (std::size_t node = 0; node < redis.cluster.size(); ++node)
        CHECK(keys_at(redis.cluster, node) > 0);
}

TEST_CASE("quotas over several counts of a subject are taken and released on every node")
{
    Fixture redis;
    redis::Quota quota(*redis.client, "test");
    redis::Limit const one{1, 1h}, two{2, 1h};
    std::vector<redis::Quota::Count> const counts{{"a", {&one, 1}}, {"b", {&two, 1}}};
    for (int i = 0; i < 30; ++i) {
        auto const subject = std::to_string(i);
        auto const take = [&] { return redis.contexts.await(quota.take(subject, counts)); };
        auto const use = take();
        CHECK(use.allowed);
        CHECK_FALSE(take().allowed);
        std::vector<std::string> const names{"a", "b"};
        redis.contexts.await(quota.give_back(subject, names, use));
        CHECK(take().allowed);
    }
    for (std::size_t node = 0; node < redis.cluster.size(); ++node)
        CHECK(keys_at(redis.cluster, node) > 0);
}

TEST_CASE("only keys with the prefix are erased, on every node")
{
    Fixture redis;
    for (int i = 0; i < 300; ++i)
        redis({"SET", "f:rl:{42:" + std::to_string(i) + "}", "1"});
    for (int i = 0; i < 30; ++i)
        redis({"SET", "f:rl:{421:" + std::to_string(i) + "}", "kept"});
    CHECK(redis.contexts.await(redis.client->erase_prefix("f:rl:{42:")) == 300);
    int left = 0;
    for (std::size_t node = 0; node < redis.cluster.size(); ++node)
        left += keys_at(redis.cluster, node);
    CHECK(left == 30);
}

TEST_CASE("one reachable node is enough to start")
{
    Fixture redis;
    auto const last = std::to_string(redis.cluster.port(2));
    for (auto const& url : {"redis+cluster://127.0.0.1:" + last, "redis+cluster://localhost:" + last,
             "redis+cluster://127.0.0.1:1,127.0.0.1:" + last}) {
        CAPTURE(url);
        redis.connect(testing::patient_client(url));
        for (std::size_t node = 0; node < redis.cluster.size(); ++node)
            CHECK(redis({"SET", redis.key_at(node), "v"}).text() == "OK");
    }
}

TEST_CASE("the credentials are used for all nodes")
{
    Fixture redis;
    for (std::size_t node = 0; node < redis.cluster.size(); ++node)
        redis.cluster.at(node, {"ACL", "SETUSER", "app", "on", ">p@ss", "~*", "+@all"});
    auto const hosts = redis.cluster.url().substr(std::string("redis+cluster://").size());
    redis.connect(testing::patient_client("redis+cluster://app:p%40ss@" + hosts));
    for (std::size_t node = 0; node < redis.cluster.size(); ++node)
        CHECK(redis({"SET", redis.key_at(node), "v"}).text() == "OK");
    CHECK(redis({"ACL", "WHOAMI"}).text() == "app");
    redis.connect(testing::patient_client("redis+cluster://app:wrong@" + hosts));
    CHECK_FALSE(redis.answered({"GET", key_of(0)}));
    CHECK_FALSE(redis.client->healthy());
}

TEST_CASE("a server that is not a cluster is not used as a cluster")
{
    testing::Redis const server;
    Fixture redis;
    redis.connect(
        {.address = redis::Address::parse("redis+cluster://127.0.0.1:" + std::to_string(server.port()))});
    CHECK_FALSE(redis.answered({"GET", "k"}));
    CHECK_THROWS_AS(redis.contexts.await(redis.client->erase_prefix("k")), redis::Unavailable);
}
