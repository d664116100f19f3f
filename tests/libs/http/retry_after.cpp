#include "http/retry_after.hpp"

#include <catch2/catch.hpp>

using http::parse_retry_after;
using std::chrono::seconds;

namespace {

core::Time at(std::string_view rfc3339)
{
    return core::parse_rfc3339(rfc3339).value();
}

} // namespace

TEST_CASE("Retry-After is parsed as seconds")
{
    core::Time const now = at("1994-11-06T08:49:07Z");
    CHECK(parse_retry_after("0", now) == seconds(0));
    CHECK(parse_retry_after(" 120 ", now) == seconds(120));
    CHECK(parse_retry_after("99999999999999999999", now) == std::chrono::days(1));
}

TEST_CASE("Retry-After is parsed as a date")
{
    core::Time const now = at("1994-11-06T08:49:07.5Z");
    CHECK(parse_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", now) == seconds(30));
    CHECK(parse_retry_after("Sun, 06 Nov 1994 08:49:07 GMT", now) == seconds(0));
    CHECK(parse_retry_after("Fri, 06 Nov 2094 08:49:37 GMT", now) == std::chrono::days(1));
}

TEST_CASE("other values of Retry-After are ignored")
{
    core::Time const now = at("1994-11-06T08:49:07Z");
    for (auto const* text :
        {"", "soon", "-1", "1.5", "1e3", "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nox 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT"}) {
        INFO(text);
        CHECK_FALSE(parse_retry_after(text, now));
    }
}

TEST_CASE("the header Date is parsed")
{
    CHECK(http::parse_date("Sun, 06 Nov 1994 08:49:37 GMT") == at("1994-11-06T08:49:37Z"));
    CHECK_FALSE(http::parse_date("30"));
    CHECK_FALSE(http::parse_date(""));
}
