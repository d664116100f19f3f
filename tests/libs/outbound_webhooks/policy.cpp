#include "outbound_webhooks/policy.hpp"

#include "support/fake_clock.hpp"

using namespace std::chrono_literals;
using outbound_webhooks::Answer;
using outbound_webhooks::AttemptOutcome;
using outbound_webhooks::decide;

namespace {

constexpr core::Time now = testing::FakeClock::start;
constexpr core::Time end = now + outbound_webhooks::retry_window;

} // namespace

TEST_CASE("a 2xx response means delivered")
{
    auto const status = GENERATE(200U, 201U, 202U, 204U, 299U);
    CHECK(decide({.status = status}, 1, now, end, 0).outcome == AttemptOutcome::delivered);
}

TEST_CASE("other responses are retried, including redirects and no response")
{
    auto const status = GENERATE(0U, 100U, 301U, 302U, 307U, 400U, 401U, 404U, 429U, 500U, 503U);
    CAPTURE(status);
    auto const d = decide({.status = status}, 1, now, end, 7);
    CHECK(d.outcome == AttemptOutcome::retry);
    CHECK(d.next_attempt_at > now);
}

TEST_CASE("410 fails the delivery at once and disables the endpoint")
{
    auto const d = decide({.status = 410}, 1, now, end, 0);
    CHECK(d.outcome == AttemptOutcome::failed);
    CHECK(d.disable == outbound_webhooks::Disable::now);
    CHECK(d.disable_reason == "the endpoint answered 410 Gone");
}

TEST_CASE("pauses double from 5 seconds to 6 hours, with jitter")
{
    struct Row {
        unsigned runs;
        std::chrono::seconds longest;
    };

    auto const row = GENERATE(Row{1, 5s}, Row{2, 10s}, Row{3, 20s}, Row{10, 2560s}, Row{14, 6h}, Row{40, 6h});
    CAPTURE(row.runs);
    for (std::uint64_t entropy : {0ULL, 1ULL, 12345ULL, ~0ULL}) {
        auto const pause = decide({.status = 500}, row.runs, now, end, entropy).next_attempt_at - now;
        CHECK(pause >= row.longest / 2);
        CHECK(pause <= row.longest);
    }
}

TEST_CASE("Retry-After is obeyed only for 429 and 503, within the window")
{
    auto const next = [](unsigned status, std::chrono::seconds after) {
        return decide({.status = status, .retry_after = after}, 1, now, end, 0).next_attempt_at;
    };
    CHECK(next(429, 1h) == now + 1h);
    CHECK(next(503, 1h) == now + 1h);
    CHECK(next(500, 1h) <= now + 5s);
    CHECK(next(429, 0s) > now); // not earlier than the normal backoff
    CHECK(next(429, 24h * 365) == end);
    CHECK(next(503, std::chrono::seconds::max()) == end);
}

TEST_CASE("the last attempt is at the end of the window, and then the delivery has failed")
{
    CHECK(decide({.status = 500}, 20, end - 1s, end, 0).next_attempt_at == end);
    auto const d = decide({.status = 500}, 21, end, end, 0);
    CHECK(d.outcome == AttemptOutcome::failed);
    CHECK(d.disable == outbound_webhooks::Disable::unless_accepting);
    CHECK(d.disable_reason == "a delivery failed for 3 days");
    CHECK(decide({.status = 200}, 21, end, end, 0).outcome == AttemptOutcome::delivered);
}
