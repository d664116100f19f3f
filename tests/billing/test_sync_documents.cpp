#include "domain/subscriber.hpp"
#include "domain/sync.hpp"
#include "support/fake_clock.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

// What a sync reads from the purchase provider's responses.

using namespace std::chrono_literals;

namespace {

constexpr auto start = testing::FakeClock::start;

} // namespace

TEST_CASE("the provider's time counts if its clock is plausible", "[sync]")
{
    CHECK(billing::watermark_of(start + 5min, start) == start + 5min);
    CHECK(billing::watermark_of(start - 5min, start) == start - 5min);
    CHECK(billing::watermark_of(start + 5min + 1us, start) == start);
    CHECK(billing::watermark_of(start - 1h, start) == start);
    CHECK(billing::watermark_of(std::nullopt, start) == start);
    auto const requested_at = [](std::string const& members) {
        return billing::parse_subscriber("{" + members + R"("subscriber":{"subscriptions":{}}})")
            .requested_at;
    };
    CHECK(requested_at(R"("request_date_ms":1767225600123,"request_date":"2020-01-01T00:00:00Z",)") ==
          start + 123ms);
    CHECK(requested_at(R"("request_date":"2026-01-01T00:00:00Z",)") == start);
    CHECK_FALSE(requested_at(R"("request_date":"now",)"));
    CHECK_FALSE(requested_at(R"("request_date_ms":-1,)"));
    CHECK_FALSE(requested_at(""));
}

TEST_CASE("a malformed subscriber document is refused", "[sync]")
{
    for (auto const& text : std::vector<std::string>{"", "null", "[]", "{}", R"({"subscriber":null})",
             R"({"subscriber":[]})", R"({"subscriber":{}})", R"({"subscriber":{"subscriptions":null}})",
             R"({"subscriber":{"subscriptions":[]}})", R"({"subscriber":{"subscriptions":{"p":null}}})",
             R"({"subscriber":{"subscriptions":{"p":{}}}})",
             R"({"subscriber":{"subscriptions":{"p":{"is_sandbox":"no"}}}})",
             R"({"subscriber":{"subscriptions":{"":{"is_sandbox":false}}}})",
             R"({"subscriber":{"subscriptions":{"p\u0000":{"is_sandbox":false}}}})",
             R"({"subscriber":{"subscriptions":{")" + std::string(256, 'p') + R"(":{"is_sandbox":false}}}})",
             R"({"subscriber":{"subscriptions":{"p":{"is_sandbox":false,"expires_date":"soon"}}}})",
             R"({"subscriber":{"subscriptions":{"p":{"is_sandbox":false,"expires_date":1767225600}}}})",
             R"({"subscriber":{"subscriptions":{"p":{"is_sandbox":false,"store":1}}}})",
             R"({"subscriber":{"subscriptions":{},"non_subscriptions":[]}})",
             R"({"subscriber":{"subscriptions":{},"non_subscriptions":{"c":{}}}})",
             R"({"subscriber":{"subscriptions":{},"non_subscriptions":{"c":[{"is_sandbox":false}]}}})",
             R"({"subscriber":{"subscriptions":{)"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(billing::parse_subscriber(text), std::invalid_argument);
    }
    CHECK(billing::parse_subscriber(R"({"subscriber":{"subscriptions":{}}})").subscriptions.empty());
    // No decision depends on the price, so a malformed one is left out.
    for (auto const* price : {"7", "[]", "{}", R"({"amount":"7","currency":"EUR"})",
             R"({"amount":7,"currency":"EURO"})", R"({"amount":1e300,"currency":"EUR"})"}) {
        auto const text = R"({"subscriber":{"subscriptions":{"p":{"is_sandbox":false,"price":)" +
                          std::string(price) + "}}}}";
        CHECK_FALSE(billing::parse_subscriber(text).subscriptions.at(0).price);
    }
}
