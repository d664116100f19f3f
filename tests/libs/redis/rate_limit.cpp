#include "redis/rate_limit.hpp"

#include "contexts.hpp"
#include "testing/redis.hpp"

#include <catch2/catch.hpp>

#include <atomic>

using namespace std::chrono_literals;
using redis::Decision;
using redis::Limit;
using Clock = std::chrono::steady_clock;

namespace asio = boost::asio;

namespace {

struct Fixture {
    explicit Fixture(unsigned count = 1)
        : contexts(count), client({.address = redis::Address::parse(server.url())}, contexts.all, logger),
          limiter(client, "test")
    {
    }

    ~Fixture() { client.stop(); }

    Fixture(Fixture const&) = delete;
    Fixture& operator=(Fixture const&) = delete;

    Decision take(std::string const& subject, Limit limit, std::size_t context = 0)
    {
        return contexts.await(limiter.take(subject, limit), context);
    }

    redis::Reply command(std::vector<std::string> const& args)
    {
        std::vector<std::string_view> const views(args.begin(), args.end());
        return contexts.await(client.command(views));
    }

    /// Redis' clock in microseconds.
    std::int64_t now()
    {
        auto const time = command({"TIME"});
        return std::stoll(time.array()[0].text()) * 1'000'000 + std::stoll(time.array()[1].text());
    }

    testing::Redis server;
    observe::Logger logger{"test", observe::Level::off};
    Contexts contexts;
    redis::Client client;
    redis::RateLimiter limiter;
};

} // namespace

TEST_CASE("as many as the limit says are allowed, then none")
{
    Fixture redis;
    Limit const limit{3, 60s};
    for (std::int64_t i = 0; i < 3; ++i) {
        auto const d = redis.take("s", limit);
        CHECK(d.allowed);
        CHECK(d.limit == 3);
        CHECK(d.remaining == 2 - i);
        CHECK(d.window == 60s);
        CHECK(d.retry_after == 0ms);
        CHECK(d.reset > 50s);
        CHECK(d.reset <= 60s);
    }
    for (int i = 0; i < 3; ++i) {
        auto const d = redis.take("s", limit);
        CHECK_FALSE(d.allowed);
        CHECK(d.remaining == 0);
        CHECK(d.retry_after > 50s);
        CHECK(d.retry_after <= 60s);
        CHECK(d.reset == d.retry_after);
    }
    CHECK(redis.command({"LLEN", "test:rl:{s}:60000"}).integer() == 3); // the refused are not counted
}

TEST_CASE("subjects and windows do not share a count")
{
    Fixture redis;
    CHECK(redis.take("a", {1, 60s}).allowed);
    CHECK_FALSE(redis.take("a", {1, 60s}).allowed);
    CHECK(redis.take("b", {1, 60s}).allowed);
    CHECK(redis.take("a", {1, 30s}).allowed);
}

TEST_CASE("64 takers at once get exactly the limit between them")
{
    Fixture redis(2);
    for (std::int64_t const count : {10, 100, 600}) {
        Limit const limit{count, 60s};
        std::atomic<std::int64_t> allowed = 0;
        auto const taker = [&]() -> asio::awaitable<void> {
            for (int i = 0; i < 15; ++i)
                if ((co_await redis.limiter.take("many" + std::to_string(count), limit)).allowed) ++allowed;
        };
        std::vector<std::future<void>> done;
        for (std::size_t t = 0; t < 64; ++t)
            done.push_back(redis.contexts.spawn(taker(), t % 2));
        for (auto& future : done)
            future.get();
        CHECK(allowed == count);
    }
}

TEST_CASE("over time no window ever holds more than the limit, and no allowance is lost")
{
    Fixture redis(2);
    constexpr std::size_t count = 5;
    constexpr auto window = 200ms;

    struct Grant {
        Clock::time_point sent, answered;
    };

    std::vector<Grant> grants;
    std::mutex mutex;
    auto const until = Clock::now() + 2s;
    auto const taker = [&]() -> asio::awaitable<void> {
        while (Clock::now() < until) {
            auto const sent = Clock::now();
            auto const d = co_await redis.limiter.take("s", {count, window});
            if (!d.allowed) continue;
            std::lock_guard const lock(mutex);
            grants.push_back({sent, Clock::now()});
        }
    };
    std::vector<std::future<void>> done;
    for (std::size_t t = 0; t < 8; ++t)
        done.push_back(redis.contexts.spawn(taker(), t % 2));
    for (auto& future : done)
        future.get();

    // Redis allowed each between `sent` and `answered`, so a pair that is apart by less than the window even
    // from the first's sending to the second's answer was one too many.
    std::ranges::sort(grants, {}, &Grant::sent);
    for (std::size_t i = count; i < grants.size(); ++i)
        CHECK(grants[i].answered - grants[i - count].sent >= window);
    // Takers that never rest find every allowance: 5 at once, then 5 in each of the ten windows.
    CHECK(grants.size() >= 9 * count);
    CHECK(grants.size() <= 11 * count);
}

TEST_CASE("whoever waits as long as it was told is allowed")
{
    Fixture redis;
    Limit const limit{2, 150ms};
    int refused = 0;
    for (int i = 0; i < 12; ++i) {
        auto const d = redis.take("s", limit);
        if (d.allowed) continue;
        ++refused;
        CHECK(d.retry_after > 0ms);
        CHECK(d.retry_after <= 150ms);
        std::this_thread::sleep_for(d.retry_after);
        CHECK(redis.take("s", limit).allowed);
    }
    CHECK(refused > 0);
}

TEST_CASE("what has left the window is dropped, however much of it there is")
{
    Fixture redis;
    Limit const limit{1000, 60s};
    std::string const key = "test:rl:{s}:60000";
    for (int const gone : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100, 500}) {
        for (int const live : {0, 1, 2, 3, 17, 400}) {
            CAPTURE(gone, live);
            redis.command({"DEL", key});
            auto const now = redis.now();
            std::vector<std::string> push{"RPUSH", key};
            for (int i = 0; i < gone; ++i)
                push.push_back(std::to_string(now - 60'000'000 - gone + i));
            for (int i = 0; i < live; ++i)
                push.push_back(std::to_string(now - 10'000'000 + i));
            if (push.size() > 2) redis.command(push);
            auto const d = redis.take("s", limit);
            CHECK(d.allowed);
            CHECK(d.remaining == 1000 - live - 1);
            CHECK(redis.command({"LLEN", key}).integer() == live + 1);
            if (live > 0) CHECK(d.reset <= 50s);
        }
    }
}

TEST_CASE("a limit that was lowered holds at once and says when it will be met")
{
    Fixture redis;
    for (int i = 0; i < 6; ++i) {
        CHECK(redis.take("s", {6, 400ms}).allowed);
        std::this_thread::sleep_for(10ms);
    }
    auto const d = redis.take("s", {2, 400ms});
    CHECK_FALSE(d.allowed);
    CHECK(d.remaining == 0);
    std::this_thread::sleep_for(d.retry_after);
    CHECK(redis.take("s", {2, 400ms}).allowed);
}

TEST_CASE("a clock that was set back does not lock anyone out")
{
    Fixture redis;
    std::string const key = "test:rl:{s}:60000";
    // By an hour: a new start.
    redis.command({"RPUSH", key, std::to_string(redis.now() + 3'600'000'000)});
    CHECK(redis.take("s", {1, 60s}).allowed);
    CHECK_FALSE(redis.take("s", {1, 60s}).allowed);
    // By ten seconds: those allowed still count, for ten seconds more at most.
    redis.command({"DEL", key});
    redis.command({"RPUSH", key, std::to_string(redis.now() + 10'000'000)});
    CHECK(redis.take("s", {2, 60s}).allowed);
    auto const d = redis.take("s", {2, 60s});
    CHECK_FALSE(d.allowed);
    CHECK(d.retry_after <= 70s);
}

TEST_CASE("keys expire with their window")
{
    Fixture redis;
    redis.take("s", {5, 60s});
    auto const left = redis.command({"PTTL", "test:rl:{s}:60000"}).integer();
    CHECK(left > 50'000);
    CHECK(left <= 60'001);
}

TEST_CASE("limits at the edge: none, too many, no window")
{
    Fixture redis;
    auto const none = redis.take("s", {0, 60s});
    CHECK_FALSE(none.allowed);
    CHECK(none.retry_after == 60s);
    CHECK(redis.take("s", {std::int64_t{1} << 60, 60s}).limit == 1'000'000);
    CHECK_THROWS_AS(redis.take("s", {1, 0ms}), std::invalid_argument);
}

TEST_CASE("a limit that cannot be checked is Unavailable")
{
    Fixture redis;
    redis.take("s", {5, 60s});
    redis.server.stop();
    CHECK_THROWS_AS(redis.take("s", {5, 60s}), redis::Unavailable);
}

TEST_CASE("the header lines follow the draft")
{
    using Lines = std::vector<std::pair<std::string, std::string>>;
    CHECK(
        redis::headers({.allowed = true, .limit = 600, .remaining = 599, .window = 60s, .reset = 11'001ms}) ==
        Lines{{"RateLimit-Policy", R"("default";q=600;w=60)"}, {"RateLimit", R"("default";r=599;t=12)"}});
    CHECK(redis::headers({.allowed = false, .limit = 10, .window = 5min, .retry_after = 1ms, .reset = 1ms},
              "sends") == Lines{{"RateLimit-Policy", R"("sends";q=10;w=300)"},
                              {"RateLimit", R"("sends";r=0;t=1)"}, {"Retry-After", "1"}});
    CHECK(redis::headers({.allowed = false, .limit = 1, .window = 60s, .retry_after = 60s, .reset = 60s})
              .back()
              .second == "60");
}
