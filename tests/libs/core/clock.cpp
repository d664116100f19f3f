#include "core/clock.hpp"

#include <random>

using namespace std::chrono_literals;
using core::Time;

namespace {

constexpr Time at(int year, unsigned month, unsigned day, std::chrono::microseconds in_day = 0us)
{
    using namespace std::chrono;
    return sys_days{std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(day)} + in_day;
}

struct Case {
    char const* text;
    Time time;
};

} // namespace

TEST_CASE("a time is formatted with milliseconds, truncated")
{
    auto const c = GENERATE(Case{"1970-01-01T00:00:00.000Z", Time{}},
        Case{"2026-01-31T23:59:59.999Z", at(2026, 1, 31, 24h - 1us)},
        Case{"2024-02-29T01:02:03.004Z", at(2024, 2, 29, 1h + 2min + 3s + 4999us)},
        Case{"1969-12-31T23:59:59.999Z", Time{-1us}}, Case{"0001-01-01T00:00:00.000Z", core::min_time},
        Case{"9999-12-31T23:59:59.999Z", core::max_time},
        Case{"2000-12-10T12:34:56.789Z", at(2000, 12, 10, 45296789ms)});
    CHECK(core::to_rfc3339(c.time) == c.text);
}

TEST_CASE("a time outside the years 0001 to 9999 cannot be formatted")
{
    CHECK(core::is_representable(core::min_time));
    CHECK(core::is_representable(core::max_time));
    auto const time = GENERATE(core::min_time - 1us, core::max_time + 1us, Time::min(), Time::max());
    CHECK_FALSE(core::is_representable(time));
    CHECK_THROWS_AS(core::to_rfc3339(time), std::out_of_range);
}

TEST_CASE("RFC 3339 timestamps are parsed")
{
    // The first five are the examples of RFC 3339, 5.8.
    auto const c = GENERATE(Case{"1985-04-12T23:20:50.52Z", at(1985, 4, 12, 23h + 20min + 50s + 520ms)},
        Case{"1996-12-19T16:39:57-08:00", at(1996, 12, 20, 39min + 57s)},
        Case{"1990-12-31T23:59:60Z", at(1991, 1, 1)}, Case{"1990-12-31T15:59:60-08:00", at(1991, 1, 1)},
        Case{"1937-01-01T12:00:27.87+00:20", at(1937, 1, 1, 11h + 40min + 27s + 870ms)},
        Case{"2026-01-31T23:59:59Z", at(2026, 1, 31, 24h - 1s)},
        Case{"2026-01-31t23:59:59z", at(2026, 1, 31, 24h - 1s)},
        Case{"2026-01-31T00:00:00.1Z", at(2026, 1, 31, 100ms)},
        Case{"2026-01-31T00:00:00.123456Z", at(2026, 1, 31, 123456us)},
        Case{"2026-01-31T00:00:00.123456999Z", at(2026, 1, 31, 123456us)},
        Case{"2026-01-31T00:00:00.000000001Z", at(2026, 1, 31)},
        Case{"2026-01-31T00:00:00-00:00", at(2026, 1, 31)},
        Case{"2026-01-31T00:00:00+23:59", at(2026, 1, 30, 1min)},
        Case{"2024-02-29T00:00:00Z", at(2024, 2, 29)}, Case{"2000-02-29T00:00:00Z", at(2000, 2, 29)},
        Case{"0001-01-01T00:00:00Z", core::min_time}, Case{"9999-12-31T23:59:59.999999Z", core::max_time},
        Case{"2016-12-31T23:59:60.25Z", at(2017, 1, 1, 250ms)},
        Case{"2017-01-01T08:59:60+09:00", at(2017, 1, 1)});
    CAPTURE(c.text);
    REQUIRE(core::parse_rfc3339(c.text).has_value());
    CHECK(*core::parse_rfc3339(c.text) == c.time);
}

TEST_CASE("texts in other formats are refused as timestamps")
{
    auto const* text = GENERATE(as<char const*>(), "", "2026", "2026-01-31", "2026-01-31T00:00:00",
        "20260131T000000Z", "2026-01-31 00:00:00Z", "2026-01-31T00:00Z", "2026-1-31T00:00:00Z",
        "2026-01-31T0:00:00Z", " 2026-01-31T00:00:00Z", "2026-01-31T00:00:00Z ", "2026-01-31T00:00:00ZZ",
        "+2026-01-31T00:00:00Z", "12026-01-31T00:00:00Z", "2026-00-01T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-01-00T00:00:00Z", "2026-01-32T00:00:00Z", "2026-04-31T00:00:00Z", "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "0000-01-01T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T00:60:00Z",
        "2026-01-31T00:00:61Z", "2026-01-31T12:30:60Z", "2026-01-31T23:59:60+01:00", "2026-01-31T00:00:00.Z",
        "2026-01-31T00:00:00,5Z", "2026-01-31T00:00:00.1234567890Z",
        "2026-01-31T00:00:00.12345678901234567890Z", "2026-01-31T00:00:00+24:00", "2026-01-31T00:00:00+00:60",
        "2026-01-31T00:00:00+0000", "2026-01-31T00:00:00+00", "2026-01-31T00:00:00+1:00",
        "2026-01-31T00:00:00 +01:00", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
        "9999-12-31T23:59:60Z", "2026-01-31T00:00:00.1 Z", "2026-01-3\xd9\xa1T00:00:00Z", "now",
        "-001-01-01T00:00:00Z");
    CAPTURE(text);
    CHECK_FALSE(core::parse_rfc3339(text));
}

TEST_CASE("a timestamp with a zero byte is refused")
{
    using namespace std::string_view_literals;
    CHECK_FALSE(core::parse_rfc3339("2026-01-31T00:00:00Z\0"sv));
    CHECK_FALSE(core::parse_rfc3339("2026-01-31\0"
                                    "00:00:00Z"sv));
}

TEST_CASE("every prefix of a timestamp is refused")
{
    std::string_view const whole = "2026-01-31T23:59:59.123456+01:30";
    REQUIRE(core::parse_rfc3339(whole));
    for (std::size_t size = 0; size < whole.size(); ++size)
        CHECK_FALSE(core::parse_rfc3339(whole.substr(0, size)));
}

TEST_CASE("a formatted time parses to the same millisecond")
{
    std::mt19937_64 random(20260131); // NOLINT(cert-msc51-cpp): the same cases each time
    std::uniform_int_distribution<std::int64_t> micros(
        core::min_time.time_since_epoch().count(), core::max_time.time_since_epoch().count());
    for (int i = 0; i < 20'000; ++i) {
        Time const time{std::chrono::microseconds(micros(random))};
        REQUIRE(core::parse_rfc3339(core::to_rfc3339(time)) ==
                std::chrono::floor<std::chrono::milliseconds>(time));
    }
}

TEST_CASE("the next millisecond begins after every time with the same formatted text")
{
    core::Time const whole{std::chrono::milliseconds(-5)};
    CHECK(core::next_millisecond(whole) == core::Time(std::chrono::milliseconds(-4)));
    CHECK(core::next_millisecond(whole + std::chrono::microseconds(999)) ==
          core::Time(std::chrono::milliseconds(-4)));
}

TEST_CASE("formatted times sort like the times")
{
    CHECK(core::to_rfc3339(Time{-1500us}) < core::to_rfc3339(Time{-500us}));
    CHECK(core::to_rfc3339(Time{-500us}) < core::to_rfc3339(Time{500us}));
}

TEST_CASE("the system clock returns the system's time")
{
    auto const before = std::chrono::system_clock::now() - 1us;
    auto const now = core::SystemClock().now();
    CHECK(before <= now);
    CHECK(now <= std::chrono::system_clock::now());
}
