#include "redis/quota.hpp"

#include "support/redis_fixture.hpp"

#include <catch2/catch.hpp>

using namespace std::chrono_literals;
using redis::Limit, redis::Quota, redis::Use;

namespace {

struct Fixture : testing::RedisFixture {
    Use take(std::vector<Limit> const& limits) { return await(quota.take("s", "sends", limits)); }

    /// The times of the stored uses.
    std::vector<std::string> kept()
    {
        auto const uses = await(client.command({"ZRANGE", "test:{s}:sends", "0", "-1", "WITHSCORES"}));
        std::vector<std::string> times;
        for (std::size_t i = 1; i < uses.array().size(); i += 2)
            times.push_back(uses.array()[i].text());
        return times;
    }

    Quota quota{client, "test"};
};

} // namespace

TEST_CASE("the time of a use comes from Redis, not from the replica")
{
    testing::RedisFixture redis;
    redis::Client real(testing::patient_client(redis.server.url()), redis.contexts.all, redis.logger);
    Quota quota(real, "test");
    Limit const limit{1, 1h};
    auto const seconds = [&] { return std::stoll(redis.await(real.command({"TIME"})).array().at(0).text()); };
    auto const before = seconds();
    CHECK(redis.await(quota.take("s", "sends", {&limit, 1})).allowed);
    auto const refused = redis.await(quota.take("s", "sends", {&limit, 1}));
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after <= 1h);
    auto const uses = redis.await(real.command({"ZRANGE", "test:{s}:sends", "0", "-1", "WITHSCORES"}));
    REQUIRE(uses.array().size() == 2);
    auto const at = std::stod(uses.array()[1].text()) / 1e6;
    CHECK(at >= static_cast<double>(before));
    CHECK(at < static_cast<double>(seconds() + 1));
}

TEST_CASE("the window of a quota slides, and all its limits apply")
{
    Fixture f;
    std::vector<Limit> const limits{{2, 1min}, {3, 10min}};
    CHECK(f.take(limits).remaining == 1);
    f.clock.advance(30s);
    CHECK(f.take(limits).remaining == 0);
    auto refused = f.take(limits);
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after == 30s);
    CHECK(refused.reset == 30s);
    f.clock.advance(30s);
    CHECK(f.take(limits).allowed);
    f.clock.advance(5min);
    refused = f.take(limits);
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after == 4min);
    f.clock.advance(4min);
    CHECK(f.take(limits).allowed);
}

TEST_CASE("if the clock is set back, a user is refused for at most the window")
{
    Fixture f;
    std::vector<Limit> const limits{{1, 1h}};
    f.clock.advance(24h);
    CHECK(f.take(limits).allowed);
    f.clock.advance(-10min); // allowed uses still count
    auto const refused = f.take(limits);
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after == 70min);
    f.clock.advance(-2h); // by more than the window: counting starts again
    CHECK(f.take(limits).allowed);
    CHECK(f.kept().size() == 1);
    CHECK_FALSE(f.take(limits).allowed);
}

TEST_CASE("a count of a calendar day ends at midnight, and needs one small key")
{
    Fixture f;
    f.clock.advance(23h);
    auto const take = [&](std::int64_t per_day) {
        Quota::Count const count{.name = "day", .limits = {}, .per_day = per_day};
        return f.await(f.quota.take("s", {&count, 1}));
    };
    auto const first = take(3);
    CHECK(first.remaining == 2);
    CHECK(first.limit == 3);
    CHECK(first.reset == 1h);
    CHECK(take(3).allowed);
    CHECK(take(3).remaining == 0);
    auto const refused = take(3);
    CHECK_FALSE(refused.allowed);
    CHECK(refused.retry_after == 1h);
    f.await(f.quota.give_back("s", "day", first));
    CHECK(take(3).allowed);
    CHECK_FALSE(take(3).allowed);
    CHECK(f.await(f.client.command({"HLEN", "test:{s}:day"})).integer() == 2);
    f.clock.advance(1h);
    for (int i = 0; i < 3; ++i)
        CHECK(take(3).allowed);
    CHECK_FALSE(take(3).allowed);
    f.await(f.quota.give_back("s", "day", first)); // of another day
    CHECK_FALSE(take(3).allowed);
}

TEST_CASE("a use that one count refuses is counted nowhere, and the first count that refuses is named")
{
    Fixture f;
    Limit const wide{5, 1h}, narrow{2, 1min};
    auto const take = [&](std::int64_t per_day) {
        std::vector<Quota::Count> const counts{{"wide", {&wide, 1}},
            {.name = "day", .limits = {}, .per_day = per_day}, {"narrow", {&narrow, 1}}};
        return f.await(f.quota.take("s", counts));
    };
    CHECK(take(4).allowed);
    CHECK(take(4).allowed);
    auto refused = take(4);
    CHECK(refused.refused_by == 2);
    CHECK(refused.retry_after == 1min);
    f.clock.advance(1min);
    CHECK(take(4).allowed);
    CHECK(take(4).allowed);
    refused = take(4);
    CHECK(refused.refused_by == 1);
    CHECK(refused.retry_after == 24h - 1min);
    f.clock.advance(1min);
    CHECK(take(5).allowed);
    CHECK(take(6).refused_by == 0);
}
