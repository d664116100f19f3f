#include "redis/rate_limit.hpp"

#include "support/eventually.hpp"
#include "support/redis_fixture.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <mutex>

using namespace std::chrono_literals;
using redis::Decision;
using redis::Limit;
using Clock = std::chrono::steady_clock;

namespace asio = boost::asio;

// The limiter uses Redis' clock, which tests cannot set. A window that must not end during a test is an hour
// long.

namespace {

struct Fixture : testing::RedisFixture {
    using RedisFixture::RedisFixture;

    Decision take(std::string const& subject, Limit limit) { return await(limiter.take(subject, limit)); }

    redis::Reply command(std::vector<std::string> const& args)
    {
        std::vector<std::string_view> const views(args.begin(), args.end());
        return await(client.command(views));
    }

    /// Redis' clock in microseconds.
    std::int64_t now()
    {
        auto const time = command({"TIME"});
        return std::stoll(time.array()[0].text()) * 1'000'000 + std::stoll(time.array()[1].text());
    }

    /// Waits until this much time has passed by Redis' clock.
    void let_pass(std::chrono::microseconds time)
    {
        auto const end = now() + time.count();
        REQUIRE(testing::eventually([&] { return now() >= end; }));
    }

    /// Stores the limiter's list for "s" with these times (microseconds by Redis' clock).
    void remember(std::chrono::milliseconds window, std::vector<std::int64_t> const& times)
    {
        auto const key = "test:rl:{s}:" + std::to_string(window.count());
        command({"DEL", key});
        std::vector<std::string> push{"RPUSH", key};
        for (auto const time : times)
            push.push_back(std::to_string(time));
        if (!times.empty()) command(push);
    }

    redis::RateLimiter limiter{client, "test"};
};

} // namespace

TEST_CASE("requests are allowed up to the limit, and then refused")
{
    Fixture redis;
    Limit const limit{3, 1h};
    for (std::int64_t i = 0; i < 3; ++i) {
        auto const d = redis.take("s", limit);
        CHECK(d.allowed);
        CHECK(d.limit == 3);
        CHECK(d.remaining == 2 - i);
        CHECK(d.window == 1h);
        CHECK(d.retry_after == 0ms);
        CHECK(d.reset > 30min);
        CHECK(d.reset <= 1h);
    }
    for (int i = 0; i < 3; ++i) {
        auto const d = redis.take("s", limit);
        CHECK_FALSE(d.allowed);
        CHECK(d.remaining == 0);
        CHECK(d.retry_after > 30min);
        CHECK(d.retry_after <= 1h);
        CHECK(d.reset == d.retry_after);
    }
    CHECK(redis.command({"LLEN", "test:rl:{s}:3600000"}).integer() == 3); // refused requests are not counted
}

TEST_CASE("subjects and windows have separate counts")
{
    Fixture redis;
    CHECK(redis.take("a", {1, 1h}).allowed);
    CHECK_FALSE(redis.take("a", {1, 1h}).allowed);
    CHECK(redis.take("b", {1, 1h}).allowed);
    CHECK(redis.take("a", {1, 2h}).allowed);
}

TEST_CASE("64 concurrent callers together get exactly the limit")
{
    Fixture redis(2);
    for (std::int64_t const count : {10, 100, 600}) {
        Limit const limit{count, 1h};
        std::atomic<std::int64_t> allowed = 0;
        auto const taker = [&]() -> asio::awaitable<void> {
            for (int i = 0; i < 15; ++i)
                if ((co_await redis.limiter.take("many" + std::to_string(count), limit)).allowed) ++allowed;
        };
        std::vector<std::future<void>> done;
        for (std::size_t t = 0; t < 64; ++t)
            done.push_back(redis.start(taker(), t % 2));
        for (auto& future : done)
            future.get();
        CHECK(allowed == count);
    }
}

TEST_CASE("no window contains more requests than the limit, and no request below the limit is refused")
{
    Fixture redis(2);
    constexpr std::size_t count = 5;
    constexpr auto window = 200ms;
    // Redis' clock is the wall clock. NTP may change its speed relative to ours, by far less than this.
    constexpr auto tolerance = window / 100;

    struct Take {
        Clock::time_point sent, answered; // the script ran between these two times
    };

    std::vector<Take> allowed, refused;
    std::mutex mutex;
    auto const end = Clock::now() + 60s; // limits the time if the test fails
    auto const enough = [&] {
        std::lock_guard const lock(mutex);
        return allowed.size() >= 10 * count || Clock::now() > end;
    };
    auto const taker = [&]() -> asio::awaitable<void> {
        while (!enough()) {
            auto const sent = Clock::now();
            auto const d = co_await redis.limiter.take("s", {count, window});
            std::lock_guard const lock(mutex);
            (d.allowed ? allowed : refused).push_back({sent, Clock::now()});
        }
    };
    std::vector<std::future<void>> done;
    for (std::size_t t = 0; t < 8; ++t)
        done.push_back(redis.start(taker(), t % 2));
    for (auto& future : done)
        future.get();

    // Of `count` + 1 consecutive allowed requests, the last reply must come at least a window after the first
    // request was sent. Otherwise one request too many was allowed.
    REQUIRE(allowed.size() >= 10 * count);
    std::ranges::sort(allowed, {}, &Take::sent);
    for (std::size_t i = count; i < allowed.size(); ++i)
        CHECK(allowed[i].answered - allowed[i - count].sent >= window - tolerance);
    // A refusal is correct if the window that ends with it may contain `count` allowed requests.
    auto const is_right = [&](Take const& refusal) {
        return count <= static_cast<std::size_t>(std::ranges::count_if(allowed, [&](Take const& other) {
            return other.sent <= refusal.answered && other.answered >= refusal.sent - window - tolerance;
        }));
    };
    CHECK(std::ranges::all_of(refused, is_right));
}

TEST_CASE("a caller that waits for the given time is allowed")
{
    Fixture redis;
    Limit const limit{2, 150ms};
    for (int refused = 0, takes = 0; refused < 5; ++takes) {
        REQUIRE(takes < 1'000);
        auto const d = redis.take("s", limit);
        if (d.allowed) continue;
        ++refused;
        CHECK(d.retry_after > 0ms);
        CHECK(d.retry_after <= 150ms);
        redis.let_pass(d.retry_after);
        CHECK(redis.take("s", limit).allowed);
    }
}

TEST_CASE("times that have left the window are removed, for any number of them")
{
    Fixture redis;
    Limit const limit{1000, 1h};
    constexpr std::int64_t window = 3'600'000'000, ten_minutes = 600'000'000;
    for (int const gone : {0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100, 500}) {
        for (int const live : {0, 1, 2, 3, 17, 400}) {
            CAPTURE(gone, live);
            auto const now = redis.now();
            std::vector<std::int64_t> times;
            for (int i = 0; i < gone; ++i)
                times.push_back(now - window - gone + i);
            for (int i = 0; i < live; ++i)
                times.push_back(now - ten_minutes + i);
            redis.remember(limit.window, times);
            auto const d = redis.take("s", limit);
            CHECK(d.allowed);
            CHECK(d.remaining == 1000 - live - 1);
            CHECK(redis.command({"LLEN", "test:rl:{s}:3600000"}).integer() == live + 1);
            if (live > 0) CHECK(d.reset <= 50min);
        }
    }
}

TEST_CASE("a lowered limit applies at once and returns the right waiting time")
{
    Fixture redis;
    constexpr auto window = 1h;
    constexpr std::int64_t minute = 60'000'000;
    // Six requests were allowed, one per minute. The fifth of them must leave the window.
    auto const begin = redis.now();
    std::vector<std::int64_t> times;
    for (std::int64_t i = 6; i > 0; --i)
        times.push_back(begin - i * minute);
    redis.remember(window, times);
    auto const d = redis.take("s", {2, window});
    auto const end = redis.now();
    CHECK_FALSE(d.allowed);
    CHECK(d.remaining == 0);
    auto const due = times[4] + std::chrono::microseconds(window).count();
    CHECK(d.retry_after <=
          std::chrono::ceil<std::chrono::milliseconds>(std::chrono::microseconds(due - begin)));
    CHECK(d.retry_after >= std::chrono::microseconds(due - end));

    // Move the requests back by that waiting time.
    for (auto& time : times)
        time -= std::chrono::microseconds(d.retry_after).count();
    redis.remember(window, times);
    CHECK(redis.take("s", {2, window}).allowed);
    CHECK_FALSE(redis.take("s", {2, window}).allowed);
}

TEST_CASE("if the clock is set back, users are not refused for a long time")
{
    Fixture redis;
    constexpr std::int64_t minute = 60'000'000;
    // The clock was set back by two hours: counting starts again.
    redis.remember(1h, {redis.now() + 120 * minute});
    CHECK(redis.take("s", {1, 1h}).allowed);
    CHECK_FALSE(redis.take("s", {1, 1h}).allowed);
    // The clock was set back by ten minutes: allowed requests still count, for at most ten more minutes.
    redis.remember(1h, {redis.now() + 10 * minute});
    CHECK(redis.take("s", {2, 1h}).allowed);
    auto const d = redis.take("s", {2, 1h});
    CHECK_FALSE(d.allowed);
    CHECK(d.retry_after <= 70min);
}

TEST_CASE("keys expire with their window")
{
    Fixture redis;
    redis.take("s", {5, 1h});
    auto const left = redis.command({"PTTL", "test:rl:{s}:3600000"}).integer();
    CHECK(left > 1'800'000);
    CHECK(left <= 3'600'001);
}

TEST_CASE("limits of zero, limits above the maximum and limits without a window are handled")
{
    Fixture redis;
    auto const none = redis.take("s", {0, 60s});
    CHECK_FALSE(none.allowed);
    CHECK(none.retry_after == 60s);
    CHECK(redis.take("s", {std::int64_t{1} << 60, 60s}).limit == 1'000'000);
    CHECK_THROWS_AS(redis.take("s", {1, 0ms}), std::invalid_argument);
}

TEST_CASE("a limit that cannot be checked throws Unavailable")
{
    Fixture redis;
    redis.take("s", {5, 60s});
    redis.server.stop();
    CHECK_THROWS_AS(redis.take("s", {5, 60s}), redis::Unavailable);
}

TEST_CASE("the headers have the form of the RateLimit draft")
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

TEST_CASE("a subject whose count was deleted may use its whole limit again")
{
    Fixture f;
    Limit const limit{.count = 1, .window = 1h};
    CHECK(f.take("ada", limit).allowed);
    CHECK(f.take("bob", limit).allowed);
    f.await(f.limiter.forget("ada", 1h));
    f.await(f.limiter.forget("nobody", 1h));
    CHECK(f.command({"KEYS", "*ada*"}).array().empty());
    CHECK(f.take("ada", limit).allowed);
    CHECK_FALSE(f.take("bob", limit).allowed);
    f.await(f.limiter.forget("bob", 1min)); // the count of another window
    CHECK_FALSE(f.take("bob", limit).allowed);
}
