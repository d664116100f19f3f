#include "domain/broadcast.hpp"
#include "domain/pruning.hpp"
#include "domain/retry.hpp"
#include "workers/sms.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <limits>

using namespace std::chrono_literals;
using namespace notify;

namespace {

core::Time const noon = *core::parse_rfc3339("2026-03-01T12:00:00Z");

constexpr std::array<std::uint64_t, 5> entropies{
    0, 1, 12'345'678'901'234, 0x8000000000000000, std::numeric_limits<std::uint64_t>::max()};

/// The state after the nth attempt of a notification that was due at noon, if the attempt took no time.
FailedAttempt failed(
    std::int64_t attempts, core::Time at, std::optional<std::chrono::seconds> retry_after = {})
{
    return {.attempts = attempts, .due = noon, .began = at, .now = at, .retry_after = retry_after};
}

} // namespace

// --- the time of the next attempt

TEST_CASE("eight retries follow the first attempt within an hour, each later than the one before")
{
    for (auto const entropy : entropies) {
        core::Time at = noon;
        for (std::int64_t n = 1; n <= max_retries; ++n) {
            auto const next = next_attempt(failed(n, at), entropy);
            REQUIRE(next);
            CHECK(*next > at);
            at = *next;
        }
        CHECK(at <= noon + retry_window);
        CHECK_FALSE(next_attempt(failed(max_retries + 1, at), entropy));
    }
}

TEST_CASE("the backoff doubles, and half of it is jitter")
{
    auto const wait = [](std::int64_t n, std::uint64_t entropy) {
        return *next_attempt(failed(n, noon), entropy) - noon;
    };
    for (std::int64_t n = 1; n <= 5; ++n) {
        auto const ceiling = 12s * (1 << (n - 1));
        for (auto const entropy : entropies) {
            INFO(n);
            CHECK(wait(n, entropy) >= ceiling / 2);
            CHECK(wait(n, entropy) <= ceiling);
        }
    }
    CHECK(wait(3, entropies[1]) != wait(3, entropies[2]));
}

TEST_CASE("a Retry-After is obeyed, and a Retry-After beyond the hour ends the retries")
{
    CHECK(*next_attempt(failed(1, noon, 600s), 0) == noon + 600s);
    // A short Retry-After does not make an attempt earlier.
    CHECK(*next_attempt(failed(1, noon, 1s), 0) >= noon + 6s);
    CHECK(next_attempt(failed(1, noon, 3600s), 0));
    CHECK_FALSE(next_attempt(failed(1, noon, 3601s), 0));
    CHECK_FALSE(next_attempt(failed(2, noon + 59min + 50s), 0));
    CHECK_FALSE(next_attempt(failed(1, noon, std::chrono::seconds::max()), 0));
}

TEST_CASE("a notification whose first attempt was late has all its retries")
{
    core::Time at = noon + 5h;
    for (std::int64_t n = 1; n <= max_retries; ++n) {
        auto const next = next_attempt(failed(n, at), 7);
        REQUIRE(next);
        at = *next;
    }
    CHECK_FALSE(next_attempt(failed(max_retries + 1, at), 7));
    CHECK_FALSE(next_attempt(failed(1, noon + 5h, 3601s), 7));
}

// --- the step after a provider's response

TEST_CASE("a message that may have been sent or was refused is not sent again")
{
    for (bool const may_retry : {false, true}) {
        CHECK(next_step(Verdict::accepted, may_retry) == NextStep::sent);
        for (auto const verdict : {Verdict::gone, Verdict::refused, Verdict::unknown})
            CHECK(next_step(verdict, may_retry) == NextStep::failed);
    }
    for (auto const verdict : {Verdict::credential, Verdict::throttled, Verdict::transient}) {
        CHECK(next_step(verdict, true) == NextStep::retry);
        CHECK(next_step(verdict, false) == NextStep::failed);
    }
}

TEST_CASE("a device with an invalid token is invalid, and a device of a refused platform waits until its "
          "time limit")
{
    CHECK(delivery_status_after(Verdict::gone, true, true) == DeliveryStatus::invalid);
    CHECK(delivery_status_after(Verdict::accepted, false, false) == DeliveryStatus::sent);
    CHECK(delivery_status_after(Verdict::refused, true, true) == DeliveryStatus::failed);
    CHECK(delivery_status_after(Verdict::credential, false, true) == DeliveryStatus::pending);
    CHECK(delivery_status_after(Verdict::credential, true, false) == DeliveryStatus::failed);
    CHECK(delivery_status_after(Verdict::throttled, true, false) == DeliveryStatus::pending);
    CHECK(delivery_status_after(Verdict::transient, false, true) == DeliveryStatus::failed);
}

// --- the time of the next attempt for a device of a broadcast

TEST_CASE("a broadcast retries a device three times within a minute", "[broadcast]")
{
    for (std::uint64_t const entropy : {std::uint64_t{0}, ~std::uint64_t{0}}) {
        DeviceAttempts attempts{.made = 1, .first = noon};
        core::Time now = noon;
        for (; attempts.made <= max_broadcast_retries; ++attempts.made) {
            auto const next = next_device_attempt(attempts, now, std::nullopt, noon + 1h, entropy);
            REQUIRE(next);
            CHECK(*next > now);
            CHECK(*next < noon + 1min);
            now = *next;
        }
        CHECK_FALSE(next_device_attempt(attempts, now, std::nullopt, noon + 1h, entropy));
    }
}

TEST_CASE("a device is not retried after the minute, unless the carrier sent a Retry-After", "[broadcast]")
{
    DeviceAttempts const attempts{.made = 2, .first = noon};
    CHECK_FALSE(next_device_attempt(attempts, noon + 58s, std::nullopt, noon + 1h, 0));
    CHECK(next_device_attempt(attempts, noon + 58s, 120s, noon + 1h, 0) == noon + 58s + 120s);
    CHECK_FALSE(
        next_device_attempt(attempts, noon + 58s, 3600s, noon + 1h, 0)); // later than the chunk may wait
    CHECK_FALSE(next_device_attempt({.made = 4, .first = noon}, noon, 1s, noon + 1h, 0));
}

TEST_CASE("a carrier's Retry-After makes a retry later, and never earlier", "[broadcast]")
{
    DeviceAttempts const attempts{.made = 1, .first = noon};
    auto const plain = next_device_attempt(attempts, noon, std::nullopt, noon + 1h, 0);
    CHECK(next_device_attempt(attempts, noon, 0s, noon + 1h, 0) == plain);
    CHECK(next_device_attempt(attempts, noon, 30s, noon + 1h, 0) == noon + 30s);
}

// --- when pruning stops

TEST_CASE("pruning stops if more than half of at least fifty devices are gone")
{
    CHECK_FALSE(is_suspicious(0, 0));
    CHECK_FALSE(is_suspicious(49, 49));
    CHECK(is_suspicious(50, 50));
    CHECK(is_suspicious(50, 26));
    CHECK_FALSE(is_suspicious(50, 25));
    CHECK(is_suspicious(51, 26));
    CHECK_FALSE(is_suspicious(1'000'000, 500'000));
    CHECK(is_suspicious(1'000'000, 500'001));
}

// --- Twilio's responses

TEST_CASE("the longer a text message has waited for the sender's limits, the rarer are its attempts")
{
    CHECK(sms_limit_pause(0ms, 0ms) == 1s);
    CHECK(sms_limit_pause(-5s, 300ms) == 1s);
    CHECK(sms_limit_pause(2s, 58s) == 58s);
    CHECK(sms_limit_pause(4min, 10s) == 4min);
    CHECK(sms_limit_pause(2h, 10s) == 15min);
    CHECK(sms_limit_pause(2s, 24h) == 15min);

    // The attempts of a message that finds no place within a day, although there is always one soon.
    int attempts = 0, in_first_hour = 0;
    for (std::chrono::milliseconds waited = 0ms; waited < longest_sms_wait; ++attempts) {
        if (waited < 1h) ++in_first_hour;
        waited += sms_limit_pause(waited, 30s);
    }
    CHECK(in_first_hour == 9);
    CHECK(attempts < 110);
}

TEST_CASE("responses of Twilio are classified")
{
    using sms::Outcome;

    struct Case {
        sms::SendResult sent;
        Verdict verdict;
        char const* reason;
    };

    auto const sent = [](Outcome outcome, unsigned status, unsigned code) {
        std::string const id = outcome == Outcome::accepted ? "SM1" : "";
        return sms::SendResult{.outcome = outcome, .provider_id = id, .code = code, .status = status};
    };
    for (auto const& c : {
             Case{sent(Outcome::accepted, 201, 0), Verdict::accepted, ""},
             Case{sent(Outcome::opted_out, 400, 21610), Verdict::gone, "21610"},
             Case{sent(Outcome::country, 400, 21408), Verdict::refused, "21408"},
             Case{sent(Outcome::unreachable, 400, 21614), Verdict::refused, "21614"},
             Case{sent(Outcome::refused, 400, 21617), Verdict::refused, "21617"},
             Case{sent(Outcome::refused, 400, 0), Verdict::refused, "HTTP_400"},
             Case{sent(Outcome::refused, 401, 20003), Verdict::credential, "20003"},
             Case{sent(Outcome::refused, 429, 20429), Verdict::throttled, "20429"},
             Case{sent(Outcome::refused, 400, 21611), Verdict::throttled, "21611"},
             Case{sent(Outcome::refused, 503, 20503), Verdict::transient, "20503"},
             Case{sent(Outcome::not_sent, 0, 0), Verdict::transient, "CONNECT_FAILED"},
             Case{sent(Outcome::unknown, 0, 0), Verdict::unknown, "NO_ANSWER"},
             Case{sent(Outcome::unknown, 200, 0), Verdict::unknown, "UNEXPECTED_ANSWER"},
             Case{sent(Outcome::unknown, 500, 20500), Verdict::unknown, "20500"},
             Case{sent(Outcome::unknown, 502, 0), Verdict::unknown, "HTTP_502"},
         }) {
        INFO(c.reason);
        CHECK(result_of(c.sent).verdict == c.verdict);
        CHECK(result_of(c.sent).reason == c.reason);
    }
    auto throttled = sent(Outcome::refused, 429, 20429);
    throttled.retry_after = 30s;
    CHECK(result_of(throttled).retry_after == 30s);
    CHECK(result_of(sent(Outcome::accepted, 201, 0)).provider_id == "SM1");
}

TEST_CASE("a message whose Twilio id cannot be stored counts as possibly sent", "[notify]")
{
    for (auto const& name : {std::string(1, '\0'), std::string("SM\xff"), std::string(501, 'x')}) {
        auto const result =
            result_of({.outcome = sms::Outcome::accepted, .provider_id = name, .code = 0, .status = 201});
        CHECK(result.verdict == Verdict::unknown);
        CHECK(result.reason == "UNEXPECTED_ANSWER");
        CHECK(result.provider_id.empty());
    }
}

TEST_CASE("the status callback URL contains the scope, the notification and its retry")
{
    Notification n;
    n.id = *core::Uuid::parse("01900000-0000-7000-8000-000000000001");
    n.queued_at = core::Time(1'700'000'000'000'001us);
    std::string const text = n.id.to_string() + "&queued=1700000000000001";
    CHECK(status_callback("https://x.example/webhooks/sms/twilio", core::ScopeId{7}, n) ==
          "https://x.example/webhooks/sms/twilio?scope=7&notification=" + text);
    CHECK(status_callback("https://x.example/hook?a=b", core::ScopeId{7}, n) ==
          "https://x.example/hook?a=b&scope=7&notification=" + text);
    CHECK(status_callback("", core::ScopeId{7}, n).empty());
}
